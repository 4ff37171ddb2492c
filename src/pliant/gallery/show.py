"""The flagship: a dressed marionette walks with a ribbon and a balloon, beside a table and a flag, in the wind."""

import numpy as np

from pliant.arrays import Array
from pliant.colliders import Capsule, Ground
from pliant.forces import Gravity, Wind
from pliant.gallery.stagecraft import FPS, LEGS, RIGHT_ARM, led, table, waved
from pliant.scene import (
    FABRICS,
    Actor,
    Balloon,
    Character,
    Cloth,
    Garment,
    Gas,
    Puppet,
    Ribbon,
    Scene,
    Skin,
    String,
    Tie,
    View,
)
from pliant.scene.gait import walking
from pliant.scene.rounds import rounded

RADIUS, SPEED = 0.85, 0.62  # [m], [m/s] of the round it walks, to its right
SECONDS = 20.0
CIRCLES = 2.4  # [1/s] of the hand that waves
MASS = 6.0  # [kg] of the marionette
CLOTH = 2600  # triangles of a garment, four times as many where it is shown
TABLE = (-1.52, 0.0, 0.1)
POLE = (1.75, 0.0, -2.0)


def show() -> Scene:
    """A dressed marionette walks on its strings, waves a ribbon, is tugged by a balloon and brushes a tablecloth."""
    figure = Character.mannequin()
    walker = marionette(figure)
    at = {s.name: np.add(s.center, walker.places[0]) for s in walker.segments}
    clothes = (
        Garment.trousers(figure, triangles=CLOTH),
        Garment.tshirt(figure, triangles=CLOTH, color=(0.70, 0.08, 0.10)),
    )
    return Scene(
        parts={
            "puppet": walker,
            "figure": Actor(character=figure, puppet="puppet", garments=clothes),
            "ribbon": ribbon_at(at["hand_right"]),
            "balloon": balloon_above(at["hand_left"]),
            "tablecloth": _tablecloth(),
            "flag": _flag(),
        },
        fields=(Gravity(), Wind(velocity=(2.2, 0.0, 0.5), gust=0.6, turbulence=0.4, eddy=0.8, shelter=0.0, seed=7)),
        colliders=(
            Ground(friction=0.6),
            *table(TABLE, 0.7, 0.76),
            Capsule(a=POLE, b=(POLE[0], 3.0, POLE[2]), radius=0.025),
        ),
        ties=(
            Tie(a="ribbon:left", b="puppet:hand_right"),
            Tie(a="balloon:string", b="puppet:hand_left"),
        ),
        title="The show",
        seconds=SECONDS,
        view=View(eye=(0.5, 1.65, 6.6), target=(0.2, 1.3, 0.0)),
    )


def marionette(figure: Character) -> Puppet:
    """The figure's own puppet on strings, walking round and waving its right arm."""
    whole = Puppet.from_character(figure, mass=MASS, damping=0.6, places=((RADIUS, 0.0, 0.0),))
    pose = rounded(whole, walking(whole, SPEED, SECONDS + 4.0, FPS), -RADIUS)
    return led(whole, waved(whole, pose, "right", _circles), (*LEGS, *RIGHT_ARM), stiffness=400.0, top=3.4)


def _circles(t: Array) -> tuple[Array, Array, Array]:
    """Circles of the stretched arm, now at its side, now over its head."""
    turn, slow = 2.0 * np.pi * CIRCLES * t, 2.0 * np.pi * t / 7.0
    swing = 0.75 + 0.35 * np.sin(slow) + 0.5 * np.sin(turn)
    return swing, 1.25 - 0.35 * np.cos(slow) + 0.5 * np.cos(turn), np.full_like(t, 0.35)


def ribbon_at(hand: Array) -> Ribbon:
    """Four metres of satin, its held end in the hand, laid out behind."""
    length = 4.0
    return Ribbon(
        width=length,
        height=0.05,
        columns=120,
        rows=1,
        pinned=None,
        self_contact=False,
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
        drag=0.3,
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
        center=(TABLE[0], 0.78, TABLE[2]),
        fabric=FABRICS["cotton"].replace(thickness=6e-3),
        self_contact=False,
        pattern="check",
        color=(0.16, 0.30, 0.52),
    )


def _flag() -> Cloth:
    return Cloth.sheet(
        width=1.4,
        height=0.9,
        columns=36,
        rows=24,
        fabric="silk",
        pinned="left",
        center=(POLE[0] + 0.028 + 0.7, 2.5, POLE[2]),
        pattern="stripes",
        color=(0.10, 0.42, 0.26),
    )
