"""The right-hand side of implicit Euler with the constant stiffness k I, and its diagonal.

    b_i = h [ f_i + sum_j k_ij ( (1 - l0 / l) x_ij + h v_ij ) ],   D_i = m_i + h^2 sum_j k_ij,   x_ij = x_j - x_i

Seed 000, eq. 2-4, with a stiffness per spring and a mass per particle. A spring's damping d joins the viscous term:
k h^2 becomes k h^2 + d h. Other tables act through their forces; what they can stiffen a row joins D.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constants import LENGTH_EPSILON
from pliant.integrators.base import Integrator, bound_table_forces
from pliant.integrators.slots import fill, slots_of
from pliant.kernels import scratch_rows, span, sweep, thread_index
from pliant.world import Part, Rows, Springs, World

BLOCK = 128  # particles whose springs are measured together; their scratch fits the first-level cache


class Work(NamedTuple):
    """Scratch memory of one part."""

    weight: Array  # (2 s,) [kg] k h^2 + d h of each slot
    stiffer: Array  # (n,) [N/m] what other forces add to a row
    impulse: Array  # (n, 3) [N s] b
    change: Array  # (n, 3) [m/s] y = b / D
    share: Array  # (n,) [1/kg] 1 / D; 0 = held
    pull: Array  # (threads, p) [N s/m] of one block's slots


class Impulses:
    """One part's springs and other forces, gathered into b."""

    def __init__(self, world: World, part: Part, *, by: Integrator) -> None:
        self._table: Springs = part.table(Springs)
        self._others = bound_table_forces(world, part, by=by, besides=Springs)
        self.slots = slots_of(self._table)
        n = len(part.mass)
        first = np.append(np.arange(0, n, BLOCK), n)
        longest = int(np.diff(self.slots.start[first].astype(np.int64)).max(initial=1))
        self.work = Work(
            weight=np.zeros(len(self.slots.other)),
            stiffer=np.zeros(n),
            impulse=np.zeros((n, 3)),
            change=np.zeros((n, 3)),
            share=np.zeros(n),
            pull=np.zeros((scratch_rows(), longest)),
        )
        self.edition = 0  # counts changes of h, k and d
        self._h = 0.0

    def refresh(self) -> None:
        """Take over what a live edit changed in the tables."""
        fill(self.slots, self._table)
        for other in self._others:
            other.refresh()
        self._h = 0.0

    def stiffness(self, count: int) -> Array:
        """(n,) sum of k over each particle's springs [N/m]."""
        return np.bincount(self._table.ends.ravel(), np.repeat(self._table.stiffness, 2), minlength=count)

    def begin(self, rows: Rows, force: Array, h: float) -> None:
        """Bring the columns up to date and add the other tables' forces."""
        if h != self._h:
            self._h = h
            self.edition += 1
            _weigh(self.slots.stiffness, self.slots.damping, h, self.work.weight)
            # twice a force's bound is the row sum of its stiffness, which no displacement exceeds
            self.work.stiffer[:] = 2.0 * sum(other.stiffness_bound(rows) for other in self._others)
            self.work.stiffer[:] *= 1.0 + max((other.damping_time() for other in self._others), default=0.0) / h
        for other in self._others:
            other.add(rows, force, h)

    def gather(self, rows: Rows, force: Array, h: float, viscous: float = 1.0) -> None:
        """Fill `work.impulse`, `work.share` and `work.change`."""
        _impulses(rows.position, rows.velocity, rows.inverse_mass, force, h, viscous, self.slots, self.work)


@sweep
def _weigh(k, d, h, weight):
    for s in span(k.shape[0]):
        weight[s] = h * h * k[s] + h * d[s]


@sweep
def _impulses(x, v, w, f, h, viscous, slots, work):
    """b, 1 / D and y = b / D of every row; the lengths of a block's springs first, so that they vectorise."""
    start, other, weight, stiffer, scratch = slots.start, slots.other, work.weight, work.stiffer, work.pull
    stiffness, rest_length = slots.stiffness, slots.rest_length
    impulse, change, shares = work.impulse, work.change, work.share
    for block in span((x.shape[0] + BLOCK - 1) // BLOCK):
        low, high = block * BLOCK, min((block + 1) * BLOCK, x.shape[0])
        first, end = np.int64(start[low]), np.int64(start[high])
        pull = scratch[thread_index()]
        for i in range(low, high):
            px, py, pz = x[i, 0], x[i, 1], x[i, 2]
            for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
                j = other[s]
                dx, dy, dz = x[j, 0] - px, x[j, 1] - py, x[j, 2] - pz
                pull[s - np.uint64(first)] = dx * dx + dy * dy + dz * dz
        k, rest = stiffness[first:end], rest_length[first:end]
        for s in range(k.shape[0]):
            # shorter than the epsilon a spring has no direction; bounded, its pull vanishes with its ends
            pull[s] = h * k[s] * (1.0 - rest[s] / max(math.sqrt(pull[s]), LENGTH_EPSILON))
        for i in range(low, high):
            px, py, pz = x[i, 0], x[i, 1], x[i, 2]
            qx, qy, qz = v[i, 0], v[i, 1], v[i, 2]
            bx, by, bz, mass = h * f[i, 0], h * f[i, 1], h * f[i, 2], h * h * stiffer[i]
            for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
                j = other[s]
                a, c, e = weight[s], viscous * weight[s], pull[s - np.uint64(first)]
                bx += e * (x[j, 0] - px) + c * (v[j, 0] - qx)
                by += e * (x[j, 1] - py) + c * (v[j, 1] - qy)
                bz += e * (x[j, 2] - pz) + c * (v[j, 2] - qz)
                mass += a
            share = 1.0 / (1.0 / w[i] + mass) if w[i] > 0.0 else 0.0
            shares[i] = share
            impulse[i, 0], impulse[i, 1], impulse[i, 2] = bx, by, bz
            change[i, 0], change[i, 1], change[i, 2] = share * bx, share * by, share * bz
