"""Horizontal plane with Coulomb friction."""

import math

import numpy as np

from pliant.arrays import Array
from pliant.colliders.base import BoundCollider, Collider
from pliant.colliders.contact import push_out
from pliant.description import quantity
from pliant.kernels import kernel
from pliant.world import Part, Rows, World


class Ground(Collider):
    """A floor without end."""

    height: float = quantity(0.0, unit="m", slider=(-2, 2), help="Height of the floor")
    friction: float = quantity(0.5, low=0.0, high=10.0, slider=(0, 2), help="Coulomb friction of the floor")

    def bind(self, world: World, part: Part) -> BoundCollider:
        return _Ground(self, part)


class _Ground(BoundCollider):
    def __init__(self, of: Ground, part: Part) -> None:
        self._height = of.height + part.thickness
        self._friction = math.sqrt(of.friction * part.friction)
        self._normal = np.array([0.0, 1.0, 0.0])

    def resolve(self, rows: Rows, previous: Array, h: float) -> None:
        _resolve(rows.position, previous, rows.inverse_mass, self._height, self._normal, self._friction)


@kernel
def _resolve(x, previous, w, height, normal, friction):
    for i in range(x.shape[0]):
        depth = height - x[i, 1]
        if depth > 0.0 and w[i] > 0.0:
            push_out(x, previous, i, depth, normal, friction)
