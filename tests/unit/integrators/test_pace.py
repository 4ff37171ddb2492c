"""How many substeps a frame needs by each method's own rule: numbers of the spec of seed 000, sections 8 and 17."""

import numpy as np
import pytest

import pliant
from physics.papers_cloth import lying_sheet, step
from pliant.integrators import XPBD, Approximate, Filtered, Implicit
from pliant.world import rows_of


def stepper_of(scene):
    world = pliant.build(scene)
    part = world.parts["sheet"]
    return part.integrator.bind(world, part), rows_of(world.initial_state(), part), part


@pytest.mark.parametrize("method", [Approximate, Filtered])
@pytest.mark.parametrize(("kept", "pace"), [(0.5, 223.0), (0.9, 509.0)])
def test_inertia_asks_for_the_steps_of_the_spec(method, kept, pace):
    """k = 1000, m = 0.1, 12 springs: half of the inertia needs 1/223 s, nine tenths 1/509 s."""
    stepper, rows, _ = stepper_of(lying_sheet(method(inertia=kept), 1000.0))
    assert stepper.substeps(rows, 1 / 30) == np.ceil(pace / 30)
    assert stepper_of(lying_sheet(method(), 1000.0))[0].substeps(rows, 1 / 30) == 1


def test_a_cloth_that_keeps_half_of_its_inertia_falls_with_half_of_g_and_more():
    """One step at 1/223 s against one at 1/30 s, where it falls with 1.5 % of g."""
    found = {}
    for h in (1 / 30, 1 / 223):
        world = pliant.build(lying_sheet(Approximate(momentum=False), 1000.0))
        state = world.initial_state()
        step(world, state, 1, h=h)
        found[h] = -state.velocity[112, 1] / (9.8 * h)
    assert found[1 / 30] == pytest.approx(0.0148, abs=1e-3)
    assert found[1 / 223] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("method", [Approximate, Filtered, Implicit])
def test_no_row_passes_through_what_is_thinner_than_its_step(method):
    """h v <= c d."""
    stepper, rows, part = stepper_of(lying_sheet(method(contact=0.4), 1000.0))
    rows.velocity[7] = (0.0, 0.0, 0.6)
    assert stepper.substeps(rows, 1 / 30) == np.ceil(0.6 / 30 / (0.4 * part.thickness))
    rows.velocity[7] = (0.0, 0.0, 6000.0)
    assert stepper.substeps(rows, 1 / 30) == 64


@pytest.mark.parametrize(("points", "substeps"), [(64, 17), (128, 34)])
def test_the_default_method_takes_the_substeps_of_the_rule(points, substeps):
    """S = H N sqrt(g / (2 eps L)), between 4 and 64."""
    grid = pliant.Cloth.sheet(width=1, height=1, columns=points - 1, rows=points - 1, pinned="top").mesh()
    top = np.flatnonzero(grid.points[:, 1] == grid.points[:, 1].max()).tolist()
    mesh = pliant.Cloth.from_mesh(
        grid.points, grid.triangles, pinned=top, integrator=XPBD(), self_contact=False, fabric=pliant.Fabric(limit=None)
    )
    stepper, rows, _ = stepper_of(pliant.Scene(parts={"sheet": mesh}))
    assert stepper.substeps(rows, 1 / 60) == substeps
    assert stepper.substeps(rows, 1 / 600) == max(4, np.ceil(substeps / 10))
    assert stepper.substeps(rows, 1.0) == 64
