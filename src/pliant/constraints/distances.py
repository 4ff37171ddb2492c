"""Compliant distances: what the Springs table means to the position family.

    C = l - l0,  a = 1 / (k h^2),  x_i -= w_i d_lambda u,
    d_lambda = (-C - a lambda - gamma u.(dx_j - dx_i)) / ((1 + gamma) (w_i + w_j) + a)

Macklin, Müller and Chentanez 2016, "XPBD", Eq. 17-18; damping gamma = a d h (d the spring's damping) is Eq. 26.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constants import LENGTH_EPSILON
from pliant.constraints.base import BoundConstraint, Constraint
from pliant.kernels import color_offsets, span, sweep
from pliant.world import Part, Rows, Springs, World


class Distances(Constraint):
    """Every spring of the part as a compliant distance."""

    def bind(self, world: World, part: Part) -> BoundConstraint:
        return _Distances(part.table(Springs), len(part.mass))


class _Rows(NamedTuple):
    """The table's columns in the order of the colours."""

    offset: Array  # (c + 1,) first row of each colour
    ends: Array
    rest_length: Array
    stiffness: Array
    damping: Array
    multiplier: Array


class _Distances(BoundConstraint):
    def __init__(self, table: Springs, count: int) -> None:
        self._table = table
        self._order, offset = color_offsets(table.ends, count)
        s = len(table.ends)
        self._rows = _Rows(offset, table.ends[self._order], np.empty(s), np.empty(s), np.empty(s), np.zeros(s))
        self.refresh()

    def refresh(self) -> None:
        self._rows.rest_length[:] = self._table.rest_length[self._order]
        self._rows.stiffness[:] = self._table.stiffness[self._order]
        self._rows.damping[:] = self._table.damping[self._order]

    def begin(self, rows: Rows, h: float) -> None:
        self._rows.multiplier[:] = 0.0

    def project(self, rows: Rows, previous: Array, h: float) -> None:
        _project(rows.position, previous, rows.inverse_mass, h, self._rows)


@sweep
def _project(x, previous, w, h, rows):
    multiplier = rows.multiplier  # by name: what a shared loop writes to a table's field is lost
    for color in range(rows.offset.shape[0] - 1):
        for s in span(rows.offset[color], rows.offset[color + 1]):
            i, j = rows.ends[s, 0], rows.ends[s, 1]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            weight = w[i] + w[j]
            if length < LENGTH_EPSILON or weight == 0.0 or rows.stiffness[s] == 0.0:
                continue
            a = 1.0 / (rows.stiffness[s] * h * h)
            gamma = a * rows.damping[s] * h
            moved = dx * (dx - previous[j, 0] + previous[i, 0]) + dy * (dy - previous[j, 1] + previous[i, 1])
            moved = (moved + dz * (dz - previous[j, 2] + previous[i, 2])) / length
            step = -(length - rows.rest_length[s]) - a * multiplier[s] - gamma * moved
            step /= (1.0 + gamma) * weight + a
            multiplier[s] += step
            step /= length
            x[i, 0] -= w[i] * step * dx
            x[i, 1] -= w[i] * step * dy
            x[i, 2] -= w[i] * step * dz
            x[j, 0] += w[j] * step * dx
            x[j, 1] += w[j] * step * dy
            x[j, 2] += w[j] * step * dz
