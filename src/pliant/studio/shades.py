"""Quantities as colours of the parts: strain, speed, force, and what filters know of wrinkles."""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.studio.view import DIVERGING, RISING, Shade
from pliant.world import STRUCTURAL, Frame, Springs, World, edge_strain

STRAIN_FULL = 0.02  # strain at which the strain colours are fully red
SPEED_FULL = 4.0  # [m/s] at which the speed colours are fully yellow
FORCE_FULL = 3.0  # of a point's weight at which the force colours are fully yellow
FABRIC = "fabric"
CHOICES = (FABRIC, "strain", "speed", "force", "wrinkle amplitude", "wrinkle phase")
GRAVITY = 9.81


class Shades:
    """The colours of one stage; remembers the frame before, from which forces follow."""

    def __init__(self) -> None:
        self.choice = FABRIC
        self._before: Frame | None = None

    def of(self, world: World, frame: Frame) -> dict[str, Shade]:
        """By part; a part that has no such quantity keeps its fabric."""
        before, self._before = self._before, frame
        if self.choice == FABRIC:
            return {}
        found = {}
        for name, part in frame.items():
            shade = self._shade(world, part, None if before is None else before.parts.get(name), frame, before)
            if shade is not None:
                found[name] = shade
        return found

    def _shade(self, world: World, part: Any, was: Any, frame: Frame, before: Frame | None) -> Shade | None:
        if self.choice == "strain":
            values = strain_at_points(world, part.name, part.points)
            return None if values is None else Shade(DIVERGING, np.asarray(values / STRAIN_FULL, np.float32))
        if self.choice == "speed":
            speed = np.linalg.norm(part.velocities, axis=1)
            return Shade(RISING, np.asarray(speed / SPEED_FULL, np.float32))
        if self.choice == "force":
            if was is None or before is None or was.velocities.shape != part.velocities.shape:
                return Shade(RISING, np.zeros(len(part.points), np.float32))
            size = np.linalg.norm(acceleration(part, was, frame.time - before.time), axis=1)
            return Shade(RISING, np.asarray(size / (GRAVITY * FORCE_FULL), np.float32))
        return _wrinkles(part, self.choice)


def strain_at_points(world: World, name: str, position: Array) -> Array | None:
    """(n,) mean strain of the structural edges at each point; None for a part without."""
    if name not in world.parts or not world.parts[name].has(Springs):
        return None
    part = world.parts[name]
    if len(position) != len(part.mass):
        return None
    springs: Springs = part.table(Springs)
    ends = springs.ends[springs.kind == STRUCTURAL].astype(int)
    strain = edge_strain(part, position)
    count = np.bincount(ends.ravel(), minlength=len(position))
    return np.asarray(np.bincount(ends.ravel(), np.repeat(strain, 2), minlength=len(position)) / np.maximum(count, 1))


def acceleration(part: Any, was: Any, step: float) -> Array:
    """(n, 3) [m/s^2] that each point had since the frame before: the net force on it, over its mass."""
    if step <= 0.0:
        return np.zeros_like(part.velocities)
    return np.asarray((part.velocities - was.velocities) / step)


def _wrinkles(part: Any, choice: str) -> Shade | None:
    """Amplitude [m] and phase [rad] of the folds, from a garment's frame; they are known on its light mesh."""
    values = part.quantities.get(choice.split(" ")[-1])
    rows, shares = (part.quantities.get(name) for name in ("light_rows", "light_shares"))
    if values is None or rows is None or len(rows) != len(part.points):
        return None
    if choice.endswith("phase"):  # its cosine: red on the crests, blue in the valleys, and no cut at a whole turn
        return Shade(DIVERGING, np.asarray((np.cos(values)[rows] * shares).sum(axis=1), np.float32))
    top = max(float(np.abs(values).max()), 1e-9)
    return Shade(RISING, np.asarray((np.abs(values)[rows] * shares).sum(axis=1) / top, np.float32))
