"""Solid ball with Coulomb friction."""

import math

import numpy as np

from pliant.arrays import Array
from pliant.colliders.base import BoundCollider, Collider
from pliant.colliders.contact import push_out
from pliant.description import Vec3, quantity
from pliant.kernels import kernel
from pliant.world import Part, Rows, World


class Sphere(Collider):
    """A ball that does not move."""

    center: Vec3 = quantity((0.0, 0.5, 0.0), unit="m", slider=(-2, 2), help="Centre of the ball")
    radius: float = quantity(0.5, unit="m", above=0.0, high=1000.0, slider=(0.05, 2), help="Radius of the ball")
    friction: float = quantity(0.3, low=0.0, high=10.0, slider=(0, 2), help="Coulomb friction of the ball")

    def bind(self, world: World, part: Part) -> BoundCollider:
        return _Sphere(self, part)


class _Sphere(BoundCollider):
    def __init__(self, of: Sphere, part: Part) -> None:
        self._center, self._reach = np.array(of.center), of.radius + part.thickness
        self._friction = math.sqrt(of.friction * part.friction)

    def resolve(self, rows: Rows, previous: Array, h: float) -> None:
        _resolve(rows.position, previous, rows.inverse_mass, self._center, self._reach, self._friction)


@kernel
def _resolve(x, previous, w, center, reach, friction):
    normal = np.empty(3)
    for i in range(x.shape[0]):
        dx, dy, dz = x[i, 0] - center[0], x[i, 1] - center[1], x[i, 2] - center[2]
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        if distance >= reach or distance == 0.0 or w[i] == 0.0:
            continue
        normal[0], normal[1], normal[2] = dx / distance, dy / distance, dz / distance
        push_out(x, previous, i, reach - distance, normal, friction)
