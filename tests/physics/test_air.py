"""Air: bounded drag, laws of drag and lift, terminal speeds, fields that add up, shelter."""

import numpy as np
import pytest

import pliant
from pliant.colliders import Sphere
from pliant.forces import Vortex, Wind, local_air
from pliant.forces.turbulence import flow
from pliant.world import rows_of


def bound(wind, *, columns=6, wavy=0.0, fabric="chiffon", fields=None, **sheet):
    cloth = pliant.Cloth.sheet(width=1, height=1, columns=columns, rows=columns, lies="flat", fabric=fabric, **sheet)
    world = pliant.build(pliant.Scene(parts={"c": cloth}, fields=fields or (wind,)))
    rows = rows_of(world.initial_state(), world.parts["c"])
    rows.position[:, 1] += wavy * np.sin(9 * rows.position[:, 0]) * np.cos(7 * rows.position[:, 2])
    return [field.bind(world, world.parts["c"]) for field in world.fields], rows, world.parts["c"]


def force(forces, rows, h):
    total = np.zeros_like(rows.position)
    for one in forces:
        one.begin_frame(rows, 0.0, h)
        one.add(rows, total, h)
    return total


@pytest.mark.parametrize("law", ["panels", "paper", "corrected"])
@pytest.mark.parametrize("h", [1 / 2000, 1 / 60, 10.0])
def test_drag_slows_never_reverses_and_never_speeds_up(law, h):
    wind = Wind(velocity=(20, -3, 8), law=law, density=5.0)
    forces, rows, part = bound(wind, wavy=0.2)
    rows.velocity[:] = np.random.default_rng(1).normal(0, 30, rows.velocity.shape)
    before = rows.velocity - wind.velocity
    after = before + h * force(forces, rows, h) / part.mass[:, None]
    assert ((before * after).sum(axis=1) > 0).all()
    assert (np.linalg.norm(after, axis=1) <= np.linalg.norm(before, axis=1) * (1 + 1e-12)).all()


def test_old_normals_cannot_make_drag_push():
    forces, rows, part = bound(Wind(velocity=(0, 0, 0)), wavy=0.3)
    force(forces, rows, 1e-4)
    rows.position[:] = rows.position[:, [1, 2, 0]] * 3.0
    rows.velocity[:] = np.random.default_rng(2).normal(0, 30, rows.velocity.shape)
    total = np.zeros_like(rows.position)
    forces[0].add(rows, total, 1e-4)
    after = rows.velocity + 1e-4 * total / part.mass[:, None]
    assert (np.linalg.norm(after, axis=1) <= np.linalg.norm(rows.velocity, axis=1)).all()


@pytest.mark.parametrize("law", ["panels", "paper", "corrected"])
def test_force_on_a_plate_across_the_wind_does_not_depend_on_its_mesh(law):
    for columns in (8, 32, 64):
        forces, rows, _ = bound(Wind(velocity=(0, 5, 0), law=law), columns=columns)
        total = force(forces, rows, 1e-9).sum(axis=0)
        assert total == pytest.approx([0, 0.5 * 1.2 * 1.2 * 25.0, 0], rel=1e-4, abs=1e-9)


def test_corrected_lift_vanishes_edge_on_and_peaks_halfway_where_the_published_one_jumps():
    def lift(law, angle):
        direction = np.array([np.cos(angle), np.sin(angle), 0.0])
        forces, rows, _ = bound(Wind(velocity=tuple(10 * direction), law=law, normal=1.0, lift=1.0, density=2.0))
        total = force(forces, rows, 1e-9).sum(axis=0)
        return float(total @ [-direction[1], direction[0], 0.0])

    assert abs(lift("corrected", 1e-6)) < 2e-3
    assert lift("paper", 1e-6) - lift("paper", -1e-6) == pytest.approx(200.0, rel=1e-3)
    angles = np.linspace(0.05, np.pi / 2 - 0.05, 31)
    curve = [lift("corrected", a) for a in angles]
    assert angles[int(np.argmax(curve))] == pytest.approx(np.pi / 4, abs=0.06)
    assert curve == pytest.approx(list(100 * np.sin(angles) * np.cos(angles)), rel=1e-4)


