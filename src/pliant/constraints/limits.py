"""Strain limits: what is stretched beyond a limit is brought back to it at the end of a frame.

    l > (1 + s) l0:  x_i += w_i c x_ij,  x_j -= w_j c x_ij,   c = (1 - (1 + s) l0 / l) / (w_i + w_j)

Provot 1995, "Deformation constraints in a mass-spring model", section 4, made mass-weighted so that it keeps the centre
of mass (spec of seed 000, section 10). `ProvotLimit` goes over the springs once in the order of their table, all kinds
alike. `StrainLimit` limits stretch and shear apart and sweeps to and fro until the limit holds or its sweeps are
spent; with tethers before it (`Tethers`) that is soon. Both need what was moved to go into the velocities, which the
stage does: without it velocity keeps growing.
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.constants import LENGTH_EPSILON
from pliant.constraints.base import BoundConstraint, Constraint
from pliant.description import quantity
from pliant.kernels import kernel
from pliant.world import SHEAR, STRUCTURAL, Part, Rows, Springs, World

LONGER = 6  # times the sweeps that are usual, where the limit is still exceeded after them
AGAIN = 20  # sweeps from tethers to tethers
OVERSHOOT = 1.6  # of an excess that those sweeps take: the last of it goes in a third of the sweeps
# where pins leave no room for all, whole steps leave the excess to a few edges; smaller and smaller ones spread it
SHARES = np.array([0.5, 0.25, 0.12, 0.06])
SHARING = 10  # sweeps with each
SLACK = 0.2  # of the limit that sweeps may leave before it is taken for exceeded


class ProvotLimit(Constraint):
    """The published limit: one value for all springs but bends, passes in table order."""

    limit: float = quantity(10.0, unit="%", above=0.0, high=1e3, slider=(1, 50), help="Greatest stretch of a spring")
    passes: int = quantity(1, low=1, high=1000, help="Times each spring is looked at per frame")

    def bind(self, world: World, part: Part) -> BoundConstraint:
        return BoundLimit(part, self.limit, self.limit, passes=self.passes, to_and_fro=False)


class StrainLimit(Constraint):
    """Stretch along the threads, and across them where asked, each with its own limit."""

    limit: float = quantity(5.0, unit="%", above=0.0, high=1e3, slider=(0.5, 50), help="Greatest stretch of threads")
    shear_limit: float | None = quantity(
        None, unit="%", above=0.0, high=1e3, slider=(1, 100), help="Greatest stretch of diagonals; none: any"
    )
    passes: int = quantity(60, low=1, high=1000, help="Most sweeps per frame")

    def bind(self, world: World, part: Part) -> "BoundLimit":
        return BoundLimit(part, self.limit, self.shear_limit, passes=self.passes, to_and_fro=True)


class BoundLimit(BoundConstraint):
    """`lent` (n,): how much longer the edges of each row may be, where pins are too far apart (`Reins`).

    `tethers`: what brings in at once what would take as many sweeps as there are edges to its pin.
    """

    when = "frame"

    def __init__(self, part: Part, limit: float, shear: float | None, *, passes: int, to_and_fro: bool) -> None:
        self._springs: Springs = part.table(Springs)
        self._factor = np.full(len(self._springs.ends), np.inf)
        self._factor[self._springs.kind == STRUCTURAL] = 1.0 + 0.01 * limit
        if shear is not None:
            self._factor[self._springs.kind == SHEAR] = 1.0 + 0.01 * shear
        self._rows = np.flatnonzero(np.isfinite(self._factor))
        self._passes, self._to_and_fro = passes, to_and_fro
        self._slack = SLACK * 0.01 * limit
        self.lent = np.ones(len(part.mass))
        self.tethers: BoundConstraint | None = None

    def project(self, rows: Rows, previous: Array, h: float) -> None:
        x, w, most = rows.position, rows.inverse_mass, self._passes * (LONGER if self._to_and_fro else 1)
        there = (self._springs.ends[self._rows], self._longest(), self.lent)
        rule = (self._passes, self._to_and_fro, self._slack)
        for turn in range(0, most, AGAIN):
            if self.tethers is not None:  # what hangs far from its pins is too far for sweeps
                self.tethers.project(rows, previous, h)
            if _sweeps(x, w, *there, turn, min(turn + AGAIN, most), rule):
                return
        if self._to_and_fro and self.lent.max() > 1.0:
            for turn in range(len(SHARES) * SHARING):
                _shorten(x, w, *there, turn % 2 == 1, SHARES[turn // SHARING])

    def _longest(self) -> Array:
        """(k,) [m] of the springs that have a limit."""
        return self._factor[self._rows] * self._springs.rest_length[self._rows]

    def exceeded(self, rows: Rows, *, moved: bool) -> bool:
        """Beyond what it allows by more than its last sweep may leave; one pass promises nothing."""
        if not self._to_and_fro:
            return False
        there = (self._springs.ends[self._rows], self._longest(), self.lent)
        return bool(_excess(rows.position, rows.inverse_mass, *there) > self._slack)


@kernel
def _excess(x, w, ends, limit, lent):
    """The greatest excess of a spring that can move, as a part of its limit."""
    worst = 0.0
    for s in range(ends.shape[0]):
        i, j = ends[s, 0], ends[s, 1]
        if w[i] + w[j] > 0.0:
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            longest = limit[s] * min(lent[i], lent[j])
            worst = max(worst, math.sqrt(dx * dx + dy * dy + dz * dz) / longest - 1.0)
    return worst


@kernel
def _sweeps(x, w, ends, longest, lent, first, last, rule):
    """Sweeps `first` to `last`; True once there is nothing left to do."""
    usual, to_and_fro, slack = rule
    for turn in range(first, last):
        share = 1.0 if turn < usual else OVERSHOOT
        worst = _shorten(x, w, ends, longest, lent, to_and_fro and turn % 2 == 1, share)
        if worst == 0.0:
            return True
        # what a sweep takes from a long thread it may give to a short one, which it has passed already
        if turn >= usual and worst <= slack and _excess(x, w, ends, longest, lent) <= slack:
            return True
    return False


@kernel
def _shorten(x, w, ends, limit, lent, back, share):
    """One sweep that takes a share of every excess; the greatest excess it met, as a part of the limit."""
    count, worst = ends.shape[0], 0.0
    for k in range(count):
        s = count - 1 - k if back else k
        i, j = ends[s, 0], ends[s, 1]
        dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        longest, square = limit[s] * min(lent[i], lent[j]), dx * dx + dy * dy + dz * dz
        if square <= longest * longest:  # most are: no root is taken for them
            continue
        length, weight = math.sqrt(square), w[i] + w[j]
        if length <= longest or length < LENGTH_EPSILON or weight == 0.0:
            continue
        worst = max(worst, length / longest - 1.0)
        c = share * (1.0 - longest / length) / weight
        x[i, 0] += w[i] * c * dx
        x[i, 1] += w[i] * c * dy
        x[i, 2] += w[i] * c * dz
        x[j, 0] -= w[j] * c * dx
        x[j, 1] -= w[j] * c * dy
        x[j, 2] -= w[j] * c * dz
    return worst if worst > 1e-9 else 0.0
