"""Cloth against itself and part against part: nothing passes through, momentum stays, layers rest on each other."""

import numpy as np
import pytest

import pliant
from pliant import gallery
from pliant.colliders.islands import islands
from pliant.colliders.touching import crossings
from pliant.geometry.surface import edges
from pliant.kernels import set_thread_count
from pliant.loop import Stage
from pliant.scene import set_path


def surfaces(world):
    triangles = [part.triangles.astype(np.int64) + part.rows.start for part in world.parts.values()]
    joined = np.concatenate(triangles).astype(np.uint32)
    return edges(joined), joined


def count_crossings(world, state):
    return crossings(state.position, *surfaces(world))


def thrown(speed):
    cell = 1 / 24
    target = pliant.Cloth.sheet(
        width=1, height=1, columns=24, rows=24, lies="flat", center=(0, 1, 0), pinned="left+right+top+bottom"
    )
    patch = pliant.Cloth.sheet(
        width=8 * cell, height=8 * cell, columns=8, rows=8, lies="flat", center=(0.013, 1.1, 0.007)
    )
    world = pliant.build(pliant.Scene(parts={"target": target, "patch": patch}, fields=()))
    state = world.initial_state()
    state.velocity[world.parts["patch"].rows, 1] = -speed
    return world, state


@pytest.mark.parametrize("speed", [1, 5, 10, 20, 40, 80])
def test_a_patch_thrown_at_a_sheet_never_passes_through(speed):
    world, state = thrown(speed)
    stage = Stage(world)
    for _ in range(24):
        stage.step(state, 1 / 60)
        assert count_crossings(world, state) == 0
    assert state.position[world.parts["patch"].rows, 1].max() > 0.6


def test_both_sides_of_a_touch_feel_it():
    low = pliant.Cloth.sheet(width=0.5, height=0.5, columns=6, rows=6, lies="flat", center=(0, 0, 0))
    high = pliant.Cloth.sheet(width=0.3, height=0.3, columns=5, rows=5, lies="flat", center=(0.02, 0.05, 0.01))
    world = pliant.build(pliant.Scene(parts={"low": low, "high": high.replace(fabric="denim")}, fields=()))
    stage, state = Stage(world), world.initial_state()
    state.velocity[world.parts["high"].rows, 1] = -2.0
    mass = np.concatenate([part.mass for part in world.parts.values()])
    before = mass @ state.velocity
    for _ in range(20):
        stage.step(state, 1 / 60)
    assert mass @ state.velocity == pytest.approx(before, abs=1e-9 * np.abs(before).max() + 1e-9)
    assert state.velocity[world.parts["low"].rows, 1].mean() < -0.3


def stack(count=3, gap=0.02):
    return {
        f"layer{k}": pliant.Cloth.sheet(
            width=0.4, height=0.4, columns=10, rows=10, lies="flat", center=(0, 0.02 + gap * k, 0), turn=20.0 * k
        )
        for k in range(count)
    }


def test_layers_come_to_rest_a_thickness_apart():
    scene = pliant.Scene(
        parts=stack(), fields=(pliant.Gravity(), pliant.Wind()), colliders=(pliant.Ground(friction=0.8),)
    )
    frames = list(pliant.simulate(scene, seconds=1.5))
    middle = [float(np.median(frames[-1][name].points[:, 1])) for name in scene.parts]
    assert np.diff(middle) == pytest.approx([0.002, 0.002], abs=5e-4)  # one substep's fall shy
    # no tremor stays in threads that lie still, of which every stroke would leave 0.01 m/s and a push 0.1
    assert max(np.abs(frames[-1][name].velocities).max() for name in scene.parts) < 0.005


def test_a_strip_that_crumples_on_the_floor_does_not_pass_through_itself():
    worst = {}
    for on in (True, False):
        strip = pliant.Cloth.sheet(
            width=0.1, height=0.8, columns=4, rows=40, fabric="silk", center=(0, 0.45, 0), self_contact=on
        )
        scene = pliant.Scene(
            parts={"strip": strip},
            fields=(pliant.Gravity(), pliant.Wind(velocity=(0, 0, 0.3), gust=0.5, turbulence=0.3, eddy=0.3)),
            colliders=(pliant.Ground(friction=0.5),),
        )
        world = pliant.build(scene)
        stage, state = Stage(world), world.initial_state()
        worst[on] = 0
        for _ in range(36):
            stage.step(state, 1 / 60)
            worst[on] = max(worst[on], count_crossings(world, state))
        assert np.ptp(state.position[:, 1]) < 0.3
    # a crease sharper than two cells may still let a corner through
    assert worst[True] <= 8 < 100 < worst[False]


