"""Puppets: dragged, resisting, falling, on strings, hand in hand, and many."""

from pliant.constraints import KeyMotion
from pliant.forces import Gravity
from pliant.scene import Puppet, Scene, View

FRAME_RATE = 45.0  # [1/s] of seed 003's pictures


def _per_second(damping: float) -> float:
    """The paper's damping per frame, k = 1 - damping, as a rate [1/s]."""
    from math import log

    return -FRAME_RATE * log(1.0 - damping)


def _dragged(**options: object) -> Scene:
    """The right hand is drawn from left to right, without gravity as in seed 003, figures 10 to 12."""
    drag = KeyMotion(times=(0.0, 1.5), offsets=((0.0, 0.0, 0.0), (0.6, 0.0, 0.0)))
    puppet = Puppet.human(**({"held": ("hand_right",), "motion": drag} | options))
    return Scene(
        parts={"puppet": puppet},
        fields=(Gravity(acceleration=(0.0, 0.0, 0.0)),),
        title="Puppet",
        seconds=3.0,
        view=View(eye=(0.3, 0.6, 1.9), target=(0.15, 0.33, 0.0)),
    )


def puppet() -> Scene:
    """A puppet of 14 segments is drawn by its right hand; `--set puppet.damping=16` is the paper's 0.3."""
    return _dragged(damping=_per_second(0.5))


def puppet_resists() -> Scene:
    """The same drag, and the puppet resists by seeded noise."""
    return _dragged(damping=_per_second(0.3), resistance=8.0)
