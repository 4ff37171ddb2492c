"""Run a scene into any number of sinks, and report what it took."""

import contextlib
import hashlib
import math
import resource
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FormatError, unknown
from pliant.filters import Dressed
from pliant.loop import Session, Stage
from pliant.loop.drawing import drawn, may_draw_beside
from pliant.loop.simulate import frame_count, with_methods
from pliant.scene import Scene
from pliant.sinks.base import Sink
from pliant.sinks.formats import sink_for
from pliant.world import Frame, PartFrame, State, World, rows_of, structural_strain


@dataclass
class Report:
    """What a run took and how it ended; `as_json` is what `pliant run --json` prints."""

    scene: str
    integrator: dict[str, str]
    frames: int
    fps: float
    particles: int
    substeps: dict[str, int]
    ms_per_frame: dict[str, float]
    real_time_factor: float
    load: dict[str, float]  # share of each part, of what is between them, and of filters
    peak_rss_mb: float
    max_strain: float
    mean_strain: float
    finite: bool
    state_hash: str
    time_to_first_frame_s: float = 0.0
    outputs: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def record(
    scene: Scene,
    outputs: Sequence[str | Path] = (),
    *,
    name: str = "",
    frames: int | None = None,
    seconds: float | None = None,
    fps: float = 60.0,
    integrator: Any = None,
    threads: int | None = None,
    options: dict[str, Any] | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> Report:
    """Simulate and write every frame to every output; `watch(done, total)` is told after each frame.

    What the scene has as inputs is repeated.
    """
    began = time.perf_counter()
    if frames is None and seconds is None:
        seconds = scene.seconds
    total = frame_count(frames, seconds, fps) or 1
    session = Session(with_methods(scene, None, integrator), fps=fps, threads=threads, history=False)
    times: list[float] = []
    first = 0.0
    last: Frame | None = None
    with contextlib.ExitStack() as stack:
        sinks = open_sinks(
            outputs, session.stage.world, options, fps=fps, frames=total, title=scene.title or name, view=scene.view
        )
        for sink in sinks:
            stack.enter_context(sink)
        each = drawn(session.advance, total, beside=may_draw_beside(threads))
        for done in range(total):
            start = time.perf_counter()
            frame = next(each)
            times.append(1e3 * (time.perf_counter() - start))
            first = first or time.perf_counter() - began
            last = frame
            _write(sinks, frame)
            if watch is not None:
                watch(done + 1, total)
    report = _report(session.stage, session.state, times, fps, name, last)
    report.time_to_first_frame_s = round(first, 4)
    report.outputs = [str(sink.target) for sink in sinks]
    return report


def open_sinks(
    outputs: Iterable[str | Path], world: World, asked: dict[str, Any] | None = None, **offered: Any
) -> list[Sink]:
    """One sink per output; the suffix chooses, unwritable places are refused before anything runs.

    A sink gets what it takes of `offered`; something `asked` for that none of the sinks takes is refused.
    """
    asked = {name: value for name, value in (asked or {}).items() if value is not None}
    kinds = [(target, sink_for(target)) for target in outputs]
    idle = set(asked) - {name for _, kind in kinds for name in kind.takes()}
    if idle and kinds:
        taken = {name for _, kind in kinds for name in kind.takes()}
        raise FormatError(f"{', '.join(str(t) for t, _ in kinds)}: {unknown('option', min(idle), taken)}")
    given = offered | asked
    return [kind(target, world, **{n: v for n, v in given.items() if n in kind.takes()}) for target, kind in kinds]


def _write(sinks: Sequence[Sink], frame: Frame) -> None:
    for sink in sinks:
        try:
            sink.write(frame)
        except OSError as error:
            raise FormatError(f"{sink.target}: cannot be written ({error.strerror or error}); free the place") from None


def _report(stage: Stage, state: State, times: list[float], fps: float, name: str, last: Frame | None) -> Report:
    world = stage.world
    made = [part for part in (last or {}).values() if part.name not in world.parts]  # by filters: no rows in the state
    methods = {f.name: f.method.name for f in world.filters if isinstance(f, Dressed)}
    steady = times[1:] or times
    strains = [structural_strain(part, rows_of(state, part).position) for part in world.parts.values()]
    weights = [len(part.mass) for part in world.parts.values()]
    median = statistics.median(steady)
    return Report(
        scene=name,
        integrator={n: part.integrator.name for n, part in world.parts.items()} | methods,
        frames=len(times),
        fps=fps,
        particles=len(state.position) + sum(len(part.points) for part in made),
        substeps={n: stage.substeps(state, n, 1.0 / fps) for n in world.parts} | dict.fromkeys(methods, 0),
        ms_per_frame={
            "median": round(median, 4),
            "p95": round(sorted(steady)[math.ceil(0.95 * len(steady)) - 1], 4),
            "first": round(times[0], 4),
        },
        real_time_factor=round(1e3 / fps / median, 2),
        load=_shares(stage),
        peak_rss_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0, 1),
        max_strain=max((greatest for greatest, _ in strains), default=0.0),
        mean_strain=float(np.average([mean for _, mean in strains], weights=weights)) if strains else 0.0,
        finite=bool(np.isfinite(state.position).all() and all(np.isfinite(part.points).all() for part in made)),
        state_hash=_hash(state, made),
    )


def _shares(stage: Stage) -> dict[str, float]:
    """Of the work on the last frame: each part, ties and contacts between them, and what filters made of the frame."""
    spent = {name: part.load for name, part in stage.parts.items()}
    if len(spent) > 1:
        spent["ties and contacts"] = stage.between
    if stage.filters:
        spent["figures and garments"] = stage.drawing
    total = sum(spent.values()) or 1.0
    return {name: round(share / total, 4) for name, share in spent.items()}


def _hash(state: State, made: list[PartFrame]) -> str:
    """Of the state, and of what filters made of it."""
    if not made:
        return state.hash()
    digest = hashlib.sha256(state.hash().encode())
    for part in made:
        digest.update(part.name.encode() + np.ascontiguousarray(part.points).tobytes())
    return digest.hexdigest()
