"""The default method of puppets against closed forms, converged chains, an exact solver, and its own conservation."""

from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.geometry import rotation
from pliant.integrators import Shake
from reference.puppets import GRAVITY, Run, fixed_steps, point_chain

REFERENCE = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "reference"
needs_reference = pytest.mark.skipif(not REFERENCE.exists(), reason="the reference numbers (shared/data) are absent")


def chain_error(angles, length, file, step, seconds=1.0):
    """Largest distance of any mass from the converged motion [m]."""
    table = np.genfromtxt(REFERENCE / file, delimiter=",", skip_header=1)
    count = len(angles)
    run = Run(point_chain(angles, length), integrator=fixed_steps())
    worst, each = 0.0, round(0.02 / step)
    for row in table[1 : round(seconds / 0.02) + 1]:
        run.step(step, each)
        exact = np.stack([row[1 : count + 1], row[count + 1 :]], axis=1)
        worst = max(worst, np.linalg.norm(run.rows.position[1:, :2] - exact, axis=1).max())
    return worst


@needs_reference
@pytest.mark.parametrize(
    ("angles", "length", "file", "error"),
    [
        ((20, -10), 1.0, "chain_double_20_m10.csv", 2e-3),
        ((60, 60, 60), 1.0, "chain_triple_60.csv", 1e-2),
    ],
)
def test_pendulum_chains_converge_in_second_order(angles, length, file, error):
    coarse, fine = (chain_error(np.deg2rad(angles), length, file, h) for h in (1 / 100, 1 / 200))
    assert fine < error
    assert np.log2(coarse / fine) >= 1.9


def rod_angle(step, seconds):
    """A uniform rod of 1 m about its end, from 60 degrees."""
    start = np.deg2rad(60.0)
    along = np.array([np.sin(start), -np.cos(start), 0.0])
    turn = tuple(rotation.from_rotation_vector(np.array([0.0, 0.0, start])))
    bead = pliant.Segment(name="bead", shape="sphere", size=(0.01,), center=(0, 0, 0), mass=1.0)
    rod = pliant.Segment(name="rod", size=(1e-4, 1.0), center=tuple(0.5 * along), rotation_xyzw=turn, mass=0.3)
    joint = pliant.Joint(parent="bead", child="rod", anchor=(0, 0, 0))
    puppet = pliant.Puppet(segments=(bead, rod), joints=(joint,), held=("bead",), damping=0.0)
    run = Run(puppet, integrator=fixed_steps()).step(step, round(seconds / step))
    return np.arctan2(run.rows.position[1, 0], -run.rows.position[1, 1])


def test_a_rod_swings_with_its_period():
    """T = 4 sqrt(2 L / (3 g)) K(sin(a / 2)): after one period it is back where it was let go."""
    from scipy.special import ellipk

    period = 4.0 * np.sqrt(2.0 / (3.0 * 9.81)) * ellipk(np.sin(np.deg2rad(30.0)) ** 2)
    quarter = rod_angle(period / 4 / 400, period / 4)
    assert rod_angle(period / 1600, period) == pytest.approx(np.deg2rad(60.0), abs=2e-4)
    assert quarter == pytest.approx(0.0, abs=1e-3)


def thrown(**options):
    """A human in free flight, its limbs turning against each other."""
    run = Run(pliant.Puppet.human(damping=0.0, **options), gravity=(0, 0, 0))
    spin = np.array([1.0, 2.0, 0.5])
    run.rows.velocity[:] = np.array([0.5, 1.0, 0.2]) + np.cross(spin, run.rows.position - run.centre())
    run.rows.spin[:] = spin
    run.rows.spin[2:4] += (4.0, 0.0, 3.0)
    run.rows.spin[8:10] += (3.0, 0.0, 0.0)
    return run.step(1e-4)


def test_momentum_in_free_flight():
    run = thrown()
    (p0, l0), e0 = run.momentum(), run.energy(0.0)
    run.step(1 / 60, 300)
    p1, l1 = run.momentum()
    assert np.linalg.norm(p1 - p0) < 1e-12 * np.linalg.norm(p0)
    assert np.linalg.norm(l1 - l0) < 1e-5 * np.linalg.norm(l0)
    assert 0.9 < run.energy(0.0) / e0 <= 1.001  # limits take energy, they never give


def test_a_thrown_puppet_flies_on_a_parabola():
    run = thrown()
    run.force[:] = run.part.mass[:, None] * GRAVITY
    start, velocity = run.centre(), run.momentum()[0] / run.part.mass.sum()
    run.stepper.last_step[:] = 0.0  # as at the start of a run
    run.step(1 / 60, 60)
    assert run.centre() == pytest.approx(start + velocity + 0.5 * GRAVITY, abs=1e-12)


