"""The right-hand side of implicit Euler with the constant stiffness k I, and its diagonal.

    b_i = h [ f_i + sum_j k_ij ( (1 - l0 / l) x_ij + h v_ij ) ],   D_i = m_i + h^2 sum_j k_ij,   x_ij = x_j - x_i

Seed 000, eq. 2-4, with a stiffness per spring and a mass per particle. A spring's damping d joins the viscous term:
k h^2 becomes k h^2 + d h. Other tables act through their forces; what they can stiffen a row joins D.

Memory decides what a step of a large part costs, so as little as can be is kept of it: y = b / D stands for b, and
where all springs damp by the same time d / k, the stiffness column serves as the weight too.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constants import LENGTH_EPSILON
from pliant.integrators.base import Integrator, bound_table_forces
from pliant.integrators.slots import fill, slots_of
from pliant.integrators.waves import BLOCK, waves_of
from pliant.kernels import folded, scratch_rows, span, sweep, thread_index
from pliant.world import Part, Rows, Springs, World

SAME = 1e-12  # relative difference of damping times below which they are one


class Work(NamedTuple):
    """Scratch memory of one part. The weight k h^2 + d h [kg] of slot s is `scale[0] * weight[s]`."""

    scale: Array  # (1,)
    weight: Array  # (2 s,) the slots' stiffness [N/m], or where damping times differ the weight itself [kg]
    stiffer: Array  # (n,) [N/m] what other forces add to a row
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
        self.waves = waves_of(self.slots.start, self.slots.other, n)
        first = np.append(np.arange(0, n, BLOCK), n)
        longest = int(np.diff(self.slots.start[first].astype(np.int64)).max(initial=1))
        self.work = Work(
            scale=np.ones(1),
            weight=self.slots.stiffness,
            stiffer=np.zeros(n),
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
            self._weigh(h)
            # twice a force's bound is the row sum of its stiffness, which no displacement exceeds
            self.work.stiffer[:] = 2.0 * sum(other.stiffness_bound(rows) for other in self._others)
            self.work.stiffer[:] *= 1.0 + max((other.damping_time() for other in self._others), default=0.0) / h
        for other in self._others:
            other.add(rows, force, h)

    def gather(self, rows: Rows, force: Array, h: float, viscous: float = 1.0) -> None:
        """Fill `work.share` and `work.change`."""
        _gather(rows.position, rows.velocity, rows.inverse_mass, force, h, viscous, self.slots, self.work)

    def weights(self) -> Array:
        """(2 s,) [kg] k h^2 + d h of each slot."""
        weights: Array = self.work.scale[0] * self.work.weight
        return weights

    def _weigh(self, h: float) -> None:
        k, d, work = self.slots.stiffness, self.slots.damping, self.work
        time = float(np.max(self._table.damping / np.maximum(self._table.stiffness, 1e-30), initial=0.0))
        if np.allclose(self._table.damping, time * self._table.stiffness, rtol=SAME, atol=0.0):
            self.work = work._replace(weight=k)
            work.scale[0] = h * h + h * time
            return
        if work.weight is k:
            self.work = work._replace(weight=np.zeros(len(k)))
        _weigh(k, d, h, self.work.weight)
        work.scale[0] = 1.0


@sweep
def _weigh(k, d, h, weight):
    for s in span(k.shape[0]):
        weight[s] = h * h * k[s] + h * d[s]


@sweep
def _gather(x, v, w, f, h, viscous, slots, work):
    scratch = work.pull
    for block in span((x.shape[0] + BLOCK - 1) // BLOCK):
        first_pass(x, v, w, f, h, viscous, slots, work, scratch[thread_index()], block)


@folded
def first_pass(x, v, w, f, h, viscous, slots, work, pull, block):
    """1 / D and y = b / D of a block's rows; the lengths of its springs first, so that they vectorise."""
    start, other, stiffness, rest_length = slots.start, slots.other, slots.stiffness, slots.rest_length
    weight, scale, change, shares = work.weight, work.scale[0], work.change, work.share
    low, high = block * BLOCK, min((block + 1) * BLOCK, x.shape[0])
    first, end = np.int64(start[low]), np.int64(start[high])
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
        bx, by, bz, mass = h * f[i, 0], h * f[i, 1], h * f[i, 2], h * h * work.stiffer[i]
        for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            j, a, e = other[s], scale * weight[s], pull[s - np.uint64(first)]
            c = viscous * a
            bx += e * (x[j, 0] - px) + c * (v[j, 0] - qx)
            by += e * (x[j, 1] - py) + c * (v[j, 1] - qy)
            bz += e * (x[j, 2] - pz) + c * (v[j, 2] - qz)
            mass += a
        share = 1.0 / (1.0 / w[i] + mass) if w[i] > 0.0 else 0.0
        shares[i] = share
        change[i, 0], change[i, 1], change[i, 2] = share * bx, share * by, share * bz
