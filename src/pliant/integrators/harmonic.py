"""Seed 002, "harmonic mass-spring": each spring gives its ends the impulse of an oscillator over the step.

For one spring of frequency omega = sqrt(k (w_i + w_j)), theta = omega h, mu = 1 / (w_i + w_j), with the stretch
delta = l - l0 and its rate delta' along u, the impulse on either end towards the other is, without phase or amplitude,

    J = P delta + Q delta',   P = mu theta sin(theta) / h,   Q = mu (1 - cos theta);    v_i += w_i J u,  x += h v

(spec of seed 000, section 15, which corrects the paper's signs, factor 1/2 and units). Held ends have w = 0.

    paper     as printed: half of J, and no division by mass: v_i += J u / (2 h)
    half      half of J, with the mass restored
    full      J; in a network it counts each particle once per spring and is less stable than symplectic Euler
    split     J with each mass divided among its n springs (w -> n w in omega and mu), theta <= pi/2: stable for any h
    backward  the same split, with backward Euler per spring: P = mu theta^2 / ((1 + theta^2) h), Q = P h

A spring's damping d takes the further part 1 - exp(-h d / mu) of delta'. `split` keeps Q + P h / 2 <= 2 mu, its limit
of stability. Other tables act through their forces.
"""

from typing import ClassVar, Literal, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constants import LENGTH_EPSILON, SUBSTEP_LIMIT
from pliant.description import quantity
from pliant.integrators.base import Integrator, Stepper, bound_table_forces, longest_stable_step
from pliant.integrators.moving import kick_and_drift
from pliant.integrators.slots import Slots, slots_of
from pliant.kernels import span, sweep
from pliant.world import Part, Rows, Springs, World

Form = Literal["paper", "half", "full", "split", "backward"]
_SPLIT = ("split", "backward")


class Harmonic(Integrator):
    """An oscillator per spring, in closed form."""

    name: ClassVar[str] = "harmonic"
    family: ClassVar[Literal["force"]] = "force"

    form: Form = quantity("split", help="paper, half, full: as published and corrected; split, backward: always stable")
    steps: int = quantity(8, low=1, high=SUBSTEP_LIMIT, help="Substeps per frame; fewer soften stiff springs")

    def bind(self, world: World, part: Part) -> Stepper:
        return _Stepper(self, world, part)


class _Impulse(NamedTuple):
    """Coefficients per slot."""

    stretch: Array  # (2 s,) P [N s/m]
    rate: Array  # (2 s,) Q [kg]


class _Stepper(Stepper):
    def __init__(self, of: Harmonic, world: World, part: Part) -> None:
        self._of = of
        self._table: Springs = part.table(Springs)
        self._springs = bound_table_forces(world, part, by=of)
        self._others = bound_table_forces(world, part, by=of, besides=Springs)
        self._slots: Slots = slots_of(self._table)
        self._impulse = _Impulse(np.zeros(len(self._slots.other)), np.zeros(len(self._slots.other)))
        self._h, self._inverse_mass = 0.0, np.empty(0)

    def substeps(self, rows: Rows, frame_step: float) -> int:
        return self._of.steps

    def stable_step(self, rows: Rows) -> float:
        form = self._of.form
        if form in _SPLIT:
            return longest_stable_step(rows, self._others)
        if form == "paper":  # without the mass: v += (k / 2) delta, stable while h K <= 2
            strongest = max(
                (float(np.max(own.stiffness_bound(rows), initial=0.0)) for own in self._springs), default=0.0
            )
            return 2.0 / strongest if strongest > 0.0 else np.inf
        return longest_stable_step(rows, self._springs) / (np.sqrt(2.0) if form == "full" else 1.0)

    def refresh(self) -> None:
        for other in self._others:
            other.refresh()
        self._h = 0.0

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        if h != self._h or not np.array_equal(rows.inverse_mass, self._inverse_mass):
            self._take_step(rows.inverse_mass, h)
        for other in self._others:
            other.add(rows, force, h)
        literal = self._of.form == "paper"
        # the impulses join the force array, since every row must still see its neighbours' velocities
        _gather(rows.position, rows.velocity, rows.inverse_mass, 1.0 / h, literal, self._slots, self._impulse, force)
        kick_and_drift(rows.position, rows.velocity, rows.inverse_mass, force, h)

    def _take_step(self, inverse_mass: Array, h: float) -> None:
        """P and Q hold h, k, d, m and which rows are held."""
        self._h, self._inverse_mass = h, inverse_mass.copy()
        table, row = self._table, self._slots.row
        degree = np.diff(self._slots.start.astype(np.int64))
        p, q = coefficients(self._of.form, table, inverse_mass, degree, h)
        np.take(table.rest_length, row, out=self._slots.rest_length)
        np.take(p, row, out=self._impulse.stretch)
        np.take(q, row, out=self._impulse.rate)


def coefficients(form: Form, springs: Springs, inverse_mass: Array, degree: Array, h: float) -> tuple[Array, Array]:
    """(P [N s/m], Q [kg]) of every spring."""
    w = inverse_mass * (degree if form in _SPLIT else 1.0)
    total = w[springs.ends[:, 0]] + w[springs.ends[:, 1]]
    mu = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0)
    theta = h * np.sqrt(springs.stiffness * total)
    drag = h * springs.damping * total
    if form == "backward":
        square = theta * theta
        return mu * square / ((1.0 + square + drag) * h), mu * (square + drag) / (1.0 + square + drag)
    if form == "split":
        theta = np.minimum(theta, 0.5 * np.pi)
    p, q = theta * np.sin(theta), 1.0 - np.cos(theta)
    lost = -np.expm1(-drag)
    if form == "split":
        lost = np.minimum(lost, np.maximum(2.0 - 0.5 * p - q, 0.0))
    part = {"paper": 0.5 / h, "half": 0.5}.get(form, 1.0)
    return part * mu * p / h, part * mu * q + mu * lost


@sweep
def _gather(x, v, w, rate, literal, slots, impulse, f):
    """Add each spring's mean force J / h; with `literal`, what makes w f the paper's mass-free change of velocity."""
    start, other, rest_length = slots.start, slots.other, slots.rest_length
    stretch, per_rate = impulse.stretch, impulse.rate
    for i in span(x.shape[0]):
        if w[i] == 0.0:
            continue
        px, py, pz = x[i, 0], x[i, 1], x[i, 2]
        qx, qy, qz = v[i, 0], v[i, 1], v[i, 2]
        fx = fy = fz = 0.0
        for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            j = other[s]
            dx, dy, dz = x[j, 0] - px, x[j, 1] - py, x[j, 2] - pz
            length = max(np.sqrt(dx * dx + dy * dy + dz * dz), LENGTH_EPSILON)
            opening = ((v[j, 0] - qx) * dx + (v[j, 1] - qy) * dy + (v[j, 2] - qz) * dz) / length
            pull = (stretch[s] * (length - rest_length[s]) + per_rate[s] * opening) / length
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
        scale = rate / w[i] if literal else rate
        f[i, 0] += scale * fx
        f[i, 1] += scale * fy
        f[i, 2] += scale * fz