def test_a_free_box_tumbles():
    """Turned about its middle axis a body flips as often as Euler's equations say; its momentum stays to rounding."""
    from scipy.integrate import solve_ivp

    box = pliant.Segment(name="box", shape="box", size=(0.3, 0.1, 0.2), center=(0, 0, 0), mass=1.0)
    run = Run(pliant.Puppet(segments=(box,), damping=0.0), gravity=(0, 0, 0), integrator=fixed_steps())
    inertia = run.part.inertia[0]
    middle = int(np.argsort(inertia)[1])
    start = np.full(3, 0.1)
    start[middle] = 6.0
    run.rows.spin[0] = start
    before, spins = run.spin_momentum().copy(), []
    for _ in range(450):
        run.step(1 / 450, 10)
        spins.append(rotation.rotate(rotation.inverse(run.rows.rotation_xyzw[0]), run.rows.spin[0])[middle])
    exact = solve_ivp(
        lambda _, w: -np.cross(w, inertia * w) / inertia, (0, 10), start, t_eval=np.arange(1, 451) / 45, rtol=1e-10
    ).y[middle]
    flips = np.count_nonzero(np.diff(np.sign(exact)))
    assert flips >= 2
    assert np.count_nonzero(np.diff(np.sign(spins))) == flips
    assert np.abs(run.spin_momentum() - before).max() < 1e-12


def test_joints_stay_closed_for_ten_thousand_frames():
    """Dragged round and round; no gap after the first frame, and no drift."""
    run = Run(pliant.Puppet.human(held=("hand_right",), damping=2.0), integrator=Shake(longest_step=1 / 60))
    home, worst = run.rows.position[4].copy(), []
    for frame in range(10_000):
        a = 0.02 * frame
        run.drag(4, home + 0.1 * np.array([np.sin(a), 0.5 * np.sin(0.7 * a), 1.0 - np.cos(a)]), 1 / 60)
        if frame % 100 == 0:
            worst.append(run.gaps().max())
    assert worst[0] < 1e-4
    assert max(worst) < 1e-4
    assert np.isfinite(run.rows.position).all()


@pytest.mark.parametrize("rate", [240, 60, 15])
def test_a_violent_drag(rate):
    """A hand thrown about at 3 m/s: joints hold, limits hold, nothing explodes."""
    run = Run(pliant.Puppet.human(held=("hand_right",), damping=2.0))
    home, phase = run.rows.position[4].copy(), np.random.default_rng(0).uniform(0, 6, (3, 3))
    gap = excess = 0.0
    for frame in range(round(3.0 * rate)):
        t = (frame + 1) / rate
        waves = [np.sin(2 * np.pi * f * t + phase[:, k]) - np.sin(phase[:, k]) for k, f in enumerate((0.3, 0.8, 1.7))]
        run.drag(4, home + 0.25 * min(t, 1.0) * np.sum(waves, axis=0) / 3.0, 1 / rate)
        gap, excess = max(gap, run.gaps().max()), max(excess, run.limit_excess().max())
    assert gap < 2e-4
    assert np.rad2deg(excess) < 0.5
    assert np.isfinite(run.rows.velocity).all()


@pytest.mark.parametrize("ratio", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("rate", [240, 15])
def test_mass_ratios(ratio, rate):
    """Six rods, the last one a thousand times lighter or heavier, from the horizontal."""
    chain = pliant.Puppet.chain(6, length=0.1, mass=0.1, damping=0.0)
    segments = list(chain.segments)
    segments[-1] = segments[-1].replace(mass=0.1 * ratio)
    run = Run(chain.replace(segments=tuple(segments)))
    run.rows.velocity[1:] += np.linspace(0.2, 1.2, 6)[:, None] * np.array([1.0, 0.0, 0.6])
    run.rows.spin[1:] = np.cross([0.0, -1.0, 0.0], [1.0, 0.0, 0.6]) * 2.0
    run.step(1e-4)
    start, lowest = run.energy(), run.energy()
    for _ in range(5 * rate):
        run.step(1 / rate)
        lowest = max(lowest, run.energy())
        assert run.gaps().max() < 3e-4
    assert lowest - start < 0.2 * abs(start) + 0.05
    assert np.isfinite(run.rows.position).all()


def test_two_runs_and_two_thread_counts_give_equal_bits():
    from pliant.kernels import maximum_thread_count, set_thread_count

    puppet = pliant.Puppet.human(places=pliant.grid_of_places(4, 1.0))
    frames = []
    try:
        for threads in (1, maximum_thread_count()):
            set_thread_count(threads)
            frames.append(Run(puppet).step(1 / 60, 5).rows.position.tobytes())
    finally:
        set_thread_count(maximum_thread_count())
    assert frames[0] == frames[1]


def test_rewinding_repeats_the_run():
    scene = pliant.Scene(parts={"puppet": pliant.Puppet.human(held=("head",))})
    session = pliant.Session(scene)
    session.step(3)
    saved = session.save_state()
    session.step(3)
    first = session.state.hash()
    session.load_state(saved)
    session.step(3)
    assert session.state.hash() == first


def test_a_copy_moves_like_the_original():
    one, two = (Run(pliant.Puppet.human(held=("head",), places=p)) for p in (((0, 0, 0),), ((0, 0, 0), (3, 0, 0))))
    one.step(1 / 60, 20)
    two.step(1 / 60, 20)
    assert (two.rows.position[:14] == one.rows.position).all()
    assert two.rows.position[14:] == pytest.approx(one.rows.position + np.array([3, 0, 0]), abs=1e-9)
