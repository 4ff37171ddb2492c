"""A whirl of air around an axis: v = 2 V (r / a) / (1 + (r / a)^2) around it, V at the radius a, and a rise within it.

Scully's smooth form of the Rankine vortex (1975): solid rotation at the axis, 1 / r far away.
"""

import numpy as np

from pliant.arrays import Array
from pliant.description import Vec3, quantity
from pliant.errors import SceneError
from pliant.forces.air import AirField
from pliant.kernels.shapes import Shapes


class Vortex(AirField):
    """A whirl of air, alone or in a wind."""

    center: Vec3 = quantity((0.0, 0.0, 0.0), unit="m", slider=(-2, 2), help="A point of its axis")
    axis: Vec3 = quantity((0.0, 1.0, 0.0), help="Direction of its axis; it turns right-handed about it")
    speed: float = quantity(4.0, unit="m/s", low=-100.0, high=100.0, slider=(-10, 10), help="Speed at its radius")
    radius: float = quantity(0.5, unit="m", above=0.0, high=1e3, slider=(0.1, 3), help="Where it is fastest")
    rise: float = quantity(0.0, unit="m/s", low=-100.0, high=100.0, slider=(-5, 5), help="Speed along the axis, inside")

    def model_post_init(self, context: object) -> None:
        if np.linalg.norm(self.axis) < 1e-9:
            raise SceneError(f"Vortex.axis = {self.axis}; give it a direction, (0, 1, 0) stands upright")

    @classmethod
    def example(cls) -> "Vortex":
        return cls(center=(0.3, 0.0, -0.2), axis=(0.1, 1.0, 0.2), speed=5.0, radius=0.4, rise=1.0)

    def add_velocity(self, points: Array, time: float, obstacles: Shapes | None, out: Array) -> None:
        axis = np.array(self.axis) / np.linalg.norm(self.axis)
        away = points - np.array(self.center)
        away -= (away @ axis)[:, None] * axis
        square = (away**2).sum(axis=1) / self.radius**2
        swirl = 2.0 * self.speed / self.radius / (1.0 + square)
        out += swirl[:, None] * np.cross(axis, away)
        out += (self.rise * np.exp(-square))[:, None] * axis
