"""Where a surface touches itself without sharing points: T-junctions, and triangles that cut through others."""

import numpy as np

from pliant.arrays import Array
from pliant.kernels import kernel
from pliant.sources.doctor.facts import Edges
from pliant.sources.raw import RawMesh

PAIRS = 4_000_000  # candidate pairs looked at; a mesh with more is too tangled for a number to help


def junctions(raw: RawMesh, edges: Edges) -> Array:
    """Border points that lie within a border edge instead of at its end, up to a thousandth of its length."""
    return np.unique(junctions_of(raw, edges)[1])


def junctions_of(raw: RawMesh, edges: Edges) -> tuple[Array, Array, Array]:
    """The side, the point within it, and how far along it is (0 to 1), in this order along every side."""
    from scipy.spatial import cKDTree

    border = edges.border()
    if not len(border):
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    a, b = raw.points[edges.start[border]], raw.points[edges.end[border]]
    rows = np.unique(edges.start[border])
    length = np.linalg.norm(b - a, axis=1)
    near = cKDTree(raw.points[rows]).query_ball_point(0.5 * (a + b), 0.5 * length)
    side = np.repeat(np.arange(len(border)), [len(found) for found in near])
    point = (
        rows[np.concatenate([np.asarray(found, np.int64) for found in near])] if len(side) else np.empty(0, np.int64)
    )
    along = b[side] - a[side]
    offset = raw.points[point] - a[side]
    safe = np.maximum(length[side], 1e-300)
    t = np.einsum("ij,ij->i", offset, along) / np.maximum(safe**2, 1e-300)
    away = np.linalg.norm(offset - t[:, None] * along, axis=1)
    own = (point == edges.start[border][side]) | (point == edges.end[border][side])
    hit = ~own & (away < 1e-3 * safe) & (t > 1e-3) & (t < 1 - 1e-3)
    order = np.lexsort((t[hit], side[hit]))
    return border[side[hit]][order], point[hit][order], t[hit][order]


def crossing_triangles(points: Array, triangles: Array) -> Array | None:
    """Triangles through which an edge of another passes; None when too many lie close together to look at all."""
    pairs = _close_pairs(points, triangles)
    if pairs is None:
        return None
    shared = (triangles[pairs[:, 0]][:, :, None] == triangles[pairs[:, 1]][:, None, :]).any(axis=(1, 2))
    pairs = pairs[~shared]
    hit = np.zeros(len(pairs), bool)
    for first, second in ((0, 1), (1, 0)):
        for k in range(3):
            p = points[triangles[pairs[:, first], k]]
            q = points[triangles[pairs[:, first], (k + 1) % 3]]
            hit |= _pierces(p, q, points[triangles[pairs[:, second]]])
    return np.unique(pairs[hit])


def _close_pairs(points: Array, triangles: Array) -> Array | None:
    """Pairs of triangles whose boxes overlap, by a sweep along the longest axis of the surface."""
    corners = points[triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    axes = np.argsort(-np.ptp(points, axis=0), kind="stable")
    order = np.argsort(low[:, axes[0]], kind="stable")
    low, high = np.ascontiguousarray(low[order][:, axes]), np.ascontiguousarray(high[order][:, axes])
    pairs = np.empty((PAIRS, 2), np.int64)
    count = _sweep(low, high, pairs)
    return order[pairs[:count]] if count < PAIRS else None


@kernel
def _sweep(low, high, pairs):
    """Fill `pairs` with rows of overlapping boxes sorted along the first axis; their number, at most its length."""
    count = 0
    for i in range(len(low)):
        for j in range(i + 1, len(low)):
            if low[j, 0] > high[i, 0] or count == len(pairs):
                break
            apart = False
            for k in range(1, 3):
                apart |= low[j, k] > high[i, k] or low[i, k] > high[j, k]
            if not apart:
                pairs[count, 0] = i
                pairs[count, 1] = j
                count += 1
    return count


def _pierces(p: Array, q: Array, triangle: Array) -> Array:
    """(k,) bool: segment p q passes strictly through the inside of the triangle (Moeller and Trumbore 1997)."""
    a = triangle[:, 0]
    u, v, d = triangle[:, 1] - a, triangle[:, 2] - a, q - p
    h = np.cross(d, v)
    determinant = np.einsum("ij,ij->i", u, h)
    size = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1) * np.linalg.norm(d, axis=1)
    crossing = np.abs(determinant) > 1e-10 * size
    f = np.divide(1.0, determinant, where=crossing, out=np.zeros_like(determinant))
    s = p - a
    x = f * np.einsum("ij,ij->i", s, h)
    w = np.cross(s, u)
    y = f * np.einsum("ij,ij->i", d, w)
    t = f * np.einsum("ij,ij->i", v, w)
    e = 1e-9
    return crossing & (x > e) & (y > e) & (x + y < 1 - e) & (t > e) & (t < 1 - e)
