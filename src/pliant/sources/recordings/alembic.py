"""Alembic clips: every polygon mesh at its samples, moved by the transforms above it; metres, Y up.

Alembic knows no unit: a file in centimetres is scaled by whoever uses it. A mesh may change its points in time, its
polygons must stay.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.geometry.polygons import triangulate
from pliant.sources.ogawa import Archive, Clock, Object, Property
from pliant.sources.raw import damaged, rows_of
from pliant.sources.recordings.recording import Moment, Recording, Role, checked_triangles

_AXES = {4: (1.0, 0.0, 0.0), 5: (0.0, 1.0, 0.0), 6: (0.0, 0.0, 1.0)}
_WIDTHS = {0: 3, 1: 3, 2: 4, 3: 16, 4: 1, 5: 1, 6: 1}  # numbers of each kind of operation


class _Surface(NamedTuple):
    """One mesh and what moves it."""

    name: str
    points: Property
    triangles: Array
    uv: Array | None
    turns: tuple[Property, ...]  # transforms above it, the outermost first


def open_abc(path: Path) -> Recording:
    with damaged(path, "Alembic"), path.open("rb") as stream:
        archive = Archive(path, stream)
        surfaces = list(_surfaces(archive, archive.top, ()))
        if not surfaces:
            raise FormatError(f"{path}: has no polygon mesh (pliant reads PolyMesh, no subdivision surface or hair)")
        times, fps = _times(archive, surfaces)
        sizes = [len(_points(archive, surface, times[0])) for surface in surfaces]
        starts = rows_of(sizes).tolist()
        roles = tuple(
            Role(s.name, "cloth", slice(a, b), checked_triangles(s.triangles, b - a, str(path)), s.uv)
            for s, a, b in zip(surfaces, starts, starts[1:], strict=False)
        )
    return Recording(path, fps, times, roles, lambda: _moments(path, times, sizes))


def _moments(path: Path, times: tuple[float, ...], sizes: list[int]) -> Iterator[Moment]:
    with damaged(path, "Alembic"), path.open("rb") as stream:
        archive = Archive(path, stream)
        surfaces = list(_surfaces(archive, archive.top, ()))
        for index, time in enumerate(times):
            blocks = [_points(archive, surface, time) for surface in surfaces]
            if [len(block) for block in blocks] != sizes:
                raise FormatError(f"{path}: frame {index} has another number of points than the first")
            yield Moment(np.concatenate(blocks).astype(np.float32))


def _surfaces(archive: Archive, node: Object, turns: tuple[Property, ...]) -> Iterator[_Surface]:
    turn = node.at(".xform")
    if turn is not None:
        inherits = turn.at(".inherits")
        own = inherits is not None and len(inherits.places) > 0 and not archive.sample(inherits, 0)[0]
        turns = (turn,) if own else (*turns, turn)
    geometry = node.at(".geom")
    if geometry is not None and node.about.get("schema", "").startswith("AbcGeom_PolyMesh"):
        yield _surface(archive, node, geometry, turns)
    for child in node.children:
        yield from _surfaces(archive, child, turns)


def _surface(archive: Archive, node: Object, geometry: Property, turns: tuple[Property, ...]) -> _Surface:
    points, counts, indices = (geometry.at(name) for name in ("P", ".faceCounts", ".faceIndices"))
    if points is None or counts is None or indices is None:
        raise FormatError(f"{archive.path}: mesh {node.name!r} has no points or no polygons")
    if max(counts.last, indices.last):
        raise FormatError(f"{archive.path}: the polygons of {node.name!r} change in time; a recording keeps them")
    first = archive.sample(points, 0).astype(float)
    starts = rows_of(archive.sample(counts, 0)[:, 0].astype(np.int64))
    corners = archive.sample(indices, 0)[:, 0].astype(np.int64)
    if (np.diff(starts) < 0).any() or starts[-1] != len(corners):
        raise FormatError(f"{archive.path}: the polygons of {node.name!r} do not fit their corners; damaged")
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(first):
        raise FormatError(f"{archive.path}: a face of {node.name!r} uses a point that is not there")
    triangles = triangulate(first, starts, _turned_around(starts, corners))
    name = node.name.removesuffix("Shape") or node.name
    return _Surface(name, points, triangles, _uv(archive, geometry, len(first)), turns)


def _turned_around(starts: Array, corners: Array) -> Array:
    """Every polygon the other way round, from its own first corner's end: Alembic winds them clockwise."""
    face = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.asarray(corners[(starts[:-1] + starts[1:] - 1)[face] - np.arange(len(corners))])


