"""What the spec of seed 000 proves of its methods, on random networks: sections 5, 6 and 8."""

import numpy as np
import pytest

import pliant
from pliant.integrators import Approximate, Implicit
from pliant.kernels import adjacency
from pliant.world import Part, Rows, Springs, World


def network(seed):
    """(world, part, rows): particles anywhere, springs between any of them, k, m and h over five decades."""
    random = np.random.default_rng(seed)
    n = int(random.integers(5, 30))
    pairs = np.unique(np.sort(random.integers(0, n, (4 * n, 2)), axis=1), axis=0)
    ends = pairs[pairs[:, 0] != pairs[:, 1]].astype(np.uint32)
    count, position = len(ends), random.standard_normal((n, 3))
    springs = Springs(
        ends=ends,
        rest_length=random.uniform(0.0, 2.0, count),
        stiffness=10.0 ** random.uniform(-1, 5, count),
        damping=np.zeros(count),
        kind=np.zeros(count, np.uint8),
        adjacency=adjacency(ends, n),
    )
    mass = 10.0 ** random.uniform(-4, 0, n)
    held = np.flatnonzero(random.random(n) < 0.2)
    part = Part(
        name="network",
        kind="cloth",
        rows=slice(0, n),
        bodies=slice(0, 0),
        gases=slice(0, 0),
        rest_position=position,
        mass=mass,
        held=held,
        triangles=np.empty((0, 3), np.uint32),
        tables=(springs,),
        thickness=0.0,
        friction=0.0,
        integrator=None,
    )
    inverse = 1.0 / mass
    inverse[held] = 0.0
    velocity = random.standard_normal((n, 3))
    velocity[held] = 0.0
    empty = np.empty((0, 3))
    rows = Rows(position.copy(), velocity, inverse, np.empty((0, 4)), empty, np.empty(0))
    return World({"network": part}, (), (), (), None, 1), part, rows, 10.0 ** random.uniform(-3, -1)


def elastic(springs, x):
    length = np.linalg.norm(x[springs.ends[:, 1]] - x[springs.ends[:, 0]], axis=1)
    return 0.5 * float(springs.stiffness @ (length - springs.rest_length) ** 2)


def laplacian(springs, n):
    i, j = springs.ends.astype(int).T
    matrix = np.zeros((n, n))
    np.add.at(matrix, (i, i), springs.stiffness)
    np.add.at(matrix, (j, j), springs.stiffness)
    np.add.at(matrix, (i, j), -springs.stiffness)
    np.add.at(matrix, (j, i), -springs.stiffness)
    return matrix


def fictitious_mass(part, rows, h):
    """B of section 6, over free rows: the inverse of P = D^-1 + D^-1 A D^-1."""
    (springs,) = part.tables
    free = rows.inverse_mass > 0.0
    matrix = h * h * laplacian(springs, len(free))
    diagonal = part.mass + np.diag(matrix)
    coupling = (np.diag(np.diag(matrix)) - matrix)[np.ix_(free, free)]
    inverse = np.diag(1.0 / diagonal[free])
    return np.linalg.inv(inverse + inverse @ coupling @ inverse)


@pytest.mark.parametrize("seed", range(20))
def test_approximate_never_gains_energy(seed):
    """W = E(x) - f.x + v.B v / 2 never rises, for any network, k, m and h."""
    world, part, rows, h = network(seed)
    stepper = Approximate(momentum=False).bind(world, part)
    (springs,) = part.tables
    free = rows.inverse_mass > 0.0
    b = fictitious_mass(part, rows, h)
    load = np.zeros_like(rows.position)
    load[free] = part.mass[free, None] * (0.0, -9.8, 0.0)

    def w():
        v = rows.velocity[free]
        kinetic = 0.5 * float(np.einsum("ik,ij,jk->", v, b, v))
        return elastic(springs, rows.position) - np.vdot(load, rows.position) + kinetic

    before = w()
    for _ in range(200):
        stepper.advance(rows, load.copy(), h)
        after = w()
        assert after <= before + 1e-9 * max(abs(before), 1.0)
        before = after


@pytest.mark.parametrize("iterations", [1, 2, 5, 20])
def test_a_truncated_solve_from_zero_never_gains_energy(iterations):
    """Section 5c: constant stiffness, first guess v' = 0, stopped anywhere."""
    method = Implicit(hessian="constant", first_guess="zero", iterations=iterations, tolerance=0.0, momentum=False)
    for seed in range(8):
        world, part, rows, h = network(seed)
        stepper = method.bind(world, part)
        (springs,) = part.tables
        free = rows.inverse_mass > 0.0

        def energy(rows=rows, springs=springs, mass=part.mass[free], free=free):
            return elastic(springs, rows.position) + 0.5 * float(mass @ (rows.velocity[free] ** 2).sum(axis=1))

        before = energy()
        for _ in range(60):
            stepper.advance(rows, np.zeros_like(rows.position), h)
            after = energy()
            assert after <= before * (1.0 + 1e-9) + 1e-12
            before = after


