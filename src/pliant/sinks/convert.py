"""A recording from one format to another, frame by frame."""

from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FormatError
from pliant.sinks.formats import sink_for
from pliant.sources.recordings import Recording, load_recording
from pliant.sources.units import Up
from pliant.world import Part, PartFrame, World


def convert(
    source: str | Path, target: str | Path, *, up: Up = "y", unit: str | float = "m", **options: Any
) -> Recording:
    """Read a clip and write it in the target's format.

    `up` and `unit` are the source's, where it does not say them itself; `options` are the sink's, such as `target_app`.
    """
    clip = load_recording(source, up=up, unit=unit)
    if Path(source).resolve() == Path(target).resolve():
        raise FormatError(f"{target}: is the source; choose another name")
    frames = iter(clip)
    first = next(frames, None)
    if first is None:
        raise FormatError(f"{source}: has no frames")
    world = bare_world(list(first.values()))
    with sink_for(target)(target, world, **({"fps": clip.fps, "frames": len(clip)} | options)) as sink:
        sink.write(first)
        for frame in frames:
            sink.write(frame)
    return clip


def bare_world(parts: list[PartFrame]) -> World:
    """What a sink may ask of a world when nothing but frames is left: names, surfaces, looks; no masses, no springs."""
    made, row, body = {}, 0, 0
    for part in parts:
        count, bodies = len(part.points), len(part.rotations_xyzw)
        made[part.name] = Part(
            name=part.name,
            kind=part.kind,
            rows=slice(row, row + count),
            bodies=slice(body, body + bodies),
            gases=slice(0, 0),
            rest_position=part.points.astype(np.float64),
            mass=np.zeros(0),
            held=np.zeros(0, np.uint32),
            triangles=part.triangles,
            tables=(),
            thickness=0.0,
            friction=0.0,
            integrator=None,
            rest_rotation_xyzw=part.rotations_xyzw.astype(np.float64),
            uv=part.uv,
            look=part.look,
        )
        row, body = row + count, body + bodies
    return World(parts=made, fields=(), colliders=(), ties=None, substeps=None, adjustments=1)
