"""Triangle surfaces: areas, normals, edges, hinges, enclosed volume, regular sheets. No mass, no time."""

import numpy as np

from pliant.arrays import Array, Index


def triangle_normals(points: Array, triangles: Array) -> Array:
    """(m, 3) normals whose length is twice the triangle's area."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def triangle_areas(points: Array, triangles: Array) -> Array:
    """(m,) [m^2]."""
    return 0.5 * np.linalg.norm(triangle_normals(points, triangles), axis=1)


def vertex_areas(points: Array, triangles: Array) -> Array:
    """(n,) a third of the area of each triangle at a point [m^2]."""
    share = np.repeat(triangle_areas(points, triangles) / 3.0, 3)
    return np.bincount(triangles.ravel(), share, minlength=len(points))


def vertex_normals(points: Array, triangles: Array) -> Array:
    """(n, 3) unit normals, area-weighted; zero where a point has no triangle."""
    normals = triangle_normals(points.astype(np.float64), triangles)
    total = np.stack(
        [np.bincount(triangles.ravel(), np.repeat(normals[:, k], 3), minlength=len(points)) for k in range(3)], axis=1
    )
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.divide(total, length, where=length > 0, out=np.zeros_like(total))


def edges(triangles: Array) -> Array:
    """(e, 2) unique undirected edges, sorted, smaller index first."""
    pairs = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    return np.unique(np.sort(pairs, axis=1), axis=0).astype(Index)


def hinges(triangles: Array) -> Array:
    """(h, 4) edge start, edge end, opposite vertex of either triangle, for each edge that two triangles share.

    The first triangle has the edge in the direction start -> end. An edge of more than two triangles bends freely.
    """
    pairs = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    opposite = triangles[:, [2, 0, 1]].ravel().astype(np.int64)
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    order = np.lexsort((pairs[:, 0] > pairs[:, 1], high, low))
    low, high, opposite = low[order], high[order], opposite[order]
    same = (low[1:] == low[:-1]) & (high[1:] == high[:-1])
    first = np.flatnonzero(same)
    crowd = np.zeros(len(low), bool)  # edges of three triangles or more
    three = np.flatnonzero(same[1:] & same[:-1])
    crowd[three] = crowd[three + 1] = crowd[three + 2] = True
    first = first[~crowd[first]]
    return np.stack([low[first], high[first], opposite[first], opposite[first + 1]], axis=1).astype(Index)


def boundary_edges(triangles: Array) -> Array:
    """(e, 2) edges of exactly one triangle, in that triangle's direction."""
    pairs = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    _, where, count = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True, return_counts=True)
    return pairs[count[where.ravel()] == 1]


def enclosed_volume(points: Array, triangles: Array) -> float:
    """Signed volume of a closed surface [m^3], positive if its triangles face outward."""
    local = points - points[triangles[0, 0]]  # near the origin nothing cancels
    a, b, c = (local[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def grid(columns: int, rows: int) -> tuple[Array, Array]:
    """Unit square of columns x rows cells: (u, v) of each point, row 0 at v = 0, and triangles facing +w = u x v.

    Diagonals alternate like a chess board, so that the sheet prefers neither direction.
    """
    u, v = np.meshgrid(np.linspace(0, 1, columns + 1), np.linspace(0, 1, rows + 1))
    index = np.arange((columns + 1) * (rows + 1)).reshape(rows + 1, columns + 1)
    a, b, c, d = index[:-1, :-1].ravel(), index[:-1, 1:].ravel(), index[1:, 1:].ravel(), index[1:, :-1].ravel()
    odd = (np.add.outer(np.arange(rows), np.arange(columns)) % 2).ravel().astype(bool)[:, None]
    first = np.where(odd, np.stack([a, b, c], 1), np.stack([a, b, d], 1))
    second = np.where(odd, np.stack([a, c, d], 1), np.stack([b, c, d], 1))
    triangles = np.stack([first, second], axis=1).reshape(-1, 3)
    return np.stack([u.ravel(), v.ravel()], axis=1), triangles.astype(Index)


def grid_springs(columns: int, rows: int) -> tuple[Array, Array, Array]:
    """(structural, shear, bend) pairs of a regular sheet: 4-neighbours, both diagonals, skip-one."""
    index = np.arange((columns + 1) * (rows + 1)).reshape(rows + 1, columns + 1)

    def pairs(*ends: tuple[Array, Array]) -> Array:
        return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in ends]).astype(Index)

    return (
        pairs((index[:, :-1], index[:, 1:]), (index[:-1], index[1:])),
        pairs((index[:-1, :-1], index[1:, 1:]), (index[:-1, 1:], index[1:, :-1])),
        pairs((index[:, :-2], index[:, 2:]), (index[:-2], index[2:])),
    )
