"""A triangle mesh that can be rewoven: splits, collapses and flips of edges, in place, on a table of corners.

Half-edge h = 3 t + k runs from corner k of triangle t to corner k + 1. `twin[h]` is the half-edge on the other side,
-1 at a border. A triangle whose first corner is -1 is gone. Nothing is allocated inside the loops: the table has room.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.geometry.nearest import neighbour_triangles
from pliant.kernels import inline, kernel

RING = 64  # half-edges around a point; a busier one is left as it is


class Corners(NamedTuple):
    """The table; `used` counts the rows in use, dead ones included."""

    x: Array  # (p, 3) [m]
    size: Array  # (p,) [m] length that edges at a point should have
    corner: Array  # (3 t,) int64 point at the start of each half-edge
    twin: Array  # (3 t,) int64
    out: Array  # (p,) int64 a half-edge that leaves each point, -1 of a point that is gone
    used: Array  # (2,) points, half-edges


def corners_of(points: Array, triangles: Array, size: Array, room: float) -> Corners:
    """The table of a mesh, with `room` times the rows it needs."""
    n, m = len(points), len(triangles)
    most_points, most_halves = int(n * room) + 64, 3 * (int(m * room) + 64)
    table = Corners(
        np.zeros((most_points, 3)),
        np.zeros(most_points),
        np.full(most_halves, -1),
        np.full(most_halves, -1),
        np.full(most_points, -1),
        np.array([n, 3 * m]),
    )
    table.x[:n], table.size[:n] = points, size
    corner = np.asarray(triangles, np.int64).ravel()
    table.corner[: 3 * m] = corner
    table.out[corner] = np.arange(3 * m)
    table.twin[: 3 * m] = twins(triangles)
    return table


def twins(triangles: Array) -> Array:
    """(3 m,) half-edge on the other side, -1 at a border."""
    across = neighbour_triangles(np.asarray(triangles)).astype(np.int64)
    start = np.asarray(triangles, np.int64)
    end = np.roll(start, -1, axis=1)
    found = np.full((len(start), 3), -1)
    there = across >= 0
    for k in range(3):
        match = there & (start[across, k] == end) & (end[across, k] == start)
        found[match] = 3 * across[match] + k
    return found.ravel()


def mesh_of(table: Corners) -> tuple[Array, Array, Array]:
    """Points, triangles and sizes without the rows that are gone."""
    n, halves = (int(v) for v in table.used)
    triangles = table.corner[:halves].reshape(-1, 3)
    triangles = triangles[triangles[:, 0] >= 0]
    rows, where = np.unique(triangles, return_inverse=True)
    return table.x[:n][rows], where.reshape(-1, 3), table.size[:n][rows]


@inline
def following(h):
    return h - 2 if h % 3 == 2 else h + 1


@inline
def leading(h):
    return h + 2 if h % 3 == 0 else h - 1


@kernel
def ring(m, v, buffer):
    """(count, True at a border): the half-edges that leave v, counter-clockwise; count RING if there are too many."""
    first = m.out[v]
    h, border = first, False
    while True:  # clockwise, to the border if there is one
        if m.twin[h] < 0:
            border = True
            break
        h = following(m.twin[h])
        if h == first:
            break
    first, count = h, 0
    while count < RING:
        buffer[count] = h
        count += 1
        h = m.twin[leading(h)]
        if h < 0 or h == first:
            break
    return count, border


@kernel
def tie(m, g, h):
    """Make g and h twins; either may be missing."""
    if g >= 0:
        m.twin[g] = h
    if h >= 0:
        m.twin[h] = g


@kernel
def split(m, h):
    """Put a point in the middle of an edge; returns it, or -1 when the table is full."""
    v, top = m.used[0], m.used[1]
    if v >= len(m.x) or top + 6 > len(m.corner):
        return -1
    t, n = h, following(h)
    a, b, c = m.corner[t], m.corner[n], m.corner[leading(t)]
    other = m.twin[h]
    for k in range(3):
        m.x[v, k] = 0.5 * (m.x[a, k] + m.x[b, k])
    m.size[v] = 0.5 * (m.size[a] + m.size[b])
    m.used[0] = v + 1
    f = top  # the new triangle (v, b, c)
    m.corner[f], m.corner[f + 1], m.corner[f + 2] = v, b, c
    top += 3
    tie(m, f + 1, m.twin[n])
    m.corner[n] = v
    tie(m, n, f + 2)
    m.out[v], m.out[b] = f, f + 1
    if other < 0:
        m.twin[f] = -1
    else:
        d = m.corner[leading(other)]
        g = top  # the new triangle (b, v, d)
        m.corner[g], m.corner[g + 1], m.corner[g + 2] = b, v, d
        top += 3
        m.corner[other] = v
        tie(m, g + 2, m.twin[leading(other)])
        tie(m, leading(other), g + 1)
        tie(m, f, g)
        m.out[d] = g + 2
    m.used[1] = top
    return v


@kernel
def flip(m, h):
    """Turn an inner edge a-b into the other diagonal c-d of its two triangles."""
    g = m.twin[h]
    t, u = 3 * (h // 3), 3 * (g // 3)
    a, b = m.corner[h], m.corner[g]
    c, d = m.corner[leading(h)], m.corner[leading(g)]
    bc, ca = m.twin[following(h)], m.twin[leading(h)]
    ad, db = m.twin[following(g)], m.twin[leading(g)]
    m.corner[t], m.corner[t + 1], m.corner[t + 2] = a, d, c
    m.corner[u], m.corner[u + 1], m.corner[u + 2] = d, b, c
    tie(m, t, ad)
    tie(m, t + 2, ca)
    tie(m, u, db)
    tie(m, u + 1, bc)
    tie(m, t + 1, u + 2)
    m.out[a], m.out[d], m.out[c], m.out[b] = t, t + 1, t + 2, u + 1


@kernel
def collapse(m, h, around, count):
    """Draw the start of h into its end; `around` are the half-edges that leave the start. The caller has judged."""
    a, b = m.corner[h], m.corner[following(h)]
    other = m.twin[h]
    for r in range(count):
        m.corner[around[r]] = b
    _sew(m, m.twin[following(h)], m.twin[leading(h)], b, m.corner[leading(h)])
    if other >= 0:
        d = m.corner[leading(other)]
        _sew(m, m.twin[following(other)], m.twin[leading(other)], b, d)
        _bury(m, other)
    _bury(m, h)
    m.out[a] = -1


@kernel
def _sew(m, g, h, p, q):
    """The triangle between q -> p (g) and p -> q (h) is gone."""
    tie(m, g, h)
    if g >= 0:
        m.out[q] = g
        m.out[p] = h if h >= 0 else following(g)
    elif h >= 0:
        m.out[p] = h
        m.out[q] = following(h)


@kernel
def _bury(m, h):
    t = 3 * (h // 3)
    for k in range(3):
        m.corner[t + k], m.twin[t + k] = -1, -1
