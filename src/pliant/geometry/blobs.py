"""Closed surfaces of round things grown together: capsules under a smooth union, meshed on a grid.

The cells whose middle lies inside make a solid; its boundary faces are relaxed and drawn onto the surface of the field
by Newton's method, so that the triangles are nearly equal and the whole is closed.

    d(x) = smooth minimum over k of |x - closest point of segment k| - radius,   smin = - s log sum exp(-d_k / s)
"""

import numpy as np

from pliant.arrays import Array, Index
from pliant.errors import SceneError

ROUNDS = 12  # of relaxing and drawing back


def blob(capsules: Array, cell: float, blend: float) -> tuple[Array, Array]:
    """Points and outward triangles around `capsules` (k, 8): start, end, radius at either [m].

    `cell` [m] is about the length of an edge, `blend` [m] how softly the capsules grow together.
    """
    capsules = np.asarray(capsules, float)
    low = (capsules[:, [0, 1, 2]] - capsules[:, 6:7]).min(axis=0)
    low = np.minimum(low, (capsules[:, [3, 4, 5]] - capsules[:, 7:8]).min(axis=0)) - 3.0 * cell
    high = (capsules[:, [0, 1, 2]] + capsules[:, 6:7]).max(axis=0)
    high = np.maximum(high, (capsules[:, [3, 4, 5]] + capsules[:, 7:8]).max(axis=0)) + 3.0 * cell
    shape = np.ceil((high - low) / cell).astype(int)
    middle = low + cell * (np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1) + 0.5)
    solid = (field(middle.reshape(-1, 3), capsules, blend) < 0.0).reshape(shape)
    points, quads = _faces(solid)
    points = low + cell * points
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(Index)
    return _drawn(points, triangles, capsules, blend, cell), triangles


def field(points: Array, capsules: Array, blend: float) -> Array:
    """(n,) about the distance from the surface, negative inside [m]."""
    total = np.zeros(len(points))
    for row in capsules:
        start, end, r0, r1 = row[:3], row[3:6], row[6], row[7]
        axis = end - start
        square = float(axis @ axis)
        t = np.clip((points - start) @ axis / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
        distance = np.linalg.norm(points - start - t[:, None] * axis, axis=1) - (r0 + t * (r1 - r0))
        total += np.exp(np.clip(-distance / blend, -60.0, 60.0))
    return -blend * np.log(total)


def _faces(solid: Array) -> tuple[Array, Array]:
    """Boundary squares of a set of cells: grid corners and their quads, outward."""
    if not solid.any():
        raise SceneError("blob: no cell lies inside; use a smaller cell")
    quads = []
    for axis in range(3):
        across = [(axis + 1) % 3, (axis + 2) % 3]
        for side in (0, 1):
            beside = np.roll(solid, 1 if side == 0 else -1, axis=axis)
            cells = np.argwhere(solid & ~beside)
            corner = cells.copy()
            corner[:, axis] += side
            u, v = np.eye(3, dtype=int)[across[0]], np.eye(3, dtype=int)[across[1]]
            turn = [corner, corner + u, corner + u + v, corner + v]
            quads.append(np.stack(turn if side == 1 else turn[::-1], axis=1))
    corners = np.concatenate(quads)
    used, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return used.astype(float), index.reshape(-1, 4)


def _drawn(points: Array, triangles: Array, capsules: Array, blend: float, cell: float) -> Array:
    """Relax towards the neighbours' middle along the surface, and back onto it."""
    pairs = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64), axis=1), axis=0)
    near = np.concatenate([pairs, pairs[:, ::-1]])
    count = np.bincount(near[:, 0], minlength=len(points))
    for _ in range(ROUNDS):
        sums = [np.bincount(near[:, 0], points[near[:, 1], k], minlength=len(points)) for k in range(3)]
        points = 0.5 * points + 0.5 * np.stack(sums, axis=1) / count[:, None]
        step = 1e-3 * cell
        value = field(points, capsules, blend)
        slope = np.stack([field(points + step * e, capsules, blend) - value for e in np.eye(3)], axis=1) / step
        square = np.maximum(np.einsum("ij,ij->i", slope, slope), 0.1)
        points = points - np.clip(value / square, -cell, cell)[:, None] * slope
    return points
