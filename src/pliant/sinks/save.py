"""`pliant.save`: a scene's run, or frames you have, into one file."""

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pliant.errors import SceneError
from pliant.loop.simulate import frame_count
from pliant.scene import Scene
from pliant.sinks.convert import bare_world
from pliant.sinks.record import open_sinks, record
from pliant.world import Frame, World

USUAL_FPS = 60.0


def save(
    what: Scene | Iterable[Frame],
    path: str | Path,
    *,
    seconds: float | None = None,
    frames: int | None = None,
    fps: float | None = None,
    world: World | None = None,
    **options: Any,
) -> Path:
    """Simulate a scene into a file, or write frames you already have.

    `fps` is 60 for a scene; frames come at the pace of their own times. Frames alone show the parts; what stands
    around them, such as the ground of a picture, is known from `world=build(scene)`.
    """
    if isinstance(what, Scene):
        run = {name: options.pop(name) for name in ("integrator", "threads") if name in options}
        record(what, [path], seconds=seconds, frames=frames, fps=fps or USUAL_FPS, options=options, **run)
        return Path(path)
    first, stream = _begun(what)
    pace = fps or _pace(first)
    count = frame_count(frames, seconds, pace)
    surroundings = world if world is not None else bare_world(list(first[0].values()))
    (sink,) = open_sinks([path], surroundings, options, fps=pace)
    with sink:
        for frame in itertools.islice(stream, count):
            sink.write(frame)
    return Path(path)


def _begun(what: Iterable[Frame]) -> tuple[list[Frame], Iterator[Frame]]:
    """The first two frames, and all of them."""
    if not isinstance(what, Iterable):
        raise SceneError(f"save: {type(what).__name__} can not be saved; give a Scene or frames, as of simulate(scene)")
    frames = iter(what)
    first = list(itertools.islice(frames, 2))
    if not first:
        raise SceneError("save: no frames; give at least one")
    for thing in first:
        if not isinstance(thing, Frame):
            raise SceneError(f"save: {type(thing).__name__} is no frame; give a Scene or frames, as of simulate(scene)")
    return first, itertools.chain(first, frames)


def _pace(first: list[Frame]) -> float:
    """Frames per second, as the first two stand apart."""
    step = first[-1].time - first[0].time
    return round(1.0 / step, 6) if step > 0.0 else USUAL_FPS
