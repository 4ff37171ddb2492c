"""Gas that comes and goes: pipes, bursting, pumps, warm air, and what figures 3 to 7 of seed 001 show."""

import numpy as np
import pytest

import pliant
from pliant import Balloon, Gas, Pipe, Skin
from pliant.constants import ATMOSPHERE
from pliant.geometry import closed, surface
from pliant.integrators.inflated import InflatedPBD
from pliant.loop import Stage
from pliant.loop.frames import picture
from pliant.lowering import build
from pliant.world import Volumes, rows_of

NO_WEIGHT = (pliant.Gravity(acceleration=(0, 0, 0)),)
R0 = 0.05
PARTY = Skin(density=3e-3 / (4 * np.pi * R0**2), burst=None)


def staged(parts, fields=NO_WEIGHT, **scene):
    world = build(pliant.Scene(parts=parts, fields=fields, **scene))
    return Stage(world), world.initial_state()


def steps(stage, state, count):
    for _ in range(count):
        stage.step(state, 1 / 60)


def gauge(stage, name):
    return stage.parts[name].stepper.gauge


def test_the_small_balloon_fills_the_large_one_through_a_pipe():
    parts = {
        name: Balloon.sphere(R0, detail=2, center=(x, 1, 0), skin=PARTY, gas=Gas(kind="air", fill=fill))
        for name, x, fill in (("small", -0.3, 6.5), ("large", 0.3, 20.0))
    }
    stage, state = staged(parts, pipes=(Pipe(a="small", b="large", radius=4e-3, opens=0.5),))
    steps(stage, state, 30)
    moles, before = state.moles.copy(), (gauge(stage, "small"), gauge(stage, "large"))
    assert before[0] > before[1] + 100.0  # a skin pulls hardest at twice its radius
    steps(stage, state, 240)
    assert state.moles.sum() == pytest.approx(moles.sum(), rel=1e-12)
    assert state.moles[0] < 0.7 * moles[0]
    assert gauge(stage, "small") == pytest.approx(gauge(stage, "large"), rel=0.01)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": "c"}, r"pipes\[0\]: .*'c'"),
        ({"b": "a"}, r"both ends are at 'a'"),
        ({}, r"hold different gases"),
    ],
)
def test_a_pipe_that_cannot_be_is_refused(change, message):
    parts = {"a": Balloon.sphere(0.1, gas="air"), "b": Balloon.sphere(0.1, center=(1, 1, 0), gas="helium")}
    with pytest.raises(pliant.SceneError, match=message):
        build(pliant.Scene(parts=parts, pipes=(Pipe(a="a", b="b").replace(**change),)))


def test_a_skin_bursts_at_its_limit_and_not_before():
    skin = PARTY.replace(burst=1.8)
    for target, burst in ((1.7, False), (1.9, True)):
        rest = 4 / 3 * np.pi * R0**3
        gas = Gas(fill=1.0, pump=0.02, target=rest * target**3)
        stage, state = staged({"b": Balloon.sphere(R0, detail=2, skin=skin, gas=gas)})
        steps(stage, state, 90)
        frame = picture(stage.world, state)["b"]
        assert frame.burst == burst
    stage, state = staged({"b": Balloon.sphere(R0, detail=2, skin=skin, gas=Gas(fill=7.0))})
    steps(stage, state, 60)
    assert picture(stage.world, state)["b"].volume < 1.05 * rest  # nothing is left but what the slack skin holds


def test_a_pump_gives_its_rate_and_keeps_its_target():
    gas = Gas(fill=1.0, pump=2e-3, pump_from=0.5, pump_until=1.5)
    stage, state = staged({"b": Balloon.sphere(R0, detail=2, skin=PARTY, gas=gas)})
    start = float(state.moles[0])
    steps(stage, state, 120)
    assert float(state.moles[0]) - start == pytest.approx(gas.moles(2e-3), rel=0.01)
    gas = Gas(fill=1.0, pump=5e-3, target=2e-3)
    stage, state = staged({"b": Balloon.sphere(R0, detail=2, skin=PARTY, gas=gas)})
    steps(stage, state, 60)
    assert float(state.moles[0]) == pytest.approx(gas.moles(2e-3), rel=1e-9)


