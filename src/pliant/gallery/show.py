"""The flagship: a marionette walks round with a ribbon and a balloon, beside a table and a flag, in the wind."""

import numpy as np

from pliant.arrays import Array
from pliant.colliders import Box, Capsule, Ground
from pliant.constraints import Circuit, Motion, Swings
from pliant.forces import Gravity, Wind
from pliant.scene import FABRICS, Balloon, Cloth, Gas, Puppet, Ribbon, Scene, Skin, String, Tie, View

ROUND = -10.0  # [s] duration of one round, clockwise seen from above
RADIUS = 0.85  # [m] of the way it walks
STEPS = 0.9  # [1/s] of each leg
CIRCLES = 0.9  # [1/s] of the hand that waves
HEIGHT, MASS = 1.7, 6.0  # [m], [kg] of the marionette


def show() -> Scene:
    """A marionette walks on its strings, waves a ribbon, is tugged by a balloon and brushes a tablecloth."""
    walker = marionette()
    at = {s.name: np.add(s.center, (RADIUS, 0.0, 0.0)) for s in walker.segments}
    hand, other = at["hand_right"], at["hand_left"]
    return Scene(
        parts={
            "puppet": walker,
            "ribbon": ribbon_at(hand),
            "balloon": balloon_above(other),
            "tablecloth": _tablecloth(),
            "flag": _flag(),
        },
        fields=(Gravity(), Wind(velocity=(2.6, 0.0, 0.4), gust=0.5, turbulence=0.5, eddy=0.8, seed=7)),
        colliders=(
            Ground(friction=0.6),
            Box(center=TABLE, size=(0.7, 1.5, 0.7), rounding=0.02, friction=0.5),
            Capsule(a=(1.05, 0.0, -1.1), b=(1.05, 2.75, -1.1), radius=0.02),
        ),
        ties=(
            Tie(a="ribbon:left", b="puppet:hand_right"),
            Tie(a="balloon:string", b="puppet:hand_left"),
        ),
        title="The show",
        seconds=20.0,
        view=View(eye=(0.4, 1.75, 5.2), target=(0.1, 1.15, 0.0)),
    )


TABLE = (-1.5, 0.0, 0.1)


def marionette() -> Puppet:
    """A life-size marionette whose strings carry it round, step by step."""
    whole = Puppet.marionette(height=HEIGHT, mass=MASS, lift=0.01, damping=0.6, places=((RADIUS, 0.0, 0.0),))
    strings = [s for s in whole.strings if s.segment != "hand_left"]
    return whole.replace(strings=tuple(s.replace(motion=_carried(s.segment, np.array(s.hook))) for s in strings))


def _carried(segment: str, hook: Array) -> Motion:
    """Round with the others, and each in its own way."""
    own: Motion = Swings(amplitudes=((0.0, 0.012, 0.0),), rates=(2.0 * STEPS,), phases=(0.25,), start=1.5)
    if segment.startswith("thigh"):
        phase = 0.0 if segment.endswith("left") else 0.5
        own = Swings(
            amplitudes=((0.0, 0.13, 0.0), (0.0, 0.0, 0.12)),
            rates=(STEPS, STEPS),
            phases=(phase, phase - 0.25),
            start=1.5,
        )
    if segment == "hand_right":
        own = Swings(
            amplitudes=((0.0, 0.30, 0.0), (0.0, 0.0, 0.35), (-0.35, 0.0, 0.0)),
            rates=(CIRCLES, CIRCLES, 0.5 * CIRCLES),
            phases=(0.25, 0.0, 0.0),
            start=1.5,
        )
    arm = np.add(hook, (RADIUS, 0.0, 0.0))
    return Circuit(arm=tuple(arm.tolist()), period=ROUND, own=own)


def ribbon_at(hand: Array) -> Ribbon:
    """Four metres of satin, its held end in the hand, laid out behind."""
    length = 4.0
    return Ribbon(
        width=length,
        height=0.05,
        columns=120,
        rows=1,
        pinned=None,
        turn=90.0,
        center=(float(hand[0]), float(hand[1]), float(hand[2]) - 0.5 * length),
        fabric=FABRICS["silk"].replace(thickness=3e-3),
        color=(0.75, 0.04, 0.10),
    )


def balloon_above(hand: Array) -> Balloon:
    """A balloon whose string ends in the hand: it lifts the forearm and not the arm."""
    string, radius = 0.9, 0.25
    top = np.add(hand, (0.0, 0.9 * string + radius, 0.0))
    return Balloon.ellipsoid(
        (radius, 1.12 * radius, radius),
        neck=0.3,
        center=tuple(top.tolist()),
        skin=Skin(density=0.03),
        gas=Gas(fill=1.05),
        string=String(length=string, end=tuple(hand.tolist()), held=False),
        color=(0.90, 0.50, 0.03),
    )


def _tablecloth() -> Cloth:
    return Cloth.sheet(
        width=1.3,
        height=1.3,
        columns=40,
        rows=40,
        lies="flat",
        center=(TABLE[0], 0.775, TABLE[2]),
        fabric=FABRICS["cotton"].replace(thickness=6e-3),
        pattern="check",
        color=(0.16, 0.30, 0.52),
    )


def _flag() -> Cloth:
    return Cloth.sheet(
        width=1.2,
        height=0.8,
        columns=36,
        rows=24,
        fabric="silk",
        pinned="left",
        center=(1.05 + 0.023 + 0.6, 2.3, -1.1),
        pattern="stripes",
        color=(0.10, 0.42, 0.26),
    )
