"""Air that moves: drag along and across a surface, from the velocity relative to the air.

Per triangle, semi-implicit and exact for a constant direction (spec of seed 000, section 9): with u = v - v_air split
into normal and tangential parts,

    c_n = rho C_n A / 2,  c_t = rho C_t A / 2,   u_n' = u_n / (1 + h c_n |u| / m),   u_t' = u_t / (1 + h c_t |u| / m)

so that drag never reverses the relative motion, however light the cloth or long the step.
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.constants import AIR_DENSITY
from pliant.description import Vec3, quantity
from pliant.forces.base import BoundForce, Force
from pliant.kernels import kernel
from pliant.world import Part, Rows, World


class Wind(Force):
    """Moving or still air around every surface."""

    velocity: Vec3 = quantity((0.0, 0.0, 0.0), unit="m/s", help="Velocity of the air", slider=(-20, 20))
    gust: float = quantity(0.0, low=0.0, high=2.0, help="Strength of the gusts, as a fraction of the velocity")
    seed: int = quantity(0, low=0, help="Which gusts")
    density: float = quantity(
        AIR_DENSITY, unit="kg/m^3", low=0.0, high=2000.0, slider=(0, 5), help="Density of the air"
    )
    normal: float = quantity(1.2, low=0.0, high=10.0, slider=(0, 3), help="Drag coefficient across the surface")
    tangential: float = quantity(0.05, low=0.0, high=10.0, slider=(0, 1), help="Drag coefficient along the surface")

    def bind(self, world: World, part: Part) -> BoundForce:
        return _Wind(self, part)

    @classmethod
    def example(cls) -> "Wind":
        return cls(velocity=(3.0, 0.5, 1.0), gust=0.3, seed=1)


class _Wind(BoundForce):
    def __init__(self, of: Wind, part: Part) -> None:
        self._of, self._part = of, part
        self._triangles = part.triangles
        self._frame_clock = 0.0
        self._drag = np.array([0.5 * of.density * of.normal / 3.0, 0.5 * of.density * of.tangential / 3.0])

    def add(self, rows: Rows, force: Array, h: float) -> None:
        air = np.array(self._of.velocity)
        _add(self._triangles, rows.position, rows.velocity, self._part.mass, air, self._drag, h, force)


@kernel
def _add(triangles, x, v, mass, air, drag, h, f):
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        px, py, pz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        qx, qy, qz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        nx, ny, nz = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
        twice = math.sqrt(nx * nx + ny * ny + nz * nz)
        if twice < 1e-18:
            continue
        nx, ny, nz = nx / twice, ny / twice, nz / twice
        ux = (v[a, 0] + v[b, 0] + v[c, 0]) / 3.0 - air[0]
        uy = (v[a, 1] + v[b, 1] + v[c, 1]) / 3.0 - air[1]
        uz = (v[a, 2] + v[b, 2] + v[c, 2]) / 3.0 - air[2]
        speed = math.sqrt(ux * ux + uy * uy + uz * uz)
        un = ux * nx + uy * ny + uz * nz
        for k in range(3):
            i = triangles[t, k]
            cn, ct = drag[0] * 0.5 * twice * speed, drag[1] * 0.5 * twice * speed
            cn, ct = cn / (1.0 + h * cn / mass[i]), ct / (1.0 + h * ct / mass[i])
            f[i, 0] -= cn * un * nx + ct * (ux - un * nx)
            f[i, 1] -= cn * un * ny + ct * (uy - un * ny)
            f[i, 2] -= cn * un * nz + ct * (uz - un * nz)
