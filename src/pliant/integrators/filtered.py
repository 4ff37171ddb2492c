"""Implicit Euler with the constant stiffness k I, solved exactly: the precomputed filter that seed 000 improves on.

    (M + h^2 L) dv = b,   b_i = h [ f_i + sum_j k_ij ( (1 - l0 / l) x_ij + h v_ij ) ],   v += dv,   x += h v

L is the Laplacian of the springs weighted with their stiffness (Desbrun, Schröder and Barr 1999, "Interactive animation
of structured deformable objects"; seed 000, eq. 2). The matrix changes only with h, k, m and the held rows. `dense`
inverts it, as published; `sparse` keeps its triangular factors, hundreds of times smaller for 16,384 points.
"""

from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.description import quantity
from pliant.errors import SceneError
from pliant.integrators.base import Integrator, Stepper
from pliant.integrators.impulses import Impulses
from pliant.integrators.momentum import Momentum
from pliant.integrators.moving import drift_on
from pliant.integrators.pace import contact_substeps, inertia_substeps
from pliant.kernels import kernel, span, sweep
from pliant.world import Part, Rows, World

DENSE_LIMIT = 8192  # free points; their inverse takes 512 MiB


class Filtered(Integrator):
    """One exact solve with a matrix that stays: stable, heavily damped."""

    name: ClassVar[str] = "filtered"
    family: ClassVar[Literal["force"]] = "force"

    solver: Literal["sparse", "dense"] = quantity("sparse", help="Triangular factors, or the inverse as published")
    momentum: bool = quantity(True, help="Give a part that nothing holds the angular momentum that the solve loses")
    contact: float = quantity(0.0, low=0.0, high=10.0, help="Substep until no row moves this many thicknesses; 0: no")
    inertia: float = quantity(0.0, low=0.0, high=0.99, help="Substep until this fraction of inertia is kept; 0: do not")

    def bind(self, world: World, part: Part) -> Stepper:
        return _Stepper(self, world, part)


class _Stepper(Stepper):
    def __init__(self, of: Filtered, world: World, part: Part) -> None:
        self._of, self._part = of, part
        self._impulses = Impulses(world, part, by=of)
        self._momentum = Momentum(kept=of.momentum)
        self._edition = 0  # of the impulses' columns in the factors
        self._inverse_mass = np.empty(0)
        self._solver: _Factors | _Inverse | None = None

    def substeps(self, rows: Rows, frame_step: float) -> int:
        of = self._of
        own = self._impulses.stiffness(len(rows.position)) if of.inertia > 0.0 else 0.0
        inertia = inertia_substeps(own, rows, frame_step, of.inertia)
        return max(inertia, contact_substeps(self._part, rows, frame_step, of.contact))

    def refresh(self) -> None:
        self._impulses.refresh()

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        self._impulses.begin(rows, force, h)
        solver = self._solver
        same = self._impulses.edition == self._edition and np.array_equal(rows.inverse_mass, self._inverse_mass)
        if solver is None or not same:
            solver = self._solver = self._factorized(rows, h)
        free = self._momentum.note(rows, force, h)
        self._impulses.gather(rows, force, h)
        solver.add_solution(self._known(), rows.velocity)
        if free:
            self._momentum.restore(rows)
        drift_on(rows.position, rows.velocity, h)

    def _known(self) -> Array:
        """b = D y of the free rows."""
        work = self._impulses.work
        _divide(work.change, work.share)
        return work.change

    def _factorized(self, rows: Rows, h: float) -> "_Factors | _Inverse":
        self._edition, self._inverse_mass = self._impulses.edition, rows.inverse_mass.copy()
        free = np.flatnonzero(rows.inverse_mass > 0.0)
        if self._of.solver == "dense" and len(free) > DENSE_LIMIT:
            raise SceneError(
                f"Filtered.solver = 'dense': part {self._part.name!r} has {len(free)} free points and its inverse "
                f"would take {8e-9 * len(free) ** 2:.1f} GB; use solver = 'sparse' above {DENSE_LIMIT} points"
            )
        matrix = _matrix(self._impulses, rows, h)[free][:, free]
        return _Inverse(matrix, free) if self._of.solver == "dense" else _Factors(matrix, free)


