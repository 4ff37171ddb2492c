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
    """About the origin."""
    return rounded_box(np.zeros(3), radius, sides)


def capsule(radius: float, length: float, sides: int = 48) -> Solid:
    """A cylinder of `length` [m] along y about the origin with half a sphere on either end."""
    return rounded_box(np.array([0.0, 0.5 * length, 0.0]), radius, sides)


def box(half_size: Array) -> Solid:
    """About the origin, with sharp edges."""
    return rounded_box(half_size, 0.0, 4)


def rounded_box(half_size: Array, radius: float, sides: int = 24) -> Solid:
    """Everything within `radius` [m] of a box about the origin: also a sphere or a capsule, with a box of no size.

    It is a sphere cut into eight pieces that are moved to the box's corners; points repeat along the cuts.
    """
    quarter = np.linspace(0.0, 0.5 * np.pi, max(sides // 4, 1) + 1)
    latitude, lift = np.concatenate([-quarter[::-1], quarter]), np.repeat([-1.0, 1.0], len(quarter))
    longitude = np.concatenate([quarter + 0.5 * np.pi * k for k in range(4)] + [[2.0 * np.pi]])
    near = np.array([[1, -1], [-1, -1], [-1, 1], [1, 1]], float)  # the corner's x, z in each quarter
    corner = np.concatenate([np.repeat(near, len(quarter), axis=0), near[:1]])
    around = np.stack([np.cos(longitude), np.zeros_like(longitude), -np.sin(longitude)], axis=1)
    up = np.array([0.0, 1.0, 0.0])
    normals = np.cos(latitude)[:, None, None] * around + np.sin(latitude)[:, None, None] * up
    signs = np.stack(np.broadcast_arrays(corner[None, :, 0], lift[:, None], corner[None, :, 1]), axis=-1)
    points = (radius * normals + signs * np.asarray(half_size, float)).reshape(-1, 3)
    columns = len(longitude)
    first = len(quarter) * np.array([0, 1, 2, 3])  # one point of each corner, on either pole
    bottom, top = first, (len(latitude) - 1) * columns + first
    caps = np.array([[bottom[0], bottom[2], bottom[1]], [bottom[0], bottom[3], bottom[2]], top[:3], top[[0, 2, 3]]])
    triangles = np.concatenate([_strip(len(latitude), columns - 1), caps.astype(Index)])
    return Solid(points, normals.reshape(-1, 3), _whole(triangles, points))


def cylinder(radius: float, height: float, rounding: float, sides: int = 64) -> Solid:
    """Upright about the origin, outer sizes [m], its edges rounded."""
    arc = np.linspace(0.0, 0.5 * np.pi, 7)
    inner, flat = radius - rounding, 0.5 * height - rounding
    out = np.concatenate([[0.0], np.sin(arc), np.cos(arc), [0.0]])  # of the profile's normals
    lift = np.concatenate([[-1.0], -np.cos(arc), np.sin(arc), [1.0]])
    r = np.concatenate([[0.0], inner + rounding * np.sin(arc), inner + rounding * np.cos(arc), [0.0]])
    y = np.concatenate([[-1.0] * 8, [1.0] * 8]) * flat + rounding * lift
    around, up = _around(sides), np.array([0.0, 1.0, 0.0])
    normals = out[:, None, None] * around + lift[:, None, None] * up
    points = (r[:, None, None] * around + y[:, None, None] * up).reshape(-1, 3)
    return Solid(points, normals.reshape(-1, 3), _whole(_strip(len(r), sides), points))


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
