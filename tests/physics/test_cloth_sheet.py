"""Regular sheets: strain, swing, momentum, bits, and bending and stretching against analytic answers."""

import numpy as np
import pytest

from pliant.bench.cloth import structural_strain
from pliant.bench.strain import draped, flapping, hanging
from pliant.forces import Gravity, Wind
from pliant.integrators import XPBD
from pliant.kernels import set_thread_count
from pliant.loop.stage import Stage
from pliant.lowering import build
from pliant.scene import Cloth, Fabric, Scene

G = 9.81
AIR = (Gravity(), Wind())


def sheet(n, **options):
    return Cloth.sheet(**{"width": 1.0, "height": 1.0, "columns": n, "rows": n, "fabric": "cotton"} | options)


def run(scene, seconds, fps, look=None, damping=0.0):
    world = build(scene)
    stage, state = Stage(world), world.initial_state()
    seen = []
    for _ in range(round(seconds * fps)):
        stage.step(state, 1.0 / fps)
        state.velocity *= 1.0 - damping
        if look is not None:
            seen.append(look(world.parts["s"], state))
    return world, state, seen


def worst_strain(part, state):
    return structural_strain(part, state.position[part.rows]).max()


@pytest.mark.parametrize(("scene", "n", "fps"), [(hanging, 20, 30), (hanging, 32, 240), (flapping, 20, 60)])
def test_strain_stays_within_the_limit(scene, n, fps):
    _, _, strain = run(scene(n), 1.0, fps, worst_strain)
    assert max(strain) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("scene", [hanging, flapping, draped])
@pytest.mark.parametrize(("n", "fps"), [(20, 30), (20, 240), (64, 30), (64, 60)])
def test_strain_stays_within_the_limit_at_any_size_and_step(scene, n, fps):
    _, _, strain = run(scene(n), 1.2, fps, worst_strain)
    assert max(strain) <= 0.05


@pytest.mark.parametrize("n", [15, 31])
def test_a_released_sheet_swings_in_time(n):
    """Section 16 of the spec: the lower border passes below the pins after 0.4655 to 0.4750 s."""
    fabric = Fabric(density=0.2, stretch=500.0, shear=500.0, bend=1e-6)
    cloth = sheet(n, fabric=fabric, pinned="top", lies="flat", center=(0, 1, 0))
    scene = Scene(parts={"s": cloth}, fields=(Gravity(),))
    _, _, behind = run(scene, 0.6, 240, lambda part, state: state.position[: n + 1, 2].mean() + 0.5)
    behind = np.array(behind)
    k = int(np.flatnonzero(behind <= 0.0)[0])
    passed = (k + behind[k - 1] / (behind[k - 1] - behind[k])) / 240
    assert passed == pytest.approx(0.47, rel=0.03)


def test_a_hanging_sheet_does_not_creep():
    scene = Scene(parts={"s": sheet(20, pinned="top", center=(0, 1, 0))}, fields=AIR)
    _, _, low = run(scene, 3.0, 60, lambda part, state: state.position[:, 1].min())
    assert abs(low[-1] - low[120]) < 1e-4


def test_a_free_sheet_keeps_its_momentum():
    world = build(Scene(parts={"s": sheet(16, fabric=Fabric(damping=1e-3))}, fields=()))
    stage, state = Stage(world), world.initial_state()
    mass = world.parts["s"].mass
    state.velocity[:] = np.random.default_rng(1).normal(size=state.velocity.shape)

    def momenta():
        p = mass[:, None] * state.velocity
        return p.sum(axis=0), np.cross(state.position, p).sum(axis=0)

    before = momenta()
    scale = float((mass * np.linalg.norm(state.velocity, axis=1)).sum())
    for _ in range(10):
        stage.step(state, 1 / 60)
    after = momenta()
    assert np.allclose(before[0], after[0], atol=0.02 * scale)  # the strain limit conserves it as well
    assert np.allclose(before[1], after[1], atol=0.02 * scale)


def test_threads_do_not_change_a_bit():
    hashes = []
    for threads in (1, 2):
        set_thread_count(threads)
        _world, state, _ = run(hanging(56), 0.1, 60)
        hashes.append(state.hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize(("gamma", "drop"), [(2.0, 0.2385), (10.0, 0.7002)])
def test_a_strip_bends_under_its_weight_as_an_elastica(gamma, drop):
    """Clamped strip of length L: w L^3 / B = gamma; drop / L by shooting on B theta'' = -w s cos(theta)."""
    length, density, n = 0.2, 0.2, 40
    bend = density * G * length**3 / gamma
    cloth = Cloth.sheet(
        width=length * (1 + 1 / n),
        height=0.02,
        columns=n + 1,
        rows=4,
        fabric=Fabric(density=density, stretch=5e4, shear=5e3, bend=bend, damping=1e-3),
        pinned=lambda p: p[:, 0] <= p[:, 0].min() + 1.01 * length / n,
        lies="flat",
        center=(0, 1, 0),
    )
    scene = Scene(parts={"s": cloth}, fields=(Gravity(),))
    _, _, seen = run(scene, 1.5, 60, lambda part, state: (1.0 - state.position[(n + 2) * 3 - 1, 1]) / length, 0.15)
    assert elastica_drop(gamma) == pytest.approx(drop, abs=2e-3)
    assert np.mean(seen[-20:]) == pytest.approx(drop, rel=0.05)


def elastica_drop(gamma):
    """Drop over length, from the clamp to the free end."""
    steps = 400

    def shoot(moment):
        theta, kappa, drop = 0.0, moment, 0.0
        for k in range(steps):
            s = (k + 0.5) / steps
            middle = theta + 0.5 * kappa / steps
            kappa -= gamma * (1.0 - s) * np.cos(middle) / steps
            theta += (kappa + 0.5 * gamma * (1.0 - s) * np.cos(middle) / steps) / steps
            drop += np.sin(middle) / steps
        return kappa, drop

    low, high = 0.0, gamma
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if shoot(middle)[0] < 0.0 else (low, middle)
    return shoot(low)[1]


def test_a_hanging_strip_grows_by_its_weight():
    """Extension = density g L^2 / (2 Y)."""
    fabric = Fabric(density=0.2, stretch=50.0, shear=5.0, bend=1e-6, damping=1e-2, limit=None)
    cloth = Cloth.sheet(
        width=0.2,
        height=1.0,
        columns=4,
        rows=20,
        fabric=fabric,
        pinned="top",
        center=(0, 0.5, 0),
        integrator=XPBD(strain=1e-3),
    )
    scene = Scene(parts={"s": cloth}, fields=(Gravity(),))
    _, _, low = run(scene, 3.0, 60, lambda part, state: -state.position[2, 1], 0.05)
    assert np.mean(low[-60:]) == pytest.approx(0.2 * G / (2 * 50.0), rel=0.06)


@pytest.mark.slow
def test_the_drape_of_one_sheet_does_not_depend_on_its_cells():
    """The settled lower border of a sheet hung by its top, at three resolutions, within 2 % of its size."""
    lows = []
    for n in (20, 40, 80):
        cloth = sheet(n, pinned="top-corners", center=(0, 0.5, 0))
        _, state, _ = run(Scene(parts={"s": cloth}, fields=AIR), 2.0, 60, damping=0.03)
        grid = state.position.reshape(n + 1, n + 1, 3)
        lows.append(grid[0, :: n // 20, 1])
    assert np.abs(lows[1] - lows[2]).max() < 0.02
    assert np.abs(lows[0] - lows[2]).max() < 0.02
