"""Exported files in the programs that will read them: Khronos validator, USD validators, three.js, Blender.

Found when present: node with the packages gltf-validator and three (their folder in NODE_PATH), usd-core, and a Python
with bpy, named in PLIANT_BPY.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from hand_made import sheet
from hand_made import world as world_of
from pliant import build, gallery, simulate
from pliant.sinks.formats import for_suffix
from pliant.sources.recordings import load_recording
from pliant.world import Frame, PartFrame, part_frame

HERE = Path(__file__).parent
FRAMES, FPS = 24, 30.0
pytestmark = [pytest.mark.consumer, pytest.mark.slow]


@pytest.fixture(scope="session")
def curtain():
    world = build(gallery.load("curtain"))
    return world, list(simulate(world, frames=FRAMES, fps=FPS))


def write(curtain, target, **options):
    world, frames = curtain
    with for_suffix(target)(target, world, fps=FPS, **options) as sink:
        for frame in frames:
            sink.write(frame)
    return target


@pytest.fixture(scope="session")
def khronos():
    node = shutil.which("node")
    probe = [node or "node", "-e", "require('gltf-validator')"]
    if node is None or subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("needs node and the package gltf-validator in NODE_PATH")

    def verdicts(*files):
        done = subprocess.run(
            [node, str(HERE / "gltf_validate.js"), *map(str, files)], capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    return verdicts


@pytest.fixture(scope="session")
def blender():
    python = os.environ.get("PLIANT_BPY")
    if not python:
        pytest.skip("needs a Python with bpy, named in PLIANT_BPY")

    def played(path, out, script="blender_frames.py"):
        command = [python, str(HERE / script), str(path), str(out), str(FPS), str(FRAMES)]
        subprocess.run(command, capture_output=True, check=True, timeout=300)
        return np.load(out)

    return played


@pytest.mark.parametrize("error", [None, 0.0, 1e-2])
def test_glb_has_no_error_and_no_warning(khronos, curtain, tmp_path, error):
    verdict = khronos(write(curtain, tmp_path / "c.glb", error=error))[0]
    assert (verdict["errors"], verdict["warnings"]) == (0, 0), verdict["messages"]


def test_meshes_of_vertex_textures_have_none_either(khronos, curtain, tmp_path):
    folder = write(curtain, tmp_path / "c.vat")
    for verdict in khronos(*folder.glob("*.glb")):
        assert (verdict["errors"], verdict["warnings"]) == (0, 0), verdict["messages"]


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usdz"])
@pytest.mark.parametrize("app", [None, "unreal"])
@pytest.mark.parametrize("scene", ["curtain", "puppet"])
def test_usd_passes_every_validator(request, tmp_path, scene, suffix, app):
    pxr = pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom, UsdValidation

    stage = Usd.Stage.Open(str(write(request.getfixturevalue(scene), tmp_path / f"c{suffix}", target_app=app)))
    validators = list(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    assert [e.GetMessage() for e in UsdValidation.ValidationContext(validators).Validate(stage)] == []
    assert pxr.UsdGeom.GetStageUpAxis(stage) == ("Z" if app else "Y")
    meshes = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert [mesh.GetPointsAttr().GetNumTimeSamples() for mesh in meshes] == [FRAMES if scene == "curtain" else 0]
    assert stage.GetTimeCodesPerSecond() == FPS


@pytest.mark.parametrize("suffix", [".abc", ".glb", ".usda", ".usdc", ".usdz", ".pc2", ".mdd"])
def test_blender_plays_every_frame_where_it_was(blender, curtain, tmp_path, suffix):
    options = {"error": 0.0} if suffix == ".glb" else {}
    played = blender(write(curtain, tmp_path / f"c{suffix}", **options), tmp_path / "played.npy")
    expected = np.stack([frame["curtain"].points for frame in curtain[1]])
    size = np.ptp(expected, axis=(0, 1)).max()
    assert np.abs(played - expected).max() < 1e-5 * size


def test_an_archive_of_blender_is_read_as_blender_shows_it(blender, tmp_path):
    """Polygons of any size, transforms within transforms, turned and scaled."""
    played = blender(tmp_path / "b.abc", tmp_path / "shown.npy", script="blender_archive.py")
    clip = load_recording(tmp_path / "b.abc")
    assert (len(clip), clip.fps) == (FRAMES, FPS)
    read = np.stack([np.concatenate([frame[name].points for name in sorted(frame)]) for frame in clip])
    np.testing.assert_allclose(read, played, atol=1e-5 * np.ptp(played, axis=(0, 1)).max())
    *_, last = clip
    cube = last["Cube"]
    outward = np.einsum("ij,ij->i", cube.normals, cube.points - cube.points.mean(axis=0))
    assert (outward > 0).all()


@pytest.mark.parametrize("app", ["unreal", "blender"])
def test_blender_understands_the_axes_of_usd(blender, curtain, tmp_path, app):
    played = blender(write(curtain, tmp_path / "c.usda", target_app=app), tmp_path / "played.npy")
    expected = np.stack([frame["curtain"].points for frame in curtain[1]])
    assert np.abs(played - expected).max() < 1e-5 * np.ptp(expected, axis=(0, 1)).max()


def three(path, out):
    """(frames, points, 3) as three.js animates the file, meshes in the order of their names."""
    node = shutil.which("node")
    if node is None or not Path(os.environ.get("NODE_PATH", ""), "three", "build").is_dir():
        pytest.skip("needs node and the package three in NODE_PATH")
    command = [node, str(HERE / "three_frames.mjs"), str(path), str(FPS), str(FRAMES), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    count = sum(size for _, size in json.loads(done.stdout))
    return np.fromfile(out, np.float32).reshape(FRAMES, count, 3)


@pytest.mark.parametrize("name", ["curtain", "puppet", "dressed"])
def test_three_plays_every_frame_where_it_was(request, tmp_path, name):
    _, frames = clip = request.getfixturevalue(name)
    played = three(write(clip, tmp_path / "c.glb", error=0.0), tmp_path / "played.bin")
    shown = sorted(n for n, part in frames[0].items() if len(part.triangles))
    expected = np.stack([np.concatenate([frame[n].points for n in shown]) for frame in frames])
    assert np.abs(played - expected).max() < 1e-5 * np.ptp(expected, axis=(0, 1)).max()


@pytest.fixture(scope="session")
def dressed():
    """Parts that the world never had, as filters add them: a body and its shirt beside a flag."""
    flag = sheet("flag", cells=12)
    frames = []
    for k in range(FRAMES):
        parts = {"flag": part_frame(flag, flag.rest_position + np.array([0, 0, 0.01 * k]), 0 * flag.rest_position)}
        for name, kind, out in (("body", "character", 0.3), ("shirt", "garment", 0.32)):
            waved = (
                flag.rest_position + np.array([1.0, 0, out]) + 0.1 * np.sin(0.2 * k + flag.rest_position[:, [1, 2, 0]])
            )
            points = waved.astype(np.float32)
            none = np.empty((0, 4), np.float32)
            parts[name] = PartFrame(name, kind, points, flag.triangles, 0 * points, none, flag.look, None)
        frames.append(Frame(k, k / FPS, parts))
    return world_of(flag), frames


def test_what_filters_add_has_no_error_and_no_warning(khronos, dressed, tmp_path):
    verdict = khronos(write(dressed, tmp_path / "d.glb"))[0]
    assert (verdict["errors"], verdict["warnings"]) == (0, 0), verdict["messages"]


@pytest.mark.parametrize("suffix", [".abc", ".glb", ".usda", ".usdc"])
def test_what_filters_add_moves_in_blender(blender, dressed, tmp_path, suffix):
    options = {"error": 0.0} if suffix == ".glb" else {}
    played = blender(write(dressed, tmp_path / f"d{suffix}", **options), tmp_path / "played.npy")
    expected = np.stack([np.concatenate([frame[n].points for n in sorted(frame)]) for frame in dressed[1]])
    assert np.abs(played - expected).max() < 1e-5 * np.ptp(expected, axis=(0, 1)).max()


def test_usd_validators_take_what_filters_add(dressed, tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdValidation

    stage = Usd.Stage.Open(str(write(dressed, tmp_path / "d.usda")))
    validators = list(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    assert [e.GetMessage() for e in UsdValidation.ValidationContext(validators).Validate(stage)] == []


@pytest.fixture(scope="session")
def puppet():
    world = build(gallery.load("puppet"))
    return world, list(simulate(world, frames=FRAMES, fps=FPS))


def test_a_puppet_has_no_error_and_no_warning(khronos, puppet, tmp_path):
    verdict = khronos(write(puppet, tmp_path / "p.glb"))[0]
    assert (verdict["errors"], verdict["warnings"]) == (0, 0), verdict["messages"]


@pytest.mark.parametrize("suffix", [".abc", ".glb", ".usda", ".usdc"])
def test_the_skin_of_a_puppet_moves_in_blender(blender, puppet, tmp_path, suffix):
    played = blender(write(puppet, tmp_path / f"p{suffix}"), tmp_path / "played.npy")
    expected = np.stack([frame["puppet"].points for frame in puppet[1]])
    assert np.abs(played - expected).max() < 1e-5 * np.ptp(expected, axis=(0, 1)).max()
