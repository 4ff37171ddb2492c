"""A puppet in every format that knows bodies: where each joint is, and the surface it carries."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from pliant import build, gallery, simulate
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.geometry.skeleton import forward
from pliant.sinks.bvh import zxy_degrees
from pliant.sinks.formats import for_suffix, formats
from pliant.sources import read_bvh
from pliant.sources.recordings import load_recording
from pliant.world import Frame

FPS = 30.0


@pytest.fixture(scope="module")
def clip():
    world = build(gallery.load("puppet"))
    return SimpleNamespace(world=world, frames=list(simulate(world, frames=20, fps=FPS)))


def write(clip, target, **options):
    with for_suffix(target)(target, clip.world, fps=FPS, **options) as sink:
        for frame in clip.frames:
            sink.write(frame)
    return target


def joints_of(clip):
    """(f, b, 3) where each segment hangs on its parent, and (b,) their names; a root stands at its centre."""
    joints = clip.world.parts["puppet"].tables[0]
    anchors = np.zeros((len(clip.frames[0]["puppet"].poses), 3))
    anchors[joints.child] = joints.child_anchor
    found = []
    for frame in clip.frames:
        places, turns = (
            np.array([getattr(p, k) for p in frame["puppet"].poses]) for k in ("position", "rotation_xyzw")
        )
        found.append(places + rotation.rotate(turns, anchors))
    return np.array(found), [pose.name for pose in frame["puppet"].poses]


def test_joints_of_the_bvh_stand_where_the_puppet_has_them(tmp_path, clip):
    motion = read_bvh(write(clip, tmp_path / "c.bvh"), up="y", unit=1.0)
    played, _ = forward(motion.skeleton.parents, motion.clip.translations, motion.clip.rotations_xyzw)
    expected, names = joints_of(clip)
    rows = [motion.skeleton.names.index(name) for name in names]
    np.testing.assert_allclose(played[:, rows], expected, atol=2e-4)  # joints give way by up to a tenth of a millimetre
    assert motion.clip.fps == pytest.approx(FPS)


@pytest.mark.parametrize("seed", range(3))
def test_angles_give_their_rotation_back(seed):
    q = rotation.normalized(np.random.default_rng(seed).normal(size=(50, 4)))
    z, x, y = np.radians(zxy_degrees(q)).T

    def about(axis, angle):
        return rotation.from_rotation_vector(np.eye(3)[axis] * angle[:, None])

    again = rotation.multiply(about(2, z), rotation.multiply(about(0, x), about(1, y)))
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->i", again, q)), 1.0, atol=1e-12)


def test_angles_at_the_pole_are_finite_and_right():
    q = rotation.from_rotation_vector(np.array([[np.pi / 2, 0, 0]]))
    np.testing.assert_allclose(zxy_degrees(q), [[0, 90, 0]], atol=1e-6)


def test_the_skin_of_the_glb_carries_every_point(tmp_path, clip):
    path = write(clip, tmp_path / "c.glb")
    assert path.stat().st_size < 400_000  # a morph target per frame would take ten times as much
    for frame, original in zip(load_recording(path), clip.frames, strict=True):
        np.testing.assert_allclose(frame["puppet"].points, original["puppet"].points, atol=1e-6)
        for pose, was in zip(frame["puppet"].poses, original["puppet"].poses, strict=True):
            assert pose.name == was.name
            np.testing.assert_allclose(pose.position, was.position, atol=1e-6)
            assert abs(pose.rotation_xyzw @ was.rotation_xyzw) == pytest.approx(1.0, abs=1e-6)


def test_archives_keep_names_and_places_of_bodies(tmp_path, clip):
    for frame, original in zip(load_recording(write(clip, tmp_path / "c.npz")), clip.frames, strict=True):
        for pose, was in zip(frame["puppet"].poses, original["puppet"].poses, strict=True):
            assert pose.name == was.name
            np.testing.assert_array_equal(pose.position, was.position)
            np.testing.assert_array_equal(pose.rotation_xyzw, was.rotation_xyzw)


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
@pytest.mark.parametrize("app", [None, "unreal"])
def test_the_skin_of_usd_carries_every_point(tmp_path, clip, suffix, app):
    pytest.importorskip("pxr")
    path = write(clip, tmp_path / f"c{suffix}", target_app=app)
    assert path.stat().st_size < 600_000
    for frame, original in zip(load_recording(path), clip.frames, strict=True):
        np.testing.assert_allclose(frame["puppet"].points, original["puppet"].points, atol=2e-6)


def test_usd_has_a_skeleton_that_moves_as_the_puppet(tmp_path, clip):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdSkel

    stage = Usd.Stage.Open(str(write(clip, tmp_path / "c.usda")))
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath("/scene/puppet_rig/skeleton"))
    cache = UsdSkel.Cache()
    cache.Populate(UsdSkel.Root(stage.GetPrimAtPath("/scene/puppet_rig")), Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(skeleton)
    names = [str(token).rsplit("/", 1)[-1] for token in query.GetJointOrder()]
    for index in (0, 7, 19):
        matrices = np.array(query.ComputeJointSkelTransforms(Usd.TimeCode(index)))
        for pose in clip.frames[index]["puppet"].poses:
            np.testing.assert_allclose(matrices[names.index(pose.name), 3, :3], pose.position, atol=1e-5)


def test_a_scene_without_bodies_has_no_bvh(tmp_path):
    world = build(gallery.load("curtain"))
    with pytest.raises(FormatError, match="no part of the scene has bodies; BVH is for puppets"):
        write(SimpleNamespace(world=world, frames=simulate(world, frames=1)), tmp_path / "c.bvh")
    assert not list(tmp_path.iterdir())


def test_joint_angles_go_to_tables_and_plots(tmp_path, clip):
    from xml.etree import ElementTree

    table = np.genfromtxt(write(clip, tmp_path / "c.csv"), delimiter=",", names=True, deletechars="")
    poses = clip.frames[-1]["puppet"].poses
    turn = {pose.name: pose.rotation_xyzw.astype(float) for pose in poses}
    shoulder = rotation.multiply(rotation.inverse(turn["torso"]), turn["upperarm_right"])
    bend = np.rad2deg(np.linalg.norm(rotation.to_rotation_vector(shoulder)))
    assert table["puppet.angle_upperarm_right"][-1] == pytest.approx(bend, abs=1e-3)
    assert bend > 1.0
    plot = ElementTree.parse(write(clip, tmp_path / "c.svg")).getroot()
    curves = [e for e in plot if e.tag.endswith("polyline")]
    assert len(curves) == 6
    assert all(len(e.get("points").split()) == len(clip.frames) for e in curves)


def test_a_plot_needs_a_puppet(tmp_path):
    world = build(gallery.load("curtain"))
    with pytest.raises(FormatError, match="no part of the scene has joints; this plot is for puppets"):
        write(SimpleNamespace(world=world, frames=simulate(world, frames=1)), tmp_path / "c.svg")


def figure_of(part):
    nobody = np.empty((0, 4), np.float32)
    return dataclasses.replace(part, name="figure", kind="character", rotations_xyzw=nobody, quantities={})


@pytest.mark.parametrize("suffix", sorted({*formats()} - {".mp4", ".gif", ".png", ".html", ".zarr", ".mdd", ".pc2"}))
def test_a_puppet_that_wears_a_figure_and_draws_nothing_itself_is_taken(clip, tmp_path, suffix):
    """As a figure that is dressed in the scene leaves it: poses, and no triangles."""
    if suffix.startswith(".usd"):
        pytest.importorskip("pxr")
    none = np.empty((0, 3), np.uint32)
    frames = [
        Frame(
            f.index,
            f.time,
            {"puppet": dataclasses.replace(f["puppet"], triangles=none), "figure": figure_of(f["puppet"])},
        )
        for f in clip.frames[:3]
    ]
    hidden = SimpleNamespace(world=clip.world, frames=frames)
    assert write(hidden, tmp_path / f"c{suffix}").exists()
