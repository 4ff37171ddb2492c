"""What a sink writes, the reader gives back: points, faces, times, names, colours, texture coordinates."""

import numpy as np
import pytest

from pliant.errors import FormatError
from pliant.geometry.surface import triangle_normals
from pliant.sinks.convert import convert
from pliant.sinks.formats import for_suffix
from pliant.sources.recordings import READERS, load_recording

READ_BACK = {".abc", ".npz", ".zarr", ".pc2", ".mdd", ".obj", ".ply", ".glb", ".usda", ".usd", ".usdc", ".usdz"}
NAMED = READ_BACK - {".abc", ".obj", ".pc2", ".mdd"}  # these keep any name, the others a plain one
NEEDS = {".usda": "pxr", ".usd": "pxr", ".usdc": "pxr", ".usdz": "pxr", ".zarr": "zarr"}


def write(clip, target, **options):
    with for_suffix(target)(target, clip.world, fps=clip.fps, **options) as sink:
        for frame in clip.frames:
            sink.write(frame)
    return target


def test_every_reader_is_tested():
    assert set(READERS) == READ_BACK | {".gltf"}


@pytest.mark.parametrize("suffix", sorted(READ_BACK))
def test_points_and_faces_come_back(tmp_path, clip, suffix):
    if suffix in NEEDS:
        pytest.importorskip(NEEDS[suffix])
    options = {"error": 0.0} if suffix == ".glb" else {}
    back = load_recording(write(clip, tmp_path / f"clip{suffix}", **options))
    assert len(back) == len(clip.frames)
    assert back.fps == clip.fps
    np.testing.assert_allclose(back.times, [frame.time for frame in clip.frames], atol=1e-6)
    sheet = "red sheet" if suffix in NAMED else "red_sheet"
    for frame, original in zip(back, clip.frames, strict=True):
        for name, read in (("flag", "flag"), ("red sheet", sheet)):
            near = 1e-6 if suffix == ".glb" else 0.0  # a morph target is a difference, so its last bit may go
            np.testing.assert_allclose(frame[read].points, original[name].points, rtol=0, atol=near)
            np.testing.assert_array_equal(frame[read].triangles, original[name].triangles)
    np.testing.assert_array_equal(frame["flag"].uv, clip.frames[0]["flag"].uv)
    if suffix in NAMED - {".ply"}:
        np.testing.assert_allclose(frame[sheet].look.color, (0.75, 0.125, 0.25))


def test_a_clip_can_be_read_twice(tmp_path, clip):
    back = load_recording(write(clip, tmp_path / "clip.npz"))
    assert [f.time for f in back] == [f.time for f in back]


@pytest.mark.parametrize("suffix", [".npz", ".zarr", ".glb"])
def test_bodies_come_back(tmp_path, clip, suffix):
    if suffix in NEEDS:
        pytest.importorskip(NEEDS[suffix])
    for frame, original in zip(load_recording(write(clip, tmp_path / f"c{suffix}")), clip.frames, strict=True):
        for pose, was in zip(frame["puppet"].poses, original["puppet"].poses, strict=True):
            np.testing.assert_allclose(pose.position, was.position, atol=1e-6)
            assert abs(pose.rotation_xyzw @ was.rotation_xyzw) == pytest.approx(1.0, abs=1e-6)


def test_velocities_come_from_the_archive_or_from_differences(tmp_path, flag):
    stored = list(load_recording(write(flag, tmp_path / "c.npz")))[3]["flag"].velocities
    np.testing.assert_array_equal(stored, flag.frames[3]["flag"].velocities)
    found = list(load_recording(write(flag, tmp_path / "c.pc2")))[3]["flag"].velocities
    moved = (flag.frames[3]["flag"].points - flag.frames[2]["flag"].points) * flag.fps
    np.testing.assert_allclose(found, moved, atol=1e-4)


@pytest.mark.parametrize("error", [1e-4, 1e-3, 1e-2])
def test_fewer_keys_stay_within_the_bound_that_was_asked_for(tmp_path, flag, error):
    path = write(flag, tmp_path / "c.glb", error=error)
    exact = write(flag, tmp_path / "exact.glb", error=0.0)
    worst = max(
        np.abs(a["flag"].points - b["flag"].points).max()
        for a, b in zip(load_recording(path), flag.frames, strict=True)
    )
    assert worst <= error * 1.001
    assert path.stat().st_size <= exact.stat().st_size
    if error == 1e-2:
        assert path.stat().st_size < 0.6 * exact.stat().st_size


