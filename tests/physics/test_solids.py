"""Solids in the way: exact distances, Coulomb friction with its threshold, moving and thin solids, bad starts."""

import numpy as np
import pytest

import pliant
from pliant.colliders import Box, Capsule, Cylinder, Ground, Sphere
from pliant.world import rows_of

SOLIDS = [
    Ground(height=0.2, turn=(10, 0, 20)),
    Sphere(center=(0.1, 0.4, -0.2), radius=0.3),
    Capsule(a=(-0.3, 0.2, 0.1), b=(0.4, 0.6, 0.0), radius=0.15),
    Box(center=(0, 0.5, 0), size=(0.8, 0.5, 0.6), turn=(20, 30, 10), rounding=0.05),
    Cylinder(center=(0, 0.5, 0), radius=0.4, height=0.3, turn=(0, 0, 15), rounding=0.03),
]


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda s: type(s).__name__)
def test_distance_has_unit_gradient_along_its_normal_and_vanishes_on_the_surface(solid):
    rng = np.random.default_rng(3)
    points = rng.uniform(-1.2, 1.2, (2000, 3))
    phi, normal = solid.signed_distance(points)
    on = points - phi[:, None] * normal
    near = np.abs(phi) < 0.08  # deep inside, the nearest face may be ambiguous
    assert np.abs(solid.signed_distance(on[near])[0]).max() < 1e-12
    out = phi > 0.01
    step = 1e-6
    for axis in range(3):
        e = np.zeros(3)
        e[axis] = step
        slope = (solid.signed_distance(points[out] + e)[0] - solid.signed_distance(points[out] - e)[0]) / (2 * step)
        assert np.abs(slope - normal[out, axis]).max() < 1e-7


def slide(angle, *, h, seconds=2.0, friction=0.4):
    """Speed down a slope and distance covered by one free triangle of raw points."""
    slope = np.deg2rad(angle)
    up, down = np.array([-np.sin(slope), np.cos(slope), 0]), np.array([-np.cos(slope), -np.sin(slope), 0])
    side = np.array([0.0, 0.0, 1.0])
    fabric = pliant.RawFabric.uniform(10.0, mass=0.1, thickness=0.01, friction=friction)
    points = np.array([0.1 * down, 0.1 * side, -0.1 * side]) + 0.01 * up
    cloth = pliant.Cloth.from_mesh(points, [[0, 1, 2]], fabric=fabric)
    scene = pliant.Scene(
        parts={"slab": cloth},
        fields=(pliant.Gravity(acceleration=(0, -9.8, 0)),),
        colliders=(Ground(turn=(0, 0, angle), friction=friction),),
        substeps=1,
    )
    for frame in pliant.simulate(scene, frames=round(seconds / h), fps=1.0 / h):
        last = frame["slab"]
    return last.velocities.astype(float) @ down, (last.points - points) @ down


@pytest.mark.parametrize("h", [1 / 30, 1 / 480])
def test_friction_holds_below_its_angle_and_slides_by_coulomb_above(h):
    for angle in (10, 20, 21.7):  # tan(21.80 deg) = 0.4
        speed, moved = slide(angle, h=h)
        assert np.abs(moved).max() < 1e-7
        assert np.abs(speed).max() < 1e-12
    for angle, expected in ((30, 3.010361), (40, 6.592849)):
        assert slide(angle, h=h)[0] == pytest.approx(np.full(3, expected), rel=2e-6)


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda s: type(s).__name__)
def test_nothing_that_falls_on_a_solid_is_inside_it_afterwards(solid):
    sheet = pliant.Cloth.sheet(width=1.2, height=1.2, columns=20, rows=20, lies="flat", center=(0, 1.3, 0))
    scene = pliant.Scene(parts={"sheet": sheet}, colliders=(solid, Ground(height=-0.5)))
    for frame in pliant.simulate(scene, frames=60):
        assert solid.signed_distance(frame["sheet"].points)[0].min() > sheet.fabric.thickness - 1e-5


