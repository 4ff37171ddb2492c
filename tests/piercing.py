"""How far a mesh is from a surface, and which edges of either cross the other, found without the draper's own code."""

import numpy as np
from scipy.spatial import cKDTree

from pliant.geometry.nearest import SurfaceTree
from pliant.geometry.surface import edges


def depths(points, surface, triangles):
    """Signed distance of each point, negative inside."""
    return SurfaceTree(surface, triangles).closest(points).distance


def crossings(points, triangles, surface, faces):
    """Edges of the first mesh that pass through triangles of the second."""
    return len(crossed(points, triangles, surface, faces))


def crossed(points, triangles, surface, faces):
    """Middles of those edges."""
    ends = points[edges(triangles).astype(np.int64)]
    corners = surface[faces.astype(np.int64)]
    middle, centre = ends.mean(axis=1), corners.mean(axis=1)
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    tree = cKDTree(centre)
    radius = 0.5 * length.max() + np.linalg.norm(corners - centre[:, None], axis=2).max()
    some = np.flatnonzero(tree.query(middle, distance_upper_bound=radius)[0] < radius)
    ends, middle = ends[some], middle[some]
    pairs = cKDTree(middle).sparse_distance_matrix(tree, radius, output_type="coo_matrix")
    edge, face = pairs.row, pairs.col
    p, q = ends[edge, 0], ends[edge, 1]
    a, b, c = corners[face, 0], corners[face, 1], corners[face, 2]
    n = np.cross(b - a, c - a)
    height = np.einsum("ij,ij->i", n, p - a), np.einsum("ij,ij->i", n, q - a)
    cut = height[0] * height[1] < 0.0
    p, q, a, b, c, n = (x[cut] for x in (p, q, a, b, c, n))
    t = height[0][cut] / (height[0][cut] - height[1][cut])
    at = p + t[:, None] * (q - p)
    inside = np.ones(len(at), bool)
    for u, v in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(v - u, at - u), n) >= 0.0
    return middle[np.unique(edge[cut][inside])]