def test_with_equal_coefficients_the_corrected_lift_is_that_of_the_pressure_law():
    wind = {"velocity": (4, 3, 1), "normal": 1.0, "lift": 1.0, "tangential": 0.0}
    one, rows, _ = bound(Wind(law="corrected", **wind))
    two, _, _ = bound(Wind(law="panels", **wind))
    across = np.eye(3) - np.outer((4, 3, 1), (4, 3, 1)) / 26.0  # the lift; drag differs by a sine
    assert force(one, rows, 1e-9) @ across == pytest.approx(force(two, rows, 1e-9) @ across, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("substeps", "expected"), [(1, 1.7336), (8, 1.6602)])
def test_a_falling_sheet_reaches_its_terminal_speed_and_stays_flat(substeps, expected):
    fabric = pliant.Fabric(density=0.2)
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=12, rows=12, lies="flat", fabric=fabric)
    scene = pliant.Scene(
        parts={"c": sheet},
        fields=(pliant.Gravity(acceleration=(0, -9.8, 0)), Wind(normal=1.2, tangential=0.0)),
        substeps=substeps,
    )
    *_, last = pliant.simulate(scene, seconds=4)
    assert last["c"].velocities[:, 1] == pytest.approx(np.full(169, -expected), abs=2e-4)
    assert np.ptp(last["c"].points[:, 1]) < 1e-5


def test_two_winds_blow_together_and_still_air_is_not_twice_as_thick():
    one, rows, _ = bound(Wind(velocity=(2, 5, 0)))
    rows.velocity[:] = np.random.default_rng(0).normal(size=rows.velocity.shape)
    two, _, _ = bound(None, fields=(Wind(velocity=(2, 0, 0)), Wind(velocity=(0, 5, 0))))
    assert np.array_equal(force(one, rows, 0.01), force(two, rows, 0.01))
    still, _, _ = bound(Wind())
    thrice, _, _ = bound(None, fields=(Wind(), Wind(), Wind()))
    assert np.array_equal(force(still, rows, 0.01), force(thrice, rows, 0.01))


def test_air_has_one_density_and_a_field_stands_once():
    with pytest.raises(pliant.SceneError, match=r"Wind.density = 1.2 in one wind and 1.0"):
        bound(None, fields=(Wind(), Wind(density=1.0)))
    wind = Wind()
    with pytest.raises(pliant.SceneError, match="stands there twice"):
        bound(None, fields=(wind, wind))
    with pytest.raises(pliant.SceneError, match="give it a direction"):
        Vortex(axis=(0, 0, 0))


def test_gusts_are_seeded_smooth_and_bounded():
    wind = Wind(velocity=(10, 0, 0), gust=0.5, seed=3)
    times = np.linspace(0, 60, 6001)
    speeds = np.array([wind.mean(t) for t in times])
    assert 4.9 <= speeds[:, 0].min() < 8.0 < 12.0 < speeds[:, 0].max() <= 15.1
    assert np.abs(np.diff(speeds, axis=0)).max() < 0.5
    assert np.array_equal(speeds[77], Wind(velocity=(10, 0, 0), gust=0.5, seed=3).mean(times[77]))
    assert not np.allclose(speeds[77], Wind(velocity=(10, 0, 0), gust=0.5, seed=4).mean(times[77]))


def test_turbulence_has_its_strength_and_no_sources():
    grid = flow(5)
    k = np.fft.fftfreq(len(grid), 1.0 / len(grid))
    waves = np.stack(np.meshgrid(k, k, k, indexing="ij"), axis=-1)
    spectrum = np.fft.fftn(grid, axes=(0, 1, 2))
    assert np.abs((waves * spectrum).sum(axis=-1)).max() < 1e-9 * np.abs(spectrum).max()
    world = pliant.build(
        pliant.Scene(
            parts={"c": pliant.Cloth.sheet(width=1, height=1, columns=2, rows=2)},
            fields=(Wind(velocity=(3, 0, 0), turbulence=2.0, eddy=0.5, seed=5),),
        )
    )
    points = np.random.default_rng(0).uniform(-20, 20, (20000, 3))
    eddies = local_air(world, points, 1.0) - [3, 0, 0]
    assert 1.4 < np.sqrt((eddies**2).sum(axis=1).mean()) < 2.05  # interpolation smooths a little
    assert np.abs(eddies.mean(axis=0)).max() < 0.1


