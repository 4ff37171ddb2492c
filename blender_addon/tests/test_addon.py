"""Inside Blender (PyPI bpy): `PLIANT_PYTHON=… python -m pytest -c blender_addon/pytest.ini blender_addon`."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pliant_blender
from pliant_blender import actions, exchange
from pliant_blender.client import PliantRunError

PYTHON = os.environ.get("PLIANT_PYTHON", "")
needs_pliant = pytest.mark.skipif(not PYTHON, reason="needs a Python with pliant, named in PLIANT_PYTHON")
FRAMES = 12


@pytest.fixture(autouse=True)
def scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    pliant_blender.register()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, FRAMES, 30
    yield scene
    pliant_blender.unregister()


def cloth(cells=8, size=1.0):
    """A square in the xz plane, 2 m up, turned and moved as an object."""
    side = np.linspace(0.0, size, cells + 1)
    x, z = (grid.ravel() for grid in np.meshgrid(side, side))
    points = np.stack([x, 0 * x, z], axis=1)
    row = np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)
    low = row.ravel()
    faces = np.stack([low, low + 1, low + cells + 2, low + cells + 1], axis=1)
    thing = actions.new_object("cape", points, faces)
    thing.location, thing.rotation_euler = (0.5, -1.0, 1.0), (0.0, 0.0, 0.3)
    group = thing.vertex_groups.new(name="pins")
    group.add(list(range(cells * (cells + 1), (cells + 1) ** 2)), 1.0, "REPLACE")
    bpy.context.view_layer.objects.active = thing
    return thing


def seen(thing):
    """(f, n, 3) in the world, as Blender plays it."""
    return np.stack(list(evaluated(thing)))


def evaluated(thing):
    for frame in actions.clip_range():
        bpy.context.scene.frame_set(frame)
        shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        yield actions.points_of(shown.to_mesh(), np.array(shown.matrix_world))
        shown.to_mesh_clear()


def recording(path, frames=FRAMES, seed=4):
    random = np.random.default_rng(seed)
    clip = random.normal(size=(frames, 7, 3)).astype(np.float32)
    np.savez(
        path,
        vertices_seq=clip,
        faces=np.array([[0, 1, 2], [4, 5, 6]], np.uint32),
        fps=30.0,
        names=np.array(["left", "right"]),
        part_starts=np.array([0, 4, 7]),
        face_starts=np.array([0, 1, 2]),
        uv=np.array([[0.25, 0.5]] * 7, np.float32),
        colors=np.array([[1, 0, 0], [0, 0, 1]], np.float32),
    )
    return exchange.to_blender(clip)


def test_a_recording_plays_exactly(tmp_path):
    clip = recording(tmp_path / "clip.npz")
    left, right = actions.import_recording(tmp_path / "clip.npz", tmp_path / "cache", "")
    assert (left.name, right.name) == ("left", "right")
    assert np.array_equal(seen(left), clip[:, :4])
    assert np.array_equal(seen(right), clip[:, 4:])
    assert tuple(left.color) == (1.0, 0.0, 0.0, 1.0)
    assert tuple(right.data.uv_layers[0].data[0].uv) == (0.25, 0.5)


def test_the_button_imports(tmp_path, monkeypatch):
    clip = recording(tmp_path / "clip.npz")
    monkeypatch.setattr(pliant_blender, "cache_folder", lambda: tmp_path / "cache")
    assert bpy.ops.pliant.import_recording(filepath=str(tmp_path / "clip.npz")) == {"FINISHED"}
    assert np.array_equal(seen(bpy.data.objects["left"]), clip[:, :4])


def test_a_broken_recording_is_one_line(tmp_path):
    (tmp_path / "clip.npz").write_bytes(b"PK\3\4 nothing")
    with pytest.raises(PliantRunError, match="no recording of pliant"):
        actions.import_recording(tmp_path / "clip.npz", tmp_path, "")
    with pytest.raises(RuntimeError, match=r"clip\.npz: no recording of pliant"):
        bpy.ops.pliant.import_recording(filepath=str(tmp_path / "clip.npz"))


def moved_by_a_bone(thing):
    """An armature whose only bone carries the whole mesh, and rises."""
    bpy.ops.object.armature_add(location=thing.location)
    rig = bpy.context.object
    thing.modifiers.new("rig", "ARMATURE").object = rig
    every = thing.vertex_groups.new(name=rig.data.bones[0].name)
    every.add(list(range(len(thing.data.vertices))), 1.0, "REPLACE")
    bone = rig.pose.bones[0]
    for frame, height in ((1, 0.0), (FRAMES, 0.3)):
        bone.location = (0.0, height, 0.0)
        bone.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.objects.active = thing
    return rig


def test_a_mesh_is_sent_with_its_rig_and_its_weights(tmp_path):
    thing = cloth()
    moved_by_a_bone(thing)
    actions.send_mesh(thing, tmp_path / "cape.npz", "pins")
    clip = exchange.Recording(tmp_path / "cape.npz")
    assert clip.names == ["cape"]
    assert np.abs(np.stack(list(clip)) - seen(thing)).max() < 1e-6
    with np.load(tmp_path / "cape.npz") as archive:
        assert archive["weights"].sum() == 9.0
    assert np.ptp(seen(thing)[:, 0, 2]) == pytest.approx(0.3, abs=1e-5)


def test_a_rig_is_sent_as_bvh(tmp_path):
    rig = moved_by_a_bone(cloth())
    actions.send_rig(rig, tmp_path / "rig.bvh")
    text = (tmp_path / "rig.bvh").read_text()
    assert text.startswith("HIERARCHY")
    assert f"Frames: {FRAMES}" in text
    if PYTHON:
        done = subprocess.run(
            [PYTHON, "-m", "pliant", "check", str(tmp_path / "rig.bvh")], capture_output=True, text=True, check=False
        )
        assert "BVH motion" in done.stdout


@needs_pliant
def test_a_mesh_is_simulated_and_comes_back_on_itself(tmp_path):
    """Pinned points stay with the rig to 1e-5 m, the rest falls as cloth; a second run begins as the first."""
    thing = cloth()
    moved_by_a_bone(thing)
    expected = seen(thing)
    ball = actions.new_object(
        "ball",
        np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]) * 0.3,
        np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]),
    )
    ball.location = (0.9, -0.8, 1.4)
    wishes = actions.Wishes(fabric="silk", group="pins", obstacles=[ball], ground=True, wind=(0.0, 2.0, 0.0))
    actions.simulate(thing, wishes, tmp_path, PYTHON)
    result = seen(thing)
    top = np.arange(72, 81)
    assert np.abs(result[0] - expected[0]).max() < 1e-6
    assert np.abs(result[:, top] - expected[:, top]).max() < 1e-5
    assert np.abs(result[-1] - expected[-1]).max() > 0.01
    actions.simulate(thing, wishes, tmp_path, PYTHON)
    assert np.array_equal(seen(thing), result)


@needs_pliant
def test_the_button_simulates_and_says_what_is_wrong(tmp_path, monkeypatch, scene):
    monkeypatch.setattr(pliant_blender, "cache_folder", lambda: tmp_path)
    thing = cloth()
    scene.pliant.group = "pins"
    assert bpy.ops.pliant.simulate() == {"FINISHED"}
    assert np.ptp(seen(thing)[:, 0, 2]) > 0.01
    scene.pliant.group = "sleeves"
    with pytest.raises(RuntimeError, match=r"cape: no vertex group 'sleeves' \(has: pins\)"):
        bpy.ops.pliant.simulate()
    scene.pliant.group = ""
    monkeypatch.setenv("PLIANT_PYTHON", str(tmp_path / "python"))
    with pytest.raises(RuntimeError, match="no such program"):
        bpy.ops.pliant.simulate()


@needs_pliant
def test_what_pliant_refuses_is_shown_as_its_own_line(tmp_path):
    thing = cloth()
    hole = actions.new_object("sheet", np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]), np.array([[0, 1, 2]]))
    with pytest.raises(PliantRunError, match="the mesh is open") as caught:
        actions.simulate(thing, actions.Wishes(obstacles=[hole]), tmp_path, PYTHON)
    assert "\n" not in str(caught.value)


@needs_pliant
def test_any_format_of_pliant_is_imported(tmp_path):
    clip = recording(tmp_path / "clip.npz")
    subprocess.run(
        [PYTHON, "-m", "pliant", "convert", str(tmp_path / "clip.npz"), str(tmp_path / "clip.usda")],
        check=True,
        capture_output=True,
    )
    left, _ = actions.import_recording(tmp_path / "clip.usda", tmp_path / "cache", PYTHON)
    assert np.abs(seen(left) - clip[:, :4]).max() < 1e-6
