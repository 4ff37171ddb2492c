"""What a frame of balloons costs, and how exact it is, through the public loop.

One ball of 642, 2,562 and 10,242 points at four times its rest volume, under gravity and in air, against the law of the
spherical balloon: error of the volume, and the largest error of an edge's stretch beside the stretch itself. Then
twelve balls of 642 that are pressed together in a box, against real time.
"""

import math
from time import perf_counter

import numpy as np

from pliant.bench.report import Report
from pliant.colliders import Box, Ground
from pliant.constants import ATMOSPHERE
from pliant.forces import Gravity, Wind
from pliant.kernels import set_thread_count
from pliant.loop.frames import picture
from pliant.loop.stage import Stage
from pliant.lowering import build
from pliant.scene import Balloon, Gas, Scene
from pliant.world import State, Volumes, World, edge_strain

RADIUS, FILL = 0.15, 4.0
TARGETS = {3: 0.4, 4: 1.6, 5: 7.0}  # [ms] of a frame on two cores
FRAME = 1.0 / 60.0  # [s]


def exact_stretch(modulus: float) -> float:
    """Radius over rest radius where gas and skin agree: P_air + 3 Y / r0 (l - 1) / l^2 = P_air fill / l^3."""
    low, high = 1.0, FILL ** (1.0 / 3.0)
    for _ in range(60):
        middle = 0.5 * (low + high)
        skin = 3.0 * modulus / RADIUS * (middle - 1.0) / middle**2
        low, high = (middle, high) if ATMOSPHERE * FILL / middle**3 > ATMOSPHERE + skin else (low, middle)
    return low


def one(detail: int, *, threads: int, frames: int) -> dict[str, float]:
    """A free ball: times of a frame [ms], errors of volume and of edges."""
    set_thread_count(threads)
    ball = Balloon.sphere(RADIUS, detail=detail, gas=Gas(fill=FILL))
    world = build(Scene(parts={"ball": ball}, fields=(Gravity(), Wind())))
    times, state = _timed(world, frames)
    part, seen = world.parts["ball"], picture(world, state)["ball"]
    stretch = exact_stretch(ball.skin.stretch)
    strain = edge_strain(part, state.position[part.rows])
    volume = float(part.table(Volumes).rest_volume[0]) * stretch**3
    return {
        "ms_least": float(times.min()),
        "ms_median": float(np.median(times)),
        "volume_error": abs(seen.volume / volume - 1.0),
        "edge_error": float(np.abs((1.0 + strain) / stretch - 1.0).max()),
        "stretch": stretch - 1.0,
    }


def twelve(*, threads: int, frames: int) -> dict[str, float]:
    """Twelve balls in a box too small for them: times of a frame [ms], touching pairs."""
    set_thread_count(threads)
    parts = {}
    for k in range(12):
        place = (0.31 * (k % 2) - 0.155, 0.2 + 0.3 * (k // 4), 0.31 * (k // 2 % 2) - 0.155)
        parts[f"ball{k + 1}"] = Balloon.sphere(0.12, center=place, gas=Gas(kind="air", fill=2.4))
    walls = tuple(
        Box(center=(x, 0.6, z), size=(0.1 if x else 1.0, 1.4, 0.1 if z else 1.0))
        for x, z in ((0.36, 0), (-0.36, 0), (0, 0.36), (0, -0.36))
    )
    world = build(Scene(parts=parts, fields=(Gravity(), Wind()), colliders=(Ground(), *walls)))
    times, state = _timed(world, frames)
    return {
        "ms_least": float(times.min()),
        "ms_median": float(np.median(times)),
        "touching": float(_pairs(world, state)),
    }


def _timed(world: World, frames: int) -> tuple[np.ndarray, State]:
    stage, state = Stage(world), world.initial_state()
    for _ in range(30):  # it compiles, fills and settles
        stage.step(state, FRAME)
    times = np.zeros(frames)
    for k in range(frames):
        began = perf_counter()
        stage.step(state, FRAME)
        times[k] = 1e3 * (perf_counter() - began)
    return times, state


def _pairs(world: World, state: State) -> int:
    """Pairs of balls nearer to each other than 5 mm."""
    from scipy.spatial import cKDTree

    trees = [cKDTree(state.position[part.rows]) for part in world.parts.values()]
    return sum(
        bool(trees[a].count_neighbors(trees[b], 5e-3 + 0.5 * _edge(world))) for a in range(len(trees)) for b in range(a)
    )


def _edge(world: World) -> float:
    part = next(iter(world.parts.values()))
    return math.sqrt(4.0 * math.pi * 0.12**2 / len(part.mass))


def balloons(frames: int = 120) -> Report:
    """Three sizes on one and two threads, then twelve that touch."""
    rows: list[tuple[str, ...]] = []
    values: dict[str, dict[str, float]] = {}
    for detail, target in TARGETS.items():
        for threads in (1, 2):
            name, found = f"{10 * 4**detail + 2:,}", one(detail, threads=threads, frames=frames)
            values[f"{name} points, {threads} threads"] = found
            errors = (f"{100 * found[key]:.3f} %" for key in ("volume_error", "edge_error", "stretch"))
            rows.append((name, str(threads), *_times(found), f"{target:.1f}", *errors))
    for threads in (1, 2):
        found = twelve(threads=threads, frames=frames)
        values[f"twelve touching, {threads} threads"] = found
        rows.append(
            (f"12 x 642, {found['touching']:.0f} pairs touch", str(threads), *_times(found), "16.7", "", "", "")
        )
    columns = (
        "points",
        "threads",
        "least ms",
        "median ms",
        "target ms",
        "volume error",
        "edge error",
        "skin's stretch",
    )
    return Report("Cost and error of a frame of balloons, 60 frames/s, gravity and air", columns, rows, values)


def _times(found: dict[str, float]) -> tuple[str, str]:
    return f"{found['ms_least']:.2f}", f"{found['ms_median']:.2f}"
