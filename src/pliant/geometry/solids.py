"""Closed meshes of simple solids, for drawing and for tests: points (n, 3), unit normals (n, 3), triangles (m, 3).

Smooth solids share their points, edged ones repeat them per face, so that the normals tell one from the other.
Triangles face outward.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index


class Solid(NamedTuple):
    """A mesh with its normals."""

    points: Array  # (n, 3) [m]
    normals: Array  # (n, 3)
    triangles: Array  # (m, 3) uint32


def _strip(rings: int, sides: int) -> Array:
    """Triangles between consecutive rings of `sides` + 1 points each, the last one on the first."""
    index = np.arange(rings * (sides + 1)).reshape(rings, sides + 1)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    return np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3).astype(Index)


def _around(sides: int) -> Array:
    """(sides + 1, 3) unit directions about +y, from +x towards -z: rings then face outward as y grows."""
    angle = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    return np.stack([np.cos(angle), np.zeros_like(angle), -np.sin(angle)], axis=1)


def _whole(triangles: Array, points: Array) -> Array:
    """Without the triangles that a pole made degenerate."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return triangles[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-14]


def sphere(radius: float = 1.0, sides: int = 48) -> Solid:
    """About the origin, from latitude rings."""
    return capsule(radius, 0.0, sides)


def capsule(radius: float, length: float, sides: int = 48) -> Solid:
    """A cylinder of `length` [m] along y about the origin with half a sphere on either end."""
    quarter = np.linspace(0.0, 0.5 * np.pi, sides // 4 + 1)
    latitude = np.concatenate([quarter[:0:-1] * -1.0, [0.0], [0.0], quarter[1:]])
    lift = np.where(np.arange(len(latitude)) < len(latitude) // 2, -0.5, 0.5) * length
    around = _around(sides)
    normals = np.cos(latitude)[:, None, None] * around + np.sin(latitude)[:, None, None] * np.array([0.0, 1.0, 0.0])
    points = radius * normals + lift[:, None, None] * np.array([0.0, 1.0, 0.0])
    flat = points.reshape(-1, 3)
    return Solid(flat, normals.reshape(-1, 3), _whole(_strip(len(latitude), sides), flat))


def box(half_size: Array) -> Solid:
    """About the origin, four points per face."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    points, normals = [], []
    for axis in range(3):
        for side in (-1.0, 1.0):
            face = np.empty((4, 3))
            face[:, axis] = side
            u, v = (axis + 1) % 3, (axis + 2) % 3
            face[:, [u, v]] = corners if side > 0 else corners[::-1]
            points.append(face)
            normals.append(np.broadcast_to(side * np.eye(3)[axis], (4, 3)))
    quads = 4 * np.arange(6)[:, None]
    triangles = (quads + np.array([0, 1, 2, 0, 2, 3])).reshape(-1, 3)
    return Solid(np.concatenate(points) * np.asarray(half_size), np.concatenate(normals), triangles.astype(Index))


def tubes(starts: Array, ends: Array, radius: float, sides: int = 8) -> Solid:
    """One open tube per segment, (s, 3) to (s, 3)."""
    starts, ends = np.asarray(starts, float), np.asarray(ends, float)
    along = ends - starts
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = along / np.where(length > 0, length, 1.0)
    helper = np.where(np.abs(along[:, 1:2]) < 0.9, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
    u = np.cross(helper, along)
    u /= np.linalg.norm(u, axis=1, keepdims=True) + 1e-300
    v = np.cross(along, u)
    angle = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    normals = np.cos(angle)[None, :, None] * u[:, None] + np.sin(angle)[None, :, None] * v[:, None]
    rings = np.stack([starts[:, None] + radius * normals, ends[:, None] + radius * normals], axis=1)
    one = _strip(2, sides)
    triangles = one[None] + (np.arange(len(starts)) * 2 * (sides + 1))[:, None, None]
    both = np.repeat(normals[:, None], 2, axis=1)
    return Solid(rings.reshape(-1, 3), both.reshape(-1, 3), triangles.reshape(-1, 3).astype(Index))