@pytest.mark.parametrize("app", ["unity", "unreal", "blender"])
def test_axes_of_a_program_keep_outside_outside(tmp_path, flag, app):
    """Triangles of the file, by the right-hand rule, have the turned normals; mirrored axes turn each one around."""
    frame = next(iter(load_recording(write(flag, tmp_path / "c.ply", target_app=app))))["flag"]
    original = flag.frames[0]["flag"]
    axes, sign, scale = {
        "unity": ([0, 1, 2], (-1, 1, 1), 1.0),
        "unreal": ([0, 2, 1], (1, 1, 1), 100.0),
        "blender": ([0, 2, 1], (1, -1, 1), 1.0),
    }[app]
    np.testing.assert_allclose(frame.points, original.points[:, axes] * sign * scale, rtol=1e-6)
    normals = triangle_normals(original.points, original.triangles)[:, axes] * sign
    np.testing.assert_allclose(
        triangle_normals(frame.points, frame.triangles), normals * scale**2, atol=1e-6 * scale**2
    )


def test_usd_says_its_axes_and_comes_back_in_ours(tmp_path, flag):
    pytest.importorskip("pxr")
    path = write(flag, tmp_path / "c.usda", target_app="unreal")
    assert 'upAxis = "Z"' in path.read_text()
    assert "metersPerUnit = 0.01" in path.read_text()
    for frame, original in zip(load_recording(path), flag.frames, strict=True):
        np.testing.assert_allclose(frame["flag"].points, original["flag"].points, atol=1e-6)


@pytest.mark.parametrize("chain", [(".npz", ".glb", ".abc", ".pc2"), (".mdd", ".obj", ".usda", ".ply", ".npz")])
def test_converting_along_a_chain_keeps_every_point(tmp_path, flag, chain):
    if ".usda" in chain:
        pytest.importorskip("pxr")
    path = write(flag, tmp_path / f"a{chain[0]}")
    for step, suffix in enumerate(chain[1:]):
        target = tmp_path / f"b{step}{suffix}"
        convert(path, target, **({"error": 0.0} if suffix == ".glb" else {}))
        path = target
    for frame, original in zip(load_recording(path), flag.frames, strict=True):
        np.testing.assert_array_equal(next(iter(frame.values())).points, original["flag"].points)


def test_a_cloth_data_set_without_our_names_is_read(tmp_path):
    points = np.random.default_rng(1).normal(size=(4, 3, 3))
    np.savez(tmp_path / "set.npz", vertices_seq=points, faces=np.array([[0, 1, 2]]), fps=25)
    clip = load_recording(tmp_path / "set.npz")
    assert clip.fps == 25
    np.testing.assert_allclose([frame["mesh"].points for frame in clip], points, rtol=1e-6)


@pytest.mark.parametrize("suffix", [".abc", ".npz", ".pc2", ".mdd", ".glb", ".obj", ".ply", ".usda", ".usdz"])
def test_a_cut_off_clip_is_one_line(tmp_path, flag, suffix):
    if suffix in NEEDS:
        pytest.importorskip(NEEDS[suffix])
    path = write(flag, tmp_path / f"c{suffix}")
    file = path if path.is_file() else sorted(path.iterdir())[3]
    file.write_bytes(file.read_bytes()[: int(0.6 * file.stat().st_size)])
    with pytest.raises(FormatError) as caught:
        list(load_recording(path))
    assert "\n" not in str(caught.value)


def test_a_package_that_unpacks_to_more_than_it_may_is_refused(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "bomb.usdz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.usdc", bytes(10**6))
    with pytest.raises(FormatError, match="compressed, which USDZ forbids"):
        load_recording(tmp_path / "bomb.usdz")


def test_what_cannot_be_read_back_says_what_can(tmp_path, clip):
    write(clip, tmp_path / "c.csv")
    with pytest.raises(FormatError, match=r"cannot be read back \(has: .npz"):
        load_recording(tmp_path / "c.csv")
    with pytest.raises(FormatError, match="no such file"):
        load_recording(tmp_path / "none.npz")
