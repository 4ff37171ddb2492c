"""Puppets: dragged, resisting, falling, on strings, hand in hand, and many."""

from math import log
from typing import Any

from pliant.colliders import Box, Ground
from pliant.constraints import KeyMotion, Spiral, Swings
from pliant.forces import Gravity
from pliant.scene import Drive, Joint, Puppet, PuppetString, Scene, Segment, View, grid_of_places

FRAME_RATE = 45.0  # [1/s] of seed 003's pictures


def _per_second(damping: float) -> float:
    """The paper's damping per frame, k = 1 - damping, as a rate [1/s]."""
    return -FRAME_RATE * log(1.0 - damping)


def _dragged(title: str, **options: Any) -> Scene:
    """The right hand is drawn from left to right before the body; weightless as in seed 003, figures 10 to 12."""
    before, right = (0.08, 0.12, 0.16), (0.6, 0.05, 0.1)
    drag = KeyMotion(times=(0.0, 0.5, 1.5, 2.2, 3.0), offsets=((0.0, 0.0, 0.0), before, right, right, before))
    return _weightless(
        {"puppet": Puppet.human(held=("hand_right",), motion=drag, touches_itself=True, **options)}, title
    )


def puppet() -> Scene:
    """A puppet of 14 segments is drawn by its right hand; `--set puppet.damping=16` is the paper's 0.3."""
    return _dragged("Puppet", damping=_per_second(0.5))


def puppet_damping() -> Scene:
    """The same drag with the paper's damping 0.5 and 0.3 side by side; `--out angles.svg` plots the joints."""
    drag = KeyMotion(times=(0.0, 0.8), offsets=((0.0, 0.0, 0.0), (0.3, 0.0, 0.0)))
    parts = {
        f"damping_{10 * amount:02.0f}": Puppet.human(
            held=("hand_right",), motion=drag, damping=_per_second(amount), places=((0.0, 0.0, z),)
        )
        for amount, z in ((0.5, 0.0), (0.3, -0.9))
    }
    return _weightless(parts, "Two dampings")


def _weightless(parts: dict[str, Puppet], title: str) -> Scene:
    return Scene(
        parts=parts,
        fields=(Gravity(acceleration=(0.0, 0.0, 0.0)),),
        title=title,
        seconds=3.0,
        view=View(eye=(0.3, 0.6, 1.9), target=(0.15, 0.33, 0.0)),
    )


def puppet_resists() -> Scene:
    """The same drag, and the puppet resists by seeded noise."""
    return _dragged("A puppet that resists", damping=_per_second(0.3), resistance=8.0)


def puppet_fall() -> Scene:
    """A puppet loses its balance and tumbles down stairs."""
    tread, rise, count = 0.22, 0.19, 6
    top = rise * count
    steps = tuple(
        Box(
            center=(tread * k if k else -0.3, 0.5 * (top - rise * k), 0.0),
            size=(tread if k else 0.6 + tread, top - rise * k, 0.9),
            friction=0.1,
        )
        for k in range(count)
    )
    leaning = Puppet.human().turned((0.0, 78.0, 0.0)).turned((0.0, 0.0, -32.0))
    falling = leaning.replace(damping=0.05, friction=0.1, touches_itself=True, places=((0.08, top + 0.04, 0.0),))
    return Scene(
        parts={"puppet": falling},
        colliders=(Ground(), *steps),
        title="Down the stairs",
        seconds=4.0,
        view=View(eye=(3.3, 1.9, 3.1), target=(0.62, 0.78, 0.0)),
    )


def _waved(times: tuple[float, ...], heights: tuple[float, ...], ahead: float = 0.0) -> KeyMotion:
    """A hook that goes up and down, and a little ahead with it."""
    return KeyMotion(times=times, offsets=tuple((0.0, h, ahead * h) for h in heights))


def marionette() -> Scene:
    """A puppet dances on eight strings: it lifts a hand and a knee by turns, and bows."""
    beats = tuple(0.5 * k for k in range(17))
    up, down = (0.0, 0.0, 1.0, 0.0) * 4 + (0.0,), (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0) * 2 + (0.0,)
    other = (0.0, 1.0, 0.0, 0.0) * 4 + (0.0,)
    lifts = {
        "hand_right": _waved(beats, tuple(0.26 * v for v in up), 0.3),
        "hand_left": _waved(beats, tuple(0.26 * v for v in other), 0.3),
        "thigh_right": _waved(beats, tuple(0.11 * v for v in other), 0.5),
        "thigh_left": _waved(beats, tuple(0.11 * v for v in up), 0.5),
        "torso": _waved(beats, tuple(-0.03 * v for v in down)),
        "head": _waved(beats, tuple(-0.05 * v for v in down)),
    }
    whole = Puppet.marionette(damping=1.5, touches_itself=True)
    strings = tuple(string.replace(motion=lifts[string.segment]) for string in whole.strings)
    return Scene(
        parts={"marionette": whole.replace(strings=strings)},
        colliders=(Ground(),),
        title="Marionette",
        seconds=8.0,
        view=View(eye=(0.7, 0.75, 1.7), target=(0.0, 0.45, 0.0)),
    )


