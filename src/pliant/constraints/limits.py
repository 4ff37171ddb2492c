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


class ProvotLimit(Constraint):
    """The published limit: one value for all springs but bends, passes in table order."""

    limit: float = quantity(10.0, unit="%", above=0.0, high=1e3, slider=(1, 50), help="Greatest stretch of a spring")
    passes: int = quantity(1, low=1, high=1000, help="Times each spring is looked at per frame")

    def bind(self, world: World, part: Part) -> BoundConstraint:
        return _Limit(part, self.limit, self.limit, passes=self.passes, to_and_fro=False)


class StrainLimit(Constraint):
    """Stretch along the threads, and across them where asked, each with its own limit."""

    limit: float = quantity(5.0, unit="%", above=0.0, high=1e3, slider=(0.5, 50), help="Greatest stretch of threads")
    shear_limit: float | None = quantity(
        None, unit="%", above=0.0, high=1e3, slider=(1, 100), help="Greatest stretch of diagonals; none: any"
    )
    passes: int = quantity(60, low=1, high=1000, help="Most sweeps per frame")

    def bind(self, world: World, part: Part) -> BoundConstraint:
        return _Limit(part, self.limit, self.shear_limit, passes=self.passes, to_and_fro=True)


class _Limit(BoundConstraint):
    when = "frame"

    def __init__(self, part: Part, limit: float, shear: float | None, *, passes: int, to_and_fro: bool) -> None:
        self._springs: Springs = part.table(Springs)
        self._factor = np.full(len(self._springs.ends), np.inf)
        self._factor[self._springs.kind == STRUCTURAL] = 1.0 + 0.01 * limit
        if shear is not None:
            self._factor[self._springs.kind == SHEAR] = 1.0 + 0.01 * shear
        self._passes, self._to_and_fro = passes, to_and_fro

    def project(self, rows: Rows, previous: Array, h: float) -> None:
        for turn in range(self._passes):
            back = self._to_and_fro and turn % 2 == 1
            worst = _shorten(rows.position, rows.inverse_mass, self._springs, self._factor, back)
            if worst <= 0.0:
                return


@kernel
def _shorten(x, w, springs, factor, back):
    """One pass; the greatest excess it met, as a part of the limit."""
    count, worst = springs.ends.shape[0], 0.0
    for k in range(count):
        s = count - 1 - k if back else k
        i, j = springs.ends[s, 0], springs.ends[s, 1]
        dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        length, weight = math.sqrt(dx * dx + dy * dy + dz * dz), w[i] + w[j]
        longest = factor[s] * springs.rest_length[s]
        if length <= longest or length < LENGTH_EPSILON or weight == 0.0:
            continue
        worst = max(worst, length / longest - 1.0)
        c = (1.0 - longest / length) / weight
        x[i, 0] += w[i] * c * dx
        x[i, 1] += w[i] * c * dy
        x[i, 2] += w[i] * c * dz
        x[j, 0] -= w[j] * c * dx
        x[j, 1] -= w[j] * c * dy
        x[j, 2] -= w[j] * c * dz
    return worst if worst > 1e-9 else 0.0