def swept_inverse(part, rows, h, sweeps, radius):
    """P of section 6 by whole matrices, over free rows: `sweeps` Jacobi or, twice half of them, Chebyshev sweeps."""
    (springs,) = part.tables
    free = rows.inverse_mass > 0.0
    matrix = h * h * laplacian(springs, len(free))
    diagonal = part.mass + np.diag(matrix)
    matrix += np.diag(part.mass)
    inner, scale = matrix[np.ix_(free, free)], 1.0 / diagonal[free, None]
    unit = np.eye(len(inner))

    def chebyshev(y, count):
        omega, before = 1.0, y
        for q in range(count):
            omega = (1.0, 2.0 / (2.0 - radius**2))[q] if q < 2 else 4.0 / (4.0 - radius**2 * omega)
            y, before = omega * (y + scale * (unit - inner @ y) - before) + before, y
        return y

    if radius is not None:
        return chebyshev(chebyshev(np.zeros_like(unit), sweeps // 2), sweeps // 2)
    y = np.zeros_like(unit)
    for _ in range(sweeps):
        y = y + scale * (unit - inner @ y)
    return y


MANY_SWEEPS = [
    Approximate(momentum=False, sweeps=4),
    Approximate(momentum=False, sweeps=8),
    Approximate(momentum=False, sweeps=8, acceleration="chebyshev", radius=0.9),
    Approximate(momentum=False, sweeps=16, acceleration="chebyshev", radius=0.5),
]


@pytest.mark.parametrize("method", MANY_SWEEPS, ids=lambda m: f"{m.acceleration}-{m.sweeps}-{m.radius}")
@pytest.mark.parametrize("seed", range(5))
def test_even_sweeps_and_a_restarted_recurrence_take_the_step_the_theorem_speaks_of(method, seed):
    """dv = P (h (F + f) - h^2 L v) with 0 < P <= (M + h^2 L)^-1, and W = E - f.x + v.B v / 2 does not rise."""
    world, part, rows, h = network(seed)
    stepper, (springs,) = method.bind(world, part), part.tables
    free = rows.inverse_mass > 0.0
    radius = method.radius if method.acceleration == "chebyshev" else None
    p = swept_inverse(part, rows, h, method.sweeps, radius)
    exact = np.linalg.inv((np.diag(part.mass) + h * h * laplacian(springs, len(free)))[np.ix_(free, free)])
    np.testing.assert_allclose(p, p.T, atol=1e-9 * abs(p).max())
    root = np.linalg.inv(np.linalg.cholesky(exact))
    share = np.linalg.eigvalsh(root @ (0.5 * (p + p.T)) @ root.T)
    assert share.min() > 0.0
    assert share.max() <= 1.0 + 1e-9
    b, before = np.linalg.inv(0.5 * (p + p.T)), np.inf
    for _ in range(50):
        v, x, kept = rows.velocity[free].copy(), rows.position.copy(), rows.velocity.copy()
        stepper.advance(rows, np.zeros_like(x), h)
        way = x[springs.ends[:, 1]] - x[springs.ends[:, 0]]
        pull = (springs.stiffness * (1.0 - springs.rest_length / np.linalg.norm(way, axis=1)))[:, None] * way
        force = np.zeros_like(x)
        np.add.at(force, springs.ends[:, 0], pull)
        np.subtract.at(force, springs.ends[:, 1], pull)
        known = h * (force - h * laplacian(springs, len(free)) @ kept)[free]
        np.testing.assert_allclose(rows.velocity[free] - v, p @ known, atol=1e-7 * abs(p @ known).max() + 1e-12)
        after = elastic(springs, rows.position) + 0.5 * np.einsum(
            "ik,ij,jk->", rows.velocity[free], b, rows.velocity[free]
        )
        assert after <= before * (1.0 + 1e-7) + 1e-9
        before = after


def test_approximate_stays_bounded_when_k_m_and_h_change_every_step():
    """Section 8: no theorem, but 2000 steps with everything drawn anew at each."""
    world, part, rows, _ = network(3)
    stepper = Approximate(momentum=False).bind(world, part)
    (springs,) = part.tables
    random, free = np.random.default_rng(0), rows.inverse_mass > 0.0
    reach = 0.0
    for _ in range(2000):
        springs.stiffness[:] = 10.0 ** random.uniform(0, 4)
        mass = 10.0 ** random.uniform(-3, 0)
        rows.inverse_mass[free] = 1.0 / mass
        stepper.refresh()
        stepper.advance(rows, np.zeros_like(rows.position), 1.0 / random.integers(30, 240))
        reach = max(reach, abs(rows.position).max())
    assert reach < 100.0


def test_odd_sweeps_are_refused():
    with pytest.raises(pliant.SceneError, match=r"Approximate\.sweeps = 3; must be even"):
        Approximate(sweeps=3)
