"""What a frame of cloth costs and how far it stretches, through the public loop.

    columns x columns curtain at 60 frames/s with gravity and air; strain is that of structural edges, worst frame

The time is the least of all frames: other programs can only lengthen it.
"""

import math
from time import perf_counter

import numpy as np

from pliant import gallery
from pliant.arrays import Array
from pliant.bench.report import Report
from pliant.kernels import set_thread_count
from pliant.loop.stage import Stage
from pliant.lowering import build
from pliant.scene import set_path
from pliant.world import Part, Springs, structural

TARGETS = {32: 0.6, 64: 3.0, 127: 13.0}  # [ms] of a frame on two cores
TARGETS_TOUCHING = {127: 30.0}  # with self-contact


def structural_strain(part: Part, position: Array) -> Array:
    """(length - rest) / rest of every structural edge."""
    springs: Springs = part.table(Springs)
    rows = structural(springs)
    ends = springs.ends[rows]
    length = np.linalg.norm(position[ends[:, 1]] - position[ends[:, 0]], axis=1)
    return length / springs.rest_length[rows] - 1.0


def measure(
    columns: int, *, frames: int = 90, fps: float = 60.0, threads: int = 2, self_contact: bool = False
) -> dict[str, float]:
    """One curtain: least and median time of a frame [ms], worst and last strain."""
    scene = set_path(gallery.load("curtain"), "curtain.self_contact", self_contact)
    for side in ("columns", "rows"):
        scene = set_path(scene, f"curtain.{side}", columns)
    set_thread_count(threads)
    world = build(scene)
    stage, state = Stage(world), world.initial_state()
    part = world.parts["curtain"]
    stage.step(world.initial_state(), 1.0 / fps)  # compiles
    times, strains = [], []
    for _ in range(frames):
        began = perf_counter()
        stage.step(state, 1.0 / fps)
        times.append(1e3 * (perf_counter() - began))
        strains.append(float(structural_strain(part, state.position[part.rows]).max()))
    return {
        "ms_least": min(times),
        "ms_median": float(np.median(times)),
        "strain_worst": max(strains),
        "strain_last": strains[-1],
    }


def curtains(frames: int = 90) -> Report:
    """Curtains of three sizes on one and two threads."""
    rows: list[tuple[str, ...]] = []
    values = {}
    for cells in TARGETS:
        for threads, contact in ((1, False), (2, False), (2, True)):
            found = measure(cells, frames=frames, threads=threads, self_contact=contact)
            values[f"{cells}x{cells}, {threads} threads{', self-contact' if contact else ''}"] = found
            target = TARGETS_TOUCHING.get(cells, math.nan) if contact else TARGETS[cells]
            rows.append(
                (
                    f"{cells} x {cells}",
                    str(threads),
                    "with" if contact else "without",
                    f"{found['ms_least']:.2f}",
                    f"{found['ms_median']:.2f}",
                    f"{target:.1f}" if math.isfinite(target) else "",
                    f"{100 * found['strain_worst']:.1f} %",
                )
            )
    title = "Cost and greatest strain of a frame of the curtain, 60 frames/s, gravity and air"
    columns = ("cells", "threads", "self-contact", "least ms", "median ms", "target ms", "strain")
    return Report(title, columns, rows, values)
