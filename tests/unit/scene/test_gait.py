"""Walks, dances and clips of other skeletons on a human puppet."""

import numpy as np
import pytest

import pliant
from pliant.geometry import rotation
from pliant.geometry.skeleton import Clip, Skeleton
from pliant.scene.gait import build_of, dancing, walking
from pliant.scene.retarget import joints_of

FPS = 60.0


def corners(puppet, pose, foot):
    """(f, 4, 3) corners of a foot's sole."""
    half = 0.5 * np.array(puppet.segments[puppet.index(foot)].size)
    local = np.array([[x, -half[1], z] for x in (-half[0], half[0]) for z in (-half[2], half[2])])
    return pose.places[foot][:, None] + rotation.rotate(pose.turns[foot][:, None], local[None])


@pytest.mark.parametrize(("height", "speed"), [(0.6, None), (0.6, 0.4), (1.8, 1.4)])
def test_a_walk_goes_at_its_speed_and_feet_neither_sink_nor_slide(height, speed):
    puppet = pliant.Puppet.human(height=height, mass=1.5)
    pose = walking(puppet, speed, 6.0, FPS)
    middle = pose.places["torso"][120:240, 2]
    pace = np.polyfit(np.arange(120) / FPS, middle, 1)[0]
    if speed is not None:
        assert pace == pytest.approx(speed, rel=0.02)
    for side in ("right", "left"):
        sole = corners(puppet, pose, f"foot_{side}")
        assert sole[..., 1].min() > -1e-3 * height
        flat = sole[..., 1].max(axis=1) < 2e-3 * height  # the whole sole is down: it stands
        stays = flat[1:] & flat[:-1]
        assert stays.mean() > 0.2
        assert np.abs(np.diff(sole, axis=0)[stays]).max() < 2e-3 * height
        knee = rotation.multiply(rotation.inverse(pose.turns[f"thigh_{side}"]), pose.turns[f"shank_{side}"])
        bend = rotation.to_rotation_vector(knee)
        assert np.abs(bend[:, 1:]).max() < 1e-6  # a hinge about x
        assert bend[:, 0].min() > -1e-6
        assert np.rad2deg(bend[:, 0].max()) < 100.0


@pytest.mark.parametrize("make", [lambda p: walking(p, None, 5.0, FPS), lambda p: dancing(p, 0.5, 5.0, FPS)])
def test_gaits_begin_and_end_standing_and_move_smoothly(make):
    puppet = pliant.Puppet.human()
    pose = make(puppet)
    way = pose.places["torso"][-1] - pose.places["torso"][0]
    for s in puppet.segments:
        assert pose.places[s.name][0] == pytest.approx(s.center, abs=2e-3)
        assert pose.places[s.name][-1] - way == pytest.approx(s.center, abs=4e-3)
        assert np.linalg.norm(np.diff(pose.places[s.name], axis=0), axis=1).max() * FPS < 3.5  # [m/s]


def test_a_driven_walk_takes_every_copy_along_its_heading():
    puppet = pliant.Puppet.human()
    drive = pliant.Drive.walk(puppet, seconds=3.0, heading=90.0)
    two = puppet.replace(drive=drive, places=((0.0, 0.0, 0.0), (0.0, 0.0, 2.0)))
    session = pliant.Session(pliant.Scene(parts={"p": two}))
    session.step(180)
    at = session.state.position
    assert at[0, 0] > 0.5
    assert at[14:] - at[:14] == pytest.approx(np.tile([0.0, 0.0, 2.0], (14, 1)), abs=1e-9)