def throw(solid, position, velocity, *, frames=1, substeps=1, held=False):
    """Where one loose triangle ends that starts with a velocity."""
    points = np.array(position, float) + np.array([[0, 0, 0], [0.01, 0, 0], [0, 0, 0.01]])
    fabric = pliant.RawFabric.uniform(1.0, mass=0.1, thickness=0.005)
    cloth = pliant.Cloth.from_mesh(points, [[0, 1, 2]], fabric=fabric, pinned=(0, 1, 2) if held else None)
    world = pliant.build(pliant.Scene(parts={"p": cloth}, fields=(), colliders=(solid,), substeps=substeps))
    from pliant.loop import Stage

    stage, state = Stage(world), world.initial_state()
    state.velocity[:] = velocity
    for _ in range(frames):
        stage.step(state, 1 / 60)
    return rows_of(state, world.parts["p"])


@pytest.mark.parametrize("speed", [1.0, 10.0, 60.0, 200.0])
def test_a_thin_board_stops_what_flies_through_it_in_one_step(speed):
    board = Box(center=(0, 0, 0), size=(2, 0.02, 2), rounding=0.0)
    rows = throw(board, (0.1, 0.016 + 0.5 * speed / 60, 0.1), (0, -speed, 0), frames=2)
    assert rows.position[:, 1].min() > 0.0149


def test_a_board_that_comes_fast_carries_what_it_meets():
    motion = pliant.KeyMotion(times=(0.0, 0.1), offsets=((0, 0, 0), (0, 2.0, 0)))
    board = Box(center=(0, 0, 0), size=(2, 0.05, 2), motion=motion)
    rows = throw(board, (0.1, 0.2, 0.1), (0, 0, 0), frames=6, substeps=4)
    assert rows.position[:, 1].min() >= 2.025 + 0.005 - 1e-9


def test_a_turning_floor_drags_what_lies_on_it():
    fabric = pliant.RawFabric.uniform(1.0, mass=0.1, thickness=0.005, friction=1.0)
    cloth = pliant.Cloth.from_mesh([[0.5, 0.105, 0], [0.51, 0.105, 0], [0.5, 0.105, 0.01]], [[0, 1, 2]], fabric=fabric)
    table = Cylinder(center=(0, 0, 0), radius=1.0, height=0.2, friction=1.0, spin=(0, 1.0, 0))
    frames = list(pliant.simulate(pliant.Scene(parts={"p": cloth}, colliders=(table,)), frames=60))
    point = frames[-1]["p"].points[0]
    assert np.hypot(point[0], point[2]) == pytest.approx(0.5, abs=2e-3)
    assert np.arctan2(-point[2], point[0]) == pytest.approx(1.0, abs=0.06)


def test_a_deep_start_comes_out_slowly_and_held_points_stay():
    ball = Sphere(center=(0, 0, 0), radius=0.3)
    rows = throw(ball, (0.1, 0.1, 0), (0, 0, 0), frames=3)
    assert np.linalg.norm(rows.velocity, axis=1).max() <= 1.001  # its springs add a little
    rows = throw(ball, (0.1, 0.1, 0), (0, 0, 0), frames=60)
    assert ball.signed_distance(rows.position)[0].min() > 0.004
    held = throw(ball, (0.1, 0.1, 0), (0, 0, 0), frames=3, held=True)
    assert np.array_equal(held.position[0], (0.1, 0.1, 0))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Box(size=(1, 0, 1)), "every side must be > 0"),
        (lambda: Box(size=(1, 0.1, 1), rounding=0.2), "at most half the smallest side"),
        (lambda: Capsule(a=(0, 0, 0), b=(0, 0, 0)), "use a Sphere"),
        (lambda: Sphere(radius=-1), "must be > 0"),
        (lambda: Ground(height=float("nan")), "Ground.height"),
    ],
)
def test_solids_that_cannot_be_are_refused(make, words):
    with pytest.raises(pliant.SceneError, match=words):
        make()


def test_one_solid_twice_is_refused():
    ball = Sphere()
    scene = pliant.Scene(parts={"c": pliant.Cloth.sheet(width=1, height=1, columns=2, rows=2)}, colliders=(ball, ball))
    with pytest.raises(pliant.SceneError, match="twice"):
        pliant.simulate(scene)
