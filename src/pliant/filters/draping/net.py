"""Tables of a triangle mesh that never change: who is next to whom, whose triangles, which half-edge lies across."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry.surface import edges
from pliant.kernels import adjacency, kernel, span, sweep


class Net(NamedTuple):
    """One mesh. Half-edge h = 3 f + k leads from corner k of triangle f to corner k + 1."""

    triangles: Array  # (m, 3) uint32
    edges: Array  # (e, 2) uint32
    start: Array  # (n + 1,) uint32 first slot of each point in `other`
    other: Array  # (2 e,) uint32 neighbours
    row: Array  # (2 e,) uint32 the edge of each slot
    fan_start: Array  # (n + 1,) uint32 first slot of each point in `fan`
    fan: Array  # (3 m,) uint32 corners 3 f + k at each point
    twin: Array  # (3 m,) int32 half-edge across, -1 at a border

    @property
    def size(self) -> int:
        """Points."""
        return len(self.start) - 1


def net_of(triangles: Array, count: int) -> Net:
    triangles = np.ascontiguousarray(triangles, Index)
    pairs = edges(triangles)
    around = adjacency(pairs, count)
    corners = triangles.ravel()
    fan = np.argsort(corners, kind="stable")
    fan_start = np.searchsorted(corners[fan], np.arange(count + 1))
    return Net(
        triangles,
        pairs,
        around.start,
        around.other,
        around.row,
        fan_start.astype(Index),
        fan.astype(Index),
        _twins(triangles, count),
    )


def _twins(triangles: Array, count: int) -> Array:
    """(3 m,) the half-edge in the other direction; -1 if there is none."""
    start = triangles.astype(np.int64).ravel()
    end = triangles[:, [1, 2, 0]].astype(np.int64).ravel()
    keys = start * count + end
    order = np.argsort(keys, kind="stable")
    wanted = end * count + start
    slot = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    return np.where(keys[order][slot] == wanted, order[slot], -1).astype(np.int32)


@sweep
def face_normals(triangles, x, normal, area):
    """Unit normal and area of each triangle."""
    for f in span(len(triangles)):
        i, j, k = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        ax, ay, az = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        bx, by, bz = x[k, 0] - x[i, 0], x[k, 1] - x[i, 1], x[k, 2] - x[i, 2]
        nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        length = max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-300)
        normal[f, 0], normal[f, 1], normal[f, 2] = nx / length, ny / length, nz / length
        area[f] = 0.5 * length


@sweep
def area_vectors(triangles, x, out):
    """Twice the area of each triangle times its normal."""
    for f in span(len(triangles)):
        i, j, k = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        ax, ay, az = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        bx, by, bz = x[k, 0] - x[i, 0], x[k, 1] - x[i, 1], x[k, 2] - x[i, 2]
        out[f, 0], out[f, 1], out[f, 2] = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@sweep
def gathered_normals(out, fan_start, fan, vectors):
    """Unit sum of the vectors of the triangles at each point."""
    for i in span(len(out)):
        x, y, z = 0.0, 0.0, 0.0
        for slot in range(fan_start[i], fan_start[i + 1]):
            f = fan[slot] // 3
            x += vectors[f, 0]
            y += vectors[f, 1]
            z += vectors[f, 2]
        length = max(np.sqrt(x * x + y * y + z * z), 1e-300)
        out[i, 0], out[i, 1], out[i, 2] = x / length, y / length, z / length


def point_normals(net: Net, x: Array, vectors: Array, out: Array) -> None:
    """Area-weighted unit normals of the points; `vectors` is scratch of one row per triangle."""
    area_vectors(net.triangles, x, vectors)
    gathered_normals(out, net.fan_start, net.fan, vectors)


@kernel
def cotangents(triangles, x, half):
    """Half the cotangent of each corner, (m, 3)."""
    for f in range(len(triangles)):
        for c in range(3):
            i, j, k = triangles[f, c], triangles[f, (c + 1) % 3], triangles[f, (c + 2) % 3]
            ax, ay, az = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            bx, by, bz = x[k, 0] - x[i, 0], x[k, 1] - x[i, 1], x[k, 2] - x[i, 2]
            nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
            twice = max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-300)
            half[f, c] = 0.5 * (ax * bx + ay * by + az * bz) / twice


def edge_weights(net: Net, x: Array) -> Array:
    """(2 e,) sum of half cotangents across each edge, for every slot of `other`."""
    half = np.empty((len(net.triangles), 3))
    cotangents(net.triangles, np.ascontiguousarray(x, float), half)
    t = net.triangles.astype(np.int64)
    low = np.minimum(t[:, [1, 2, 0]], t[:, [2, 0, 1]]).ravel()
    high = np.maximum(t[:, [1, 2, 0]], t[:, [2, 0, 1]]).ravel()
    keys = net.edges[:, 0].astype(np.int64) * net.size + net.edges[:, 1]
    each = np.bincount(np.searchsorted(keys, low * net.size + high), half.ravel(), minlength=len(keys))
    return each[net.row]
