"""Closed surfaces: is one closed, how many shells, which side is out; spheres and flat bags made here."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry import surface


class Closure(NamedTuple):
    """What keeps a triangle surface from enclosing a volume; zeros and empty arrays for a good one."""

    border: Array  # (b, 2) edges of one triangle
    crowded: Array  # (c, 2) edges of more than two triangles
    against: Array  # (k, 2) edges that two triangles run through in the same direction
    shells: int  # connected pieces
    volume: float  # [m^3], negative if the triangles face inward
    flat: bool  # encloses nothing yet: a flat bag


def closure(points: Array, triangles: Array) -> Closure:
    """Everything `Balloon` must know of a surface before it takes it."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    edges, where, count = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True, return_counts=True)
    forward = np.bincount(where.ravel(), pairs[:, 0] < pairs[:, 1], minlength=len(edges))
    used = np.zeros(len(points), bool)
    used[triangles.ravel()] = True
    graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(len(points), len(points)))
    shells = connected_components(graph, directed=False)[0] - int(np.count_nonzero(~used))
    volume = surface.enclosed_volume(points, triangles)
    area = float(surface.triangle_areas(points, triangles).sum())
    return Closure(
        border=edges[count == 1],
        crowded=edges[count > 2],
        against=edges[(count == 2) & (forward != 1)],
        shells=shells,
        volume=volume,
        flat=abs(volume) < 1e-9 * area**1.5,
    )


def oriented(points: Array, triangles: Array) -> Array:
    """The same triangles, all wound alike and facing outward. One shell, no crowded edge; None of a one-sided one."""
    from pliant.geometry.nearest import neighbour_triangles

    across = neighbour_triangles(triangles)
    made = triangles.copy()
    seen = np.zeros(len(made), bool)
    for first in range(len(made)):
        if seen[first]:
            continue
        seen[first] = True
        waiting = [first]
        while waiting:
            t = waiting.pop()
            for k in range(3):
                other = across[t, k]
                if other < 0 or seen[other]:
                    continue
                a, b = triangles[t, k], triangles[t, (k + 1) % 3]
                ours = _runs(made[t], a, b)
                if _runs(made[other], a, b) == ours:
                    made[other] = made[other][::-1]
                seen[other] = True
                waiting.append(int(other))
    return made if surface.enclosed_volume(points, made) >= 0.0 else np.ascontiguousarray(made[:, ::-1])


def _runs(triangle: Array, a: int, b: int) -> bool:
    """True if the triangle goes from a to b."""
    turn = triangle.tolist()
    return turn[(turn.index(a) + 1) % 3] == b


def sphere(detail: int) -> tuple[Array, Array]:
    """Unit sphere from an icosahedron, each triangle cut into four `detail` times: 10 4^detail + 2 points."""
    golden = (1.0 + 5.0**0.5) / 2.0
    points = np.array([(x * 1.0, y * golden, 0.0) for x in (-1, 1) for y in (-1, 1)])
    points = np.concatenate([np.roll(points, k, axis=1) for k in range(3)])
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = np.abs(distance - 2.0) < 1e-9
    i, j, k = np.meshgrid(*[np.arange(12)] * 3, indexing="ij")
    face = (i < j) & (j < k) & near[i, j] & near[j, k] & near[i, k]
    faces = np.stack([i[face], j[face], k[face]], axis=1)
    inward = np.einsum("ij,ij->i", np.cross(points[faces[:, 1]], points[faces[:, 2]]), points[faces[:, 0]]) < 0
    faces[inward] = faces[inward][:, ::-1]
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    for _ in range(detail):
        points, faces = _quartered(points, faces)
    return points, faces.astype(Index)


def _quartered(points: Array, faces: Array) -> tuple[Array, Array]:
    pairs = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges, where = np.unique(pairs, axis=0, return_inverse=True)
    middle = points[edges].mean(axis=1)
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    a, b, c = faces.T
    ab, bc, ca = (len(points) + where.reshape(-1, 3)).T
    cut = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return np.concatenate([points, middle]), cut


def bag(radius: Array, rings: int) -> tuple[Array, Array]:
    """Two equal flat sheets in the xy plane, sewn at the rim: `radius` (k,) [m] of the rim at equal angles.

    Spokes run straight from the middle to the rim, so that a skin that cannot stretch may still wrinkle around them.
    Front points come first, the back's inner points after them; front and back lie on each other and are not joined.
    """
    k = len(radius)
    angle = 2.0 * np.pi * np.arange(k) / k
    unit = np.stack([np.cos(angle), np.sin(angle), np.zeros(k)], axis=1) * radius[:, None]
    grid = np.concatenate([np.zeros((1, 3)), *(unit * (r + 1) / rings for r in range(rings))])
    n = len(grid)
    ring = np.arange(k)
    after = (ring + 1) % k
    front = [np.stack([np.zeros(k, int), 1 + ring, 1 + after], axis=1)]
    for r in range(rings - 1):
        a, b, c, d = (1 + r * k + ring, 1 + (r + 1) * k + ring, 1 + (r + 1) * k + after, 1 + r * k + after)
        odd = ((r + ring) % 2 == 1)[:, None]
        front.append(np.where(odd, np.stack([a, b, c], 1), np.stack([a, b, d], 1)))
        front.append(np.where(odd, np.stack([a, c, d], 1), np.stack([b, c, d], 1)))
    face = np.concatenate(front)
    inner = 1 + (rings - 1) * k
    behind = np.arange(n)
    behind[:inner] = n + np.arange(inner)  # the rim is shared
    back = behind[face][:, ::-1]
    return np.concatenate([grid, grid[:inner]]), np.concatenate([face, back]).astype(Index)
