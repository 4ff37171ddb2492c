"""The cloth of seed 000's figures: 15 x 15 points of 0.1 kg, 1 m, one stiffness, two corners held, g = 9.8."""

import numpy as np

import pliant
from pliant.loop import Stage

STEP = 1.0 / 30.0  # [s]


def lying_sheet(method, stiffness, *, pinned="top-corners", gravity=9.8, cells=14):
    sheet = pliant.Cloth.sheet(
        width=1,
        height=1,
        columns=cells,
        rows=cells,
        lies="flat",
        center=(0, 0, 0),
        pinned=pinned,
        fabric=pliant.RawFabric.uniform(stiffness),
        integrator=method,
        self_contact=False,
    )
    field = pliant.Gravity(acceleration=(0, -gravity, 0))
    return pliant.Scene(parts={"sheet": sheet}, fields=(field,), substeps=1)


def step(world, state, count, *, h=STEP):
    """Advance without asking whether the method is stable there."""
    stage = Stage(world)
    for _ in range(count):
        stage.step(state, h)
    return stage


def strain(world, state):
    """Largest strain of the structural edges."""
    from pliant.world import Springs, structural

    springs = world.parts["sheet"].table(Springs)
    rows = structural(springs)
    ends = springs.ends[rows]
    length = np.linalg.norm(state.position[ends[:, 1]] - state.position[ends[:, 0]], axis=1)
    return float((length / springs.rest_length[rows] - 1.0).max())
