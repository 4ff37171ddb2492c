"""What can be said of puppets, and what is refused, in one line each."""

import numpy as np
import pytest

import pliant
from pliant.geometry import rotation
from pliant.geometry.limbs import ball_inertia, box_inertia, capsule_inertia, rounded_block
from pliant.geometry.skeleton import Clip, Skeleton, forward
from pliant.integrators import Procedural
from reference.puppets import Run

BALL = {"shape": "sphere", "size": (0.1,), "center": (0, 0, 0), "mass": 1.0}


def segment(name="a", **changes):
    return pliant.Segment(**({"name": name} | BALL | changes))


def test_the_human_is_the_papers_model():
    human = pliant.Puppet.human()
    assert len(human.segments) == 14
    assert len(human.joints) == 13
    assert sum(s.mass for s in human.segments) == pytest.approx(1.5)
    heavy = pliant.Puppet.human(mass=70.0, height=1.8)
    assert sum(s.mass for s in heavy.segments) == pytest.approx(70.0)
    assert max(s.center[1] for s in heavy.segments) == pytest.approx(0.915 * 1.8)
    assert len({s.mass for s in pliant.Puppet.human(masses="uniform").segments}) == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: segment(mass=0.0), r"Segment.mass = 0.0; must be > 0"),
        (lambda: segment(size=(0.1, 0.2)), r"a sphere needs 1 numbers > 0"),
        (lambda: segment(size=(float("nan"),)), r"Segment.size"),
        (lambda: segment(shape="capsule", size=(0.2, 0.1)), r"a capsule is at least two radii long"),
        (lambda: segment(center=(0, float("nan"), 0)), r"Segment.center"),
        (lambda: segment(rotation_xyzw=(0, 0, 0, 2)), r"must be a unit quaternion"),
        (lambda: pliant.Joint(parent="a", child="a", anchor=(0, 0, 0)), r"joins a segment with itself"),
        (lambda: pliant.Joint(parent="a", child="b", anchor=(0, 0, 0), axis=(0, 0, 0)), r"must have a direction"),
        (lambda: pliant.Joint(parent="a", child="b", anchor=(0, 0, 0), twist=(20, 10)), r"must rise within"),
        (lambda: pliant.Puppet(segments=()), r"needs at least one segment"),
        (lambda: pliant.Puppet(segments=(segment(), segment())), r"the name 'a' stands twice"),
        (lambda: pliant.Puppet(segments=(segment(),), held=("b",)), r"Puppet.held: no segment 'b'"),
        (
            lambda: pliant.Puppet(
                segments=(segment(),), joints=(pliant.Joint(parent="a", child="hnd", anchor=(0, 0, 0)),)
            ),
            r"Puppet.joints: no segment 'hnd'",
        ),
        (lambda: pliant.Puppet.human(height=-1.0), r"height = -1.0; must be > 0 \[m\]"),
        (lambda: pliant.Puppet.human(masses="heavy"), r"must be 'standard' or 'uniform'"),
        (lambda: pliant.Puppet.chain(0), r"count = 0; must be 1 to 10000"),
        (lambda: pliant.Puppet.chain(2.5), r"count = 2.5; must be 1 to 10000"),
        (lambda: pliant.Puppet.human(mass=0.0), r"mass = 0.0; must be > 0 \[kg\]"),
        (lambda: pliant.Puppet.human(held=("hand_rihgt",)), r"did you mean 'hand_right'"),
        (lambda: pliant.Puppet.human(places=((0, float("nan"), 0),)), r"Puppet.places"),
        (
            lambda: pliant.Drive.from_keys(pliant.Puppet.human(), (0, 1), ({}, {"head": (0, 0)})),
            r"'head' is turned by \(0, 0\); give three angles",
        ),
        (
            lambda: pliant.Drive(segments=("a",), positions=np.zeros((1, 1, 3)), rotations_xyzw=np.zeros((1, 1, 4))),
            r"a quaternion is zero",
        ),
    ],
)
def test_wrong_puppets_are_refused(wrong, message):
    with pytest.raises(pliant.SceneError, match=message):
        wrong()


def triangle():
    places = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    segments = tuple(segment(name, center=place) for name, place in zip("abc", places, strict=True))
    joints = tuple(
        pliant.Joint(
            parent=p,
            child=q,
            anchor=tuple(0.5 * np.add(segments["abc".index(p)].center, segments["abc".index(q)].center)),
        )
        for p, q in ("ab", "bc", "ca")
    )
    return pliant.Puppet(segments=segments, joints=joints)


