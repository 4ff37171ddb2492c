"""Two passes in one walk: which block waits for which, and that no bit depends on it."""

import numpy as np
import pytest

import pliant
from pliant.integrators import Approximate
from pliant.integrators.waves import BLOCK, waves_of
from pliant.kernels import maximum_thread_count, set_thread_count
from pliant.world import Springs, rows_of

METHOD = Approximate()


def shuffled_sheet(cells, *, near):
    """A sheet of 6,000 points and more; its rows in the order of the sheet, or anywhere."""
    grid = pliant.Cloth.sheet(width=1, height=1, columns=cells, rows=cells, lies="flat").mesh()
    order = np.arange(len(grid.points)) if near else np.random.default_rng(5).permutation(len(grid.points))
    triangles = np.argsort(order)[grid.triangles.astype(int)]
    cloth = pliant.Cloth.from_mesh(
        grid.points[order], triangles, pinned=[int(np.argmin(order))], integrator=METHOD, self_contact=False
    )
    return pliant.build(pliant.Scene(parts={"sheet": cloth}))


def stepped(world, *, threads, whole_passes):
    part = world.parts["sheet"]
    stepper, rows = METHOD.bind(world, part), rows_of(world.initial_state(), part)
    impulses = stepper._impulses
    if whole_passes:  # every block waits until all have been through the first pass
        late = np.ones_like(impulses.waves.late)
        impulses.waves = impulses.waves._replace(late=late)
    random = np.random.default_rng(2)
    rows.position[:] += 1e-3 * random.standard_normal(rows.position.shape)
    set_thread_count(threads)
    try:
        for _ in range(3):
            stepper.advance(rows, np.tile((0.0, -0.01, 0.002), (len(part.mass), 1)), 1 / 60)
    finally:
        set_thread_count(maximum_thread_count())
    return rows.position.tobytes() + rows.velocity.tobytes()


@pytest.mark.parametrize("near", [True, False], ids=["in order", "in no order"])
def test_the_walk_gives_the_bits_of_two_whole_passes(near):
    world = shuffled_sheet(79, near=near)
    assert METHOD.bind(world, world.parts["sheet"])._impulses.waves.late.all() != near
    expected = stepped(world, threads=1, whole_passes=True)
    assert stepped(world, threads=1, whole_passes=False) == expected
    assert stepped(world, threads=2, whole_passes=False) == expected


def test_no_block_is_written_before_its_neighbours_have_seen_it():
    world = shuffled_sheet(79, near=True)
    springs = world.parts["sheet"].table(Springs)
    start, other, _ = springs.adjacency
    count = len(world.parts["sheet"].mass)
    waves = waves_of(start, other, count)
    chunk_of = np.searchsorted(waves.chunk, np.arange(len(waves.last)), side="right") - 1
    ends = springs.ends.astype(int) // BLOCK
    for a, b in np.concatenate([ends, ends[:, ::-1]]):
        if chunk_of[a] != chunk_of[b]:
            assert waves.late[a]
        elif not waves.late[a]:
            assert waves.last[a] >= b
    assert 0.0 < waves.late.mean() < 0.7


@pytest.mark.parametrize("count", [1, 5, BLOCK, BLOCK + 1, 20 * BLOCK])
def test_rows_without_springs_wait_for_nobody(count):
    waves = waves_of(np.zeros(count + 1, np.uint32), np.empty(0, np.uint32), count)
    assert not waves.late.any()
    assert waves.chunk[-1] == len(waves.last) == -(-count // BLOCK)
