"""Polygons of any size in compressed rows: polygon p has corners[starts[p]:starts[p + 1]].

Triangulation is deterministic: a convex polygon is fanned from its first corner, another one loses ears in the plane
of its Newell normal, first ear first (Meisters 1975, "Polygons have ears").
"""

import numpy as np

from pliant.arrays import Array


def sizes(starts: Array) -> Array:
    """(p,) corners of each polygon."""
    return np.diff(starts)


def newell_normals(points: Array, starts: Array, corners: Array) -> Array:
    """(p, 3) normals whose length is twice the polygon's area: sum of a x b over its edges, about its first corner."""
    count = sizes(starts)
    here = points[corners] - np.repeat(points[corners[starts[:-1]]], count, axis=0)
    following = here[_following(starts)]
    return np.add.reduceat(np.cross(here, following), starts[:-1], axis=0) if len(count) else np.empty((0, 3))


def concave(points: Array, starts: Array, corners: Array) -> Array:
    """(p,) bool: at some corner the outline turns against the polygon's normal by more than rounding."""
    if len(starts) < 2:
        return np.zeros(0, bool)
    here = points[corners]
    after = here[_following(starts)] - here
    before = np.empty_like(after)
    before[_following(starts)] = after
    normals = np.repeat(newell_normals(points, starts, corners), sizes(starts), axis=0)
    turn = np.einsum("ij,ij->i", np.cross(before, after), normals)
    scale = np.einsum("ij,ij->i", normals, normals)
    return np.logical_or.reduceat(turn < -1e-9 * scale, starts[:-1])


def flatness(points: Array, starts: Array, corners: Array) -> Array:
    """(p,) largest distance of a corner from the polygon's mean plane [m]."""
    count = sizes(starts)
    if not len(count):
        return np.empty(0)
    normals = newell_normals(points, starts, corners)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    unit = np.divide(normals, length, where=length > 0, out=np.zeros_like(normals))
    middle = np.add.reduceat(points[corners], starts[:-1], axis=0) / count[:, None]
    offset = points[corners] - np.repeat(middle, count, axis=0)
    return np.maximum.reduceat(np.abs(np.einsum("ij,ij->i", offset, np.repeat(unit, count, axis=0))), starts[:-1])


def triangulate(points: Array, starts: Array, corners: Array) -> Array:
    """(m, 3) triangles, polygon after polygon, each with its polygon's winding."""
    count = sizes(starts)
    first = np.cumsum(np.concatenate([[0], np.maximum(count - 2, 0)]))
    triangles = np.empty((int(first[-1]), 3), np.int64)
    bent = (count > 3) & concave(points, starts, corners)
    for size in np.unique(count[count >= 3]):
        rows = np.flatnonzero((count == size) & ~bent)
        for k in range(int(size) - 2):
            at = starts[rows]
            triangles[first[rows] + k] = np.stack([corners[at], corners[at + k + 1], corners[at + k + 2]], axis=1)
    for row in np.flatnonzero(bent):
        ring = corners[starts[row] : starts[row + 1]]
        triangles[first[row] : first[row + 1]] = ring[_ears(_flattened(points[ring]))]
    return triangles


def _following(starts: Array) -> Array:
    """Row of the next corner of the same polygon."""
    following = np.arange(1, int(starts[-1]) + 1)
    following[starts[1:] - 1] = starts[:-1]
    return following


def _flattened(ring: Array) -> Array:
    """(k, 2) the outline seen along its Newell normal, counter-clockwise."""
    normal = newell_normals(ring, np.array([0, len(ring)]), np.arange(len(ring)))[0]
    away = np.eye(3)[np.argmin(np.abs(normal))]
    u = np.cross(away, normal)
    return np.stack([ring @ u, ring @ np.cross(normal, u)], axis=1)


def _ears(outline: Array) -> Array:
    """(k - 2, 3) corners of the triangles; where no proper ear is left (a crossed outline) the next corner is taken."""
    ring = list(range(len(outline)))
    found = []
    while len(ring) > 3:
        at = next((k for k in range(len(ring)) if _is_ear(outline, ring, k)), 1)
        found.append([ring[at - 1], ring[at], ring[(at + 1) % len(ring)]])
        del ring[at]
    return np.array([*found, ring])


def _is_ear(outline: Array, ring: list[int], at: int) -> bool:
    a, b, c = outline[ring[at - 1]], outline[ring[at]], outline[ring[(at + 1) % len(ring)]]
    if _side(a, b, c[None])[0] <= 0:
        return False
    others = [k for k in ring if k not in (ring[at - 1], ring[at], ring[(at + 1) % len(ring)])]
    p = outline[others]
    inside = (_side(a, b, p) >= 0) & (_side(b, c, p) >= 0) & (_side(c, a, p) >= 0)
    return not inside.any()


def _side(a: Array, b: Array, p: Array) -> Array:
    """Positive where p is left of a -> b."""
    return (b[0] - a[0]) * (p[:, 1] - a[1]) - (b[1] - a[1]) * (p[:, 0] - a[0])
