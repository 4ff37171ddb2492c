"""Damped linear springs, gathered: each particle sums over its own springs.

    F_i = sum_j [ k_ij (1 - l0_ij / l) + d_ij (v_ij . u) / l ] x_ij,   x_ij = x_j - x_i,  l = |x_ij|,  u = x_ij / l

Provot 1995, "Deformation constraints in a mass-spring model", Eq. 2. Stiffness block of one spring:
k [t I + (1 - t) u u^T], t = 1 - l0 / l.
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.constants import LENGTH_EPSILON
from pliant.forces.base import BoundForce, Force
from pliant.kernels import span, sweep
from pliant.world import Part, Rows, Springs, World


class SpringForce(Force):
    """What the Springs table means to the force family."""

    def bind(self, world: World, part: Part) -> BoundForce:
        return _SpringForce(part.table(Springs))


class _SpringForce(BoundForce):
    def __init__(self, table: Springs) -> None:
        self._table = table

    def add(self, rows: Rows, force: Array, h: float) -> None:
        _add(rows.position, rows.velocity, self._table, force)

    def add_stiffness_product(self, rows: Rows, displacement: Array, product: Array) -> None:
        _add_stiffness_product(rows.position, displacement, self._table, product)

    def stiffness_bound(self, rows: Rows) -> Array:
        t = self._table
        return np.bincount(t.ends.ravel(), np.repeat(t.stiffness, 2), minlength=len(rows.position))

    def damping_time(self) -> float:
        t = self._table
        return float(np.max(t.damping / np.maximum(t.stiffness, 1e-30), initial=0.0))

    def energy(self, rows: Rows) -> float:
        t, x = self._table, rows.position
        stretch = np.linalg.norm(x[t.ends[:, 1]] - x[t.ends[:, 0]], axis=1) - t.rest_length
        return 0.5 * float(np.dot(t.stiffness, stretch**2))


@sweep
def _add(x, v, springs, f):
    # columns by name: a shared loop does not take a table within a table
    start, other, row = springs.adjacency
    stiffness, rest_length, damping = springs.stiffness, springs.rest_length, springs.damping
    for i in span(x.shape[0]):
        fx = fy = fz = 0.0
        for slot in range(start[i], start[i + 1]):
            j, s = other[slot], row[slot]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            if length < LENGTH_EPSILON:
                continue
            closing = (v[j, 0] - v[i, 0]) * dx + (v[j, 1] - v[i, 1]) * dy + (v[j, 2] - v[i, 2]) * dz
            scale = stiffness[s] * (1.0 - rest_length[s] / length)
            scale += damping[s] * closing / (length * length)
            fx += scale * dx
            fy += scale * dy
            fz += scale * dz
        f[i, 0] += fx
        f[i, 1] += fy
        f[i, 2] += fz


@sweep
def _add_stiffness_product(x, u, springs, product):
    # columns by name: a shared loop does not take a table within a table
    start, other, row = springs.adjacency
    stiffness, rest_length = springs.stiffness, springs.rest_length
    for i in span(x.shape[0]):
        px = py = pz = 0.0
        for slot in range(start[i], start[i + 1]):
            j, s = other[slot], row[slot]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            if length < LENGTH_EPSILON:
                continue
            ux, uy, uz = u[i, 0] - u[j, 0], u[i, 1] - u[j, 1], u[i, 2] - u[j, 2]
            t = 1.0 - rest_length[s] / length
            along = (1.0 - t) * (ux * dx + uy * dy + uz * dz) / (length * length)
            px += stiffness[s] * (t * ux + along * dx)
            py += stiffness[s] * (t * uy + along * dy)
            pz += stiffness[s] * (t * uz + along * dz)
        product[i, 0] += px
        product[i, 1] += py
        product[i, 2] += pz