def test_the_published_method_refuses_loops():
    with pytest.raises(pliant.UnsupportedError, match="needs a tree, and the joint between segments"):
        Run(triangle(), integrator=Procedural())


def test_the_published_method_refuses_strings():
    scene = pliant.Scene(parts={"p": pliant.Puppet.marionette(integrator=Procedural())})
    with pytest.raises(pliant.UnsupportedError, match="'procedural' knows no strings"):
        pliant.Session(scene)


def test_too_many_loops_are_refused():
    human = pliant.Puppet.human()
    extra = tuple(pliant.Joint(parent="head", child="torso", anchor=(0.01 * k, 0.5, 0.0)) for k in range(9))
    with pytest.raises(pliant.SceneError, match="9 joints close loops in one tree; 8 can be solved"):
        Run(human.replace(joints=(*human.joints, *extra)))


def test_pulls_are_checked():
    run = Run(pliant.Puppet.human())
    with pytest.raises(pliant.SceneError, match="has segments 0 to 13, not 14"):
        run.stepper.pulls.hand(14, np.zeros(3), np.zeros(3))
    with pytest.raises(pliant.SceneError, match="expected three finite numbers"):
        run.stepper.pulls.hand(0, np.zeros(3), np.full(3, np.nan))
    with pytest.raises(pliant.SceneError, match="length = 0"):
        run.stepper.pulls.string(0, np.zeros(3), np.zeros(3), 0.0)


def sampled_inertia(inside, half):
    """Moments per kg by counting cells."""
    axes = [np.linspace(-h, h, 2 * 40 + 1)[1::2] for h in half]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    body = grid[inside(grid)]
    square = (body**2).mean(axis=0)
    return square.sum() - square


def test_inertia_of_shapes():
    capsule = sampled_inertia(
        lambda p: np.hypot(np.hypot(p[:, 0], p[:, 2]), np.maximum(np.abs(p[:, 1]) - 0.2, 0.0)) < 0.1, (0.1, 0.3, 0.1)
    )
    assert capsule_inertia(0.1, 0.6) == pytest.approx(capsule, rel=0.01)
    ball = sampled_inertia(lambda p: np.linalg.norm(p, axis=1) < 0.2, (0.2, 0.2, 0.2))
    assert ball_inertia(0.2) == pytest.approx(ball, rel=0.01)
    assert box_inertia((0.1, 0.2, 0.3)) == pytest.approx([(0.04 + 0.09) / 3, (0.01 + 0.09) / 3, (0.01 + 0.04) / 3])


@pytest.mark.parametrize(
    ("half", "radius", "volume"),
    [
        ((0.2, 0.2, 0.2), 0.2, 4 / 3 * np.pi * 0.2**3),
        ((0.1, 0.5, 0.1), 0.1, np.pi * 0.01 * 0.8 + 4 / 3 * np.pi * 1e-3),
        ((0.3, 0.2, 0.1), 0.01, 8 * 0.3 * 0.2 * 0.1),
    ],
)
def test_rounded_blocks_are_closed_and_full(half, radius, volume):
    points, triangles = rounded_block(np.array(half), radius, 8)
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    a, b, c = (points[triangles[:, k]].astype(float) for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(volume, rel=0.02)


def test_a_frame_carries_poses_and_a_mesh():
    frame = next(pliant.simulate(pliant.Scene(parts={"p": pliant.Puppet.human()}), frames=1))
    part = frame["p"]
    assert [pose.name for pose in part.poses][:2] == ["torso", "head"]
    assert part.rotations_xyzw.shape == (14, 4)
    assert part.points.dtype == np.float32
    assert part.triangles.max() == len(part.points) - 1
    with pytest.raises(ValueError, match="read-only"):
        part.points[0] = 0.0


def test_a_puppet_goes_through_a_scene_file(tmp_path):
    scene = pliant.Scene(parts={"p": pliant.Puppet.marionette(motion=pliant.Spiral(), damping=1.0)})
    scene.save(tmp_path / "puppet.toml")
    again = pliant.Scene.load(tmp_path / "puppet.toml")
    assert again == scene
    assert (
        next(pliant.simulate(again, frames=1))["p"].points.tobytes()
        == next(pliant.simulate(scene, frames=1))["p"].points.tobytes()
    )


def arm():
    """A shoulder, an elbow and a hand in one line, and a clip that bends the elbow."""
    skeleton = Skeleton(
        ("shoulder", "elbow", "hand"),
        np.array([-1, 0, 1]),
        np.array([[0.0, 1.0, 0.0], [0.3, 0.0, 0.0], [0.3, 0.0, 0.0]]),
        np.tile([0.0, 0.0, 0.0, 1.0], (3, 1)),
    )
    bend = np.linspace(0.0, 1.2, 31)
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (31, 3, 1))
    turns[:, 1] = rotation.from_rotation_vector(np.stack([0 * bend, 0 * bend, bend], axis=1))
    return skeleton, Clip("bend", 30.0, np.tile(skeleton.translations, (31, 1, 1)), turns)