def _uv(archive: Archive, geometry: Property, count: int) -> Array | None:
    """Of the points, where the file has them so; those of corners would split the surface and are left out."""
    uv = geometry.at("uv")
    if uv is None or uv.compound or not uv.array or uv.extent != 2 or not uv.places:
        return None
    values = archive.sample(uv, 0)
    return values.astype(np.float32) if len(values) == count else None


def _times(archive: Archive, surfaces: list[_Surface]) -> tuple[tuple[float, ...], float]:
    """The samples of whatever moves most often, a second's worth of them, and their rate."""
    moving = [p for s in surfaces for p in (s.points, *filter(None, (t.at(".vals") for t in s.turns)))]
    finest = max(moving, key=lambda p: p.samples)
    if finest.samples < 2:
        return (0.0,), 30.0
    if finest.samples > 10**6:
        raise FormatError(f"{archive.path}: {finest.samples} frames are refused")
    clock = _clock(archive, finest)
    times = tuple(clock.at(k) for k in range(finest.samples))
    steps = np.diff(times)
    if not (steps > 0).all() or not np.isfinite(steps).all():
        raise FormatError(f"{archive.path}: its times do not rise; the archive is damaged")
    fps = float(1.0 / steps.mean())
    return times, round(fps, 6)


def _clock(archive: Archive, what: Property) -> Clock:
    return archive.clocks[what.clock] if what.clock < len(archive.clocks) else Clock(1.0, (0.0,))


def _index(archive: Archive, what: Property, time: float) -> int:
    """The sample nearest to a time."""
    if what.samples < 2:
        return 0
    clock = _clock(archive, what)
    if clock.step <= 0.0 or len(clock.times) > 1:
        return int(np.argmin([abs(clock.at(k) - time) for k in range(what.samples)]))
    return int(np.clip(round((time - clock.times[0]) / clock.step), 0, what.samples - 1))


def _points(archive: Archive, surface: _Surface, time: float) -> Array:
    points = archive.sample(surface.points, _index(archive, surface.points, time)).astype(float)
    for turn in reversed(surface.turns):
        matrix = _matrix(archive, turn, time)
        if matrix is not None:
            points = points @ matrix[:3, :3] + matrix[3, :3]
    return points


def _matrix(archive: Archive, turn: Property, time: float) -> Array | None:
    """(4, 4) for row vectors; none where nothing is done."""
    ops, values = turn.at(".ops"), turn.at(".vals")
    if ops is None or values is None or not ops.places or not values.places:
        return None
    kinds = archive.sample(ops, 0).ravel() >> 4
    numbers = archive.sample(values, _index(archive, values, time)).astype(float).ravel()
    total, at = np.eye(4), 0
    for kind in kinds.tolist():
        width = _WIDTHS.get(kind)
        if width is None or at + width > len(numbers):
            raise FormatError(
                f"{archive.path}: a transform has an operation {kind} that Alembic does not know; damaged"
            )
        total = _operation(kind, numbers[at : at + width]) @ total
        at += width
    return total


def _operation(kind: int, numbers: Array) -> Array:
    """Scale, translate, rotate about an axis [deg], matrix, rotate about x, y, z [deg]."""
    if kind == 3:
        return numbers.reshape(4, 4)
    matrix = np.eye(4)
    if kind == 0:
        matrix[:3, :3] = np.diag(numbers)
    elif kind == 1:
        matrix[3, :3] = numbers
    else:
        axis = np.array(_AXES.get(kind, numbers[:3]), float)
        length = float(np.linalg.norm(axis)) or 1.0
        turn = rotation.from_rotation_vector(axis / length * np.deg2rad(numbers[-1]))
        matrix[:3, :3] = rotation.to_matrix(turn).T
    return matrix
