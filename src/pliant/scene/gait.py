"""Walking and dancing in code: feet planted where they stand, legs by inverse kinematics, everything from a few waves.

A foot stands for 0.6 of a stride and swings for the rest; its next place is where the body will be in the middle of
its stand, so a standing foot never slides. Hip and ankle fix the leg: the knee lies in the plane of the leg and the
way ahead, by the law of cosines. Everything grows from and returns to the rest pose, so a clip may begin and end
standing. Lengths and rates come from the puppet's own legs (a step of a pendulum: Froude number v^2 / (g L)).
"""

import itertools
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.geometry import rotation
from pliant.scene.figures.posing import shortest_turn

STAND = 0.6  # share of a stride for which a foot stands
SIDES = (("_right", 0.5), ("_left", 0.0))  # and their phase in the stride


class Build(NamedTuple):
    """What gaits need of a human puppet, at rest [m]."""

    center: dict[str, Array]
    anchor: dict[str, Array]  # of each segment's own joint
    thigh: float
    shank: float
    ground: float  # height of the soles
    toe: float  # from the ankle to the tip of the foot, along z
    heel: float  # and to its back
    straight: dict[str, Array]  # (4,) turn that brings a limb from rest to hanging straight down


class Pose(NamedTuple):
    """Places (f, 3) and turns (f, 4) of segments, by name."""

    places: dict[str, Array]
    turns: dict[str, Array]


def build_of(puppet: Any) -> Build:
    """The measures of a puppet with the segments of `Puppet.human()`."""
    names = [s.name for s in puppet.segments]
    wanted = ["torso", "head"]
    wanted += [f"{n}{s}" for s, _ in SIDES for n in ("upperarm", "forearm", "hand", "thigh", "shank", "foot")]
    missing = [name for name in wanted if name not in names]
    if missing:
        raise SceneError(f"gait: the puppet has no segment {missing[0]!r}; it needs those of Puppet.human()")
    center = {s.name: np.array(s.center, float) for s in puppet.segments}
    anchor = {j.child: np.array(j.anchor, float) for j in puppet.joints}
    foot = next(s for s in puppet.segments if s.name == "foot_left")
    return Build(
        center,
        anchor,
        float(np.linalg.norm(anchor["thigh_left"] - anchor["shank_left"])),
        float(np.linalg.norm(anchor["shank_left"] - anchor["foot_left"])),
        float(foot.center[1] - 0.5 * foot.size[1]),
        float(foot.center[2] + 0.5 * foot.size[-1] - anchor["foot_left"][2]),
        float(foot.center[2] - 0.5 * foot.size[-1] - anchor["foot_left"][2]),
        _straightened(anchor, center),
    )


def _straightened(anchor: dict[str, Array], center: dict[str, Array]) -> dict[str, Array]:
    """A character rests with its arms out and its legs apart; gaits are said for limbs that hang down."""
    turns = {}
    for side, _ in SIDES:
        chains = (("upperarm", "forearm", "hand"), ("thigh", "shank", "foot"))
        for child, below in (pair for chain in chains for pair in itertools.pairwise(chain)):
            along = anchor[f"{below}{side}"] - anchor[f"{child}{side}"]
            turns[f"{child}{side}"] = shortest_turn(along, np.array([0.0, -1.0, 0.0]))
        turns[f"hand{side}"] = shortest_turn(center[f"hand{side}"] - anchor[f"hand{side}"], np.array([0.0, -1.0, 0.0]))
    return turns


def about(axis: int, angle: Array) -> Array:
    """(f, 4) turns by `angle` (f,) [rad] about one of the axes."""
    vector = np.zeros((len(angle), 3))
    vector[:, axis] = angle
    return rotation.from_rotation_vector(vector)