def driven(segments=None, **options):
    skeleton, clip = arm()
    puppet = pliant.Puppet.from_character(skeleton, mass=3.0)
    drive = pliant.Drive.from_clip(puppet, skeleton, clip, segments=segments, **options)
    session = pliant.Session(pliant.Scene(parts={"arm": puppet.replace(drive=drive, damping=5.0)}))
    session.step(60)
    return skeleton, clip, session.frame["arm"]


def test_a_clip_drives_a_puppet():
    skeleton, clip, part = driven()
    position, turn = forward(skeleton.parents, clip.translations[-1], clip.rotations_xyzw[-1])
    assert rotation.rotate(turn[1], [0.15, 0, 0]) + position[1] == pytest.approx(part.poses[1].position, abs=1e-5)


def test_a_clip_drives_a_part_and_the_rest_hangs():
    _, _, whole = driven()
    _, _, part = driven(segments=("shoulder", "elbow"))
    assert part.poses[1].position == pytest.approx(whole.poses[1].position, abs=1e-5)
    assert part.poses[2].position[1] < whole.poses[2].position[1] - 0.02


def test_a_clip_draws_softly():
    _, _, whole = driven()
    _, _, soft = driven(stiffness=3000.0)
    away = np.linalg.norm(soft.poses[1].position - whole.poses[1].position)
    assert 1e-5 < away < 0.02


def test_key_poses_are_reached_and_rested_at():
    human = pliant.Puppet.human()
    drive = pliant.Drive.from_keys(human, (0.0, 1.0), ({}, {"upperarm_right": (0, 0, -90)}), fps=30)
    rest, raised = drive.at(0.0)[0], drive.at(1.0)[0]
    shoulder = np.array(human.joints[1].anchor)
    assert rest == pytest.approx(np.array([s.center for s in human.segments]), abs=1e-12)
    assert raised[2, 1] == pytest.approx(shoulder[1], abs=1e-9)
    assert raised[2, 0] < shoulder[0] - 0.04
    assert drive.at(9.0)[0] == pytest.approx(raised)
    with pytest.raises(pliant.SceneError, match="give two or more, times rising"):
        pliant.Drive.from_keys(human, (0.0,), ({},))


def test_a_drive_is_checked():
    with pytest.raises(pliant.SceneError, match=r"Drive.positions: shape is \(2, 3\); expected \(frames, 1, 3\)"):
        pliant.Drive(segments=("a",), positions=np.zeros((2, 3)), rotations_xyzw=np.zeros((2, 4)))
    bad = np.full((2, 1, 3), np.nan)
    with pytest.raises(pliant.SceneError, match="frame 0 is not finite"):
        pliant.Drive(segments=("a",), positions=bad, rotations_xyzw=np.tile([0, 0, 0, 1.0], (2, 1, 1)))


def test_a_session_drags_a_hand():
    session = pliant.Session(pliant.Scene(parts={"p": pliant.Puppet.human(damping=3.0)}))
    hand = session.grab("p", 4)
    goal = np.array(session.frame["p"].poses[4].position) + np.array([0.0, 0.15, 0.1])
    for k in range(120):
        session.move(hand, tuple(goal + np.array([0.0, 0.0, 0.05 * min(1.0, k / 60)])))
        session.step()
    assert session.frame["p"].poses[4].position == pytest.approx(goal + np.array([0.0, 0.0, 0.05]), abs=5e-3)
    session.drop(hand)
    session.step(30)
    assert session.frame["p"].poses[4].position[1] < goal[1] - 0.1


@pytest.mark.parametrize("name", ["puppet", "puppet_resists", "puppet_fall", "marionette", "puppets_holding_hands"])
def test_gallery_scenes_run(name):
    from pliant.gallery import load

    session = pliant.Session(load(name), history=False)
    for _ in range(45):
        frame = session.step()
    assert all(np.isfinite(part.points).all() for part in frame.values())
    assert min(part.points[:, 1].min() for part in frame.values()) > -0.005 or name.startswith("puppet")
