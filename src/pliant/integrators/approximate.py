"""Seed 000, "stable mass-spring": two gather passes in place of a linear solve (its eq. 4), stable for any step.

    b_i  = h [ f_i + sum_j k_ij ( (1 - l0 / l) x_ij + h v_ij ) ],   D_i = m_i + h^2 sum_j k_ij,   y_i = b_i / D_i
    dv_i = ( b_i + h^2 sum_j k_ij y_j ) / D_i,   v += dv,   x += h v,      x_ij = x_j - x_i,  v_ij = v_j - v_i

This is two Jacobi sweeps from zero on implicit Euler with the constant stiffness k I, here with a stiffness per spring
and a mass per particle; held rows have y = 0 and enter with their given velocity, which is exact. With the viscous term
h v_ij no energy is ever gained, for any network, k, m and h; the price is inertia (spec of seed 000, section 6). Any
even number of sweeps is as stable, an odd one is not; so is a Chebyshev recurrence run twice from its start.
"""

from typing import Any, ClassVar, Literal

import numpy as np

from pliant.arrays import Array
from pliant.description import quantity
from pliant.errors import SceneError
from pliant.integrators.base import Integrator, Stepper
from pliant.integrators.impulses import Impulses, first_pass
from pliant.integrators.momentum import Momentum
from pliant.integrators.moving import add_and_drift, drift_on, kick
from pliant.integrators.pace import contact_substeps, inertia_substeps
from pliant.integrators.waves import BLOCK
from pliant.kernels import folded, span, sweep, thread_index
from pliant.world import Part, Rows, World


class Approximate(Integrator):
    """Two Jacobi sweeps on implicit Euler: one pass over the springs for b, one for dv."""

    name: ClassVar[str] = "approximate"
    family: ClassVar[Literal["force"]] = "force"

    loads: Literal["inside", "outside"] = quantity(
        "inside", help="External forces inside the sweeps (true rest shape, slow) or outside (true fall, sags too far)"
    )
    sweeps: int = quantity(2, low=2, high=1000, help="Jacobi sweeps; even, since odd numbers are unstable on grids")
    acceleration: Literal["none", "chebyshev"] = quantity("none", help="Chebyshev: half the sweeps, restart, the rest")
    radius: float = quantity(0.9, above=0.0, high=0.999999, help="Spectral radius the Chebyshev recurrence expects")
    viscous: bool = quantity(True, help="The term h v_ij; without it the scheme may diverge when k or h change")
    momentum: bool = quantity(True, help="Give a part that nothing holds the momentum that the sweeps lose")
    inertia: float = quantity(0.0, low=0.0, high=0.99, help="Substep until this fraction of inertia is kept; 0: do not")
    contact: float = quantity(0.0, low=0.0, high=10.0, help="Substep until no row moves this many thicknesses; 0: no")

    def model_post_init(self, context: Any) -> None:
        if self.sweeps % 2:
            raise SceneError(f"Approximate.sweeps = {self.sweeps}; must be even (odd numbers are unstable on grids)")

    def bind(self, world: World, part: Part) -> Stepper:
        return _Stepper(self, world, part)


