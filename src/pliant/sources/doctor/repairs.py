"""Repairing a mesh: what can be put right without guessing a shape, each step with a word on what it changed."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sources.doctor.crossings import junctions_of
from pliant.sources.doctor.facts import Edges, duplicates, facts_of, fans, flips, pieces
from pliant.sources.doctor.finding import many
from pliant.sources.doctor.surfaces import sound
from pliant.sources.meshes import joined, read_raw
from pliant.sources.raw import RawMesh, rows_of


@dataclass(frozen=True)
class Repaired:
    """A mesh put right, and one sentence per change."""

    mesh: RawMesh
    changes: tuple[str, ...]


def repair(source: str | Path | RawMesh, *, join: bool | None = None, close: bool = False) -> Repaired:
    """Put right what is wrong.

    Args:
        source: A mesh file, or what `read_raw` gave.
        join: Join points at exactly the same place; None: only where a border is split along seams.
        close: Also close holes, each with one polygon.
    """
    raw = source if isinstance(source, RawMesh) else read_raw(source)
    raw, findings = sound(raw)
    changes = [finding.what + ": left out" for finding in findings]
    raw = _joined(raw, join, changes)
    raw = _without_duplicates(raw, changes)
    raw = _without_junctions(raw, changes)
    raw = _one_way(raw, changes)
    if close:
        raw = _closed(raw, changes)
    raw = _outward(raw, changes)
    raw = _without_unused(raw, changes)
    raw = _near(raw, changes)
    if len(raw.starts) < 2:
        raise FormatError("the mesh has no sound face left; it cannot be repaired")
    return Repaired(raw, tuple(changes))


def save_obj(mesh: RawMesh, path: str | Path) -> None:
    """The repaired mesh as OBJ, polygons and vertex order as they are; written beside and renamed."""
    path = Path(path)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.points.tolist()]
    if mesh.uv is not None:
        lines += [f"vt {u!r} {v!r}" for u, v in mesh.uv.tolist()]
    corner = "{0}/{0}" if mesh.uv is not None else "{0}"
    for ring in np.split(mesh.corners + 1, mesh.starts[1:-1]):
        lines.append("f " + " ".join(corner.format(k) for k in ring.tolist()))
    save_text("\n".join(lines) + "\n", path)


def save_text(text: str, path: Path) -> None:
    """Written beside and renamed when whole."""
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_text(text)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise FormatError(f"{path}: {error.strerror or error}; nothing was written") from None


def _joined(raw: RawMesh, join: bool | None, changes: list[str]) -> RawMesh:
    if join is None:
        edges = Edges.of(raw)
        rows = np.unique(edges.start[edges.border()])
        join = len(np.unique(raw.points[rows], axis=0)) < len(rows)
    if not join:
        return raw
    whole = joined(raw)
    if len(whole.points) == len(raw.points):
        return raw
    changes.append(f"joined {len(raw.points)} points at {len(whole.points)} places")
    return sound(whole)[0]


def _without_duplicates(raw: RawMesh, changes: list[str]) -> RawMesh:
    twice = duplicates(raw)
    if not twice.size:
        return raw
    changes.append(f"dropped {many(len(twice), 'face')} that repeated another")
    keep = np.ones(len(raw.starts) - 1, bool)
    keep[twice] = False
    sizes = np.diff(raw.starts)
    return raw._replace(corners=raw.corners[np.repeat(keep, sizes)], starts=rows_of(sizes[keep]))


def _without_junctions(raw: RawMesh, changes: list[str]) -> RawMesh:
    """Points that lie within a neighbour's edge become corners of its polygon."""
    sides, points, _ = junctions_of(raw, Edges.of(raw))
    if not len(sides):
        return raw
    changes.append(f"split {many(len(np.unique(sides)), 'edge')} at {many(len(points), 'point')} that lay within")
    sizes = np.diff(raw.starts)
    face = np.repeat(np.arange(len(sizes)), sizes)
    sizes = sizes + np.bincount(face[sides], minlength=len(sizes))
    return raw._replace(corners=np.insert(raw.corners, sides + 1, points), starts=rows_of(sizes))


