"""Twelve balloons on strings that are tied together."""

import numpy as np

from pliant.forces import Gravity, Wind
from pliant.scene import Balloon, Gas, Scene, Skin, String, View

COLORS = (
    (0.72, 0.05, 0.09),
    (0.90, 0.55, 0.04),
    (0.08, 0.30, 0.68),
    (0.14, 0.50, 0.20),
    (0.82, 0.22, 0.42),
    (0.88, 0.80, 0.16),
)


def balloons() -> Scene:
    """A bunch of twelve: they rise, jostle and lean in a light wind."""
    hand = np.array([0.0, 0.4, 0.0])
    parts = {}
    for k in range(12):
        ring, turn = (3, 2.4) if k < 3 else (9, 0.7)
        angle = 2.0 * np.pi * (k if k < 3 else k - 3) / ring + turn
        spread = 0.18 if k < 3 else 0.40
        height = 1.06 if k < 3 else 0.72 + 0.10 * (k % 2)
        center = hand + np.array([spread * np.cos(angle), height, spread * np.sin(angle)])
        parts[f"balloon{k + 1}"] = Balloon.ellipsoid(
            (0.085, 0.098, 0.085),
            center=tuple(center),
            neck=0.3,
            skin=Skin(density=0.045, calm=12.0),
            gas=Gas(fill=3.2),
            string=String(length=0.95 if k < 3 else 0.85, end=tuple(hand)),
            color=COLORS[k % len(COLORS)],
        )
    return Scene(
        parts=parts,
        fields=(Gravity(), Wind(velocity=(0.5, 0.0, 0.1), gust=0.5, seed=4)),
        title="A bunch of balloons",
        seconds=6.0,
        view=View(eye=(1.6, 1.5, 2.4), target=(0.0, 1.1, 0.0)),
    )