def test_legs_walk_and_arms_hang():
    puppet = pliant.Puppet.human(damping=2.0)
    legs = ("torso", "head", *(f"{n}_{s}" for n in ("thigh", "shank", "foot") for s in ("right", "left")))
    session = pliant.Session(
        pliant.Scene(parts={"p": puppet.replace(drive=pliant.Drive.walk(puppet, seconds=3.0, segments=legs))})
    )
    session.step(100)
    names = [s.name for s in puppet.segments]
    free = session.state.inverse_mass > 0.0
    assert {n for n, f in zip(names, free, strict=True) if f} == set(names) - set(legs)
    hand, elbow = (session.state.position[names.index(n)] for n in ("hand_left", "upperarm_left"))
    assert hand[1] < elbow[1]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda p: pliant.Drive.walk(p, speed=-1.0), r"Drive.walk: speed = -1.0; legs of 0.295 m walk at > 0"),
        (lambda p: pliant.Drive.walk(p, speed=float("nan")), r"speed = nan"),
        (lambda p: pliant.Drive.walk(p, seconds=0.2), r"a walk from standing to standing takes"),
        (lambda p: pliant.Drive.dance(p, beat=0.0), r"beat = 0.0; must be 0.2 to 3"),
        (lambda p: pliant.Drive.walk(p, segments=("tail",)), r"no segment 'tail'"),
        (lambda p: pliant.Drive.walk(pliant.Puppet.chain(3)), r"gait: the puppet has no segment 'torso'"),
    ],
)
def test_wrong_gaits_are_one_line(call, match):
    with pytest.raises(pliant.SceneError, match=match) as caught:
        call(pliant.Puppet.human())
    assert "\n" not in str(caught.value)


LIMBS = (
    ("UpArm", "LoArm", "Hand", (0.18, 1.45, 0.0), ((0.28, 0, 0), (0.25, 0, 0))),
    ("Thigh", "Shin", "Foot", (0.1, 0.95, 0.0), ((0, -0.44, 0), (0, -0.43, 0))),
)


def other_skeleton(turned=0.0):
    """A person of 1.8 m in T-pose, z-named limbs, looking `turned` [rad] away from +z; and its names."""
    names, parents = ["Hips", "Spine", "Neck", "Head"], [-1, 0, 1, 2]
    places = [(0, 0.95, 0), (0, 0.2, 0), (0, 0.35, 0), (0, 0.1, 0)]
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for *limb, start, bones in LIMBS:
            root = 1 if limb[0] == "UpArm" else 0
            base = np.array([0, 1.15, 0]) if root == 1 else np.array([0, 0.95, 0])
            local = [np.array(start) - base, *map(np.array, bones)]
            for k, (name, place) in enumerate(zip(limb, local, strict=True)):
                names.append(f"{name}_{side}")
                parents.append(root if k == 0 else len(names) - 2)
                places.append(tuple(np.array(place) * (sign, 1.0, 1.0)))
        names.append(f"Toe_{side}")
        parents.append(len(names) - 2)
        places.append((0.0, -0.05, 0.15))
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (len(names), 1))
    turns[0] = rotation.from_rotation_vector(np.array([0.0, turned, 0.0]))
    return Skeleton(tuple(names), np.array(parents), np.array(places, float), turns)


@pytest.mark.parametrize("turned", [0.0, 2.0])
def test_a_clip_of_another_skeleton_is_taken_over(turned):
    """Its arms rest sideways and end hanging, one knee bends: so do the puppet's, whichever way the source looks."""
    skeleton = other_skeleton(turned)
    turns = np.tile(skeleton.rotations_xyzw, (21, 1, 1))
    row = {name: k for k, name in enumerate(skeleton.names)}
    t = np.linspace(0.0, 1.0, 21)
    for side, sign in (("L", -1.0), ("R", 1.0)):
        down = np.stack([0 * t, 0 * t, sign * 0.5 * np.pi * t], axis=1)
        turns[:, row[f"UpArm_{side}"]] = rotation.from_rotation_vector(down)
    turns[:, row["Shin_L"]] = rotation.from_rotation_vector(np.stack([t, 0 * t, 0 * t], axis=1))
    clip = Clip("test", 30.0, np.tile(skeleton.translations, (21, 1, 1)), turns)
    puppet = pliant.Puppet.human()
    drive = pliant.Drive.retargeted(puppet, skeleton, clip)
    at = {name: drive.positions[:, k] for k, name in enumerate(drive.segments)}
    rest = {s.name: np.array(s.center) for s in puppet.segments}
    shoulder = np.array(puppet.joints[1].anchor)
    assert at["hand_right"][0, 1] == pytest.approx(shoulder[1], abs=0.02)  # sideways
    assert at["hand_right"][-1] == pytest.approx(rest["hand_right"], abs=0.02)  # hanging
    build = build_of(puppet)
    knee = at["shank_left"][-1] - (rest["shank_left"])
    assert knee[2] == pytest.approx(-0.5 * build.shank * np.sin(1.0), abs=0.02)  # the shin goes back
    assert at["thigh_left"][-1] == pytest.approx(rest["thigh_left"], abs=0.02)


