"""Every integrator: free fall, order, the static shape, equal bits, held rows, live changes, memory."""

import tracemalloc

import numpy as np
import pytest

import pliant
from conformance.rooms import cloth, concrete, rows
from pliant import integrators
from pliant.kernels import maximum_thread_count, set_thread_count
from pliant.loop import Stage
from pliant.lowering import revise
from pliant.world import rows_of
from reference.static_sag import SCENES, lowest_energy

INTEGRATORS = {kind.name: kind.example() for kind in concrete(integrators).values() if kind.family != "articulated"}
FRAME = 1.0 / 60.0
SOFT = pliant.Fabric(density=0.2, stretch=40.0, shear=30.0, bend=1e-4, damping=0.02)


def world_of(method, *, substeps=None, fabric=SOFT, cells=6, **options):
    sheet = pliant.Cloth.sheet(
        width=1, height=1, columns=cells, rows=cells, fabric=fabric, integrator=method, self_contact=False, **options
    )
    return pliant.build(pliant.Scene(parts={"sheet": sheet}, substeps=substeps))


def safe_substeps(world, least):
    """At least as many as half the stable step needs."""
    stage, state = Stage(world), world.initial_state()
    limit = min(part.stepper.stable_step(stage.rows(state, name)) for name, part in stage.parts.items())
    return max(least, int(np.ceil(2.0 * FRAME / limit)))


def run(world, frames, *, substeps=None, state=None):
    import dataclasses

    stage = Stage(dataclasses.replace(world, substeps=substeps or world.substeps))
    state = world.initial_state() if state is None else state
    for _ in range(frames):
        stage.step(state, FRAME)
    return state


def shaken(world, *, noise=0.01, speed=0.2):
    """A state with random offsets and velocities of its free rows."""
    state = world.initial_state()
    random, free = np.random.default_rng(4), state.inverse_mass > 0.0
    state.position[free] += noise * random.standard_normal((free.sum(), 3))
    state.velocity[free] += speed * random.standard_normal((free.sum(), 3))
    return state


@pytest.mark.parametrize("name", INTEGRATORS)
def test_free_fall(name):
    world = world_of(INTEGRATORS[name])
    count = safe_substeps(world, 8)
    state = run(world, 30, substeps=count)
    fall = world.initial_state().position[:, 1] - state.position[:, 1]
    assert fall == pytest.approx(0.5 * 9.81 * state.time**2, abs=9.81 * state.time * FRAME / count)


@pytest.mark.parametrize("name", [n for n, method in INTEGRATORS.items() if method.order is not None])
def test_the_error_falls_with_the_order(name):
    """Halving the step must take the error down by 2 ** order; the reference is another method in tiny steps."""
    method = INTEGRATORS[name]
    soft = pliant.Fabric(density=1.0, stretch=5.0, shear=5.0, bend=1e-6, damping=0.0, limit=None)
    options = {"fabric": soft, "cells": 3, "pinned": "top"}
    world, exact = world_of(method, **options), world_of(integrators.Symplectic(), **options)
    start = shaken(world)
    reference = run(exact, 6, substeps=4096, state=start.copy()).position
    coarse, fine = (abs(run(world, 6, substeps=n, state=start.copy()).position - reference).max() for n in (64, 128))
    assert np.log2(coarse / fine) == pytest.approx(method.order, abs=0.25)


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("name", [n for n, method in INTEGRATORS.items() if method.elastic])
def test_one_cloth_hangs_the_same_under_every_integrator(name, scene):
    """The shape it comes to rest in is the minimum of energy that L-BFGS finds without any integrator."""
    world = SCENES[scene](INTEGRATORS[name])
    # one sweep per substep leaves a position method an error that falls with the square of the substep
    substeps = safe_substeps(world, 64 if INTEGRATORS[name].family == "force" else 192)
    state = run(world, 240, substeps=substeps)  # `approximate` creeps: it pays for its stability with inertia
    expected = lowest_energy(scene)
    sag = abs(expected - world.initial_state().position).max()
    assert abs(state.velocity).max() < 0.02
    assert abs(state.position - expected).max() < 0.01 * sag


@pytest.mark.parametrize("name", INTEGRATORS)
def test_two_runs_give_equal_bits(name):
    world = world_of(INTEGRATORS[name], pinned="top-corners", lies="flat")
    count = safe_substeps(world, 4)
    assert run(world, 10, substeps=count).hash() == run(world, 10, substeps=count).hash()


def stepper_of(name, **options):
    world = world_of(INTEGRATORS[name], **options)
    return world, world.parts["sheet"], INTEGRATORS[name].bind(world, world.parts["sheet"])


def stepped(stepper, own, force, h):
    """One whole substep of a part that stands alone."""
    start = own.position.copy()
    stepper.advance(own, force.copy(), h)
    predicted = own.position.copy()
    for constraint in stepper.constraints:
        constraint.begin(own, h)
    for constraint in stepper.constraints:
        constraint.project(own, start, h)
    own.velocity[own.inverse_mass > 0] += ((own.position - predicted) / h)[own.inverse_mass > 0]
    return own


