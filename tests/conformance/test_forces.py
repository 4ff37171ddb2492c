"""Every force: -dE/dx, its stiffness by differences, momentum, two worlds from one description."""

import numpy as np
import pytest

from conformance.rooms import bound, concrete, rows
from pliant import forces

FORCES = concrete(forces)
INTERNAL = {kind.__name__ for kind in forces.FOR_TABLE.values()}
H = 1e-6  # [m] of the differences


def pushed(force, own):
    f = np.zeros_like(own.position)
    force.begin(0.0, 1e-3)
    force.add(own, f, 1e-3)
    return f


def moved(own, way):
    return own._replace(position=own.position + way)


@pytest.mark.parametrize("name", FORCES)
def test_a_force_is_minus_the_gradient_of_its_energy(name):
    world, part, force = bound(FORCES[name].example())
    own = rows(world, part, stretch=1.2, noise=0.01)
    if force.energy(own) is None:
        return
    way = np.random.default_rng(1).standard_normal(own.position.shape)
    slope = (force.energy(moved(own, H * way)) - force.energy(moved(own, -H * way))) / (2 * H)
    assert slope == pytest.approx(-np.vdot(pushed(force, own), way), rel=1e-5)


@pytest.mark.parametrize("name", FORCES)
def test_a_stiffness_product_is_the_derivative_of_the_force_at_rest(name):
    world, part, force = bound(FORCES[name].example())
    own = rows(world, part)
    way = np.random.default_rng(2).standard_normal(own.position.shape)
    product = np.zeros_like(way)
    force.add_stiffness_product(own, way, product)
    if force.energy(own) is None:
        return
    difference = (pushed(force, moved(own, -H * way)) - pushed(force, moved(own, H * way))) / (2 * H)
    np.testing.assert_allclose(product, difference, atol=1e-4 * max(1.0, abs(product).max()))


@pytest.mark.parametrize("name", sorted(INTERNAL))
def test_no_displacement_is_stiffer_than_the_bound(name):
    world, part, force = bound(FORCES[name].example())
    own = rows(world, part)
    bound_per_row = 2.0 * np.broadcast_to(force.stiffness_bound(own), len(own.position))
    for seed in range(20):
        way = np.random.default_rng(seed).standard_normal(own.position.shape)
        product = np.zeros_like(way)
        force.add_stiffness_product(own, way, product)
        assert np.vdot(way, product) <= np.vdot(way, bound_per_row[:, None] * way) * (1 + 1e-9)


@pytest.mark.parametrize("name", sorted(INTERNAL))
def test_an_internal_force_conserves_momentum(name):
    world, part, force = bound(FORCES[name].example())
    own = rows(world, part, stretch=1.2, noise=0.01, speed=1.0)
    f = pushed(force, own)
    assert abs(f).max() > 0.0
    np.testing.assert_allclose(f.sum(axis=0), 0.0, atol=1e-9 * abs(f).max())
    np.testing.assert_allclose(np.cross(own.position, f).sum(axis=0), 0.0, atol=1e-8 * abs(f).max())


@pytest.mark.parametrize("name", sorted(INTERNAL))
def test_damping_takes_energy(name):
    world, part, force = bound(FORCES[name].example())
    own = rows(world, part, stretch=1.1, noise=0.01, speed=1.0)
    still = own._replace(velocity=np.zeros_like(own.velocity))
    drag = pushed(force, own) - pushed(force, still)
    assert np.vdot(drag, own.velocity) < 0.0


@pytest.mark.parametrize("name", FORCES)
def test_one_description_serves_two_parts(name):
    description = FORCES[name].example()
    world, part, force = bound(description)
    own = rows(world, part, stretch=1.1, noise=0.01, speed=1.0)
    alone = pushed(force, own)
    description.bind(world, part)
    np.testing.assert_array_equal(pushed(force, own), alone)
    np.testing.assert_array_equal(pushed(description.bind(world, part), own), alone)
