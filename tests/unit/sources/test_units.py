"""Axes and unit of files that do not say them: said by whoever brings them, the same way everywhere."""

import logging

import numpy as np
import pytest

from hand_made import frame, sheet, world
from pliant import Balloon, Cloth, Garment, load_recording
from pliant.colliders import MeshCollider
from pliant.errors import FormatError
from pliant.sinks.convert import convert
from pliant.sinks.formats import for_suffix

SHEET = "v 0 0 0\nv 100 0 0\nv 100 0 200\nv 0 0 200\nf 1 2 3\nf 1 3 4\n"  # 1 m x 2 m in centimetres, Z up
STANDING = np.array([[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0]], float)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sheet.obj"
    path.write_text(SHEET)
    return path


@pytest.mark.parametrize("kind", [Cloth, Garment])
def test_a_mesh_is_brought_to_metres_and_y_up(file, kind):
    np.testing.assert_allclose(kind.from_mesh(file, up="z", unit="cm").points, STANDING)
    np.testing.assert_allclose(kind.from_mesh(file, up="z", unit=0.01).points, STANDING)
    with pytest.raises(FormatError, match=r"no unit 'cn' .has: cm"):
        kind.from_mesh(file, unit="cn")


def test_so_is_a_balloon(tmp_path):
    ball = MeshCollider.example()
    lines = [f"v {x} {y} {z}" for x, y, z in 62.5 * ball.points]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in ball.triangles]
    (tmp_path / "ball.obj").write_text("\n".join(lines))
    made = Balloon.from_mesh(tmp_path / "ball.obj", unit="cm")
    assert np.ptp(made.points, axis=0).max() == pytest.approx(0.5, abs=1e-6)


def test_an_odd_size_is_said_when_the_file_is_read(file, caplog):
    with caplog.at_level(logging.WARNING, logger="pliant"):
        Cloth.from_mesh(file)
    assert "sheet.obj: is 200 m large; if the file is in centimetres say unit='cm'" in caplog.text
    caplog.clear()
    Cloth.from_mesh(file, unit="cm")
    assert not caplog.text


def test_a_recording_is_brought_to_metres_and_y_up(tmp_path):
    part = sheet(cells=2)
    of = world(part)
    frames = [frame(of, k, move=(0.0, 0.0, 0.1)) for k in range(3)]
    path = tmp_path / "clip.ply"
    with for_suffix(path)(path, of, target_app="blender") as sink:
        for each in frames:
            sink.write(each)
    for back, was in zip(load_recording(path, up="z"), frames, strict=True):
        np.testing.assert_allclose(back["sheet"].points, was["sheet"].points, atol=1e-6)
    half = next(iter(load_recording(path, up="z", unit=0.5)))["sheet"].points
    np.testing.assert_allclose(half, 0.5 * frames[0]["sheet"].points, atol=1e-6)
    convert(path, tmp_path / "clip.npz", up="z")
    np.testing.assert_allclose(
        next(iter(load_recording(tmp_path / "clip.npz")))["sheet"].points, frames[0]["sheet"].points, atol=1e-6
    )


def test_axes_that_are_none_and_files_that_say_their_own_are_refused(tmp_path):
    of = world(sheet(cells=2))
    for suffix in (".glb", ".npz"):
        with for_suffix(suffix)(tmp_path / f"c{suffix}", of) as sink:
            sink.write(frame(of))
    with pytest.raises(FormatError, match="says its own axes and unit"):
        load_recording(tmp_path / "c.glb", unit="cm")
    with pytest.raises(FormatError, match="up axis"):
        load_recording(tmp_path / "c.npz", up="w")
