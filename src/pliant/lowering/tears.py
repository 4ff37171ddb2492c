"""Cloth that can tear: what each corner of its mesh brings, and the part that follows from who shares which point.

A part that can tear has spare points. Corner c of triangle t stands at row corners[t, c]; where neighbours stand at
different rows, the edge between them is open. Springs, hinges and masses follow from the corners alone, as sums over
what each triangle brings, so a torn part is made anew from them and nothing else needs to be remembered.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index, frozen
from pliant.geometry import surface
from pliant.kernels import adjacency
from pliant.world import Hinges, Part, Springs, Table

SPARE_SHARE = 0.5  # spare points for each point of the mesh; when they are used up, nothing tears further
SPARE_MASS = 1e-12  # [kg] of a point in reserve, which is held and belongs to nothing


class Ends(NamedTuple):
    """Springs or hinges by corners (3 t + c) of the mesh, and the corners that must stand together for them to live."""

    corner: Array  # (s, 2) or (s, 4) corners
    joint: Array  # (s, 4) corners a, b of one triangle and of its neighbour at a shared edge; equal where there is none
    rest: Array  # [m] or [rad]
    stiffness: Array
    damping: Array
    kind: Array


class Seams(NamedTuple):
    """An untorn mesh, corner by corner."""

    corners: Array  # (m, 3) rows before anything opened
    whole: Array  # (m,) False where a triangle was cut out
    points: Array  # (n, 3) [m]
    uv: Array  # (n, 2)
    mass: Array  # (3 m,) [kg]
    springs: Ends
    hinges: Ends


def reserved(count: int) -> int:
    """Spare points of a mesh of `count`."""
    return max(16, int(SPARE_SHARE * count))


def seams_of(points: Array, triangles: Array, uv: Array, whole: Array, mass: Array, tables: tuple[Table, ...]) -> Seams:
    """From the tables of the uncut, untorn mesh."""
    corners = triangles.astype(np.int64)
    areas = surface.triangle_areas(points, triangles)
    share = np.repeat(areas, 3) * whole.repeat(3)
    total = np.bincount(corners.ravel(), share, minlength=len(points))
    springs = next(t for t in tables if isinstance(t, Springs))
    hinges = next((t for t in tables if isinstance(t, Hinges)), None)
    shared = _shared_edges(corners, len(points))
    return Seams(
        corners=corners,
        whole=whole,
        points=points,
        uv=uv,
        mass=mass[corners.ravel()] * share / np.maximum(total[corners.ravel()], 1e-300),
        springs=_spring_ends(springs, corners, areas, shared, len(points)),
        hinges=_hinge_ends(hinges, corners, shared, len(points)),
    )


def _shared_edges(corners: Array, count: int) -> tuple[Array, Array]:
    """Keys (e,) of edges of exactly two triangles, and (e, 6) corners: p, q, opposite of either of them.

    p is the row of the smaller number; the first triangle has the edge in the direction p -> q where one has.
    """
    m = len(corners)
    first = np.arange(3 * m)
    second, opposite = first - first % 3 + (first + 1) % 3, first - first % 3 + (first + 2) % 3
    a, b = corners.ravel()[first], corners.ravel()[second]
    key, back = np.minimum(a, b) * count + np.maximum(a, b), a > b
    order = np.lexsort((back, key))
    _, start, number = np.unique(key[order], return_index=True, return_counts=True)
    one, two = order[start[number == 2]], order[start[number == 2] + 1]
    low = [np.where(back[e], second[e], first[e]) for e in (one, two)]
    high = [np.where(back[e], first[e], second[e]) for e in (one, two)]
    table = np.stack([low[0], high[0], opposite[one], low[1], high[1], opposite[two]], axis=1)
    return key[one], table


def _spring_ends(springs: Springs, corners: Array, areas: Array, shared: tuple[Array, Array], count: int) -> Ends:
    """An edge is brought by each of its triangles, by their areas; a spring across two of them by both together."""
    first = np.arange(corners.size)
    second = first - first % 3 + (first + 1) % 3
    a, b = corners.ravel()[first], corners.ravel()[second]
    edge = np.minimum(a, b) * count + np.maximum(a, b)
    order = np.argsort(edge, kind="stable")
    ends = springs.ends.astype(np.int64)
    key = ends.min(axis=1) * count + ends.max(axis=1)
    low, high = np.searchsorted(edge[order], key), np.searchsorted(edge[order], key, side="right")
    row = np.repeat(np.arange(len(key)), high - low)
    slot = order[np.arange(len(row)) - np.repeat(np.cumsum(high - low) - (high - low), high - low) + low[row]]
    area = areas[slot // 3]
    part = area / np.maximum(np.bincount(row, area, minlength=len(key))[row], 1e-300)
    halves = np.stack([first[slot], second[slot]], axis=1)
    rest = np.flatnonzero(high == low)  # no edges: they cross one
    table = shared[1]
    over = np.sort(corners.ravel()[table[:, [2, 5]]], axis=1)
    over_key = over[:, 0] * count + over[:, 1]
    by = np.argsort(over_key, kind="stable")
    at = np.minimum(np.searchsorted(over_key[by], key[rest]), len(by) - 1) if len(by) else np.empty(0, int)
    found = over_key[by][at] == key[rest] if len(by) else np.zeros(len(rest), bool)
    rest, where = rest[found], by[at[found]] if len(by) else np.empty(0, int)
    rows, weight = np.concatenate([row, rest]), np.concatenate([part, np.ones(len(rest))])
    none = np.repeat(halves[:, :1], 4, axis=1)
    return Ends(
        corner=np.concatenate([halves, table[where][:, [2, 5]]]),
        joint=np.concatenate([none, table[where][:, [0, 3, 1, 4]]]),
        rest=springs.rest_length[rows],
        stiffness=springs.stiffness[rows] * weight,
        damping=springs.damping[rows] * weight,
        kind=springs.kind[rows],
    )


def _hinge_ends(hinges: Hinges | None, corners: Array, shared: tuple[Array, Array], count: int) -> Ends:
    if hinges is None:
        none = np.empty(0)
        return Ends(np.empty((0, 4), np.int64), np.empty((0, 4), np.int64), none, none, none, none)
    key, table = shared
    wanted = hinges.corners[:, 0].astype(np.int64) * count + hinges.corners[:, 1]
    where = np.searchsorted(key, wanted)
    return Ends(
        corner=table[where][:, [0, 1, 2, 5]],
        joint=table[where][:, [0, 3, 1, 4]],
        rest=hinges.rest_angle,
        stiffness=hinges.stiffness,
        damping=hinges.damping,
        kind=np.zeros(len(where)),
    )


def torn(part: Part, corners: Array) -> Part:
    """The part as it is when its corners stand at these rows (m, 3)."""
    seams: Seams = part.extra["seams"]
    count, row = len(part.mass), corners.ravel().astype(np.int64)
    mass = np.bincount(row, seams.mass, minlength=count)
    live = np.zeros(count, bool)
    live[: len(seams.points)] = True
    live[row] = True
    origin = np.zeros(count, np.int64)
    origin[: len(seams.points)] = np.arange(len(seams.points))
    origin[row] = seams.corners.ravel()
    hinges = _hinges(seams, row)
    springs = _springs(seams, row, count)
    return dataclasses.replace(
        part,
        rest_position=frozen(seams.points[origin]),
        uv=frozen(seams.uv[origin]),
        mass=frozen(np.maximum(mass, SPARE_MASS)),
        triangles=frozen(corners[seams.whole].astype(Index)),
        tables=(springs, hinges) if len(hinges.corners) else (springs,),
        extra=part.extra | {"idle": np.flatnonzero(np.logical_not(live))},
    )


def _alive(ends: Ends, row: Array, whole: Array) -> Array:
    """Those whose triangles are there and whose joint has not opened."""
    joint = row[ends.joint]
    there = whole[ends.corner // 3].all(axis=1)
    return np.asarray(there & (joint[:, 0] == joint[:, 1]) & (joint[:, 2] == joint[:, 3]))


def _springs(seams: Seams, row: Array, count: int) -> Springs:
    """What several triangles bring to one pair of rows is one spring."""
    of = seams.springs
    alive = _alive(of, row, seams.whole)
    pair = np.sort(row[of.corner[alive]], axis=1)
    key = (of.kind[alive].astype(np.int64) * count + pair[:, 0]) * count + pair[:, 1]
    known, first, which = np.unique(key, return_index=True, return_inverse=True)
    which = which.ravel()
    ends = pair[first].astype(Index)
    return Springs(
        ends=frozen(ends),
        rest_length=frozen(of.rest[alive][first]),
        stiffness=frozen(np.bincount(which, of.stiffness[alive], minlength=len(known))),
        damping=frozen(np.bincount(which, of.damping[alive], minlength=len(known))),
        kind=frozen(of.kind[alive][first]),
        adjacency=adjacency(ends, count),
    )


def _hinges(seams: Seams, row: Array) -> Hinges:
    of = seams.hinges
    alive = _alive(of, row, seams.whole)
    return Hinges(
        corners=frozen(row[of.corner[alive]].astype(Index)),
        rest_angle=frozen(of.rest[alive]),
        stiffness=frozen(of.stiffness[alive]),
        damping=frozen(of.damping[alive]),
    )
