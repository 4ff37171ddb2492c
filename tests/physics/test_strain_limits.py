"""Strain limits and tethers as constraints of their own."""

import numpy as np
import pytest

from pliant.bench.cloth import structural_strain
from pliant.colliders import Capsule
from pliant.constraints import ProvotLimit, StrainLimit, Tethers
from pliant.loop import Session
from pliant.lowering import build
from pliant.scene import Cloth, Follow, Scene
from pliant.world import SHEAR, STRUCTURAL, PointTrack, Springs, rows_of


def stretched(factor, pinned=None):
    cloth = Cloth.sheet(width=1.0, height=1.0, columns=8, rows=8, pinned=pinned)
    world = build(Scene(parts={"s": cloth}))
    part, state = world.parts["s"], world.initial_state()
    top = state.position[-1].copy()
    state.position[:] = top + factor * (state.position - top)
    return world, part, rows_of(state, part)


def test_the_limit_holds_and_keeps_the_centre_of_mass():
    world, part, rows = stretched(1.3)
    before = part.mass @ rows.position
    StrainLimit(limit=5.0, passes=1000).bind(world, part).project(rows, rows.position.copy(), 1 / 60)
    assert structural_strain(part, rows.position).max() <= 0.0501
    assert np.allclose(part.mass @ rows.position, before, atol=1e-12)


def test_shear_has_a_limit_of_its_own():
    world, part, rows = stretched(1.0)
    rows.position[:, 0] += 0.5 * rows.position[:, 1]  # sheared, and stretched a little across
    springs = part.tables[0]
    ends = springs.ends[springs.kind == SHEAR]

    def longest():
        length = np.linalg.norm(rows.position[ends[:, 1]] - rows.position[ends[:, 0]], axis=1)
        return (length / springs.rest_length[springs.kind == SHEAR]).max() - 1.0

    assert longest() > 0.2
    StrainLimit(limit=200.0, shear_limit=10.0, passes=1000).bind(world, part).project(rows, rows.position.copy(), 0.01)
    assert longest() <= 0.101


def test_one_published_pass_leaves_more_than_the_better_one():
    left = []
    for limit in (ProvotLimit(limit=10.0), StrainLimit(limit=10.0)):
        world, part, rows = stretched(1.6, pinned="top")
        limit.bind(world, part).project(rows, rows.position.copy(), 1 / 60)
        left.append(structural_strain(part, rows.position).max())
    assert left[1] < left[0]


def test_tethers_hold_at_the_way_along_the_threads():
    world, part, rows = stretched(1.5, pinned="top")
    Tethers(slack=1.02).bind(world, part).project(rows, rows.position.copy(), 1 / 60)
    drop = rows.position[-9:, 1].mean() - rows.position[:9, 1].min()
    assert drop == pytest.approx(1.02, abs=0.02)


def parted(cloth, way, frames=30, **scene):
    """Worst strain of each edge, by row, when the first point is drawn `way` [m] from its place and kept there."""
    session = Session(Scene(parts={"s": cloth}, **scene), threads=1)
    handle = session.grab("s", 0)
    start = session.frame["s"].points[0].astype(float)
    worst = None
    for k in range(frames):
        session.move(handle, start + np.array(way) * min(1.0, (k + 1) / 10))
        session.step()
        part = session.stage.world.parts["s"]
        strain = structural_strain(part, rows_of(session.state, part).position)
        worst = strain if worst is None else np.maximum(worst, strain)
    return part, worst, strain


def as_mesh(sheet):
    part = build(Scene(parts={"s": sheet})).parts["s"]
    return Cloth.from_mesh(part.rest_position, part.triangles, pinned=tuple(int(i) for i in part.held))


@pytest.mark.parametrize("shape", [lambda sheet: sheet, as_mesh])
def test_hands_that_part_too_far_stretch_what_is_between_them_evenly(shape):
    strip = Cloth.sheet(width=1.0, height=0.5, columns=20, rows=10, pinned="bottom-right", center=(0, 1, 0))
    # the ends of one border are to be twice as far apart: a hand would yield, a track does not
    way = np.minimum(np.arange(40) / 10.0, 1.0)[:, None, None] * np.array([-1.0, 0.0, 0.0])
    cloth = shape(strip)
    first = build(Scene(parts={"s": cloth})).parts["s"].rest_position[0]
    cloth = cloth.replace(follow=Follow(rows=np.array([0]), track=PointTrack(fps=60.0, positions=first + way)))
    session = Session(Scene(parts={"s": cloth}), threads=1)
    session.step(30)
    part = session.stage.world.parts["s"]
    strain = structural_strain(part, rows_of(session.state, part).position)
    springs = part.table(Springs)
    ends = springs.ends[springs.kind == STRUCTURAL]
    height = part.rest_position[:, 1]
    border = np.isclose(height[ends], height.min()).all(axis=1)
    # forced is 1.0 on average, and the limit comes on top: nearly even, not one edge stretched to 21 times its length
    assert 0.98 < strain[border].mean() < 1.1
    assert strain[border].max() < 1.2
    assert strain[border].min() > 0.6


def test_a_solid_gives_way_before_the_cloth_is_stretched():
    """A bar goes through the sheet from the start, which nothing that moves points can mend: the limit wins."""
    bar = Capsule(a=(-0.6, 1.0, 0.0), b=(0.6, 1.0, 0.0), radius=0.05)
    sheet = Cloth.sheet(width=0.6, height=0.6, columns=9, rows=9, center=(0, 1, 0))
    _, worst, _ = parted(sheet, (0.0, -0.3, 1.0), frames=60, colliders=(bar,))
    assert worst.max() <= 0.0525


def test_a_limit_of_nothing_is_refused():
    with pytest.raises(ValueError, match="limit"):
        StrainLimit(limit=0.0)