@pytest.mark.parametrize("name", INTEGRATORS)
def test_held_rows_keep_their_velocity_and_are_carried_by_it(name):
    _, part, stepper = stepper_of(name, pinned="top")
    own = rows(cloth(cells=6, pinned="top"), part, noise=0.0)
    own.velocity[part.held] = (0.3, -0.2, 0.1)
    start, force, h = own.position.copy(), np.zeros_like(own.position), 1e-4
    force[:, 1] = -0.01
    stepped(stepper, own, force, h)
    np.testing.assert_array_equal(own.velocity[part.held], np.tile((0.3, -0.2, 0.1), (len(part.held), 1)))
    np.testing.assert_array_equal(own.position[part.held], start[part.held] + h * own.velocity[part.held])
    assert np.isfinite(own.position).all()


@pytest.mark.parametrize("name", INTEGRATORS)
def test_k_m_h_and_held_rows_change_between_any_two_steps(name):
    """After a change, a stepper that has run takes the same step as one that knows nothing else."""
    world, part, used = stepper_of(name, pinned="top-left")
    _, _, fresh = stepper_of(name, pinned="top-left")
    stiffer = pliant.Fabric(density=0.5, stretch=70.0, shear=50.0, bend=3e-4, damping=0.01)
    new_world, new_part, known = stepper_of(name, pinned="top-left", fabric=stiffer)
    state = shaken(world)
    force = np.tile((0.0, -0.01, 0.002), (len(part.mass), 1))

    def compare(stepper, h):
        mine, other = state.copy(), state.copy()
        stepped(used, rows_of(mine, part), force, h)
        stepped(stepper, rows_of(other, part), force, h)
        np.testing.assert_array_equal(mine.position, other.position)
        np.testing.assert_array_equal(mine.velocity, other.velocity)

    stepped(used, rows_of(state, part), force, 1e-4)
    compare(fresh, 3e-4)
    state.inverse_mass[20:25] = 0.0  # grab
    compare(fresh, 3e-4)
    state.inverse_mass[20:25] = 1.0 / part.mass[20:25]  # and let go
    compare(fresh, 1e-4)
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=6, rows=6, fabric=stiffer, pinned="top-left")
    assert revise(sheet, part)
    used.refresh()
    free = state.inverse_mass > 0.0
    state.inverse_mass[free] = 1.0 / part.mass[free]
    np.testing.assert_allclose(part.mass, new_part.mass, rtol=1e-15)
    compare(known, 2e-4)
    assert new_world.parts["sheet"] is new_part


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_step_allocates_nothing_that_grows_with_the_part(name):
    _, part, stepper = stepper_of(name, pinned="top", cells=31)
    own, force = rows(cloth(cells=31, pinned="top"), part), np.zeros((len(part.mass), 3))
    work, start = force.copy(), own.position.copy()

    def step():
        work[:] = force
        stepper.advance(own, work, 1e-5)
        for constraint in stepper.constraints:
            constraint.begin(own, 1e-5)
            constraint.project(own, start, 1e-5)

    for _ in range(3):
        step()
    tracemalloc.start()
    try:
        step()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.3 * own.position.nbytes


@pytest.mark.parametrize("name", INTEGRATORS)
def test_one_description_serves_two_worlds(name):
    method = INTEGRATORS[name]
    light, heavy = world_of(method, pinned="top"), world_of(method, pinned="top", fabric=SOFT.replace(density=20.0))
    count = safe_substeps(light, 4)
    alone = run(light, 3, substeps=count).hash()
    first, second = Stage(light), Stage(heavy)
    a, b = light.initial_state(), heavy.initial_state()
    first.world, second.world = (world_of(method, pinned="top", substeps=count) for _ in range(2))
    for _ in range(3):
        first.step(a, FRAME)
        second.step(b, FRAME)
    assert a.hash() == alone


def test_every_integrator_has_its_name():
    assert {kind.name: kind for kind in concrete(integrators).values()} == integrators.INTEGRATORS


@pytest.mark.slow
@pytest.mark.parametrize("name", INTEGRATORS)
def test_threads_change_no_bit(name):
    """A sheet large enough to be shared among threads."""
    world, part, stepper = stepper_of(name, pinned="top-corners", cells=57)
    force, found = np.tile((0.0, -0.01, 0.002), (len(part.mass), 1)), []
    try:
        for threads in (1, 2):
            set_thread_count(threads)
            state = shaken(world, noise=1e-3)
            stepper.refresh()
            for _ in range(2):
                stepped(stepper, rows_of(state, part), force, 1e-4)
            found.append(state.hash())
    finally:
        set_thread_count(maximum_thread_count())
    assert found[0] == found[1]