@pytest.mark.parametrize(
    ("name", "segment"),
    [("LeftForeArm", "forearm_left"), ("lForeArm", "forearm_left"), ("LoArm_L", "forearm_left"),
     ("mixamorig:RightUpLeg", "thigh_right"), ("rThigh", "thigh_right"), ("upperleg01.R", "thigh_right"),
     ("LShldr", "upperarm_left"), ("Hips", "torso"), ("head", "head")],
)  # fmt: skip
def test_names_of_many_programs_are_understood(name, segment):
    skeleton = Skeleton((name,), np.array([-1]), np.zeros((1, 3)), np.zeros((1, 4)))
    assert joints_of(skeleton) == {segment: name}


def test_a_walk_goes_out_as_bvh_and_comes_back(tmp_path):
    """A walk of our own, written, read by any program, and laid on another puppet: the same stride."""
    puppet = pliant.Puppet.human()
    drive = pliant.Drive.walk(puppet, seconds=3.0)
    scene = pliant.Scene(parts={"p": puppet.replace(drive=drive)})
    from pliant.sinks.record import record

    record(scene, [tmp_path / "walk.bvh"], seconds=3.0, fps=60.0)
    motion = pliant.read_bvh(tmp_path / "walk.bvh", up="y", unit=1.0)
    back = pliant.Drive.retargeted(puppet, motion.skeleton, motion.clip)
    frames = min(len(back.positions), len(drive.positions) - 1)
    away = back.positions[:frames] - drive.positions[1 : frames + 1]
    assert np.abs(away[:, :, 2] - away[:1, :1, 2]).max() < 0.02
    assert np.ptp(back.positions[:, 0, 2]) > 0.8


def test_a_clip_without_names_asks_for_them():
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)), np.tile([0, 0, 0, 1.0], (2, 1)))
    clip = Clip("c", 30.0, np.zeros((1, 2, 3)), np.tile([0, 0, 0, 1.0], (1, 2, 1)))
    with pytest.raises(pliant.SceneError, match=r"no joint looks like 'torso' \(has: a, b\); name it: joints="):
        pliant.Drive.retargeted(pliant.Puppet.human(), skeleton, clip)
    with pytest.raises(pliant.SceneError, match="no joint 'c'"):
        pliant.Drive.retargeted(pliant.Puppet.human(), skeleton, clip, joints={"torso": "c"})


@pytest.mark.parametrize("radius", [-0.9, 1.5])
def test_a_walk_in_a_circle_stays_on_it_and_standing_feet_stay(radius):
    puppet = pliant.Puppet.human(height=1.7, mass=6.0)
    drive = pliant.Drive.walk(puppet, speed=0.8, seconds=8.0, radius=radius)
    row = drive.segments.index
    middle = np.array([radius, 0.0, 0.0])
    away = np.linalg.norm((drive.positions[:, row("torso")] - middle)[:, [0, 2]], axis=1)
    assert away == pytest.approx(abs(radius), abs=0.06)
    for side in ("left", "right"):
        foot = drive.positions[:, row(f"foot_{side}")]
        slow = np.linalg.norm(np.diff(foot, axis=0), axis=1) * FPS < 0.02
        assert slow[120:360].mean() > 0.25
    thigh = drive.positions[:, row("thigh_left")] - drive.positions[:, row("shank_left")]
    assert np.linalg.norm(thigh, axis=1).max() < 1.05 * np.linalg.norm(thigh[0])


def test_a_circle_too_sharp_for_the_legs_is_refused():
    with pytest.raises(pliant.SceneError, match=r"radius = 0\.1; these legs walk circles of"):
        pliant.Drive.walk(pliant.Puppet.human(height=1.7), radius=0.1)