def test_adiabatic_gas_cools_when_it_works_and_isothermal_does_not():
    seen = {}
    for process in ("isothermal", "adiabatic"):
        gas = Gas(kind="air", fill=6.0, process=process, valve_from=0.5)
        ball = Balloon.sphere(R0, detail=2, skin=PARTY, gas=gas, nozzle_radius=3e-3)
        stage, state = staged({"b": ball})
        steps(stage, state, 30)
        before = picture(stage.world, state)["b"]
        steps(stage, state, 120)
        after = picture(stage.world, state)["b"]
        seen[process] = after.temperature - before.temperature
        if process == "adiabatic":
            expected = before.temperature * ((after.pressure / before.pressure) ** (1 - 1 / 1.4) - 1)
            assert seen[process] == pytest.approx(expected, rel=0.02, abs=0.02)
            assert seen[process] < -0.5
    assert seen["isothermal"] == 0.0


def test_hot_air_lifts_what_air_does_not():
    rises = {}
    for kind, temperature in (("hot-air", 373.15), ("air", 293.15)):
        gas = Gas(kind=kind, temperature=temperature, fill=1.0)
        ball = Balloon.sphere(0.4, detail=2, skin=Skin(density=0.01, stretch=2e3), gas=gas)
        stage, state = staged({"b": ball}, (pliant.Gravity(),))
        start = state.position[:, 1].mean()
        steps(stage, state, 30)
        rises[kind] = state.position[:, 1].mean() - start
        if kind == "hot-air":
            volume, outside, inside = 4 / 3 * np.pi * 0.4**3, 1.2041, 1.2041 * 293.15 / 373.15
            skin = 0.01 * 4 * np.pi * 0.16
            lift = ((outside - inside) * volume - skin) / (skin + (inside + 0.5 * outside) * volume)
            assert rises[kind] == pytest.approx(0.5 * 9.81 * lift * 0.25, rel=0.1)
    assert rises["air"] < 0.0


@pytest.mark.parametrize("share", [0.5, 1.5, 3.0, 4.0])
def test_volumes_of_figures_3_and_5(share):
    """The spec's bound for one or two iterations: 2e-4."""
    from pliant.gallery.breathing_animal import bear

    points, triangles = bear(cell=0.022)
    rest = surface.enclosed_volume(points, triangles)
    gas = Gas(kind="air", volume=share * rest, added_mass=0.0)
    stage, state = staged({"b": Balloon.from_mesh(points, triangles, skin=Skin(stretch=60.0), gas=gas)})
    steps(stage, state, 90)
    rows = rows_of(state, stage.world.parts["b"])
    volume = surface.enclosed_volume(rows.position, stage.parts["b"].part.triangles)
    pressure = ATMOSPHERE + max(gauge(stage, "b"), 0.0)
    assert volume == pytest.approx(ATMOSPHERE * share * rest / pressure, rel=2e-4)


# Another program, written for the spec before this one, let the same bear go with the same fills: until 99
# per cent of the surplus gas was gone it took [s], turned [rad], spun at most at [rad/s], and its middle went [m].
ANOTHER = {
    1.25: (0.38, 1.05, 3.56, 0.106),
    1.75: (0.75, 5.15, 8.72, 0.475),
    2.50: (1.13, 10.15, 12.50, 0.766),
    4.00: (1.83, 16.22, 13.96, 1.518),
}


