"""How fast pictures and films are made here: 720p by OpenGL (in software where there is no GPU) and without it.

Other work on the machine slows the clock but not the cost, so both stand there: pictures per second as measured, and
the CPU time of one picture, the encoder's included. OpenGL in software spreads over all cores but for a few
milliseconds, so that an idle machine makes about cores / CPU time of them per second.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from pliant import gallery
from pliant.bench.report import Report
from pliant.errors import UnsupportedError
from pliant.loop import simulate
from pliant.lowering import build
from pliant.sinks.formats import for_suffix
from pliant.sinks.picture import Options, Painter
from pliant.world import Frame, World

SIZE = (1280, 720)
WANTED = 15.0  # pictures per second at 720p in software


def pictures(scenes: Iterable[str] = ("curtain", "flag", "puppet"), count: int = 24) -> Report:
    """Pictures per second of a few scenes, and what one costs."""
    rows: list[tuple[str, ...]] = []
    values: dict[str, float] = {"cores": float(os.cpu_count() or 1)}
    for name in scenes:
        world = build(gallery.load(name))
        frames = list(simulate(world, frames=4))
        for way, number in (("gl", count), ("software", 4), (".mp4", 2 * count), (".gif", count)):
            make = _film if way.startswith(".") else _painted
            try:
                pace, cost = make(world, frames, way, number)
            except UnsupportedError as error:
                rows.append((name, way, "-", "-", "-", str(error)))
                continue
            idle = values["cores"] / cost
            values |= {f"{name}_{way.strip('.')}_per_s": pace, f"{name}_{way.strip('.')}_cpu_ms": 1e3 * cost}
            wanted = f">= {WANTED:g}" if way in ("gl", ".mp4") else ""
            rows.append((name, way, f"{pace:.1f}", f"{1e3 * cost:.0f} ms", f"{idle:.0f}", wanted))
    columns = ("scene", "by", "pictures/s, measured", "CPU time of one", "pictures/s, all cores", "wanted")
    return Report(f"pictures of {SIZE[0]} x {SIZE[1]}, {os.cpu_count()} cores", columns, rows, values)


def _painted(world: World, frames: list[Frame], renderer: str, count: int) -> tuple[float, float]:
    """Pictures per second and CPU seconds of one."""
    painter = Painter(world, Options.of({"size": SIZE, "renderer": renderer}))
    try:
        painter.paint(frames[0])
        return _paced(lambda: [painter.paint(frames[k % len(frames)]) for k in range(count)], count)
    finally:
        painter.close()


def _film(world: World, frames: list[Frame], suffix: str, count: int) -> tuple[float, float]:
    """The same of a whole file, encoder and all, without the simulation."""
    options = {"size": SIZE} if suffix == ".mp4" else {}
    with tempfile.TemporaryDirectory() as folder:

        def write() -> None:
            with for_suffix(suffix)(Path(folder) / f"clip{suffix}", world, fps=30.0, **options) as sink:
                for k in range(count):
                    sink.write(Frame(k, k / 30.0, frames[k % len(frames)].parts))

        return _paced(write, count)


def _paced(work: Callable[[], object], count: int) -> tuple[float, float]:
    began, before = time.perf_counter(), os.times()
    work()
    after = os.times()
    spent = sum(after[:4]) - sum(before[:4])  # own and children's, user and system
    return count / (time.perf_counter() - began), spent / count
