"""Sheets against closed forms and converged numbers: catenary, bending length, membrane, pendulum, tilted table."""

import numpy as np
import pytest

import pliant
from pliant.forces import SpringForce
from pliant.integrators import XPBD
from pliant.loop import Stage
from pliant.world import rows_of

G = 9.81


def run(scene, seconds, fps=60, *, damping=0.0, place=None, look=None):
    """Positions at the end, and what `look` saw after each frame; `damping` takes that share of velocity per frame."""
    world = pliant.build(scene)
    stage, state = Stage(world), world.initial_state()
    if place is not None:
        place(state)
    seen = []
    for _ in range(round(seconds * fps)):
        stage.step(state, 1.0 / fps)
        state.velocity *= 1.0 - damping
        if look is not None:
            seen.append(look(state))
    return state.position, np.array(seen)


# equal masses on 20 rigid links of 1.5 m together, ends 1 m apart: tan(theta_i) = (9.5 - i) m g / H; left half
CATENARY_X = (0.0, 0.029767, 0.062402, 0.098430, 0.138498, 0.183378, 0.233943, 0.291031, 0.355099, 0.425549, 0.5)
CATENARY_Y = (0.0, 0.068840, 0.136367, 0.202147, 0.265547, 0.325637, 0.381028, 0.429669, 0.468660, 0.494385, 0.503447)


def test_a_strip_between_two_hands_hangs_as_a_catenary():
    fabric = pliant.Fabric(density=0.2, stretch=5e4, shear=5e3, bend=1e-9, damping=1e-3)
    strip = pliant.Cloth.sheet(
        width=1.5, height=0.06, columns=20, rows=2, fabric=fabric, pinned="left+right", center=(0, 1, 0), lies="flat"
    )
    x = np.concatenate([CATENARY_X, 1.0 - np.array(CATENARY_X[-2::-1])])

    def bring_ends_together(state):
        grid = state.position.reshape(3, 21, 3)
        grid[..., 0] = x - 0.5
        grid[..., 1] = 1.0 - 1.6 * x * (1.0 - x)  # a parabola: not yet in balance

    scene = pliant.Scene(parts={"s": strip}, fields=(pliant.Gravity(),))
    end, _ = run(scene, 2.0, damping=0.08, place=bring_ends_together)
    middle = end.reshape(3, 21, 3)[1]
    assert middle[:11, 0] + 0.5 == pytest.approx(CATENARY_X, abs=0.006)
    assert 1.0 - middle[:11, 1] == pytest.approx(CATENARY_Y, abs=0.008)


@pytest.mark.parametrize(("weight", "chord"), [(1.4204822, 10.0), (4.9209395, 30.0), (8.0041970, 41.5)])
def test_a_strip_over_an_edge_has_its_bending_length(weight, chord):
    """The tilted-plane test (ASTM D 1388): at w L^3 / B = 8.004 the chord dips by 41.5 degrees, c = L / 2."""
    length, density, n = 0.1, 0.2, 40
    bend = density * G * length**3 / weight
    strip = pliant.Cloth.sheet(
        width=length * (1 + 1 / n),
        height=0.01,
        columns=n + 1,
        rows=4,
        fabric=pliant.Fabric(density=density, stretch=5e4, shear=5e3, bend=bend, damping=1e-3),
        pinned=lambda p: p[:, 0] <= p[:, 0].min() + 1.01 * length / n,
        lies="flat",
        center=(0, 1, 0),
    )

    def chord_angle(state):
        row = state.position.reshape(5, n + 2, 3)[2]
        along = row[-1] - row[1]
        return np.degrees(np.arctan2(-along[1], along[0]))

    _, seen = run(pliant.Scene(parts={"s": strip}, fields=(pliant.Gravity(),)), 1.0, damping=0.15, look=chord_angle)
    assert np.mean(seen[-15:]) == pytest.approx(chord, rel=0.03)


STRETCH, SHEAR = 900.0, 140.0


def membrane(map_, *, mesh=False):
    """Elastic energy [J] of a sheet of 1 m^2 whose plane is mapped by a 2 x 2 matrix, and the forces on its points."""
    fabric = pliant.Fabric(stretch=STRETCH, shear=SHEAR, bend=0.0)
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=12, rows=12, fabric=fabric, center=(0, 0, 0))
    if mesh:
        sheet = pliant.Cloth.from_mesh(sheet.mesh().points, sheet.mesh().triangles, fabric=fabric)
    world = pliant.build(pliant.Scene(parts={"s": sheet}))
    rows = rows_of(world.initial_state(), world.parts["s"])
    rows.position[:, :2] = rows.position[:, :2] @ np.asarray(map_).T
    springs = SpringForce().bind(world, world.parts["s"])
    force = np.zeros_like(rows.position)
    springs.add(rows, force, 1e-3)
    return springs.energy(rows), force


