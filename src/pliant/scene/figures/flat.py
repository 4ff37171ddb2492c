"""Texture coordinates of a garment: its front and back laid flat on each other."""

import numpy as np

from pliant.arrays import Array
from pliant.geometry.cotangent import gradients, stiffness


def texture(points: Array, triangles: Array) -> Array:
    """(n, 2) [m] uv of the two halves of a pattern laid flat, back on front: no seam, true lengths almost everywhere.

    Each triangle asks for the directions of x and y along itself, at unit length; the uv nearest to that in the sense
    of least squares solves a Poisson equation each.
    """
    import scipy.sparse as sparse
    from scipy.sparse.linalg import splu

    hats, area = gradients(points, triangles)
    p = points[triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    matrix = stiffness(points, triangles)
    matrix = matrix + matrix.diagonal().mean() * 1e-9 * sparse.identity(len(points), format="csc")
    solve = splu(matrix.tocsc()).solve
    columns = []
    for axis in np.eye(3)[:2]:
        along = axis - normal * (normal @ axis)[:, None]
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 0.35)
        asked = area[:, None] * np.einsum("mki,mi->mk", hats, along)
        value = solve(np.bincount(triangles.ravel(), asked.ravel(), minlength=len(points)))
        columns.append(value - value.min())
    return np.stack(columns, axis=1)