def puppet_walk() -> Scene:
    """Two puppets walk to meet each other; one stops and dances, the other's arms hang free."""
    one, two = Puppet.human(), Puppet.human(height=0.54, mass=1.1)
    legs = tuple(s.name for s in two.segments if s.name.split("_")[0] not in ("upperarm", "forearm", "hand"))
    walker = one.replace(drive=Drive.walk(one, seconds=4.0, heading=90.0), places=((-1.3, 0.0, -0.15),))
    loose = two.replace(
        drive=Drive.walk(two, seconds=4.0, heading=-90.0, segments=legs), places=((1.3, 0.0, 0.35),), damping=2.0
    )
    dancer = one.replace(drive=Drive.dance(one, beat=0.45, seconds=5.0), places=((0.0, 0.0, -0.7),))
    return Scene(
        parts={"walker": walker, "loose": loose, "dancer": dancer},
        colliders=(Ground(),),
        title="Walk and dance",
        seconds=5.0,
        view=View(eye=(0.3, 0.9, 2.9), target=(0.0, 0.3, -0.1)),
    )


def puppets_holding_hands() -> Scene:
    """Three puppets hand in hand, each on three strings: they step apart and dip by turns. One tree of 42 segments."""
    hands = holding_hands(3, touches_itself=True, damping=1.5)
    at = {s.name: s.center for s in hands.segments}
    strings = tuple(
        PuppetString(
            segment=f"{name}_{k}", at=(x, 0.04, 0.0), hook=(at[f"{name}_{k}"][0] + x, 1.15, 0.0), motion=_dips(k)
        )
        for k in range(3)
        for name, x in (("head", 0.0), ("torso", -0.05), ("torso", 0.05))
    )
    return Scene(
        parts={"puppets": hands.replace(strings=strings)},
        colliders=(Ground(),),
        title="Hand in hand",
        seconds=6.0,
        view=View(eye=(0.4, 0.65, 1.75), target=(0.0, 0.42, 0.0)),
    )


def _dips(k: int) -> KeyMotion:
    """The strings of the k-th of three: apart first, then down and up again, forwards and back."""
    apart, down, ahead = 0.19 * (k - 1), -0.12, 0.1
    beats = tuple(1.0 + 0.5 * n for n in range(11))
    dips = tuple((apart, down if n % 3 == k else 0.0, ahead if n % 4 == 2 else 0.0) for n in range(11))
    return KeyMotion(times=(0.0, *beats), offsets=((0.0, 0.0, 0.0), *dips))


def holding_hands(count: int, **options: Any) -> Puppet:
    """`count` humans side by side as one puppet, each left hand joined to the next one's right."""
    one = Puppet.human()
    hand = next(s for s in one.segments if s.name == "hand_left")
    width = 2.0 * hand.center[0]
    segments: list[Segment] = []
    joints: list[Joint] = []
    for k in range(count):
        shift = (k - 0.5 * (count - 1)) * width
        for s in one.segments:
            center = (s.center[0] + shift, s.center[1], s.center[2])
            segments.append(s.replace(name=f"{s.name}_{k}", center=center))
        for j in one.joints:
            anchor = (j.anchor[0] + shift, j.anchor[1], j.anchor[2])
            joints.append(j.replace(parent=f"{j.parent}_{k}", child=f"{j.child}_{k}", anchor=anchor))
        if k:
            place = (shift - 0.5 * width, hand.center[1], hand.center[2])
            joints.append(Joint(parent=f"hand_left_{k - 1}", child=f"hand_right_{k}", anchor=place, swing=80.0))
    return Puppet(segments=tuple(segments), joints=tuple(joints), **options)


def crowd() -> Scene:
    """256 puppets on three strings each, in one call per frame: all sway, and lift one hand and the other."""
    one = Puppet.human(height=0.6)
    at = {s.name: s.center for s in one.segments}
    sway = Spiral(radius=0.04, rate=0.8, travel=(0.08, 0.0, 0.0), period=3.0, start=1.0)
    moves = {"head": sway, "hand_right": _lifted(0.0), "hand_left": _lifted(0.5)}
    strings = tuple(
        PuppetString(segment=name, at=(0.0, 0.02, 0.0), hook=(at[name][0], 1.0, 0.0), motion=motion)
        for name, motion in moves.items()
    )
    places = tuple((x, y + 0.05, z) for x, y, z in grid_of_places(256, 0.55))
    return Scene(
        parts={"crowd": one.replace(places=places, strings=strings, detail=1, damping=1.5)},
        title="Crowd",
        seconds=4.0,
        view=View(eye=(4.6, 2.6, 6.2), target=(0.2, 0.0, 0.4)),
    )


def _lifted(phase: float) -> Swings:
    """A hand goes up and down once in 1.5 s, and sways with the head."""
    return Swings(
        amplitudes=((0.0, 0.16, 0.06), (0.08, 0.0, 0.0)), rates=(1.0 / 1.5, 1.0 / 3.0), phases=(phase, 0.0), start=1.0
    )
