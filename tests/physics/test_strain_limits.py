"""Strain limits and tethers as constraints of their own."""

import numpy as np
import pytest

from pliant.bench.cloth import structural_strain
from pliant.constraints import ProvotLimit, StrainLimit, Tethers
from pliant.lowering import build
from pliant.scene import Cloth, Scene
from pliant.world import SHEAR, rows_of


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


def test_a_limit_of_nothing_is_refused():
    with pytest.raises(ValueError, match="limit"):
        StrainLimit(limit=0.0)
