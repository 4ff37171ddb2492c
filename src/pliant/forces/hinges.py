"""Bending: each hinge pulls its angle back to rest, E = k (angle - rest)^2 / 2, with k = 3 B |e|^2 / (A_1 + A_2).

Grinspun et al. 2003, "Discrete shells", Eq. 4, for a sheet of bending rigidity B [N m].
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.forces.base import BoundForce, Force
from pliant.kernels import kernel
from pliant.kernels.dihedral import dihedral
from pliant.world import Hinges, Part, Rows, World


class HingeForce(Force):
    """What the Hinges table means to the force family."""

    def bind(self, world: World, part: Part) -> BoundForce:
        return _HingeForce(part.table(Hinges))


class _HingeForce(BoundForce):
    def __init__(self, table: Hinges) -> None:
        self._table = table

    def add(self, rows: Rows, force: Array, h: float) -> None:
        _add(self._table, rows.position, rows.velocity, force)

    def add_stiffness_product(self, rows: Rows, displacement: Array, product: Array) -> None:
        _add_stiffness_product(self._table, rows.position, displacement, product)

    def stiffness_bound(self, rows: Rows) -> Array:
        bound = np.zeros(len(rows.position))
        _stiffness_bound(self._table, rows.position, bound)
        return bound

    def damping_time(self) -> float:
        t = self._table
        return float(np.max(t.damping / np.maximum(t.stiffness, 1e-30), initial=0.0))

    def energy(self, rows: Rows) -> float:
        return _energy(self._table, rows.position)


@kernel
def _turn(angle, rest):
    """Angle minus rest, the shorter way round."""
    return (angle - rest + math.pi) % (2.0 * math.pi) - math.pi


@kernel
def _add(hinges, x, v, f):
    for s in range(hinges.corners.shape[0]):
        angle, m2, m3, shares = dihedral(x, hinges.corners, s)
        if math.isnan(angle):
            continue
        rate = _along(hinges.corners, s, m2, m3, shares, v)
        moment = hinges.stiffness[s] * _turn(angle, hinges.rest_angle[s]) + hinges.damping[s] * rate
        _scatter(hinges.corners, s, m2, m3, shares, -moment, f)


@kernel
def _along(corners, s, m2, m3, shares, u):
    """Gradient of the angle times u."""
    total = 0.0
    for c in range(4):
        for k in range(3):
            total += (shares[c][0] * m2[k] + shares[c][1] * m3[k]) * u[corners[s, c], k]
    return total


@kernel
def _scatter(corners, s, m2, m3, shares, factor, f):
    """f += factor times the gradient of the angle."""
    for c in range(4):
        for k in range(3):
            f[corners[s, c], k] += factor * (shares[c][0] * m2[k] + shares[c][1] * m3[k])


@kernel
def _add_stiffness_product(hinges, x, u, product):
    """The Gauss-Newton part k g g^T: all there is at rest, and never indefinite."""
    for s in range(hinges.corners.shape[0]):
        angle, m2, m3, shares = dihedral(x, hinges.corners, s)
        if not math.isnan(angle):
            along = hinges.stiffness[s] * _along(hinges.corners, s, m2, m3, shares, u)
            _scatter(hinges.corners, s, m2, m3, shares, along, product)


@kernel
def _stiffness_bound(hinges, x, bound):
    """Row sums of k |g_i| |g_j|, halved, since `fastest_frequency` doubles what springs need doubled."""
    size = np.empty(4)
    for s in range(hinges.corners.shape[0]):
        angle, m2, m3, shares = dihedral(x, hinges.corners, s)
        if math.isnan(angle):
            continue
        for c in range(4):
            square = 0.0
            for k in range(3):
                square += (shares[c][0] * m2[k] + shares[c][1] * m3[k]) ** 2
            size[c] = math.sqrt(square)
        for c in range(4):
            bound[hinges.corners[s, c]] += 0.5 * hinges.stiffness[s] * size[c] * size.sum()


@kernel
def _energy(hinges, x):
    energy = 0.0
    for s in range(hinges.corners.shape[0]):
        angle, _, _, _ = dihedral(x, hinges.corners, s)
        if not math.isnan(angle):
            energy += 0.5 * hinges.stiffness[s] * _turn(angle, hinges.rest_angle[s]) ** 2
    return energy