def test_a_sheet_is_as_stiff_as_its_fabric_says():
    """Small strains, per area: C11 e^2 / 2 along a thread, (C11 + C12) e^2 in both, G g^2 / 2 sheared, C12 = G."""
    e = 1e-4
    edge = 0.5 * (STRETCH + np.hypot(STRETCH, 2.0 * SHEAR)) - SHEAR
    c11, c12 = edge + SHEAR, SHEAR
    assert (c11**2 - c12**2) / c11 == pytest.approx(STRETCH)
    for map_, energy in (
        ([[1 + e, 0], [0, 1]], 0.5 * c11 * e**2),
        ([[1, 0], [0, 1 + e]], 0.5 * c11 * e**2),
        ([[1 + e, 0], [0, 1 + e]], (c11 + c12) * e**2),
        ([[1, e], [0, 1]], 0.5 * SHEAR * e**2),
        ([[1 + e, 0], [0, 1 - c12 / c11 * e]], 0.5 * STRETCH * e**2),  # a strip with free sides: its modulus
    ):
        assert membrane(map_)[0] == pytest.approx(energy, rel=2e-3)


@pytest.mark.parametrize("mesh", [False, True])
@pytest.mark.parametrize("angle", [30, 90, 180])
def test_a_turned_sheet_feels_nothing(angle, mesh):
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    energy, force = membrane([[c, -s], [s, c]], mesh=mesh)
    assert energy < 1e-20
    assert np.abs(force).max() < 1e-9


def test_a_uniform_stretch_leaves_inner_points_in_balance():
    _, force = membrane([[1.1, 0.03], [0.0, 0.95]])
    assert np.abs(force.reshape(13, 13, 3)[1:-1, 1:-1]).max() < 1e-9
    assert np.abs(force.sum(axis=0)).max() < 1e-9


def test_a_pinned_strip_swings_with_the_period_of_a_hanging_chain():
    """First mode of a hanging chain: J0(2.4048 sqrt(s)), s from the free end, omega = 1.2024 sqrt(g / L)."""
    from scipy.special import j0

    length, n, fps = 1.0, 20, 240
    fabric = pliant.Fabric(density=0.2, stretch=5e4, shear=5e3, bend=1e-9, damping=0.0)
    strip = pliant.Cloth.sheet(
        width=0.1,
        height=length,
        columns=2,
        rows=n,
        fabric=fabric,
        pinned="top",
        center=(0, 0.5, 0),
        integrator=XPBD(strain=1e-3),
    )
    s = np.arange(n + 1) / n
    start = 0.05 * j0(2.404825557695773 * np.sqrt(s))

    def swing_out(state):
        state.position.reshape(n + 1, 3, 3)[..., 2] = start[:, None]

    scene = pliant.Scene(parts={"s": strip}, fields=(pliant.Gravity(),))
    _, tip = run(scene, 1.8, fps, place=swing_out, look=lambda state: state.position[1, 2])
    crossing = [
        (k + 1 + tip[k] / (tip[k] - tip[k + 1])) / fps for k in range(len(tip) - 1) if tip[k] * tip[k + 1] <= 0.0
    ]
    period = 2.0 * np.pi / (1.2024127788478862 * np.sqrt(G / length))
    assert 2.0 * (crossing[1] - crossing[0]) == pytest.approx(period, rel=0.015)
    assert tip.max() > 0.9 * 0.05  # after a whole period it comes nearly as high again


@pytest.mark.parametrize(("angle", "slides"), [(15.0, False), (21.0, False), (30.0, True)])
def test_cloth_on_a_tilted_table_stays_up_to_the_angle_of_its_friction(angle, slides):
    """tan(21.8 deg) = 0.4; beyond it a = g (sin - mu cos). Gravity is tilted instead of the table."""
    slope, mu, seconds = np.deg2rad(angle), 0.4, 0.8
    fabric = pliant.FABRICS["cotton"].replace(friction=mu, thickness=0.004)
    sheet = pliant.Cloth.sheet(
        width=0.4, height=0.4, columns=8, rows=8, fabric=fabric, lies="flat", center=(0, 0.004, 0)
    )
    down = (float(G * np.sin(slope)), float(-G * np.cos(slope)), 0.0)
    scene = pliant.Scene(
        parts={"s": sheet},
        fields=(pliant.Gravity(acceleration=down),),
        colliders=(pliant.Ground(friction=mu),),
    )
    end, _ = run(scene, seconds)
    moved = end[:, 0] - sheet.mesh().points[:, 0]
    way = 0.5 * G * (np.sin(slope) - mu * np.cos(slope)) * seconds**2
    if slides:
        assert moved.mean() == pytest.approx(way, rel=0.03)
    else:
        assert np.abs(moved).max() < 1e-3
