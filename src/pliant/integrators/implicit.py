"""Implicit Euler with the springs' exact stiffness, by conjugate gradients (Baraff and Witkin 1998, "Large steps in
cloth simulation", Eq. 6):

    (M + h^2 K + h C) v' = M v + h (F(x) + f),   x' = x + h v'

Held rows enter with their given velocity. One linear solve is not stable without limit, even when converged (spec of
seed 000, section 5b). Two remedies:

    newton > 1                   Newton's method with line search on |x' - x - h v - h^2 w f|^2_M / 2 + h^2 E(x')
    hessian="constant",          k I in place of the exact block, and the first guess v' = 0: the energy never rises,
    first_guess="zero"           however early the iterations stop, since then v'.(b - A v') = 0 (section 5c)
"""

from typing import ClassVar, Literal

import numpy as np

from pliant.arrays import Array
from pliant.constants import LENGTH_EPSILON
from pliant.description import quantity
from pliant.integrators.base import Integrator, Stepper, bound_table_forces
from pliant.integrators.conjugate import Multiplier, dot
from pliant.integrators.momentum import Momentum
from pliant.integrators.moving import drift_on
from pliant.integrators.pace import contact_substeps
from pliant.integrators.slots import fill, slots_of
from pliant.kernels import kernel, span, sweep
from pliant.world import Part, Rows, Springs, World

SMALLEST_STEP = 1e-4  # of the line search; a shorter one gains nothing
SUFFICIENT = 1e-4  # of the decrease that the slope promises (Armijo)


class Implicit(Integrator):
    """Implicit Euler, solved by conjugate gradients without a matrix."""

    name: ClassVar[str] = "implicit"
    family: ClassVar[Literal["force"]] = "force"

    hessian: Literal["exact", "constant"] = quantity("exact", help="Stiffness of a spring: its exact block, or k I")
    first_guess: Literal["velocity", "zero"] = quantity("velocity", help="Where the solve for v' starts")
    newton: int = quantity(1, low=1, high=50, help="Newton iterations; above 1 with line search")
    iterations: int = quantity(200, low=1, high=100000, help="Most conjugate-gradient iterations per solve")
    tolerance: float = quantity(1e-4, low=0.0, high=1.0, help="Fall of the residual at which a solve stops")
    momentum: bool = quantity(True, help="Give a part that nothing holds the momentum that the solve loses")
    contact: float = quantity(0.0, low=0.0, high=10.0, help="Substep until no row moves this many thicknesses; 0: no")

    def bind(self, world: World, part: Part) -> Stepper:
        return _Stepper(self, world, part)


class _Stepper(Stepper):
    def __init__(self, of: Implicit, world: World, part: Part) -> None:
        self._of, self._part = of, part
        self._table: Springs = part.table(Springs)
        self._others = bound_table_forces(world, part, by=of, besides=Springs)
        self._slots = slots_of(self._table)
        self._matrix = Multiplier(self._slots, self._others, len(part.mass))
        self._momentum = Momentum(kept=of.momentum)
        n = len(part.mass)
        self._velocity = np.zeros((n, 3))  # v' [m/s]
        self._start = np.zeros((n, 3))  # x [m]
        self._goal = np.zeros((n, 3))  # x + h v + h^2 w f [m]
        self._trial = np.zeros((n, 3))  # [m]
        self._force = np.zeros((n, 3))  # [N]

    def substeps(self, rows: Rows, frame_step: float) -> int:
        return contact_substeps(self._part, rows, frame_step, self._of.contact)

    def refresh(self) -> None:
        fill(self._slots, self._table)
        self._matrix.refresh()

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        free = self._momentum.note(rows, force, h)
        if self._of.newton > 1:
            self._minimize(rows, force, h)
        else:
            self._solve_once(rows, force, h)
        if free:
            self._momentum.restore(rows)
        drift_on(rows.position, rows.velocity, h)

    def _solve_once(self, rows: Rows, force: Array, h: float) -> None:
        of, u, matrix = self._of, self._velocity, self._matrix
        self._add_elastic(rows, force, h)
        matrix.build(rows, rows.position, h, constant=of.hessian == "constant")
        _momenta(rows.velocity, rows.inverse_mass, force, h, matrix.system.known)
        _guess(rows.velocity, rows.inverse_mass, of.first_guess == "zero", u)
        matrix.solve(rows, u, h, tolerance=of.tolerance, iterations=of.iterations)
        rows.velocity[:] = u

    def _add_elastic(self, rows: Rows, force: Array, h: float) -> None:
        """Forces of the tables without their damping, which the matrix holds."""
        _pull(rows.position, self._slots, force)
        if self._others:
            still = rows._replace(velocity=self._force)
            self._force[:] = 0.0
            for other in self._others:
                other.add(still, force, h)

    def _minimize(self, rows: Rows, force: Array, h: float) -> None:
        """Newton's iterations on x'; v' = (x' - x) / h."""
        of, matrix, s = self._of, self._matrix, self._matrix.system
        x, w = rows.position, rows.inverse_mass
        self._start[:] = x
        _goals(x, rows.velocity, w, force, h, self._goal)
        _place_held(x, self._goal, w)
        u = self._velocity
        for _ in range(of.newton):
            matrix.build(rows, x, h, constant=of.hessian == "constant")
            self._force[:] = 0.0
            _pull(x, self._slots, self._force)
            u[:] = 0.0
            still = rows._replace(velocity=u)
            for other in self._others:
                other.add(still, self._force, h)
            self._drag(rows, h)
            _gradient(x, self._goal, w, self._force, h, s.known)
            matrix.solve(rows, u, h, tolerance=of.tolerance, iterations=of.iterations)
            slope = dot(s.known, u)
            if slope <= 0.0 or not self._search(rows, h, slope):
                break
        _rate(x, self._start, w, h, rows.velocity)
        x[:] = self._start

    def _drag(self, rows: Rows, h: float) -> None:
        """Damping force of the way so far, along the springs' present directions, into `_force`."""
        np.subtract(rows.position, self._start, out=self._trial)
        _add_drag(self._trial, self._slots, self._matrix.system.line, 1.0 / h, self._force)
        for other in self._others:
            s = self._matrix.system
            s.extra[:] = 0.0
            other.add_stiffness_product(rows, self._trial, s.extra)
            np.multiply(s.extra, self._matrix.damping_time / h, out=s.extra)
            self._force -= s.extra

    def _search(self, rows: Rows, h: float, slope: float) -> bool:
        """Move the rows along u as far as the objective falls; False if it does not."""
        x, u = rows.position, self._velocity
        self._trial[:] = x
        before = self._objective(rows, h)
        step = 1.0
        while step >= SMALLEST_STEP:
            np.multiply(u, step, out=x)
            x += self._trial
            if self._objective(rows, h) <= before - SUFFICIENT * step * slope:
                return True
            step *= 0.5
        x[:] = self._trial
        return False

    def _objective(self, rows: Rows, h: float) -> float:
        x, lines = rows.position, self._matrix.system.line
        energy = _energy(x, self._start, self._slots, lines, 1.0 / h) + sum(o.energy(rows) or 0.0 for o in self._others)
        return _inertia(x, self._goal, rows.inverse_mass) + h * h * energy


