"""A puppet theatre: the curtain is drawn, two marionettes dance and bow."""

import numpy as np

from pliant.arrays import Array
from pliant.colliders import Box, Ground
from pliant.forces import Gravity, Wind
from pliant.gallery.stagecraft import FPS, led
from pliant.geometry import rotation
from pliant.scene import FABRICS, Cloth, Follow, Puppet, Scene, View
from pliant.scene.gait import Pose, dancing, smooth
from pliant.world import PointTrack

DRAWN, AFTER = 2.2, 0.8  # [s] that the curtain takes to open, [s] until it begins
BOARDS = 0.35  # [m] height of the stage
WIDTH, HEIGHT = 2.2, 1.15  # [m] of its opening


def puppet_show() -> Scene:
    """A red curtain opens on two marionettes that dance, each on its strings, and it stirs behind them."""
    dancers = {name: _dancer(x, beat) for name, x, beat in (("harlequin", -0.36, 0.50), ("columbine", 0.36, 0.50))}
    return Scene(
        parts={"left": _curtain(-1.0), "right": _curtain(1.0), **dancers},
        fields=(Gravity(), Wind()),
        colliders=(Ground(height=BOARDS, friction=0.6), *_house()),
        title="Puppet show",
        seconds=10.0,
        view=View(eye=(0.35, 1.05, 3.3), target=(0.0, 0.92, 0.0)),
    )


def _house() -> tuple[Box, ...]:
    """The arch: two pillars and a beam."""
    high = BOARDS + HEIGHT
    side = 0.5 * WIDTH + 0.12
    pillars = tuple(Box(center=(x, BOARDS + 0.5 * HEIGHT, 0.42), size=(0.16, HEIGHT, 0.10)) for x in (-side, side))
    return (*pillars, Box(center=(0.0, high + 0.16, 0.42), size=(2.0 * side + 0.16, 0.22, 0.12)))


def _curtain(side: float) -> Cloth:
    """Half of the curtain; its upper border is drawn to its own side and folds as it goes."""
    width, columns, rows = 0.5 * WIDTH + 0.04, 36, 24
    cloth = Cloth.sheet(
        width=width,
        height=HEIGHT - 0.03,
        columns=columns,
        rows=rows,
        center=(side * (0.5 * width - 0.01), BOARDS + 0.5 * HEIGHT + 0.02, 0.30 + 0.012 * side),
        fabric=FABRICS["wool"].replace(thickness=4e-3),
        self_contact=False,
        color=(0.45, 0.02, 0.04),
    )
    top = np.arange(rows * (columns + 1), (rows + 1) * (columns + 1))
    start = cloth.mesh().points[top]
    edge = 0.5 * WIDTH * side + 0.02 * side
    t = np.arange(round((AFTER + DRAWN) * FPS) + 1) / FPS
    share = smooth((t - AFTER) / DRAWN)
    positions = np.tile(start, (len(t), 1, 1))
    positions[..., 0] = edge + (start[:, 0] - edge) * (1.0 - 0.76 * share[:, None])
    positions[..., 2] += 0.022 * np.sqrt(share)[:, None] * np.sin(0.9 * np.arange(len(top)))  # rings fold it
    return cloth.replace(follow=Follow(rows=top, track=PointTrack(fps=FPS, positions=positions)))


def _dancer(x: float, beat: float) -> Puppet:
    whole = Puppet.human(height=0.78, mass=1.6, damping=1.0, places=((x, BOARDS + 0.005, -0.12),))
    pose = _later(_bowing(dancing(whole, beat, 7.0, FPS)), AFTER + 0.6 * DRAWN)
    driven = tuple(s.name for s in whole.segments if not s.name.startswith("head"))
    return led(whole, pose, driven, stiffness=500.0, top=1.9)


def _later(pose: Pose, seconds: float) -> Pose:
    """It waits first."""
    count = round(seconds * FPS)

    def held(values: Array) -> Array:
        return np.concatenate([np.repeat(values[:1], count, axis=0), values])

    return Pose({n: held(v) for n, v in pose.places.items()}, {n: held(v) for n, v in pose.turns.items()})


def _bowing(pose: Pose) -> Pose:
    """At the end the trunk and all above it leans forward about the hips, and comes up again."""
    t = np.arange(round(1.6 * FPS)) / FPS
    lean = 0.75 * np.sin(np.pi * t / 1.6) ** 2
    turn = rotation.from_rotation_vector(np.stack([lean, 0.0 * lean, 0.0 * lean], axis=1))
    legs = ("thigh", "shank", "foot")
    hips = np.mean([pose.places[f"thigh_{s}"][-1] for s in ("left", "right")], axis=0) + np.array([0.0, 0.09, 0.0])
    places, turns = {}, {}
    for name in pose.places:
        place, was = pose.places[name][-1], pose.turns[name][-1]
        still = name.split("_")[0] in legs
        bowed = np.tile(place, (len(t), 1)) if still else hips + rotation.rotate(turn, place - hips)
        places[name] = np.concatenate([pose.places[name], bowed])
        turned = np.tile(was, (len(t), 1)) if still else rotation.multiply(turn, np.tile(was, (len(t), 1)))
        turns[name] = np.concatenate([pose.turns[name], turned])
    return Pose(places, turns)
