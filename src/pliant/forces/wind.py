"""Moving or still air: a steady wind, gusts in time, turbulence in space, and shelter behind obstacles.

Gusts are sums of five sines of seeded phases for each of three axes (along the wind in full, across it a third), so
that the wind changes smoothly and never by more than the fraction asked for. Turbulence is curl noise carried along
by the wind (Taylor's hypothesis) with a slow drift of its own.
"""

from typing import Literal

import numpy as np

from pliant.arrays import Array
from pliant.constants import AIR_DENSITY
from pliant.description import Vec3, quantity
from pliant.forces.air import AirField, Medium
from pliant.forces.turbulence import add_turbulence, flow
from pliant.kernels.shapes import Shapes, shade

RATES = np.array([1.0, 1.73, 2.41, 3.87, 6.13])  # of the sines of a gust, in gusts per period
SIZES = np.array([1.0, 0.8, 0.6, 0.4, 0.25])


class Wind(AirField):
    """Moving or still air around every surface."""

    velocity: Vec3 = quantity((0.0, 0.0, 0.0), unit="m/s", help="Velocity of the air", slider=(-20, 20))
    gust: float = quantity(0.0, low=0.0, high=2.0, help="Strength of the gusts, as a fraction of the velocity")
    period: float = quantity(3.0, unit="s", above=0.0, high=1e3, slider=(0.5, 10), help="Time from gust to gust")
    turbulence: float = quantity(
        0.0, unit="m/s", low=0.0, high=100.0, slider=(0, 5), help="Root mean square velocity of the eddies"
    )
    eddy: float = quantity(1.0, unit="m", above=0.0, high=1e3, slider=(0.1, 5), help="Size of the eddies")
    seed: int = quantity(0, low=0, help="Which gusts and eddies")
    shelter: float = quantity(
        1.0, low=0.0, high=1.0, slider=(0, 1), help="How much of the wind an obstacle keeps away close behind it"
    )
    density: float = quantity(
        AIR_DENSITY, unit="kg/m^3", low=0.0, high=2000.0, slider=(0, 5), help="Density of the air"
    )
    normal: float = quantity(1.2, low=0.0, high=10.0, slider=(0, 3), help="Drag coefficient across the surface")
    tangential: float = quantity(0.05, low=0.0, high=10.0, slider=(0, 1), help="Drag coefficient along the surface")
    lift: float = quantity(
        1.2, low=0.0, high=10.0, slider=(0, 3), help="Lift coefficient, of the laws per vertex; panels lift by pressure"
    )
    law: Literal["panels", "paper", "corrected"] = quantity(
        "panels", help="Drag per triangle, or per vertex as published, or so with its lift corrected"
    )

    @classmethod
    def example(cls) -> "Wind":
        return cls(velocity=(3.0, 0.5, 1.0), gust=0.3, turbulence=0.5, seed=1)

    def medium(self) -> Medium:
        return Medium(self.density, self.normal, self.tangential, self.lift, self.law)

    def mean(self, time: float) -> Array:
        """(3,) velocity in the open without the eddies [m/s]."""
        steady = np.array(self.velocity)
        if self.gust == 0.0:
            return steady
        phase = np.random.default_rng([self.seed, 1]).uniform(0.0, 1.0, (3, len(RATES)))
        swell = (SIZES * np.sin(2.0 * np.pi * (RATES * time / self.period + phase))).sum(axis=1) / SIZES.sum()
        speed = float(np.linalg.norm(steady))
        return steady * (1.0 + self.gust * swell[0]) + self.gust * speed / 3.0 * np.array([0.0, swell[1], swell[2]])

    def add_velocity(self, points: Array, time: float, obstacles: Shapes | None, out: Array) -> None:
        mean = self.mean(time)
        if self.turbulence == 0.0 and (obstacles is None or self.shelter == 0.0):
            out += mean
            return
        own = np.tile(mean, (len(points), 1))
        if self.turbulence > 0.0:
            drift = np.random.default_rng([self.seed, 2]).normal(size=3) * 0.2 * self.turbulence
            shift = (np.array(self.velocity) + drift) * time
            add_turbulence(np.ascontiguousarray(points), shift, self.eddy, self.turbulence, flow(self.seed), own)
        if obstacles is not None and self.shelter > 0.0:
            lit = np.ones(len(points))
            shade(np.ascontiguousarray(points), obstacles, mean, lit)
            own *= (1.0 - self.shelter * (1.0 - lit))[:, None]
        out += own
