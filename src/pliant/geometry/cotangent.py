"""The surface Laplacian of linear elements, and smoothing by one implicit step of heat on a surface."""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.geometry.surface import vertex_areas

STEEPEST = 5.0  # largest cotangent taken: that of an angle of 11 degrees


def stiffness(points: Array, triangles: Array) -> Any:
    """(n, n) K, u K u = integral of |grad u|^2: K_ij = -(cot a + cot b) / 2, clipped so that it stays an M-matrix."""
    import scipy.sparse as sparse

    rows, columns, values = [], [], []
    corner = np.asarray(triangles, np.int64)
    for k in range(3):
        i, j, o = corner[:, k], corner[:, (k + 1) % 3], corner[:, (k + 2) % 3]
        u, v = points[i] - points[o], points[j] - points[o]
        area = np.linalg.norm(np.cross(u, v), axis=1)
        cotangent = np.clip(np.einsum("ij,ij->i", u, v) / np.maximum(area, 1e-30), 0.0, STEEPEST)
        rows += [i, j, i, j]
        columns += [j, i, i, j]
        values += [-0.5 * cotangent, -0.5 * cotangent, 0.5 * cotangent, 0.5 * cotangent]
    size = (len(points), len(points))
    return sparse.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=size)


def spread(points: Array, triangles: Array, values: Array, reach: float, times: int = 1) -> Array:
    """Values (n, k) smoothed over about `reach` [m] along the surface: (M + reach^2 / 4 K) u' = M u.

    Sums over k and constants stay as they are, and no value leaves the range of those given.
    """
    import scipy.sparse as sparse
    from scipy.sparse.linalg import splu

    mass = sparse.diags(np.maximum(vertex_areas(points, triangles), 1e-12)).tocsc()
    solve = splu((mass + 0.25 * reach**2 * stiffness(points, triangles)).tocsc()).solve
    for _ in range(times):
        values = solve(mass @ values)
    return values


def gradients(points: Array, triangles: Array) -> tuple[Array, Array]:
    """(m, 3, 3) gradient of the hat function of each corner, and (m,) areas."""
    p = points[triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    double = np.maximum(np.linalg.norm(normal, axis=1), 1e-30)
    unit = normal / double[:, None]
    opposite = np.roll(p, -2, axis=1) - np.roll(p, -1, axis=1)  # edge across from each corner
    return np.cross(unit[:, None], opposite) / double[:, None, None], 0.5 * double
