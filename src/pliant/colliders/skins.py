"""The surfaces that may touch: every part's triangles, edges and points by their rows in the State."""

from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry import surface
from pliant.world import Part, Volumes, World

NOT_ITSELF, ITSELF, LAYERED = 0, 1, 2  # Skins.alone


class Skins(NamedTuple):
    """All surfaces of a world; indices are rows of State.position."""

    owner: Array  # (n,) number of the part
    alone: Array  # (n,) whether the part may touch itself; LAYERED where it lies on itself at rest
    rest: Array  # (n, 3) [m]
    gap: Array  # (n,) distance kept [m]
    friction: Array  # (n,)
    triangles: Array  # (m, 3)
    edges: Array  # (e, 2)
    triangle_start: Array  # (n + 1,) each point's triangles
    triangle_of: Array
    edge_start: Array  # (n + 1,) each point's edges
    edge_of: Array
    filled: Array  # (n,) whether the part encloses gas, which keeps its skin smooth


def may_touch(part: Part) -> bool:
    """Whether a part has a surface that others can touch."""
    return len(part.triangles) > 0 and bool(part.extra.get("contact", True))


def touches_itself(part: Part) -> bool:
    return may_touch(part) and bool(part.extra.get("self_contact", False))


def skins_of(world: World) -> Skins:
    parts = list(world.parts.values())
    count = max((part.rows.stop for part in parts), default=0)
    owner, alone = np.zeros(count, np.int32), np.zeros(count, np.uint8)
    rest, gap, friction = np.zeros((count, 3)), np.zeros(count), np.zeros(count)
    filled = np.zeros(count, bool)
    triangles, edges = [np.empty((0, 3), np.int64)], [np.empty((0, 2), np.int64)]
    for number, part in enumerate(parts):
        rows = part.rows
        owner[rows], rest[rows], friction[rows] = number, part.rest_position, part.friction
        if not may_touch(part):
            continue
        filled[rows] = part.has(Volumes)
        own = surface.edges(part.triangles)
        triangles.append(part.triangles.astype(np.int64) + rows.start)
        edges.append(own.astype(np.int64) + rows.start)
        # a mesh finer than its thickness would push its own neighbours away
        gap[rows] = min(part.thickness, 0.8 * float(np.median(_lengths(part.rest_position, own))))
        if touches_itself(part):
            alone[rows] = np.where(_layered(part, own, float(gap[rows.start])), LAYERED, ITSELF)
    all_triangles, all_edges = np.concatenate(triangles), np.concatenate(edges)
    return Skins(
        owner,
        alone,
        rest,
        gap,
        friction,
        all_triangles.astype(Index),
        all_edges.astype(Index),
        *_rows_of_points(all_triangles, count),
        *_rows_of_points(all_edges, count),
        filled,
    )


def _lengths(points: Array, edges: Array) -> Any:
    return np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1)


def _rows_of_points(table: Array, count: int) -> tuple[Array, Array]:
    corner = table.ravel()
    order = np.argsort(corner, kind="stable")
    start = np.searchsorted(corner[order], np.arange(count + 1))
    return start.astype(Index), (order // max(table.shape[1], 1)).astype(Index)


def _layered(part: Part, edges: Array, gap: float) -> Array:
    """(n,) True for points that at rest are near others to which no short way leads along the surface."""
    from scipy.sparse import coo_matrix
    from scipy.spatial import cKDTree

    points = part.rest_position
    layered = np.zeros(len(points), bool)
    if np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[-1] < 1e-9 * len(points):  # flat
        return layered
    reach = gap + 2.5 * float(np.max(_lengths(points, edges)))
    pairs = cKDTree(points).query_pairs(reach, output_type="ndarray")
    ones = np.ones(len(edges), np.int32)
    near = coo_matrix((ones, (edges[:, 0], edges[:, 1])), shape=(len(points), len(points))).tocsr()
    near = near + near.T
    near = near + near @ near
    near = near + near @ near
    far = np.asarray(near[pairs[:, 0], pairs[:, 1]]).ravel() == 0
    layered[pairs[far].ravel()] = True
    return layered
