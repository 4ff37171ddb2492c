"""The surface where a field is zero, as a closed triangle mesh: marching tetrahedra, then clips by scalar functions.

Each cell of a grid is cut into six tetrahedra along its long diagonal (Kuhn), alike in all cells, so the surface is a
manifold whatever the field does. Its triangles are slivers here and there; `geometry.remesh` makes them even.
"""

from collections.abc import Callable

import numpy as np

from pliant.arrays import Array

BLOCK = 4  # cells per side of the blocks that are looked at first
_CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)])
_TETRAHEDRA = np.array([(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)])


def level_set(field: Callable[[Array], Array], low: Array, high: Array, cell: float) -> tuple[Array, Array]:
    """Points (n, 3) and outward triangles (m, 3) where `field`, negative inside, is zero within a box."""
    shape = np.maximum(np.ceil((np.asarray(high) - low) / (BLOCK * cell)).astype(int), 1) * BLOCK
    value = _sampled(field, np.asarray(low, float), shape, cell)
    inside = value < 0.0
    strides = np.array([(shape[1] + 1) * (shape[2] + 1), shape[2] + 1, 1])
    corner = _CORNERS @ strides
    mixed = np.zeros(shape, np.uint8)
    for x, y, z in _CORNERS:
        mixed += inside[x : x + shape[0], y : y + shape[1], z : z + shape[2]]
    cells = np.argwhere((mixed > 0) & (mixed < 8)) @ strides
    nodes = (cells[:, None] + corner[None])[:, _TETRAHEDRA].reshape(-1, 4)
    value = value.ravel()
    faces = _crossings(nodes, value)
    ends, where = np.unique(faces.reshape(-1, 2), axis=0, return_inverse=True)
    a, b = value[ends[:, 0]], value[ends[:, 1]]
    t = (a / (a - b))[:, None]
    place = np.stack(np.unravel_index(ends, tuple(shape + 1)), axis=-1) * cell + low
    points = (1.0 - t) * place[:, 0] + t * place[:, 1]
    return _outward(points, where.reshape(-1, 3), place, ends, a)


def _sampled(field: Callable[[Array], Array], low: Array, shape: Array, cell: float) -> Array:
    """(nx, ny, nz) the field at the nodes; far from the surface only its sign is right."""
    blocks = shape // BLOCK
    center = np.stack(np.meshgrid(*[np.arange(n) for n in blocks], indexing="ij"), axis=-1).reshape(-1, 3)
    rough = field(low + cell * BLOCK * (center + 0.5))
    near = np.abs(rough) < 1.6 * np.sqrt(3.0) * 0.5 * BLOCK * cell
    value = np.empty(shape + 1)
    for block, sign in zip(center[~near] * BLOCK, rough[~near], strict=True):
        value[tuple(slice(k, k + BLOCK + 1) for k in block)] = sign
    wanted = np.zeros(shape + 1, bool)
    for block in center[near] * BLOCK:
        wanted[tuple(slice(k, k + BLOCK + 1) for k in block)] = True
    value[wanted] = field(low + cell * np.argwhere(wanted))
    return value


def _crossings(nodes: Array, value: Array) -> Array:
    """(f, 3, 2) triangles as cut edges of the tetrahedra `nodes` (t, 4): one where a corner is cut off, else two."""
    negative = value[nodes] < 0.0
    count = negative.sum(axis=1)
    order = np.argsort(~negative, axis=1, kind="stable")  # negative corners first
    sorted_nodes = np.take_along_axis(nodes, order, axis=1)
    faces = []
    for lonely, rows in ((0, count == 1), (3, count == 3)):
        tip = sorted_nodes[rows]
        others = [k for k in range(4) if k != lonely]
        faces.append(np.stack([tip[:, [lonely, k]] for k in others], axis=1))
    a, b, c, d = sorted_nodes[count == 2].T
    ac, ad, bd, bc = (np.stack(pair, axis=1) for pair in ((a, c), (a, d), (b, d), (b, c)))
    faces += [np.stack([ac, ad, bd], axis=1), np.stack([ac, bd, bc], axis=1)]
    return np.sort(np.concatenate(faces), axis=2)


def _outward(points: Array, faces: Array, place: Array, ends: Array, first: Array) -> tuple[Array, Array]:
    """Without degenerate triangles, and with the others wound so that their normals lead to positive values."""
    out = (place[:, 1] - place[:, 0]) * np.sign(-first)[:, None]  # of each cut edge, from its negative end
    a, b, c = (points[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    leads = out[faces].sum(axis=1)
    wrong = np.einsum("ij,ij->i", normal, leads) < 0.0
    faces[wrong] = faces[wrong][:, ::-1]
    return points, faces


def clipped(points: Array, triangles: Array, keep: Array) -> tuple[Array, Array]:
    """The part of a mesh where `keep` (n,), linear on each triangle, is >= 0."""
    inside = keep[triangles] >= 0.0
    count = inside.sum(axis=1)
    whole = triangles[count == 3]
    cut = triangles[(count == 1) | (count == 2)]
    if not len(cut):
        return compacted(points, whole)
    one = (keep[cut] >= 0.0).sum(axis=1) == 1
    lonely = np.where(one, np.argmax(keep[cut] >= 0.0, axis=1), np.argmax(keep[cut] < 0.0, axis=1))
    turned = np.take_along_axis(cut, (lonely[:, None] + np.arange(3)) % 3, axis=1)
    a, b, c = turned.T
    edges = np.sort(np.concatenate([np.stack([a, b], 1), np.stack([a, c], 1)]), axis=1)
    ends, where = np.unique(edges, axis=0, return_inverse=True)
    t = keep[ends[:, 0]] / (keep[ends[:, 0]] - keep[ends[:, 1]])
    fresh = points[ends[:, 0]] + t[:, None] * (points[ends[:, 1]] - points[ends[:, 0]])
    ab, ac = len(points) + where.ravel().reshape(2, -1)
    tips = np.stack([a, ab, ac], axis=1)[one]
    stumps = np.concatenate([np.stack([ab, b, c], axis=1)[~one], np.stack([ab, c, ac], axis=1)[~one]])
    return compacted(np.concatenate([points, fresh]), np.concatenate([whole, tips, stumps]))


def largest_piece(points: Array, triangles: Array) -> tuple[Array, Array]:
    """The connected piece with the most triangles."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    rows = np.concatenate([triangles[:, 0], triangles[:, 1]])
    columns = np.concatenate([triangles[:, 1], triangles[:, 2]])
    graph = coo_matrix((np.ones(len(rows), np.int8), (rows, columns)), shape=(len(points), len(points)))
    piece = connected_components(graph, directed=False)[1][triangles[:, 0]]
    return compacted(points, triangles[piece == np.bincount(piece).argmax()])


def compacted(points: Array, triangles: Array) -> tuple[Array, Array]:
    """Without points that no triangle uses."""
    used, where = np.unique(triangles, return_inverse=True)
    return points[used], where.reshape(-1, 3)
