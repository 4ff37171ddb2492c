"""The mesh that is shown: Loop subdivision of the light garment, and where on it each new point lies.

Loop 1987, with the boundary rules of cubic splines (1/8, 3/4, 1/8), so that a hem depends on the hem alone.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry.surface import edges
from pliant.kernels import span, sweep


class Level(NamedTuple):
    """One subdivision as a sparse matrix: point i is the sum of `weight` times `source` over its slots."""

    start: Array  # (N + 1,) uint32
    source: Array  # (z,) uint32
    weight: Array  # (z,)


class Finer(NamedTuple):
    levels: tuple[Level, ...]
    triangles: Array  # (M, 3) uint32
    owner: Array  # (N,) uint32 light triangle on which each point lies
    corner: Array  # (N, 3) its weights of that triangle's corners


def finer(triangles: Array, count: int, times: int) -> Finer:
    levels, fine, points = [], triangles.astype(np.int64), count
    owner = np.arange(len(fine))
    corner = np.tile(np.eye(3), (len(fine), 1, 1))
    for _ in range(times):
        level, fine, points = _loop(fine, points)
        levels.append(level)
        a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        corner = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
        owner = np.tile(owner, 4)
    first = np.full(points, -1)
    flat = fine.ravel()
    first[flat[::-1]] = np.arange(len(flat))[::-1]  # the lowest corner that uses each point
    return Finer(
        tuple(levels),
        np.ascontiguousarray(fine, Index),
        owner[first // 3].astype(Index),
        np.ascontiguousarray(corner.reshape(-1, 3)[first]),
    )


def _loop(triangles: Array, count: int) -> tuple[Level, Array, int]:
    from scipy.sparse import coo_array

    pairs = edges(triangles).astype(np.int64)
    keys = pairs[:, 0] * count + pairs[:, 1]
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    across = np.roll(triangles, -2, axis=1).ravel()
    of = np.searchsorted(keys, ends.min(axis=1) * count + ends.max(axis=1))
    shared = np.bincount(of, minlength=len(pairs)) >= 2
    rows, columns, values = _edge_rules(pairs, shared, (of, across), count)
    for rule in _point_rules(pairs, shared, count):
        rows, columns, values = (
            np.concatenate([old, new]) for old, new in zip((rows, columns, values), rule, strict=True)
        )
    matrix = coo_array((values, (rows, columns)), shape=(count + len(pairs), count)).tocsr()
    matrix.sort_indices()
    middle = count + of.reshape(-1, 3)
    a, b, c = triangles.T
    ab, bc, ca = middle.T
    fine = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    level = Level(matrix.indptr.astype(Index), matrix.indices.astype(Index), matrix.data)
    return level, fine, count + len(pairs)


def _edge_rules(pairs: Array, shared: Array, sides: tuple[Array, Array], count: int) -> tuple[Array, Array, Array]:
    """Middle of an edge: 3/8 of its ends and 1/8 of the points across; at a border 1/2 of its ends."""
    of, across = sides
    point = count + np.arange(len(pairs))
    share = np.where(shared, 0.375, 0.5)
    inner = shared[of]
    rows = np.concatenate([point, point, count + of[inner]])
    columns = np.concatenate([pairs[:, 0], pairs[:, 1], across[inner]])
    sides_of = np.maximum(np.bincount(of, minlength=len(pairs)), 1)
    return rows, columns, np.concatenate([share, share, 0.25 / sides_of[of[inner]]])


def _point_rules(pairs: Array, shared: Array, count: int) -> list[tuple[Array, Array, Array]]:
    rim = np.zeros(count, bool)
    rim[pairs[~shared].ravel()] = True
    degree = np.bincount(pairs.ravel(), minlength=count)
    d = np.maximum(degree, 1)
    beta = (0.625 - (0.375 + 0.25 * np.cos(2.0 * np.pi / d)) ** 2) / d
    border_degree = np.maximum(np.bincount(pairs[~shared].ravel(), minlength=count), 1)
    own = np.where(rim, 0.75, 1.0 - degree * beta)
    rules = [(np.arange(count), np.arange(count), own)]
    for here, there in ((0, 1), (1, 0)):
        i, j = pairs[:, here], pairs[:, there]
        inner, outer = ~rim[i], ~shared
        rules.append((i[inner], j[inner], beta[i[inner]]))
        rules.append((i[outer], j[outer], 0.25 / border_degree[i[outer]]))
    return rules


@sweep
def _apply(out, start, source, weight, x):
    for i in span(len(out)):
        a, b, c = 0.0, 0.0, 0.0
        for s in range(start[i], start[i + 1]):
            w, j = weight[s], source[s]
            a += w * x[j, 0]
            b += w * x[j, 1]
            c += w * x[j, 2]
        out[i, 0], out[i, 1], out[i, 2] = a, b, c


def subdivided(mesh: Finer, x: Array, scratch: list[Array]) -> Array:
    """Positions of the fine points; `scratch` holds one array per level, the last of which is returned."""
    for level, out in zip(mesh.levels, scratch, strict=True):
        _apply(out, level.start, level.source, level.weight, x)
        x = out
    return x