@pytest.mark.slow
def test_a_crumpling_scarf_neither_stretches_nor_passes_through_itself():
    world = pliant.build(pliant.gallery.scarf_in_vortex())
    stage, state = Stage(world), world.initial_state()
    part = world.parts["scarf"]
    columns, rows = part.extra["grid"]
    springs = part.table(pliant.world.Springs)
    threads = slice(0, (rows + 1) * columns + rows * (columns + 1))
    ends, rest = springs.ends[threads] + part.rows.start, springs.rest_length[threads]
    for frame in range(60):
        stage.step(state, 1 / 30)
        length = np.linalg.norm(state.position[ends[:, 1]] - state.position[ends[:, 0]], axis=1)
        assert (length / rest).max() < 1.05
        assert frame % 4 or count_crossings(world, state) == 0


def test_the_bits_do_not_depend_on_threads():
    hashes = []
    for threads in (1, 2):
        set_thread_count(threads)
        world, state = thrown(10)
        stage = Stage(world)
        for _ in range(6):
            stage.step(state, 1 / 60)
        hashes.append(state.hash())
    assert hashes[0] == hashes[1]


def test_a_resumed_run_has_the_bits_of_an_unbroken_one():
    world, state = thrown(10)
    stage = Stage(world)
    for _ in range(5):
        stage.step(state, 1 / 60)
    saved = state.copy()
    stage.step(state, 1 / 60)
    fresh = Stage(world)
    fresh.step(saved, 1 / 60)
    assert saved.hash() == state.hash()


def test_parts_far_apart_are_stepped_apart_and_contacts_can_be_switched_off():
    near, far = stack(2), {"far": pliant.Cloth.sheet(width=1, height=1, columns=3, rows=3, center=(9, 9, 9))}
    world = pliant.build(pliant.Scene(parts=near | far))
    assert islands(world, world.initial_state(), 1 / 60) == [["layer0", "layer1"], ["far"]]
    off = pliant.build(pliant.Scene(parts=near | far, contacts=False))
    assert islands(off, off.initial_state(), 1 / 60) == [["layer0"], ["layer1"], ["far"]]


def test_a_start_that_touches_too_closely_parts_without_a_bang():
    scene = pliant.Scene(parts=stack(2, gap=0.0002), fields=())
    world = pliant.build(scene)
    stage, state = Stage(world), world.initial_state()
    for _ in range(12):
        stage.step(state, 1 / 60)
        assert np.abs(state.velocity).max() < 1.5
    one, two = (state.position[part.rows, 1] for part in world.parts.values())
    assert two.min() - one.max() > 0.0015


def test_a_ribbon_that_waves_beside_a_sheet_is_stepped_apart():
    """The box of a ribbon that goes round a sheet holds the sheet; no row of either is near the other."""
    turn = np.linspace(0.0, 1.5 * np.pi, 60)
    ribbon = pliant.Ribbon(width=4.0, columns=59, rows=1, pinned=None, self_contact=False)
    ring = np.stack([0.85 * np.cos(turn), np.zeros(60), 0.85 * np.sin(turn)], axis=1)
    bent = np.concatenate([ring, np.add(ring, (0.0, 0.05, 0.0))])
    sheet = pliant.Cloth.sheet(width=0.5, height=0.5, columns=8, rows=8, lies="flat", self_contact=False)
    world = pliant.build(pliant.Scene(parts={"ribbon": ribbon, "sheet": sheet}))
    state = world.initial_state()
    state.position[world.parts["ribbon"].rows] = bent
    assert islands(world, state, 1 / 60) == [["ribbon"], ["sheet"]]
    state.velocity[world.parts["sheet"].rows] = (30.0, 0.0, 0.0)  # it would arrive within the frame
    assert islands(world, state, 1 / 60) == [["ribbon", "sheet"]]


def test_points_that_swing_beside_a_pin_ask_for_no_substeps():
    """A sheet drawn by its middle hangs taut from two corners: points beside them swing at metres a second and go
    nowhere."""
    scene = gallery.load("curtain")
    for side in ("columns", "rows"):
        scene = set_path(scene, f"curtain.{side}", 63)
    session = pliant.Session(scene, history=False)
    session.step(10)
    hand = session.grab("curtain", (0.0, 0.6, 0.0), radius=0.1)
    start = session.hands[hand].target.copy()
    for k in range(40):
        session.move(hand, np.add(start, (0.0, 0.0, 0.01 * min(k, 30))))
        session.step()
    (touching,) = session.stage._touching.values()
    patch, own = touching._slip(session.state)
    assert patch < 0.5 * own
    assert touching.substeps(session.state, 1 / 60) <= 16
