"""Units and axes of files: names, factors, and the turn that brings an up axis to Y."""

from typing import Literal

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError, unknown

Up = Literal["x", "y", "z"]

METRES = {
    "m": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "dm": 0.1,
    "in": 0.0254,
    "ft": 0.3048,
    "cmu": 0.0254 / 0.45,  # the CMU motion capture library: inches / 0.45
}

# xyzw; right-handed turns of the coordinates: Z up -> Y up is -90 degrees about X, X up -> Y up is +90 about Z
_HALF = float(np.sqrt(0.5))
TURN_TO_Y: dict[str, Array] = {
    "y": np.array([0.0, 0.0, 0.0, 1.0]),
    "z": np.array([-_HALF, 0.0, 0.0, _HALF]),
    "x": np.array([0.0, 0.0, _HALF, _HALF]),
}


def metres(unit: str | float) -> float:
    """Metres in one unit, given by name or as the number itself."""
    if isinstance(unit, str):
        if unit not in METRES:
            raise FormatError(unknown("unit", unit, METRES))
        return METRES[unit]
    if not (np.isfinite(unit) and unit > 0):
        raise FormatError(f"unit = {unit!r}; must be a positive number of metres")
    return float(unit)


def upward(points: Array, up: str) -> Array:
    """Exact: axes are swapped, nothing is rounded."""
    if up not in TURN_TO_Y:
        raise FormatError(unknown("up axis", up, TURN_TO_Y))
    x, y, z = points.T
    turned = {"y": (x, y, z), "z": (x, z, -y), "x": (-y, x, z)}[up]
    return np.stack(turned, axis=1)