def test_more_gas_turns_it_farther_and_faster_as_in_figure_6():
    """The spec's fills, volume, skin and opening, so its moles; how far they turn it is the mesh's, here a bear."""
    from pliant.gallery.breathing_animal import bear

    points, triangles = bear(cell=0.022)
    points = points * (5.823e-3 / surface.enclosed_volume(points, triangles)) ** (1 / 3)
    side = [0.06, *points[points[:, 2].argmin(), 1:]]  # thrust passes beside the centre
    leaked, turned = [], []
    for fill, (time, turn, peak, way) in ANOTHER.items():
        gas, skin = Gas(fill=fill, valve_from=0.5), Skin(density=0.03, stretch=60.0)
        part = Balloon.from_mesh(points, triangles, skin=skin, gas=gas, nozzle=side, nozzle_radius=10e-3)
        stage, state = staged({"b": part}, (pliant.Wind(),))
        rows = rows_of(state, stage.world.parts["b"])
        steps(stage, state, 30)
        start, rest = float(rows.moles[0]), float(rows.moles[0]) / fill
        angle, most, gone, middle = 0.0, 0.0, [], []
        for frame in range(200):
            steps(stage, state, 1)
            spin = np.linalg.norm(spin_of(rows))
            angle, most = angle + spin / 60, max(most, spin)
            middle.append(middle_of(rows))
            if not gone and float(rows.moles[0]) < 1.01 * rest:
                gone = [(frame + 1) / 60, angle, most, np.linalg.norm(np.diff(middle, axis=0), axis=1).sum()]
            if float(rows.moles[0]) < 1.00001 * rest:  # there the spec stops counting
                break
        assert gone == pytest.approx([time, turn, peak, way], rel=0.1)  # measured within 8 per cent
        leaked.append(start - float(rows.moles[0]))
        turned.append(angle)
    assert leaked == pytest.approx([0.0605, 0.1816, 0.3631, 0.7262], rel=1e-3)  # [mol]
    assert turned == pytest.approx([1.78, 7.30, 13.72, 21.37], rel=0.3)  # of a rabbit: measured 2.2, 7.6, 13.6, 20.1
    assert turned[1:] == pytest.approx([7.30, 13.72, 21.37], rel=0.1)


def middle_of(rows):
    m = 1.0 / rows.inverse_mass
    return m @ rows.position / m.sum()


def spin_of(rows):
    m = 1.0 / rows.inverse_mass
    r = rows.position - m @ rows.position / m.sum()
    u = rows.velocity - m @ rows.velocity / m.sum()
    inertia = np.einsum("i,ij,ij->", m, r, r) * np.eye(3) - np.einsum("i,ij,ik->jk", m, r, r)
    return np.linalg.solve(inertia, np.einsum("i,ij->j", m, np.cross(r, u)))


@pytest.mark.slow
def test_fill_rise_release_and_fly_as_in_figure_7():
    stage, state = staged(*_gallery_balloon())
    rest = float(stage.world.parts["balloon"].table(Volumes).rest_volume[0])
    height, spins, ratios = [], [], []
    rows = rows_of(state, stage.world.parts["balloon"])
    for _ in range(420):
        steps(stage, state, 1)
        frame = picture(stage.world, state)["balloon"]
        height.append(frame.points[:, 1].mean())
        ratios.append(frame.volume / rest)
        if state.frame > 140:
            spins.append(np.linalg.norm(spin_of(rows)))
    assert max(ratios) == pytest.approx(4.0, rel=0.1)  # the spec's, as the numbers below
    assert ratios[119] == pytest.approx(max(ratios), rel=0.02)  # filled after two seconds
    assert height[205] > height[130] + 0.3  # it rises while it is shut
    assert max(spins[75:]) == pytest.approx(10.5, rel=0.25)  # [rad/s] released, it spins
    ends = next(k for k, ratio in enumerate(ratios) if k > 210 and ratio < 1.01) / 60
    assert ends == pytest.approx(6.0, abs=0.6)  # [s] measured below
    assert ratios[-1] == pytest.approx(1.0, abs=0.02)  # and ends slack, at the pressure outside
    assert gauge(stage, "balloon") < 20.0


def _gallery_balloon():
    scene = pliant.gallery.load("balloon")
    return scene.parts, scene.fields


def test_the_published_gas_law_shows_overpressure_only_as_lag():
    """gas=paper: the gauge pressure is what a soft volume constraint leaves (spec, section 4)."""
    points, triangles = closed.sphere(4)  # the lag depends on the mesh: the spec's has 1,839 points
    ball = Balloon.from_mesh(0.1 * points, triangles, skin=Skin(stretch=60.0), gas=Gas(fill=4.0))
    lags = {}
    for hold in (0.1, 1.0):
        stage, state = staged({"b": ball.replace(integrator=InflatedPBD(hold=hold))})
        steps(stage, state, 60)
        frame = picture(stage.world, state)["b"]
        lags[hold] = frame.pressure - ATMOSPHERE
    assert 500.0 < lags[0.1] < 6_000.0
    assert abs(lags[1.0]) < 0.01 * lags[0.1]  # tight volume, no pressure: why the closure is the default
