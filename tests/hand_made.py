"""Worlds and frames made by hand, so that tests of what is drawn and written need no simulation."""

import numpy as np

from pliant.geometry.surface import grid
from pliant.world import Frame, Look, Part, World, part_frame


def part(name, points, triangles, *, kind="cloth", look=None, uv=None, tables=(), thickness=0.002):
    count = len(points)
    return Part(
        name=name,
        kind=kind,
        rows=slice(0, count),
        bodies=slice(0, 0),
        gases=slice(0, 0),
        rest_position=np.asarray(points, float),
        mass=np.ones(count),
        held=np.zeros(0, np.uint32),
        triangles=np.asarray(triangles, np.uint32),
        tables=tables,
        thickness=thickness,
        friction=0.3,
        integrator=None,
        uv=uv,
        look=look or Look(),
    )


def sheet(name="sheet", *, cells=8, size=1.0, lift=0.0, look=None):
    """A square that faces +z, its lower edge at `lift`."""
    uv, triangles = grid(cells, cells)
    points = np.column_stack([size * (uv[:, 0] - 0.5), lift + size * uv[:, 1], np.zeros(len(uv))])
    return part(name, points, triangles, look=look, uv=uv)


def world(*parts, colliders=()):
    return World(
        parts={p.name: p for p in parts}, fields=(), colliders=tuple(colliders), ties=None, substeps=None, adjustments=1
    )


def frame(of, index=0, *, fps=60.0, move=(0.0, 0.0, 0.0), **quantities):
    """Frame `index`; every part is moved by `index` times `move` [m]."""
    shift = index * np.asarray(move, float)
    parts = {
        n: part_frame(p, p.rest_position + shift, p.rest_position * 0.0, **quantities) for n, p in of.parts.items()
    }
    return Frame(index, index / fps, parts)


def clip(of, count, *, fps=60.0, move=(0.01, 0.0, 0.0)):
    return [frame(of, k, fps=fps, move=move) for k in range(count)]


def broken(frames):
    """A run that ends in an error."""
    yield from frames
    raise RuntimeError("the run broke")