def _near(raw: RawMesh, changes: list[str]) -> RawMesh:
    """A surface so far out that small numbers drown is moved to the origin."""
    middle, size = raw.points.mean(axis=0), float(np.ptp(raw.points, axis=0).max())
    if float(np.linalg.norm(middle)) <= 100.0 * size or size <= 0.0:
        return raw
    shift = 0.0 - np.round(middle)
    changes.append(f"moved by ({shift[0]:g}, {shift[1]:g}, {shift[2]:g}) to the origin")
    return raw._replace(points=raw.points + shift)


def _one_way(raw: RawMesh, changes: list[str]) -> RawMesh:
    turn = flips(raw, Edges.of(raw))
    if turn is None:
        changes.append("left the winding as it is: the surface has one side")
        return raw
    if not turn.any():
        return raw
    changes.append(f"turned {many(int(turn.sum()), 'face')} around, so that neighbours agree")
    return _turned(raw, turn)


def _outward(raw: RawMesh, changes: list[str]) -> RawMesh:
    """Closed pieces with a negative volume are turned inside out."""
    edges = Edges.of(raw)
    piece = pieces(raw, edges)
    turn = np.zeros(len(piece), bool)
    for k in np.unique(piece):
        own = piece == k
        part = raw._replace(corners=raw.corners[own[edges.face]], starts=rows_of(np.diff(raw.starts)[own]))
        facts = facts_of(part)
        turn |= own & (facts.closed and facts.orientable and facts.signed_volume < 0)
    if not turn.any():
        return raw
    changes.append(f"turned {many(int(turn.sum()), 'face')} of closed surfaces outward")
    return _turned(raw, turn)


def _turned(raw: RawMesh, turn: Array) -> RawMesh:
    face = np.repeat(np.arange(len(turn)), np.diff(raw.starts))
    mirror = raw.starts[face] + raw.starts[face + 1] - 1 - np.arange(len(face))
    return raw._replace(corners=np.where(turn[face], raw.corners[mirror], raw.corners))


def _closed(raw: RawMesh, changes: list[str]) -> RawMesh:
    rings = [ring for ring in holes(Edges.of(raw)) if len(ring) >= 3]
    if not rings:
        return raw
    sizes = [*np.diff(raw.starts).tolist(), *map(len, rings)]
    edges = sum(map(len, rings))
    changes.append(f"closed {many(len(rings), 'hole')} along {many(edges, 'edge')}, each with one polygon")
    return raw._replace(corners=np.concatenate([raw.corners, *map(np.array, rings)]), starts=rows_of(sizes))


def holes(edges: Edges) -> list[list[int]]:
    """Rings of border points, each in the direction in which a face that closes it must be wound."""
    fan = fans(edges)
    border = edges.border()
    leaving: dict[int, list[int]] = {}
    for side in border[::-1].tolist():
        leaving.setdefault(int(edges.start[side]), []).append(side)
    left, rings = set(border.tolist()), []
    for first in border.tolist():
        ring, side = [], first
        while side in left:
            left.discard(side)
            ring.append(int(edges.start[side]))
            choices = [k for k in leaving.get(int(edges.end[side]), []) if k in left]
            other = [k for k in choices if fan[k] != fan[edges.follower[side]]]  # where holes touch, stay in this one
            if choices:
                side = (other or choices)[-1]
        if ring:
            rings.append(ring[::-1])
    return rings


def _without_unused(raw: RawMesh, changes: list[str]) -> RawMesh:
    used = np.unique(raw.corners)
    lost = len(raw.points) - len(used)
    if not lost:
        return raw
    changes.append(f"dropped {many(lost, 'point')} without a face")
    new = np.zeros(len(raw.points), np.int64)
    new[used] = np.arange(len(used))
    groups = {name: new[np.intersect1d(rows, used)] for name, rows in raw.groups.items()}
    uv = None if raw.uv is None else raw.uv[used]
    weights = {name: values[used] for name, values in raw.weights.items()}
    return raw._replace(points=raw.points[used], corners=new[raw.corners], uv=uv, groups=groups, weights=weights)
