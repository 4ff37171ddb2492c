"""What the surroundings cost: air, solids and self-contact on sheets, per call or per frame."""

from collections.abc import Callable
from time import perf_counter

import numpy as np

from pliant.colliders import Box, Ground, Sphere
from pliant.colliders.between import Touching
from pliant.forces import Gravity, Wind
from pliant.loop import Stage
from pliant.lowering import build
from pliant.scene import Cloth, Scene
from pliant.world import State, World, rows_of


def _curtain(cells: int, **options: object) -> tuple[World, State]:
    cloth = Cloth.sheet(
        width=1.0,
        height=1.0,
        columns=cells,
        rows=cells,
        lies="flat",
        center=(0, 1.4, 0),
        pinned="top-corners",
        **options,
    )
    scene = Scene(
        parts={"curtain": cloth},
        fields=(Wind(velocity=(3.0, 0.0, 1.0)), Gravity()),
        colliders=(Sphere(center=(0.0, 0.6, 0.3), radius=0.3), Box(), Ground()),
    )
    world = build(scene)
    return world, world.initial_state()


def _best(call: Callable[[], object], count: int) -> float:
    """Shortest of several calls [ms], after one that compiles."""
    call()
    times = []
    for _ in range(count):
        began = perf_counter()
        call()
        times.append(perf_counter() - began)
    return 1e3 * float(np.min(times))


def air_cost(cells: int = 127, substeps: int = 34, count: int = 10) -> float:
    """Air on one sheet, all substeps of a frame, per substep [ms]."""
    world, state = _curtain(cells)
    part = world.parts["curtain"]
    rows, air = rows_of(state, part), world.fields[0].bind(world, part)
    force = np.zeros_like(rows.position)

    def frame() -> None:
        air.begin_frame(rows, 0.0, 1 / 60)
        for _ in range(substeps):
            air.add(rows, force, 1 / 60 / substeps)

    return _best(frame, count) / substeps


def solids_cost(cells: int = 127, count: int = 50) -> float:
    """Three solids against one sheet, per substep [ms]."""
    world, state = _curtain(cells)
    part = world.parts["curtain"]
    rows, solids = rows_of(state, part), world.colliders[0].bind(world, part)
    previous = rows.position.copy()
    return _best(lambda: solids.resolve(rows, previous, 1 / 2000), count)


def search_cost(cells: int = 127, count: int = 10) -> float:
    """One search for what may touch in a flat sheet [ms]."""
    world, state = _curtain(cells)
    touching = Touching(world, ["curtain"])

    def search() -> None:
        touching.meet(state, 1 / 60)
        touching.begin(state, 1 / 2000)

    return _best(search, count)


def self_contact_share(cells: int = 63, frames: int = 12) -> float:
    """A swinging curtain's frame with self-contact over one without, both in this run."""
    times = []
    for on in (True, False):
        world, state = _curtain(cells, self_contact=on)
        stage = Stage(world)
        times.append(_best(lambda stage=stage, state=state: stage.step(state, 1 / 60), frames))  # type: ignore[misc]
    return times[0] / times[1]


BENCHES: dict[str, Callable[[], float]] = {
    "air, ms per substep": air_cost,
    "solids, ms per substep": solids_cost,
    "search, ms": search_cost,
    "self-contact, frame with over without": self_contact_share,
}
