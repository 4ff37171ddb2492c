"""The one-step and many-step heights of the spec of seed 000, section 19, by an independent implementation."""

import json
from pathlib import Path

import pytest

import pliant
from physics.papers_cloth import lying_sheet, step
from pliant.integrators import INTEGRATORS

GOLDEN = json.loads((Path(__file__).parent / "massspring.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_heights_of_the_centre(case):
    record = GOLDEN["cases"][case]
    method = INTEGRATORS[record["method"]](**record["options"])
    world = pliant.build(lying_sheet(method, record["stiffness"]))
    state, stepped = world.initial_state(), 0
    for count, height in zip((1, 10, 100), record["heights"], strict=True):
        if height is not None:
            step(world, state, count - stepped)
            stepped = count
            assert state.position[112, 1] == pytest.approx(height, rel=GOLDEN["tolerance"][str(count)])
