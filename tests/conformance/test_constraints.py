"""Every constraint: sweeps converge, momentum is kept, held rows stay."""

import numpy as np
import pytest

from conformance.rooms import bound, concrete, rows
from pliant import constraints

CONSTRAINTS = concrete(constraints)
STEP = 1.0 / 60.0


def swept(constraint, own, previous, count):
    """Project and return how far the last sweep moved anything [m]."""
    before = own.position.copy()
    for _ in range(count):
        before[:] = own.position
        constraint.project(own, previous, STEP)
    return abs(own.position - before).max()


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_sweeps_converge(name):
    world, part, constraint = bound(CONSTRAINTS[name].example())
    own = rows(world, part, noise=0.01)
    previous = own.position.copy()
    constraint.begin(own, STEP)
    first = swept(constraint, own, previous, 1)
    assert swept(constraint, own, previous, 400) <= 1e-3 * first
    assert np.isfinite(own.position).all()


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_a_part_that_nothing_holds_keeps_its_momentum(name):
    world, part, constraint = bound(CONSTRAINTS[name].example())
    own = rows(world, part, noise=1e-4)
    if (own.inverse_mass == 0.0).any():
        own.inverse_mass[:] = 1.0 / part.mass
    start = own.position.copy()
    constraint.begin(own, STEP)
    constraint.project(own, start, STEP)
    way = (own.position - start) / own.inverse_mass[:, None]
    np.testing.assert_allclose(way.sum(axis=0), 0.0, atol=1e-12 * max(abs(way).max(), 1.0))
    turn = np.cross(start, way).sum(axis=0)
    np.testing.assert_allclose(turn, 0.0, atol=1e-2 * abs(way).sum() * abs(own.position - start).max() + 1e-12)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_held_rows_stay(name):
    world, part, constraint = bound(CONSTRAINTS[name].example())
    own = rows(world, part, stretch=1.3, noise=0.02)
    own.inverse_mass[::3] = 0.0
    start = own.position.copy()
    constraint.begin(own, STEP)
    swept(constraint, own, start, 5)
    np.testing.assert_array_equal(own.position[::3], start[::3])


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_at_rest_nothing_moves(name):
    world, part, constraint = bound(CONSTRAINTS[name].example())
    own = rows(world, part)
    start = own.position.copy()
    constraint.begin(own, STEP)
    assert swept(constraint, own, start, 3) <= 1e-12
