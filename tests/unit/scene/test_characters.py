"""Characters: the mannequin, what their bones mean, poses, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.geometry import rotation
from pliant.geometry.closed import closure
from pliant.geometry.rigged import skinned
from pliant.scene.figures import posing
from pliant.scene.figures.body import ROLES
from pliant.scene.figures.roles import words_of

DATA = Path(__file__).parents[4] / "shared" / "data"
BODIES = DATA / "bodies"
needs_bodies = pytest.mark.skipif(not BODIES.is_dir(), reason="no character files beside the project (../shared/data)")


@pytest.fixture(scope="module")
def mannequin():
    return pliant.Character.mannequin()


def test_the_mannequin_is_one_closed_surface_of_human_size(mannequin):
    mesh = mannequin.body().mesh
    shape = closure(mesh.points, mesh.triangles)
    assert (len(shape.border), len(shape.crowded), len(shape.against), shape.shells) == (0, 0, 0, 1)
    assert np.ptp(mesh.points[:, 1]) == pytest.approx(1.76, abs=0.02)
    assert 0.05 < shape.volume < 0.08
    assert np.allclose(mesh.weights.sum(axis=1), 1.0, atol=1e-12)
    assert mesh.weights.min() >= 0.0


def test_a_mannequin_of_another_height_is_the_same_figure(mannequin):
    small = pliant.Character.mannequin(height=0.88)
    assert np.allclose(2.0 * small.body().mesh.points, mannequin.body().mesh.points)


def test_rest_pose_is_the_identity_and_every_named_pose_keeps_bones_long(mannequin):
    body = mannequin.body()
    assert np.allclose(mannequin.pose("A"), np.eye(4)[:3], atol=1e-12)
    for name in posing.POSES:
        matrices = mannequin.pose(name)
        place = np.einsum("bij,bj->bi", matrices[:, :, :3], body.joints) + matrices[:, :, 3]
        for bone, parent in enumerate(body.parents):
            if parent >= 0:
                now, rest = place[bone] - place[parent], body.joints[bone] - body.joints[parent]
                assert np.linalg.norm(now) == pytest.approx(np.linalg.norm(rest), abs=1e-9), name
        volume = closure(skinned(body.mesh, matrices), body.mesh.triangles).volume
        assert volume == pytest.approx(0.063, rel=0.12), name


def test_turns_in_a_row_are_the_product_of_their_rotations():
    a, b = (10.0, 20.0, -30.0), (-40.0, 5.0, 15.0)
    made = rotation.from_rotation_vector(np.deg2rad(posing.then(a, b)))
    one, two = (rotation.from_rotation_vector(np.deg2rad(v)) for v in (a, b))
    assert abs(made @ rotation.multiply(two, one)) == pytest.approx(1.0, abs=1e-12)


def test_poses_are_mixed_along_the_shorter_way():
    mixed = posing.between({"head": np.array([0.0, 80.0, 0.0])}, {"head": np.array([0.0, 20.0, 0.0])}, 0.25)
    assert np.allclose(mixed["head"], (0.0, 65.0, 0.0))


@pytest.mark.parametrize(
    ("name", "side", "core"),
    [
        ("LeftForeArm", "left", "forearm"),
        ("mixamorig:RightUpLeg", "right", "upleg"),
        ("lShldr", "left", "shldr"),
        ("upperarm01.R", "right", "upperarm"),
        ("LoArm_L", "left", "loarm"),
        ("Skeleton_arm_joint_L__3_", "left", "arm"),
        ("LHipJoint", "left", "hip"),
    ],
)
def test_names_of_bones_are_understood(name, side, core):
    assert words_of(name) == (side, core)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda c: c.pose("hover"), "hover"),
        (lambda c: c.pose({"elbow": (0, 0, 0)}), "elbow"),
        (lambda c: c.pose({"head": (0, float("nan"), 0)}), "head is .*three finite numbers"),
        (lambda c: c.pose({"head": (0, 1)}), "three finite numbers"),
        (lambda c: c.pose("A", place=(0, 1)), "three finite numbers"),
        (lambda c: pliant.Character.mannequin(height=9.0), r"Mannequin.height = 9.0; must be <= 3"),
        (lambda c: pliant.Character.load("body.fbx"), "no reader of characters"),
        (lambda c: pliant.Character.load("nothing.glb"), "nothing.glb"),
        (lambda c: pliant.Character.load("base.obj"), "give skeleton= and weights="),
        (lambda c: pliant.Puppet.from_character("me"), "expected a Character or a Skeleton"),
    ],
)
def test_wrong_input_is_one_line(mannequin, wrong, message):
    with pytest.raises(pliant.PliantError, match=message) as caught:
        wrong(mannequin)
    assert "\n" not in str(caught.value)


def brought(mannequin, **changes):
    body = mannequin.body()
    fields = {
        "points": body.mesh.points,
        "triangles": body.mesh.triangles,
        "bones": body.mesh.bones,
        "weights": 2.0 * body.mesh.weights,
        "names": body.names,
        "parents": tuple(int(p) for p in body.parents),
        "joints": body.joints,
    }
    return pliant.Character(**(fields | changes))


def test_weights_are_normalised_and_the_same_figure_poses_alike(mannequin):
    own = brought(mannequin)
    assert np.allclose(own.body().mesh.weights.sum(axis=1), 1.0, atol=1e-12)
    assert set(own.body().roles) == set(ROLES)
    assert np.allclose(own.pose("walk"), mannequin.pose("walk"), atol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": None}, "no skin weights"),
        ({"weights": np.zeros((12, 4))}, r"expected \(\d+, 4\)"),
        ({"parents": (5,) * 21}, "parents stand first"),
        ({"points": None}, "Character.points is missing"),
        ({"roles": {"tail": "hips"}}, "tail"),
        ({"roles": {"hips": "nose"}}, "nose"),
    ],
)
def test_a_body_that_cannot_be_posed_is_refused(mannequin, change, message):
    with pytest.raises(pliant.SceneError, match=message):
        brought(mannequin, **change)


@needs_bodies
@pytest.mark.parametrize("name", ["CesiumMan", "RiggedFigure"])
def test_skinning_agrees_with_reference_positions(name):
    """Vertex positions of the skinned glTF, computed elsewhere, against our reader, bones and kernel."""
    from pliant.geometry.rigged import Rigged
    from pliant.scene.figures.body import four_strongest
    from pliant.sources.gltf import read_gltf

    scene = read_gltf(BODIES / "gltf" / f"{name}.glb")
    reference = np.load(BODIES / "gltf" / "skin_ref" / f"{name}.npz")
    entries = json.loads((BODIES / "gltf" / "skin_ref" / f"{name}.json").read_text())
    mesh = next(m for m in scene.meshes if m.skin is not None)
    skin = scene.skins[mesh.skin]
    table = np.zeros((len(mesh.points), len(skin.joints)))
    np.add.at(table, (np.arange(len(table))[:, None], mesh.joints), mesh.weights)
    bones, weights = four_strongest(table)
    rigged = Rigged(mesh.points, mesh.triangles, None, bones, weights)
    for entry in entries:
        local = None if entry["anim"] is None else scene.pose_at(scene.animations[0], entry["t"])
        matrices = (scene.world_matrices(local)[skin.joints] @ skin.inverse_bind)[:, :3]
        expected = next(reference[key] for key in reference.files if key.startswith(entry["key"] + "/"))
        assert np.abs(skinned(rigged, matrices) - expected).max() < 2e-6, entry["key"]


@needs_bodies
def test_a_loaded_character_says_what_was_done():
    figure = pliant.Character.load(BODIES / "gltf" / "CesiumMan.glb")
    assert any("1.51 m tall" in note for note in figure.notes)
    assert {"hips", "head", "upperarm_left", "shank_right"} <= set(figure.body().roles)
    base = BODIES / "makehuman"
    human = pliant.Character.load(
        base / "mh_base.obj", skeleton=base / "mh_default.mhskel", weights=base / "mh_default_weights.mhw"
    )
    assert len(human.body().mesh.points) == 13380
    assert any("1 unit = 0.1 m" in note for note in human.notes)
    arms = human.pose("T")
    roles = human.body().roles
    hand = human.body().joints[roles["hand_left"]]
    raised = arms[roles["forearm_left"], :, :3] @ hand + arms[roles["forearm_left"], :, 3]
    shoulder = human.body().joints[roles["upperarm_left"]]
    assert abs(raised[1] - shoulder[1]) < 0.12  # whatever its own rest pose was


@needs_bodies
@pytest.mark.parametrize("clip", ["cmu_02_01.bvh", "pirouette.bvh", "mh_walk1.bvh"])
def test_motion_capture_of_three_makers_is_followed(mannequin, clip):
    performance = pliant.Performance.load(DATA / "mocap" / clip)
    actor = pliant.Actor(character=mannequin, clip=performance)
    mover = actor.mover()
    points = mannequin.posed(mover.at(0.5 * performance.seconds))
    assert np.isfinite(points).all()
    assert 0.8 < np.ptp(points[:, 1]) < 2.4
    head, hips = (mannequin.body().roles[role] for role in ("head", "hips"))
    upright = mover.at(0.0)[[hips, head], 1, 3] + mannequin.body().joints[[hips, head], 1]
    assert upright[1] > upright[0]


def test_a_rig_for_another_mesh_is_told_from_a_damaged_one(tmp_path):
    (tmp_path / "base.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "rig.mhskel").write_text('{"bones": {"root": {"head": "a", "tail": "a"}}, "joints": {"a": [0, 4223]}}')
    (tmp_path / "rig.mhw").write_text('{"weights": {"root": [[0, 1.0]]}}')
    with pytest.raises(
        pliant.PliantError, match=r"joint 'a' marks vertex 4223, the mesh has 3; this rig is for another"
    ):
        pliant.Character.load(
            tmp_path / "base.obj", skeleton=tmp_path / "rig.mhskel", weights=tmp_path / "rig.mhw"
        ).body()