def _matrix(impulses: Impulses, rows: Rows, h: float) -> Any:
    """M + h^2 L, with the springs' damping and what other forces stiffen."""
    from scipy.sparse import csr_matrix, diags

    slots, work, n = impulses.slots, impulses.work, len(rows.position)
    coupling = csr_matrix(
        (impulses.weights(), slots.other.astype(np.int64), slots.start.astype(np.int64)), shape=(n, n)
    )
    mass = 1.0 / np.where(rows.inverse_mass > 0.0, rows.inverse_mass, 1.0)
    return (diags(mass + h * h * work.stiffer + np.asarray(coupling.sum(axis=1)).ravel()) - coupling).tocsc()


class _Inverse:
    """The dense inverse, one product per step."""

    def __init__(self, matrix: Any, free: Array) -> None:
        self._free = free
        self._inverse = np.linalg.inv(matrix.toarray())
        self._known, self._found = np.zeros((len(free), 3)), np.zeros((len(free), 3))

    def add_solution(self, impulse: Array, velocity: Array) -> None:
        np.take(impulse, self._free, axis=0, out=self._known, mode="clip")
        np.dot(self._inverse, self._known, out=self._found)
        _scatter(self._found, self._free, velocity)


class _Columns(NamedTuple):
    """A triangular factor by columns."""

    start: Array  # (n + 1,)
    row: Array
    value: Array


class _Factors:
    """Sparse triangular factors, one forward and one backward sweep per step."""

    def __init__(self, matrix: Any, free: Array) -> None:
        from scipy.sparse.linalg import splu

        factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        self._lower, self._upper = _columns(factors.L), _columns(factors.U)
        # row p of the factors is row q of the matrix
        self._known_at = free[np.argsort(factors.perm_r)]
        self._found_at = free[np.argsort(factors.perm_c)]
        self._found = np.zeros((len(free), 3))

    def add_solution(self, impulse: Array, velocity: Array) -> None:
        np.take(impulse, self._known_at, axis=0, out=self._found, mode="clip")
        _solve(self._lower, self._upper, self._found)
        _scatter(self._found, self._found_at, velocity)


def _columns(factor: Any) -> _Columns:
    factor = factor.tocsc()
    factor.sort_indices()
    return _Columns(factor.indptr.astype(np.int64), factor.indices.astype(Index), factor.data)


@sweep
def _divide(y, share):
    for i in span(y.shape[0]):
        if share[i] > 0.0:
            for k in range(3):
                y[i, k] /= share[i]


@kernel
def _solve(lower, upper, z):
    """z := U^-1 L^-1 z. A column of L begins with its diagonal 1, a column of U ends with its diagonal."""
    n = z.shape[0]
    for c in range(n):
        zx, zy, zz = z[c, 0], z[c, 1], z[c, 2]
        for s in range(lower.start[c] + 1, lower.start[c + 1]):
            i, a = lower.row[s], lower.value[s]
            z[i, 0] -= a * zx
            z[i, 1] -= a * zy
            z[i, 2] -= a * zz
    for back in range(n):
        c = n - 1 - back
        last = upper.start[c + 1] - 1
        zx, zy, zz = z[c, 0] / upper.value[last], z[c, 1] / upper.value[last], z[c, 2] / upper.value[last]
        z[c, 0], z[c, 1], z[c, 2] = zx, zy, zz
        for s in range(upper.start[c], last):
            i, a = upper.row[s], upper.value[s]
            z[i, 0] -= a * zx
            z[i, 1] -= a * zy
            z[i, 2] -= a * zz


@kernel
def _scatter(found, at, v):
    for c in range(at.shape[0]):
        for k in range(3):
            v[at[c], k] += found[c, k]
