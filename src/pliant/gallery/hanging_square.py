"""The first figure of seed 004: a square of cloth draped in an instant, with the two harmonic functions drawn on it."""

from pliant.filters import HangingSquare
from pliant.scene import Scene, View


def hanging_square() -> Scene:
    """One metre hangs by two corners: isolines of amplitude (blue) cross those of phase (red) at right angles."""
    return Scene(
        parts={},
        fields=(),
        filters=(HangingSquare(at=(0.0, 0.25, 0.0)),),
        title="Hanging square",
        seconds=1.0,
        view=View(eye=(0.9, 1.0, 2.2), target=(0.0, 0.74, 0.0)),
    )