class _Stepper(Stepper):
    def __init__(self, of: Approximate, world: World, part: Part) -> None:
        self._of, self._part = of, part
        self._impulses = Impulses(world, part, by=of)
        self._momentum = Momentum(kept=of.momentum)
        count = len(part.mass) if of.sweeps > 2 else 0
        self._latest, self._before = np.zeros((count, 3)), np.zeros((count, 3))

    def substeps(self, rows: Rows, frame_step: float) -> int:
        of = self._of
        own = self._impulses.stiffness(len(rows.position)) if of.inertia > 0.0 else 0.0
        inertia = inertia_substeps(own, rows, frame_step, of.inertia)
        return max(inertia, contact_substeps(self._part, rows, frame_step, of.contact))

    def refresh(self) -> None:
        self._impulses.refresh()

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        x, v, w, of = rows.position, rows.velocity, rows.inverse_mass, self._of
        self._impulses.begin(rows, force, h)
        free = self._momentum.note(rows, force, h)
        if of.loads == "outside":
            kick(v, w, force, h)
            force[:] = 0.0
        viscous, drift = 1.0 if of.viscous else 0.0, 0.0 if free else h
        impulses = self._impulses
        if of.sweeps == 2:
            _both_sweeps(x, v, w, force, (h, viscous, drift), impulses.slots, impulses.work, impulses.waves)
        else:
            impulses.gather(rows, force, h, viscous)
            add_and_drift(x, v, w, self._swept(), drift)
        if free:
            self._momentum.restore(rows)
            drift_on(x, v, h)

    def _swept(self) -> Array:
        """The remaining sweeps: y' = omega (y_1 + h^2 (sum k y) / D - y_before) + y_before, y_1 = b / D."""
        slots, work = self._impulses.slots, self._impulses.work
        y, old, rho = self._latest, self._before, self._of.radius
        y[:], old[:] = work.change, 0.0
        half = self._of.sweeps // 2 if self._of.acceleration == "chebyshev" else self._of.sweeps
        omega = 1.0
        for q in range(1, self._of.sweeps):
            place = q % half
            if self._of.acceleration == "chebyshev" and place > 0:
                omega = 2.0 / (2.0 - rho * rho) if place == 1 else 4.0 / (4.0 - rho * rho * omega)
            else:
                omega = 1.0
            _sweep_again(y, old, omega, slots, work)
            y, old = old, y
        return y


@sweep
def _sweep_again(y, old, omega, slots, work):
    """One more sweep over y; it is written over `old`, of which each row reads its own value only."""
    start, other, weight, scale = slots.start, slots.other, work.weight, work.scale[0]
    change, shares = work.change, work.share
    for i in span(y.shape[0]):
        sx = sy = sz = 0.0
        for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            j, a = other[s], weight[s]
            sx += a * y[j, 0]
            sy += a * y[j, 1]
            sz += a * y[j, 2]
        share = scale * shares[i]
        old[i, 0] += omega * (change[i, 0] + share * sx - old[i, 0])
        old[i, 1] += omega * (change[i, 1] + share * sy - old[i, 1])
        old[i, 2] += omega * (change[i, 2] + share * sz - old[i, 2])


@sweep
def _both_sweeps(x, v, w, f, steps, slots, work, waves):
    """y_i = b_i / D_i of every block, and the second sweep of each as soon as its neighbours have theirs."""
    h, viscous, drift = steps
    scratch, chunk, last, late = work.pull, waves.chunk, waves.last, waves.late
    for c in span(chunk.shape[0] - 1):
        pull, waiting = scratch[thread_index()], chunk[c]
        for block in range(chunk[c], chunk[c + 1]):
            first_pass(x, v, w, f, h, viscous, slots, work, pull, block)
            while waiting <= block and last[waiting] <= block:
                if not late[waiting]:
                    _second_pass(x, v, drift, slots, work, waiting)
                waiting += 1
    for block in span(last.shape[0]):
        if late[block]:
            _second_pass(x, v, drift, slots, work, block)


@folded
def _second_pass(x, v, drift, slots, work, block):
    """dv_i = y_i + h^2 (sum_j k_ij y_j) / D_i;  v += dv;  x += drift v."""
    start, other, weight, scale = slots.start, slots.other, work.weight, work.scale[0]
    y, shares = work.change, work.share
    for i in range(block * BLOCK, min((block + 1) * BLOCK, x.shape[0])):
        sx = sy = sz = 0.0
        for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            j, a = other[s], weight[s]
            sx += a * y[j, 0]
            sy += a * y[j, 1]
            sz += a * y[j, 2]
        share = scale * shares[i]
        v[i, 0] += y[i, 0] + share * sx
        v[i, 1] += y[i, 1] + share * sy
        v[i, 2] += y[i, 2] + share * sz
        x[i, 0] += drift * v[i, 0]
        x[i, 1] += drift * v[i, 1]
        x[i, 2] += drift * v[i, 2]
