"""glTF reading: skinned positions against an independent reference, and what broken files say."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from pliant.errors import FormatError
from pliant.sources.gltf import read_gltf
from pliant.sources.recordings import load_recording

BODIES = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "bodies" / "gltf"
needs_bodies = pytest.mark.skipif(not BODIES.exists(), reason="the sample characters (shared/data/bodies) are absent")


def reference(name):
    with np.load(BODIES / "skin_ref" / f"{name}.npz") as archive:
        return {key: archive[key] for key in archive.files}


@needs_bodies
@pytest.mark.parametrize("name", ["CesiumMan", "RiggedFigure", "RiggedSimple", "Fox", "RobotExpressive", "SimpleSkin"])
def test_skinned_positions_are_those_of_the_reference(name):
    scene = read_gltf(next(BODIES.glob(f"{name}.gl*")))
    times = json.loads((BODIES / "skin_ref" / f"{name}.json").read_text())
    expected = reference(name)
    compared = 0
    for entry in times:
        animation = next((a for a in scene.animations if a.name == entry["anim"]), None)
        local = None if animation is None else scene.pose_at(animation, entry["t"])
        for mesh in scene.meshes:
            parts = [k for k in expected if k.startswith(f"{entry['key']}/node{mesh.node}_prim")]
            want = np.concatenate([expected[k] for k in sorted(parts)])
            extent = np.ptp(want, axis=0).max()
            np.testing.assert_allclose(scene.world_points(mesh, local), want, atol=2e-4 * extent)
            compared += 1
    assert compared >= len(times)


@needs_bodies
@pytest.mark.parametrize("name", ["CesiumMan", "RiggedFigure", "RobotExpressive", "SimpleSkin"])
def test_a_character_and_its_clips_are_recordings(name):
    """Every clip by its name, skinned frame by frame, against the reference of the times that fall on frames."""
    path = next(BODIES.glob(f"{name}.gl*"))
    expected, compared = reference(name), 0
    for entry in json.loads((BODIES / "skin_ref" / f"{name}.json").read_text()):
        if entry["anim"] is None:
            continue
        clip = load_recording(path, clip=entry["anim"])
        index = int(np.argmin(np.abs(np.array(clip.times) - entry["t"])))
        if abs(clip.times[index] - entry["t"]) > 1e-6:
            continue
        frame = next(f for f in clip if f.index == index)
        nodes = sorted({int(key.split("/node")[1].split("_")[0]) for key in expected})
        for role, node in zip(clip.roles, nodes, strict=True):
            parts = [k for k in expected if k.startswith(f"{entry['key']}/node{node}_prim")]
            want = np.concatenate([expected[k] for k in sorted(parts)])
            np.testing.assert_allclose(frame[role.name].points, want, atol=2e-4 * np.ptp(want, axis=0).max())
            compared += 1
    assert compared
    with pytest.raises(FormatError, match="no clip 'Somersault'"):
        load_recording(path, clip="Somersault")


@needs_bodies
def test_a_skeleton_has_parents_first_and_its_clip_is_its_animation():
    scene = read_gltf(BODIES / "CesiumMan.glb")
    skeleton, rows = scene.skeleton()
    assert all(parent < joint for joint, parent in enumerate(skeleton.parents))
    assert len(rows) == 19
    clip = scene.clip(scene.animations[0])
    assert len(clip) == int(scene.animations[0].seconds * 30) + 1
    np.testing.assert_allclose(np.linalg.norm(clip.rotations_xyzw, axis=2), 1.0, atol=1e-12)


def glb(document, binary=b""):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def one_triangle(**accessor):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32).tobytes()
    document = {
        "nodes": [{"mesh": 0, "translation": [0, 2, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"} | accessor],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36}],
    }
    return glb(document, points)


def test_a_bare_triangle_is_placed_by_its_node(tmp_path):
    path = tmp_path / "one.glb"
    path.write_bytes(one_triangle())
    scene = read_gltf(path)
    np.testing.assert_allclose(scene.world_points(scene.meshes[0])[:, 1], [2, 2, 3])


def test_broken_files_say_what_is_wrong(tmp_path):
    path = tmp_path / "broken.glb"
    path.write_bytes(one_triangle()[:-20])
    with pytest.raises(FormatError, match=r"broken\.glb: header says \d+ bytes, the file has \d+; it is cut off"):
        read_gltf(path)
    path.write_bytes(one_triangle(count=9))
    with pytest.raises(FormatError, match="reaches beyond the end of its buffer"):
        read_gltf(path)
    path.write_bytes(b"glTF" + struct.pack("<II", 1, 12))
    with pytest.raises(FormatError, match="glTF version is 1"):
        read_gltf(path)
    path.write_text("no json")
    with pytest.raises(FormatError, match="not a readable glTF file"):
        read_gltf(path)