def smooth(t: Array) -> Array:
    """0 to 1 with no speed and no acceleration at its ends."""
    s = np.clip(t, 0.0, 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def carry(body: Build, pose: Pose, parent: str, child: str, turn: Array) -> None:
    """Hang a child on its joint with a world turn."""
    at = body.anchor[child]
    joint = pose.places[parent] + rotation.rotate(pose.turns[parent], at - body.center[parent])
    pose.turns[child] = turn
    pose.places[child] = joint + rotation.rotate(turn, body.center[child] - at)


def leg(body: Build, pose: Pose, side: str, ankle: Array, foot_turn: Array) -> None:
    """Thigh, shank and foot that bring an ankle (f, 3) to its place; the knee bends the way the torso looks."""
    torso = pose.turns["torso"]
    thigh, shank, foot = (f"{name}{side}" for name in ("thigh", "shank", "foot"))
    hip = pose.places["torso"] + rotation.rotate(torso, body.anchor[thigh] - body.center["torso"])
    way = ankle - hip
    reach = np.linalg.norm(way, axis=1, keepdims=True)
    far = 0.9999 * (body.thigh + body.shank)
    way = way / reach
    reach = np.minimum(reach, far)
    ahead = rotation.rotate(torso, np.array([0.0, 0.0, 1.0]))
    ahead = ahead - (ahead * way).sum(axis=1, keepdims=True) * way
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    along = (body.thigh**2 - body.shank**2 + reach**2) / (2.0 * reach)
    out = np.sqrt(np.maximum(body.thigh**2 - along**2, 0.0))
    knee = hip + along * way + out * ahead
    across = np.cross(-way, ahead)
    carry(body, pose, "torso", thigh, rotation.multiply(_standing(across, hip - knee), body.straight[thigh]))
    lower = _standing(across, knee - (hip + reach * way))
    carry(body, pose, thigh, shank, rotation.multiply(lower, body.straight[shank]))
    carry(body, pose, shank, foot, foot_turn)


def _standing(x: Array, y: Array) -> Array:
    """Turns whose x axis is x and whose y axis is along y, perpendicular to it."""
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    return rotation.from_matrix(np.stack([x, y, np.cross(x, y)], axis=-1))


def arm(body: Build, pose: Pose, side: str, swing: Array, out: Array, elbow: Array) -> None:
    """Upper arm swung ahead and outwards, forearm bent [rad]."""
    outwards = out if side == "_left" else -out
    upper = rotation.multiply(pose.turns["torso"], rotation.multiply(about(2, outwards), about(0, -swing)))
    fore = rotation.multiply(upper, about(0, -elbow))
    for parent, child, turn in (("torso", "upperarm", upper), ("upperarm", "forearm", fore), ("forearm", "hand", fore)):
        above = parent if parent == "torso" else f"{parent}{side}"
        carry(body, pose, above, f"{child}{side}", rotation.multiply(turn, body.straight[f"{child}{side}"]))


def walking(puppet: Any, speed: float | None, seconds: float, fps: float) -> Pose:
    """A walk along +z from standing to standing."""
    body = build_of(puppet)
    length = body.thigh + body.shank
    natural = float(np.sqrt(0.18 * 9.81 * length))
    pace = natural if speed is None else float(speed)
    if not 0.0 < pace <= 2.2 * natural:
        raise SceneError(f"Drive.walk: speed = {pace}; legs of {length:.3g} m walk at > 0 to {2.2 * natural:.3g} m/s")
    period = 2.0 * 0.66 * length * np.sqrt(pace / natural) / pace  # [s] of a stride
    begin, rise = 0.3 * period, 0.7 * period
    if seconds < 2.0 * (begin + rise):
        raise SceneError(f"Drive.walk: seconds = {seconds}; a walk from standing to standing takes {4 * rise:.3g} s")
    t = np.arange(int(round(seconds * fps)) + 1) / fps
    way = _Way(pace, begin, rise, seconds)
    grown = way.speed(t) / pace
    phase = 2.0 * np.pi * t / period
    stride = pace * period
    steps = {side: _step(body, way, t, period, lag, side, stride) for side, lag in SIDES}
    place = np.stack([grown * 0.05 * length * np.sin(phase - 0.3), 0.0 * t, way.at(t)], axis=1)
    place[:, 1] = -_sink(body, place, steps, length * (1.0 - 0.01 * grown), round(0.1 * period * fps))
    turn = rotation.multiply(
        about(1, -grown * 0.09 * np.cos(phase)),
        rotation.multiply(about(2, grown * 0.035 * np.sin(phase)), about(0, grown * 0.05)),
    )
    pose = Pose({"torso": body.center["torso"] + place}, {"torso": turn})
    carry(body, pose, "torso", "head", about(0, grown * 0.03 * np.sin(2.0 * phase)))
    for side, lag in SIDES:
        ankle, pitch = steps[side]
        leg(body, pose, side, ankle, about(0, pitch))
        swing = np.cos(phase + 2.0 * np.pi * lag)
        arm(body, pose, side, grown * (0.06 - 0.42 * swing), grown * 0.10, grown * (0.32 - 0.16 * swing))
    return pose


class _Way(NamedTuple):
    """How far the body has come: it sets off at `begin`, rises to its pace and stops before `seconds`."""

    pace: float
    begin: float
    rise: float
    seconds: float

    def speed(self, t: Array) -> Array:
        ends = self.seconds - self.begin
        return self.pace * (smooth((t - self.begin) / self.rise) - smooth((t - ends + self.rise) / self.rise))

    def at(self, t: Array) -> Array:
        """The integral of `speed`, in closed form."""
        return self.pace * (
            _integral((t - self.begin) / self.rise) - _integral((t - self.seconds + self.begin + self.rise) / self.rise)
        ) * self.rise  # fmt: skip


def _integral(t: Array) -> Array:
    """Of `smooth` from minus infinity."""
    s = np.clip(t, 0.0, 1.0)
    return s**4 * (2.5 + s * (s - 3.0)) + np.maximum(t - 1.0, 0.0)


def _sink(body: Build, place: Array, steps: dict[str, tuple[Array, Array]], reach: Array, width: int) -> Array:
    """(f,) how far the hips go down so that both legs reach their feet, smoothly."""
    needed = np.zeros(len(place))
    for side, (ankle, _) in steps.items():
        hip = place + body.anchor[f"thigh{side}"]
        across = ((ankle - hip)[:, [0, 2]] ** 2).sum(axis=1)
        needed = np.maximum(needed, hip[:, 1] - ankle[:, 1] - np.sqrt(np.maximum(reach**2 - across, 0.0)))
    wide = np.pad(needed, 2 * width, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(wide, 2 * width + 1).max(axis=1)
    kernel = np.hanning(2 * width + 3)[1:-1]
    return np.convolve(highest, kernel / kernel.sum(), mode="valid")


def _step(body: Build, way: _Way, t: Array, period: float, lag: float, side: str, stride: float) -> tuple[Array, Array]:
    """Ankle (f, 3) and pitch (f,) of one foot."""
    count = np.floor(t / period + lag)
    phase = t / period + lag - count
    swinging = phase > STAND
    middle = (count - lag + 0.5 * STAND) * period  # of the present stand, or the one before
    here, there = way.at(middle), way.at(middle + period)
    s = np.clip((phase - STAND) / (1.0 - STAND), 0.0, 1.0)
    lifted = (there - here) / stride  # short steps are low
    rest = body.anchor[f"foot{side}"]
    length = body.thigh + body.shank
    z = here + smooth(s) * (there - here)
    y = 0.13 * length * lifted * np.sin(np.pi * s) ** 2 * (1.3 - 0.6 * s)
    # heel up before the foot leaves, toes up before it lands; the tip or the back of the sole stays where it stands
    leaving = smooth((phase - 0.36) / (STAND - 0.36))
    heel = np.where(swinging, 1.0 - smooth(s / 0.55), leaving) * (there - here) / stride
    came = (here - way.at(middle - period)) / stride
    toes = np.where(swinging, smooth((s - 0.5) / 0.5) * lifted, (1.0 - smooth(phase / 0.12)) * came)
    pitch = smooth(t / (0.12 * period)) * (0.5 * heel - 0.25 * toes)
    ball, back = body.toe, body.heel
    up, sole = np.maximum(pitch, 0.0), rest[1] - body.ground
    down = np.minimum(pitch, 0.0)
    y = y + ball * np.sin(up) - sole * (1.0 - np.cos(up)) + back * np.sin(down) - sole * (1.0 - np.cos(down))
    z = z + ball * (1.0 - np.cos(up)) + sole * np.sin(up) + back * (1.0 - np.cos(down)) + sole * np.sin(down)
    return np.stack([np.full_like(t, rest[0]), rest[1] + y, rest[2] + z], axis=1), pitch


def dancing(puppet: Any, beat: float, seconds: float, fps: float) -> Pose:
    """On the spot: knees bounce, hips swing from foot to foot, feet tap, arms wave; from standing to standing."""
    body = build_of(puppet)
    if not 0.2 <= beat <= 3.0:
        raise SceneError(f"Drive.dance: beat = {beat}; must be 0.2 to 3 [s]")
    if seconds < 4.0 * beat:
        raise SceneError(f"Drive.dance: seconds = {seconds}; must be at least four beats of {beat} s")
    length = body.thigh + body.shank
    t = np.arange(int(round(seconds * fps)) + 1) / fps
    grown = smooth(t / (1.5 * beat)) - smooth((t - seconds + 1.5 * beat) / (1.5 * beat))
    phase = np.pi * t / beat  # a bar is two beats, once to either side
    sway, bounce = np.sin(phase), 0.5 - 0.5 * np.cos(2.0 * phase)
    place = np.stack([grown * 0.17 * length * sway, -grown * length * (0.035 + 0.05 * bounce), 0.0 * t], axis=1)
    twist = 0.5 * np.sin(0.5 * phase)
    turn = rotation.multiply(
        about(1, grown * twist), rotation.multiply(about(2, grown * 0.10 * sway), about(0, grown * 0.06 * bounce))
    )
    pose = Pose({"torso": body.center["torso"] + place}, {"torso": turn})
    nod = rotation.multiply(about(2, -grown * 0.18 * sway), about(0, grown * 0.16 * bounce))
    carry(body, pose, "torso", "head", rotation.multiply(about(1, grown * 0.6 * twist), nod))
    for side, lag in SIDES:
        sign = 1.0 if side == "_left" else -1.0
        free = np.maximum(-sign * sway, 0.0) ** 2  # the foot that carries nothing taps out to its side
        rest = body.anchor[f"foot{side}"]
        out = length * grown[:, None] * np.stack([sign * (0.10 + 0.22 * free), 0.11 * free, 0.06 * free], axis=1)
        leg(body, pose, side, rest + out, about(0, grown * 0.2 * free))
        wave = np.sin(phase + 2.0 * np.pi * lag)
        lift = grown * (1.15 + 0.55 * wave)
        arm(body, pose, side, grown * (0.35 + 0.45 * np.sin(2.0 * phase)), lift, grown * (0.9 + 0.5 * wave))
    return pose
