"""A body with no long edges: what cloth is draped on. A box of twelve triangles has no skin near the middle of a face.

Edges above a length are halved, all triangles at once, until none is left. The figure that is shown stays as it is, so
the new points lie on its flat triangles in every pose; weights of their own are for what binds to them.
"""

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry.rigged import Coarse, Rigged
from pliant.scene.figures.body import dense, four_strongest

ROUNDS = 8
MOST = 60000  # triangles


def finely(mesh: Rigged, longest: float) -> Rigged:
    """The mesh itself if no edge is longer than `longest` [m]."""
    points, faces = np.asarray(mesh.points), np.asarray(mesh.triangles, np.int64)
    weights: Array | None = None
    corners = np.repeat(np.arange(len(points))[:, None], 3, axis=1)
    shares = np.tile([1.0, 0.0, 0.0], (len(points), 1))
    for _ in range(ROUNDS):
        edge, where = np.unique(np.sort(_pairs(faces), axis=1), axis=0, return_inverse=True)
        long = np.linalg.norm(points[edge[:, 1]] - points[edge[:, 0]], axis=1) > longest
        if not long.any() or len(faces) > MOST:
            break
        if weights is None:
            weights = dense(mesh, int(mesh.bones.max()) + 1)
        middle = np.full(len(edge), -1)
        middle[long] = len(points) + np.arange(np.count_nonzero(long))
        points = np.concatenate([points, points[edge[long]].mean(axis=1)])
        weights = np.concatenate([weights, weights[edge[long]].mean(axis=1)])
        corners, shares = _halfway(corners, shares, edge[long])
        faces = _cut(faces, middle[where.ravel()].reshape(3, -1).T)
    if weights is None:
        return mesh
    bones, four = four_strongest(weights)
    coarse = Coarse(np.ascontiguousarray(mesh.points, float), mesh.bones, mesh.weights, corners.astype(Index), shares)
    return Rigged(np.ascontiguousarray(points), faces.astype(Index), None, bones, four, coarse)


def _halfway(corners: Array, shares: Array, edge: Array) -> tuple[Array, Array]:
    """Coarse corners and shares of all points, and of the middles of edges: both ends lie on one coarse triangle."""
    both = np.concatenate([corners[edge[:, 0]], corners[edge[:, 1]]], axis=1)
    half = 0.5 * np.concatenate([shares[edge[:, 0]], shares[edge[:, 1]]], axis=1)
    for k in range(1, 6):  # add up what stands twice
        for j in range(k):
            same = both[:, j] == both[:, k]
            half[same, j] += half[same, k]
            half[same, k] = 0.0
    kept = np.argsort(-half, axis=1, kind="stable")[:, :3]
    return (
        np.concatenate([corners, np.take_along_axis(both, kept, axis=1)]),
        np.concatenate([shares, np.take_along_axis(half, kept, axis=1)]),
    )


def _pairs(faces: Array) -> Array:
    """(3 m, 2) edges a-b of all triangles, then b-c, then c-a."""
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])


def _cut(faces: Array, middle: Array) -> Array:
    """Triangles with one, two or three halved edges as two, three or four; `middle` (m, 3) is -1 of a whole edge."""
    halved = middle >= 0
    count = halved.sum(axis=1)
    made = [faces[count == 0]]
    one = count == 1
    a, b, c, ab, _, _ = _turned(faces[one], middle[one], np.argmax(halved[one], axis=1))
    made += [np.stack([a, ab, c], 1), np.stack([ab, b, c], 1)]
    two = count == 2
    whole = np.argmin(halved[two], axis=1)
    a, b, c, _, bc, ca = _turned(faces[two], middle[two], whole)  # a-b is the whole edge
    made += [np.stack([ca, bc, c], 1), np.stack([a, b, bc], 1), np.stack([a, bc, ca], 1)]
    a, b, c, ab, bc, ca = _turned(faces[count == 3], middle[count == 3], np.zeros(np.count_nonzero(count == 3), int))
    made += [np.stack(t, 1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    return np.concatenate(made)


def _turned(faces: Array, middle: Array, first: Array) -> tuple[Array, ...]:
    """Corners and middles, with edge `first` as the first."""
    order = (first[:, None] + np.arange(3)) % 3
    corners, middles = np.take_along_axis(faces, order, 1), np.take_along_axis(middle, order, 1)
    return (*corners.T, *middles.T)
