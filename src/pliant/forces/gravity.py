"""Uniform gravity: f = m g."""

import numpy as np

from pliant.arrays import Array
from pliant.constants import GRAVITY
from pliant.description import Vec3, quantity
from pliant.forces.base import BoundForce, Force
from pliant.world import Part, Rows, World


class Gravity(Force):
    """Weight of everything that has mass."""

    acceleration: Vec3 = quantity((0.0, -GRAVITY, 0.0), unit="m/s^2", help="Acceleration of a free fall")

    def bind(self, world: World, part: Part) -> BoundForce:
        return _Gravity(self, part)


class _Gravity(BoundForce):
    def __init__(self, of: Gravity, part: Part) -> None:
        self._acceleration, self._part = np.array(of.acceleration), part
        self._weight = np.empty_like(part.rest_position)
        self.refresh()

    def refresh(self) -> None:
        np.multiply(self._part.mass[:, None], self._acceleration, out=self._weight)

    def add(self, rows: Rows, force: Array, h: float) -> None:
        force += self._weight

    def energy(self, rows: Rows) -> float:
        return -float(np.vdot(self._weight, rows.position))
