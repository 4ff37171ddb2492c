"""Mesh files -> plain records: OBJ, PLY, STL, GLB and glTF, with the file's vertex order.

Nothing is merged, dropped, scaled or turned in silence: whatever is done stands in the record's notes.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array, Index, frozen
from pliant.errors import FormatError
from pliant.geometry.polygons import triangulate
from pliant.sources.gltf_meshes import read_gltf_mesh
from pliant.sources.obj import read_obj
from pliant.sources.ply import read_ply
from pliant.sources.raw import RawMesh, rows_of, usable
from pliant.sources.stl import read_stl
from pliant.sources.units import Up, metres, upward
from pliant.sources.usd import read_usd_mesh

READERS: dict[str, Callable[[Path], RawMesh]] = {
    ".obj": read_obj,
    ".ply": read_ply,
    ".stl": read_stl,
    ".glb": read_gltf_mesh,
    ".gltf": read_gltf_mesh,
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), read_usd_mesh),
}


@dataclass(frozen=True)
class MeshRecord:
    """A surface as plain arrays: metres, Y up, right-handed."""

    name: str
    points: Array  # (n, 3) [m] float64
    triangles: Array  # (m, 3) uint32
    uv: Array | None = None  # (n, 2)
    groups: dict[str, Array] = field(default_factory=dict)  # named rows of points
    up: str = "y"  # of the file
    unit: float = 1.0  # metres in one unit of the file
    notes: tuple[str, ...] = ()
    weights: dict[str, Array] = field(default_factory=dict)  # painted numbers of each point, each (n,)


def read_mesh(path: str | Path, *, up: Up = "y", unit: str | float = "m", join: bool | None = None) -> MeshRecord:
    """Read one surface.

    Args:
        path: .obj, .ply, .stl, .glb or .gltf.
        up: The file's up axis. glTF is Y up by its own rule; the others do not say, and Y is taken.
        unit: The file's unit, a name (m, cm, mm, in, ft) or metres in one unit. glTF is in metres by its own rule.
        join: Join points at exactly the same place. By default only STL, which cannot share points, is joined.
    """
    path = Path(path)
    raw = read_raw(path)
    notes = list(raw.notes)
    _check(raw, path)
    if join or (join is None and path.suffix.lower() == ".stl"):
        raw = joined(raw)
        notes.append(f"joined corners at exactly the same place: {len(raw.corners)} corners, {len(raw.points)} points")
    raw, dropped = without_repeats(raw)
    if dropped:
        notes.append(f"dropped {dropped} faces that use a point twice and so have no area")
    if len(raw.starts) < 2:
        raise FormatError(f"{path}: has {len(raw.points)} points and no faces; a surface is needed")
    factor = metres(unit)
    points = upward(raw.points, up) * factor
    sizes = np.diff(raw.starts)
    if (sizes > 3).any():
        notes.append(f"cut {np.count_nonzero(sizes > 3)} polygons of more than three corners into triangles")
    if up != "y" or factor != 1.0:
        notes.append(f"brought from {up.upper()} up and {factor:g} m per unit to Y up and metres")
    elif hint := _size_hint(points):
        notes.append(hint)
    triangles = triangulate(raw.points, raw.starts, raw.corners).astype(Index)
    groups = {name: frozen(rows.astype(Index)) for name, rows in raw.groups.items()}
    uv = None if raw.uv is None else frozen(raw.uv)
    weights = {name: frozen(np.asarray(values, float)) for name, values in raw.weights.items()}
    return MeshRecord(path.stem, frozen(points), frozen(triangles), uv, groups, up, factor, tuple(notes), weights)


def asked_mesh(path: str | Path, options: dict[str, Any]) -> MeshRecord:
    """`read_mesh` with what `options` say of the file (up, unit, join), taken out of them. An odd size is logged."""
    said = {name: options.pop(name) for name in ("up", "unit", "join") if name in options}
    record = read_mesh(path, **said)
    if hint := _size_hint(record.points):
        logging.getLogger("pliant").warning("%s: %s", path, hint)
    return record


def read_raw(path: str | Path) -> RawMesh:
    """The file as it says itself, unjudged: for the doctor."""
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise FormatError(f"{path}: no mesh reader for {path.suffix or 'no suffix'!r} (has: {', '.join(READERS)})")
    return reader(path)


def _check(raw: RawMesh, path: Path) -> None:
    bad = np.flatnonzero(~usable(raw.points))
    if bad.size:
        raise FormatError(f"{path}: point {bad[0]} is {raw.points[bad[0]]}; every coordinate must be finite, below 1e9")
    outside = np.flatnonzero((raw.corners < 0) | (raw.corners >= len(raw.points)))
    if outside.size:
        face = int(np.searchsorted(raw.starts, outside[0], side="right")) - 1
        raise FormatError(f"{path}: face {face} uses a point that is not there; the file has {len(raw.points)} points")


def joined(raw: RawMesh) -> RawMesh:
    """Points of exactly equal position made one, in the order of their first appearance."""
    _, first, where = np.unique(raw.points + 0.0, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    new = rank[where.ravel()]
    kept = np.sort(first)
    return raw._replace(
        points=raw.points[kept],
        corners=new[raw.corners],
        uv=None if raw.uv is None else raw.uv[kept],
        groups={name: np.unique(new[rows]) for name, rows in raw.groups.items()},
        weights={name: values[kept] for name, values in raw.weights.items()},
    )


def without_repeats(raw: RawMesh) -> tuple[RawMesh, int]:
    """Corners that repeat the one before them removed; faces left with fewer than three different points dropped."""
    sizes = np.diff(raw.starts)
    if not len(sizes):
        return raw, 0
    face = np.repeat(np.arange(len(sizes)), sizes)
    before = np.arange(-1, len(raw.corners) - 1)
    before[raw.starts[:-1][sizes > 0]] = raw.starts[1:][sizes > 0] - 1
    keep = raw.corners != raw.corners[before]
    left = np.bincount(face[keep], minlength=len(sizes))
    order = np.lexsort((raw.corners, face))
    twice = (face[order][1:] == face[order][:-1]) & (raw.corners[order][1:] == raw.corners[order][:-1])
    twice &= keep[order][1:] & keep[order][:-1]
    good = left >= 3
    good[face[order][1:][twice]] = False
    if keep.all() and good.all():
        return raw, 0
    return raw._replace(corners=raw.corners[keep & good[face]], starts=rows_of(left[good])), int((~good).sum())


def _size_hint(points: Array) -> str:
    """A word where the size is none of a garment, a body or a room."""
    size = float(np.ptp(points, axis=0).max())
    if size > 50.0:
        return f"is {size:.4g} m large; if the file is in centimetres say unit='cm', in millimetres unit='mm'"
    if 0.0 < size < 0.005:
        return f"is only {size:.4g} m large; if the file is in another unit say so, e.g. unit={1.0 / size:.0g}"
    return ""