def test_vortex_turns_fastest_at_its_radius():
    vortex = Vortex(center=(1, 0, 0), axis=(0, 2, 0), speed=3.0, radius=0.5, rise=1.0)
    out = np.zeros((3, 3))
    vortex.add_velocity(np.array([[1.5, 7, 0], [1, 0, 0], [3, 0, 0]]), 0.0, None, out)
    assert out[0] == pytest.approx([0, np.exp(-1), -3.0])
    assert out[1] == pytest.approx([0, 1, 0])
    assert out[2, 2] == pytest.approx(-3.0 * 2 * 4 / 17)


def test_a_ball_shelters_what_stands_behind_it():
    scene = pliant.Scene(
        parts={"c": pliant.Cloth.sheet(width=1, height=1, columns=2, rows=2)},
        fields=(Wind(velocity=(10, 0, 0)),),
        colliders=(Sphere(center=(0, 0, 0), radius=0.5), pliant.Ground(height=-3)),
    )
    points = np.array([[0.6, 0, 0], [1.5, 0, 0], [3, 0, 0], [20, 0, 0], [-0.6, 0, 0], [0.6, 2, 0]])
    speed = local_air(pliant.build(scene), points, 0.0)[:, 0]
    assert speed[0] < 1.0
    assert speed[0] < speed[1] < speed[2] < 10.0
    assert speed[3:] == pytest.approx([10, 10, 10])


@pytest.mark.parametrize("speed", [1.5, 3.0])
def test_a_straight_flag_hangs_where_its_weight_balances_the_wind(speed):
    """Tension runs along a straight strip; across it rho C v^2 cos(a) / 2 = sigma g sin(a), a from upright."""
    fabric = pliant.Fabric(density=0.3, bend=1e-4, damping=2e-3)
    strip = pliant.Cloth.sheet(width=0.1, height=0.5, columns=4, rows=20, fabric=fabric, pinned="top")
    scene = pliant.Scene(parts={"flag": strip}, fields=(pliant.Gravity(), Wind(velocity=(0, 0, speed), tangential=0.0)))
    *_, last = pliant.simulate(scene, seconds=4)
    points = last["flag"].points.reshape(21, 5, 3).mean(axis=1)
    along = points[4] - points[16]
    angle = np.degrees(np.arctan2(along[2], -along[1]))
    assert angle == pytest.approx(np.degrees(np.arctan(0.5 * 1.2 * 1.2 * speed**2 / (0.3 * 9.81))), abs=0.5)


def test_a_parachute_sinks_at_the_speed_at_which_the_air_carries_it():
    from pliant.gallery import load
    from pliant.geometry.surface import triangle_normals

    scene = load("parachute")
    scene = scene.replace(fields=(pliant.Gravity(), Wind()), contacts=False)
    cloth = scene.parts["parachute"].replace(self_contact=False)
    world = pliant.build(scene.replace(parts={"parachute": cloth}))
    part = world.parts["parachute"]
    speeds, carried = [], []
    for frame in pliant.simulate(world, seconds=2.5):
        normals = triangle_normals(frame["parachute"].points.astype(float), part.triangles)
        twice = np.linalg.norm(normals, axis=1)
        up = normals[:, 1] / twice
        carried.append(0.5 * 1.2 * (0.5 * twice * (1.2 * up**2 + 0.05 * (1.0 - up**2))).sum())
        speeds.append(-np.average(frame["parachute"].velocities[:, 1], weights=part.mass))
    expected = np.sqrt(part.mass.sum() * 9.81 / np.mean(carried[90:]))
    assert np.mean(speeds[90:]) == pytest.approx(expected, rel=0.06)
