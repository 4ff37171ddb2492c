"""Files that people drop: read in a process of its own, judged by the doctor, brought on stage."""

from pathlib import Path

import numpy as np
import pytest

from pliant import Balloon, Cloth, MeshCollider, Puppet, Session
from pliant.errors import PliantError
from pliant.geometry import closed
from pliant.studio.bringing import brought

pytestmark = pytest.mark.slow

BVH = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT spine
  {
    OFFSET 0 60 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 60 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.033333
0 90 0 0 0 0 0 0 0
0 90 0 0 0 0 5 0 0
0 90 0 0 0 0 10 0 0
"""


def obj(points: np.ndarray, triangles: np.ndarray) -> bytes:
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    return "\n".join(lines).encode()


def test_a_closed_mesh_floats_as_a_balloon() -> None:
    points, triangles = closed.sphere(2)
    scene, words = brought("my ball.obj", obj(0.3 * points, triangles))
    part = scene.parts["my_ball"]
    assert isinstance(part, Balloon)
    assert any("closed mesh" in line for line in words)
    frame = Session(scene, history=False).step(3)
    assert np.isfinite(frame["my_ball"].points).all()


def test_an_open_mesh_falls_as_cloth_and_an_odd_size_is_said() -> None:
    u, v = np.meshgrid(np.arange(6.0), np.arange(6.0))
    points = np.stack([u.ravel(), v.ravel(), 0.0 * u.ravel()], axis=1) * 100.0
    cells = [(r * 6 + c) for r in range(5) for c in range(5)]
    triangles = np.array([t for k in cells for t in ((k, k + 1, k + 7), (k, k + 7, k + 6))])
    scene, words = brought("sheet.obj", obj(points, triangles))
    part = scene.parts["sheet"]
    assert isinstance(part, Cloth)
    assert np.ptp(part.points, axis=0).max() == pytest.approx(0.8)
    assert any("500 m in size" in line for line in words)


def test_a_mesh_may_also_be_in_the_way() -> None:
    points, triangles = closed.sphere(2)
    scene, _ = brought("ball.obj", obj(0.3 * points, triangles), "obstacle")
    assert any(isinstance(collider, MeshCollider) for collider in scene.colliders)


def test_a_motion_comes_as_a_puppet() -> None:
    scene, words = brought("walk.bvh", BVH.encode())
    part = scene.parts["walk"]
    assert isinstance(part, Puppet)
    assert part.drive is not None
    assert words


def test_a_motion_of_any_size_stands_on_stage_and_gives_way_to_a_hand() -> None:
    scene, words = brought("giant.bvh", BVH.replace("60 0", "60000 0").replace("0 90 0 ", "0 90000 0 ").encode())
    assert words
    session = Session(scene, history=False)
    before = session.step(2)["giant"].points
    assert np.ptp(before, axis=0).max() < 4.0
    place = before[np.argmax(before[:, 1])]
    hand = session.grab("giant", place)
    session.move(hand, place + np.array([0.3, 0.0, 0.0]))
    assert np.abs(session.step(20)["giant"].points - before).max() > 0.05


def test_a_character_comes_with_its_skin_and_its_motion(tmp_path: Path) -> None:
    from pliant import gallery, save

    save(gallery.load("puppet_walk"), tmp_path / "walker.glb", seconds=1.0)
    scene, words = brought("walker.glb", (tmp_path / "walker.glb").read_bytes())
    session = Session(scene, history=False)
    start = session.step()["walker"].points
    assert len(start) > 500
    assert np.abs(session.step(40)["walker"].points - start).max() > 0.05
    assert words


def test_a_scene_file_is_data(tmp_path: Path) -> None:
    from pliant import gallery

    gallery.load("flag").save(tmp_path / "flag.toml")
    scene, words = brought("x.toml", (tmp_path / "flag.toml").read_bytes())
    assert scene == gallery.load("flag")
    assert words == ("scene of flag",)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("broken.obj", b"v 1 2 nan\nf 1 2 3\n"),
        ("wrong.glb", b"glTF" + b"\0" * 40),
        ("wrong.toml", b"[parts.a]\ntype = 'os.system'\n"),
    ],
)
def test_a_damaged_file_is_one_line(name: str, content: bytes) -> None:
    with pytest.raises(PliantError) as told:
        brought(name, content)
    assert "\n" not in str(told.value)
    assert "/tmp" not in str(told.value)


def test_a_scene_too_large_for_its_reader_is_refused() -> None:
    huge = "format = 1\n[parts.a]\ntype = 'sheet'\ncolumns = 4096\nrows = 4096\n"
    with pytest.raises(PliantError, match="16785409 points"):
        brought("huge.toml", huge.encode())
