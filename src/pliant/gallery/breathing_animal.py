"""An inflatable bear that breathes: a closed mesh, filled and emptied in turn (seed 001, figures 3 and 5)."""

import numpy as np

from pliant.arrays import Array
from pliant.forces import Gravity, Wind
from pliant.geometry.blobs import blob
from pliant.scene import Balloon, Gas, PinBox, Scene, Skin, View


def bear(cell: float = 0.016) -> tuple[Array, Array]:
    """Points and triangles of a sitting bear, 0.45 m tall, its feet at height 0."""
    half = [
        (0.075, 0.36, 0.02, 0.085, 0.365, 0.02, 0.032, 0.030),  # ear
        (0.085, 0.235, 0.02, 0.165, 0.165, 0.09, 0.040, 0.034),  # arm
        (0.070, 0.075, 0.03, 0.115, 0.055, 0.165, 0.055, 0.042),  # leg
        (0.115, 0.055, 0.165, 0.118, 0.085, 0.172, 0.042, 0.036),  # foot
    ]
    middle = [
        (0.0, 0.10, 0.0, 0.0, 0.19, 0.0, 0.100, 0.082),  # body
        (0.0, 0.31, 0.01, 0.0, 0.315, 0.015, 0.088, 0.088),  # head
        (0.0, 0.29, 0.075, 0.0, 0.288, 0.098, 0.040, 0.030),  # muzzle
        (0.0, 0.08, -0.09, 0.0, 0.085, -0.105, 0.032, 0.030),  # tail
    ]
    mirrored = np.array(half) * (-1, 1, 1, -1, 1, 1, 1, 1)
    points, triangles = blob(np.concatenate([middle, half, mirrored]), cell, 0.012)
    return points - (0.0, points[:, 1].min() - 0.004, 0.0), triangles


def breathing_animal() -> Scene:
    """The bear breathes in and out every three seconds; its seat is held, or a bag of air would soon topple."""
    points, triangles = bear()
    gas = Gas(kind="air", fill=1.0, pump=0.06, target=0.0195, breath=0.3, breath_period=3.0)
    part = Balloon.from_mesh(
        points,
        triangles,
        skin=Skin(density=0.15, stretch=400.0, calm=12.0),
        gas=gas,
        nozzle="top",
        pinned=PinBox(low=(-1.0, -1.0, -1.0), high=(1.0, 0.012, 1.0)),
        color=(0.45, 0.20, 0.07),
    )
    return Scene(
        parts={"bear": part},
        fields=(Gravity(), Wind()),
        title="A bear that breathes",
        seconds=9.0,
        view=View(eye=(0.55, 0.55, 1.25), target=(0.0, 0.22, 0.0)),
    )
