"""`pliant.save`: a scene's run, or frames you have, into one file."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pliant.errors import SceneError
from pliant.scene import Scene
from pliant.sinks.formats import sink_for
from pliant.sinks.record import record
from pliant.world import Frame, World


def save(
    what: Scene | Iterable[Frame],
    path: str | Path,
    *,
    seconds: float | None = None,
    frames: int | None = None,
    fps: float = 60.0,
    world: World | None = None,
    **options: Any,
) -> Path:
    """Simulate a scene into a file, or write frames you already have (give their `world`)."""
    if isinstance(what, Scene):
        run = {name: options.pop(name) for name in ("integrator", "threads") if name in options}
        record(what, [path], seconds=seconds, frames=frames, fps=fps, options=options, **run)
        return Path(path)
    if world is None:
        raise SceneError("save: frames alone do not say what surrounds them; give world=build(scene) too")
    with sink_for(path)(path, world, fps=fps, **options) as sink:
        for frame in what:
            sink.write(frame)
    return Path(path)
