"""Distances and hinge angles held by a plain fraction per sweep: position-based dynamics as first published.

    x_i -= s w_i / (w_i + w_j) (l - l0) u,   and   x_i -= s w_i (angle - rest) g_i / sum_j w_j |g_j|^2

Müller, Heidelberger, Hennix and Ratcliff 2007, "Position based dynamics", Eq. 9-11 and section 3.3: so that n sweeps
together leave the part 1 - S of an error, each takes s = 1 - (1 - S)^(1/n). Stiffness so depends on the number of
sweeps and on the step; `Distances` and `Bends` are the forms that do not.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constants import LENGTH_EPSILON
from pliant.constraints.base import BoundConstraint, Constraint
from pliant.description import quantity
from pliant.kernels import color_offsets, span, sweep
from pliant.kernels.dihedral import dihedral
from pliant.world import BEND, Hinges, Part, Rows, Springs, World


class Lengths(Constraint):
    """Every spring of the part as a distance, whatever its stiffness in N/m."""

    stretch: float = quantity(1.0, low=0.0, high=1.0, slider=(0, 1), help="Part of a stretch one round takes away")
    bend: float = quantity(1.0, low=0.0, high=1.0, slider=(0, 1), help="The same, of springs that skip a point")
    sweeps: int = quantity(1, low=1, high=1000, help="Sweeps that share one round's work")

    def bind(self, world: World, part: Part) -> BoundConstraint:
        return _Lengths(self, part.table(Springs), len(part.mass))


class Angles(Constraint):
    """Every hinge of the part as an angle, whatever its stiffness in N m."""

    bend: float = quantity(1.0, low=0.0, high=1.0, slider=(0, 1), help="Part of a bend one round takes away")
    sweeps: int = quantity(1, low=1, high=1000, help="Sweeps that share one round's work")

    def bind(self, world: World, part: Part) -> BoundConstraint:
        return _Angles(self, part.table(Hinges), len(part.mass))


def per_sweep(stiffness: float, sweeps: int) -> float:
    """The fraction that, taken `sweeps` times, leaves 1 - stiffness."""
    return float(1.0 - (1.0 - stiffness) ** (1.0 / sweeps))


class _Rows(NamedTuple):
    """The table's columns in the order of the colours."""

    offset: Array  # (c + 1,) first row of each colour
    corners: Array  # (s, 2) or (s, 4)
    rest: Array  # [m] or [rad]
    fraction: Array  # of the error that one sweep takes away


class _Lengths(BoundConstraint):
    def __init__(self, of: Lengths, table: Springs, count: int) -> None:
        self._table = table
        self._order, offset = color_offsets(table.ends, count)
        stretch, bend = per_sweep(of.stretch, of.sweeps), per_sweep(of.bend, of.sweeps)
        fraction = np.where(table.kind[self._order] == BEND, bend, stretch)
        self._rows = _Rows(offset, table.ends[self._order], np.empty(len(table.ends)), fraction)
        self.refresh()

    def refresh(self) -> None:
        self._rows.rest[:] = self._table.rest_length[self._order]

    def project(self, rows: Rows, previous: Array, h: float) -> None:
        _project_lengths(rows.position, rows.inverse_mass, self._rows)


class _Angles(BoundConstraint):
    def __init__(self, of: Angles, table: Hinges, count: int) -> None:
        self._table = table
        self._order, offset = color_offsets(table.corners, count)
        fraction = np.full(len(table.corners), per_sweep(of.bend, of.sweeps))
        self._rows = _Rows(offset, table.corners[self._order], np.empty(len(table.corners)), fraction)
        self.refresh()

    def refresh(self) -> None:
        self._rows.rest[:] = self._table.rest_angle[self._order]

    def project(self, rows: Rows, previous: Array, h: float) -> None:
        _project_angles(rows.position, rows.inverse_mass, self._rows)


@sweep
def _project_lengths(x, w, rows):
    for color in range(rows.offset.shape[0] - 1):
        for s in span(rows.offset[color], rows.offset[color + 1]):
            i, j = rows.corners[s, 0], rows.corners[s, 1]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            weight = w[i] + w[j]
            if length < LENGTH_EPSILON or weight == 0.0:
                continue
            step = rows.fraction[s] * (length - rows.rest[s]) / (weight * length)
            x[i, 0] += w[i] * step * dx
            x[i, 1] += w[i] * step * dy
            x[i, 2] += w[i] * step * dz
            x[j, 0] -= w[j] * step * dx
            x[j, 1] -= w[j] * step * dy
            x[j, 2] -= w[j] * step * dz


@sweep
def _project_angles(x, w, rows):
    for color in range(rows.offset.shape[0] - 1):
        for s in span(rows.offset[color], rows.offset[color + 1]):
            angle, m2, m3, shares = dihedral(x, rows.corners, s)
            if math.isnan(angle):
                continue
            weight = 0.0
            for c in range(4):
                for k in range(3):
                    weight += w[rows.corners[s, c]] * (shares[c][0] * m2[k] + shares[c][1] * m3[k]) ** 2
            if weight == 0.0:
                continue
            turn = (angle - rows.rest[s] + math.pi) % (2.0 * math.pi) - math.pi
            step = -rows.fraction[s] * turn / weight
            for c in range(4):
                i = rows.corners[s, c]
                for k in range(3):
                    x[i, k] += w[i] * step * (shares[c][0] * m2[k] + shares[c][1] * m3[k])