@sweep
def _pull(x, slots, f):
    start, other, rest_length, stiffness = slots.start, slots.other, slots.rest_length, slots.stiffness
    for i in span(x.shape[0]):
        for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            j = other[s]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            length = max(np.sqrt(dx * dx + dy * dy + dz * dz), LENGTH_EPSILON)
            scale = stiffness[s] * (1.0 - rest_length[s] / length)
            f[i, 0] += scale * dx
            f[i, 1] += scale * dy
            f[i, 2] += scale * dz


@sweep
def _add_drag(way, slots, line, rate, f):
    start, other, damping = slots.start, slots.other, slots.damping
    for i in span(way.shape[0]):
        for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            j = other[s]
            along = 0.0
            for k in range(3):
                along += line[s, k] * (way[j, k] - way[i, k])
            for k in range(3):
                f[i, k] += damping[s] * rate * along * line[s, k]


@sweep
def _momenta(v, w, f, h, b):
    """b = M v + h f of free rows."""
    for i in span(v.shape[0]):
        for k in range(3):
            b[i, k] = v[i, k] / w[i] + h * f[i, k] if w[i] > 0.0 else 0.0


@sweep
def _guess(v, w, zero, u):
    for i in span(v.shape[0]):
        for k in range(3):
            u[i, k] = 0.0 if zero and w[i] > 0.0 else v[i, k]


@sweep
def _goals(x, v, w, f, h, goal):
    for i in span(x.shape[0]):
        for k in range(3):
            goal[i, k] = x[i, k] + h * v[i, k] + h * h * w[i] * f[i, k]


@sweep
def _place_held(x, goal, w):
    for i in span(x.shape[0]):
        if w[i] == 0.0:
            for k in range(3):
                x[i, k] = goal[i, k]


@sweep
def _gradient(x, goal, w, f, h, b):
    """b = M (goal - x) + h^2 F of free rows: the way down."""
    for i in span(x.shape[0]):
        for k in range(3):
            b[i, k] = (goal[i, k] - x[i, k]) / w[i] + h * h * f[i, k] if w[i] > 0.0 else 0.0


@sweep
def _rate(x, start, w, h, v):
    for i in span(x.shape[0]):
        if w[i] > 0.0:
            for k in range(3):
                v[i, k] = (x[i, k] - start[i, k]) / h


@kernel
def _inertia(x, goal, w):
    total = 0.0
    for i in range(x.shape[0]):
        if w[i] > 0.0:
            for k in range(3):
                total += 0.5 * (x[i, k] - goal[i, k]) ** 2 / w[i]
    return total


@kernel
def _energy(x, start, slots, line, rate):
    """Energy of the springs and half the work of their damping, each counted from both ends."""
    total = 0.0
    for i in range(x.shape[0]):
        for s in range(np.uint64(slots.start[i]), np.uint64(slots.start[i + 1])):
            j = slots.other[s]
            square = along = 0.0
            for k in range(3):
                gap = x[j, k] - x[i, k]
                square += gap * gap
                along += line[s, k] * (gap - start[j, k] + start[i, k])
            stretch = np.sqrt(square) - slots.rest_length[s]
            total += 0.25 * (slots.stiffness[s] * stretch * stretch + rate * slots.damping[s] * along * along)
    return total
