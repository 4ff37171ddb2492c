"""Claims of seed 000 and seed 002 about whole cloths: spec of seed 000, sections 5d, 14 and 15."""

import numpy as np
import pytest

import pliant
from physics.papers_cloth import STEP, lying_sheet, step, strain
from pliant.forces import SpringForce
from pliant.integrators import INTEGRATORS, Approximate, Filtered, Harmonic, Implicit
from pliant.world import rows_of


def lasts(method, stiffness, count, *, h=STEP, cells=14):
    """How many steps a method survives, up to `count`."""
    world = pliant.build(lying_sheet(method, stiffness, cells=cells))
    state = world.initial_state()
    try:
        step(world, state, count, h=h)
    except pliant.UnstableError:
        return state.frame
    return count


@pytest.mark.parametrize("name", ["explicit", "symplectic"])
def test_explicit_methods_break_at_once_where_springs_are_stiff(name):
    """Figure 3 at k = 1000."""
    assert lasts(INTEGRATORS[name](), 1000.0, 21) <= 20


def test_forward_euler_breaks_even_where_springs_are_soft():
    assert lasts(INTEGRATORS["explicit"](), 1.0, 400) == pytest.approx(187, abs=20)


@pytest.mark.slow
def test_filter_and_eq_4_come_to_the_same_rest():
    """Figure 3 at k = 1000 without strain limiting: 10,000 steps."""
    found = {}
    for method in (Filtered(), Approximate()):
        world = pliant.build(lying_sheet(method, 1000.0))
        state = world.initial_state()
        step(world, state, 10000)
        found[method.name] = state.position
        assert -state.position[:, 1].min() == pytest.approx(1.0826, abs=2e-3)
        assert strain(world, state) == pytest.approx(0.4404, abs=2e-3)
    np.testing.assert_allclose(found["filtered"], found["approximate"], atol=1e-4)


@pytest.mark.parametrize("r", [1e-2, 1.0, 1e2, 1e4, 1e6])
def test_eq_4_and_the_split_oscillators_never_break(r):
    """Sections 6 and 15: r = h^2 k / m over eight decades."""
    for method in (Approximate(), Harmonic(), Harmonic(form="backward")):
        assert lasts(method, 0.1 * r / STEP**2, 500) == 500


@pytest.mark.parametrize(("form", "limit"), [("half", 0.401), ("full", 0.192)])
def test_where_oscillators_break_that_count_mass_more_than_once(form, limit):
    """Section 15: network limits in r, between 10 % below and 25 % above."""
    method, h = Harmonic(form=form), 1.0 / 60.0
    assert lasts(method, 0.9 * limit * 0.1 / h**2, 1500, h=h) == 1500
    assert lasts(method, 1.25 * limit * 0.1 / h**2, 3000, h=h) < 3000


def test_the_limit_of_symplectic_euler():
    """Section 4: r = 0.24 holds, r = 0.28 breaks; the rule that refuses is safe."""
    method = INTEGRATORS["symplectic"]()
    assert lasts(method, 0.24 * 0.1 / STEP**2, 2000) == 2000
    assert lasts(method, 0.28 * 0.1 / STEP**2, 3000) < 3000


@pytest.mark.parametrize("method", [Filtered(), Approximate(), Implicit()], ids=lambda m: m.name)
def test_a_free_sheet_keeps_its_momentum(method):
    """Section 5d: rigid rotation of 2 rad/s for 1 s at k = 1000."""
    world = pliant.build(lying_sheet(method, 1000.0, pinned=None, gravity=0.0))
    state, part = world.initial_state(), world.parts["sheet"]
    own = rows_of(state, part)
    own.velocity[:] = np.cross((0.0, 2.0, 0.0), own.position)
    own.velocity[:] += np.array((0.3, 0.1, 0.0))
    mass = part.mass[:, None]

    def momenta():
        center = (mass * own.position).sum(axis=0) / mass.sum()
        return (mass * own.velocity).sum(axis=0), np.cross(own.position - center, mass * own.velocity).sum(axis=0)

    linear, angular = momenta()
    kinetic = 0.5 * float((mass * own.velocity**2).sum())
    step(world, state, 30)
    after = momenta()
    np.testing.assert_allclose(after[0], linear, atol=1e-9 * abs(linear).max())
    np.testing.assert_allclose(after[1], angular, atol=1e-9 * abs(angular).max())
    assert 0.5 * float((mass * own.velocity**2).sum()) > 0.85 * kinetic


def test_newton_converges_where_one_linear_solve_does_not():
    """Backward Euler itself: after 20 Newton iterations the momentum equation holds."""
    method = Implicit(newton=20, tolerance=1e-10, iterations=2000)
    world = pliant.build(lying_sheet(method, 1000.0))
    state, part = world.initial_state(), world.parts["sheet"]
    step(world, state, 5)
    before = state.copy()
    step(world, state, 1)
    own, force = rows_of(state, part), np.zeros_like(state.position)
    SpringForce().bind(world, part).add(own, force, STEP)
    change = part.mass[:, None] * (state.velocity - before.velocity) / STEP
    free = state.inverse_mass > 0.0
    force[:, 1] -= 9.8 * part.mass
    assert abs((change - force)[free]).max() < 1e-4 * abs(force[free]).max()


def test_an_unstable_step_is_refused_with_the_substeps_it_needs():
    scene = lying_sheet(INTEGRATORS["symplectic"](), 1000.0)
    with pytest.raises(pliant.UnstableError, match=r"part 'sheet': symplectic .* substeps >= \d+ \(now 1\)") as error:
        pliant.simulate(scene, frames=3, fps=30)
    needed = int(str(error.value).split(">= ")[1].split()[0])
    *_, last = pliant.simulate(scene, frames=30, fps=30, substeps=needed)
    assert np.isfinite(last["sheet"].points).all()


def test_a_run_that_diverges_stops_at_once():
    """Forward Euler is refused only beyond where it explodes at once; it is stopped when it does."""
    frames = pliant.simulate(lying_sheet(INTEGRATORS["explicit"](), 1.0), frames=1000, fps=30)
    kept = []
    message = r"part 'sheet', particle \d+: left the stage .* at t = [\d.]+ s under 'explicit'"
    with pytest.raises(pliant.UnstableError, match=message):
        kept.extend(frames)
    assert 150 < len(kept) < 250
    assert max(np.abs(frame["sheet"].points).max() for frame in kept) <= 1e4
