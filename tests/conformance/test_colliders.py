"""Every collider: nothing inside afterwards, held rows untouched."""

import numpy as np
import pytest

from conformance.rooms import bound, concrete, rows
from pliant import colliders

COLLIDERS = concrete(colliders)
STEP = 1.0 / 240.0
ROUNDS = 2000


def scattered(world, part):
    """Rows all over the place in which examples stand, some of them inside."""
    own = rows(world, part)
    random = np.random.default_rng(3)
    own.position[:] = random.uniform((-0.6, -0.2, -0.6), (0.6, 1.2, 0.6), own.position.shape)
    return own


@pytest.mark.parametrize("name", COLLIDERS)
def test_nothing_is_inside_afterwards(name):
    world, part, collider = bound(COLLIDERS[name].example(), cells=12)
    own = scattered(world, part)
    start, before = own.position.copy(), own.position.copy()
    for _ in range(ROUNDS):  # deep rows come out at a bounded speed
        before[:] = own.position
        collider.begin(0.0, STEP)
        collider.resolve(own, before, STEP)
    assert abs(own.position - start).max() > 0.01, "the example of this collider is not where the rows are"
    np.testing.assert_allclose(own.position, before, atol=1e-6)


@pytest.mark.parametrize("name", COLLIDERS)
def test_held_rows_are_untouched(name):
    world, part, collider = bound(COLLIDERS[name].example(), cells=12)
    own = scattered(world, part)
    own.inverse_mass[:] = 0.0
    start = own.position.copy()
    collider.begin(0.0, STEP)
    collider.resolve(own, start, STEP)
    np.testing.assert_array_equal(own.position, start)
