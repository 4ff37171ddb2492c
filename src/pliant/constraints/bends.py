"""Compliant hinges: what the Hinges table means to the position family.

    C = angle - rest,  a = 1 / (k h^2),  d_lambda = (-C - a lambda) / (sum_i w_i |g_i|^2 + a),  x_i += w_i d_lambda g_i

Macklin, Müller and Chentanez 2016, "XPBD", Eq. 17-18, on the dihedral angle.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constraints.base import BoundConstraint, Constraint
from pliant.kernels import color_offsets, span, sweep
from pliant.kernels.dihedral import dihedral
from pliant.world import Hinges, Part, Rows, World


class Bends(Constraint):
    """Every hinge of the part as a compliant angle."""

    def bind(self, world: World, part: Part) -> BoundConstraint:
        return _Bends(part.table(Hinges), len(part.mass))


class _Rows(NamedTuple):
    """The table's columns in the order of the colours."""

    offset: Array
    corners: Array
    rest_angle: Array
    stiffness: Array
    damping: Array
    multiplier: Array


class _Bends(BoundConstraint):
    def __init__(self, table: Hinges, count: int) -> None:
        self._table = table
        self._order, offset = color_offsets(table.corners, count)
        s = len(table.corners)
        self._rows = _Rows(offset, table.corners[self._order], np.empty(s), np.empty(s), np.empty(s), np.zeros(s))
        self.refresh()

    def refresh(self) -> None:
        self._rows.rest_angle[:] = self._table.rest_angle[self._order]
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
            angle, m2, m3, shares = dihedral(x, rows.corners, s)
            if math.isnan(angle) or rows.stiffness[s] == 0.0:
                continue
            weight, moved = 0.0, 0.0
            for c in range(4):
                i = rows.corners[s, c]
                square = 0.0
                for k in range(3):
                    g = shares[c][0] * m2[k] + shares[c][1] * m3[k]
                    square += g * g
                    moved += g * (x[i, k] - previous[i, k])
                weight += w[i] * square
            if weight == 0.0:
                continue
            turn = (angle - rows.rest_angle[s] + math.pi) % (2.0 * math.pi) - math.pi
            a = 1.0 / (rows.stiffness[s] * h * h)
            gamma = a * rows.damping[s] * h
            step = (-turn - a * multiplier[s] - gamma * moved) / ((1.0 + gamma) * weight + a)
            multiplier[s] += step
            for c in range(4):
                i = rows.corners[s, c]
                for k in range(3):
                    x[i, k] += w[i] * step * (shares[c][0] * m2[k] + shares[c][1] * m3[k])
