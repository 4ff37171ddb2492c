"""Closest point on a triangle surface and on which side of it a point lies, for surfaces that move.

A bounding-volume tree over triangles sorted along a Morton curve: nodes in heap order, so that a moved surface is
*refitted* in one pass and never rebuilt. The sign is that of the angle-weighted pseudonormal at the closest feature
(Baerentzen and Aanaes 2005), which is right at edges and corners too.

    tree = SurfaceTree(points, triangles)
    tree.refit(moved)                      # same triangles, new positions
    near = tree.closest(queries)           # near.distance < 0 inside
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.errors import SceneError
from pliant.kernels import inline, kernel, span, sweep

LEAF = 4  # triangles per leaf; 2 to 8 measured alike


class Nearest(NamedTuple):
    """The closest surface point of each query."""

    distance: Array  # (q,) [m] signed: negative inside
    point: Array  # (q, 3) [m] on the surface
    normal: Array  # (q, 3) unit pseudonormal there, outward
    triangle: Array  # (q,) uint32
    weights: Array  # (q, 3) barycentric


class Tables(NamedTuple):
    """What the kernels read; positions and boxes are rewritten by `refit`, the rest never changes."""

    points: Array  # (n, 3)
    triangles: Array  # (m, 3) uint32
    across: Array  # (m, 3) int32 triangle beyond edge k -> k + 1, -1 at a border
    order: Array  # (m,) uint32 triangles along the curve
    low: Array  # (2 p, 3) node boxes, heap order, node 1 is the root
    high: Array  # (2 p, 3)
    face_normal: Array  # (m, 3) unit
    vertex_normal: Array  # (n, 3) angle-weighted, unit


def neighbour_triangles(triangles: Array) -> Array:
    """(m, 3) triangle across the edge corner k -> corner k + 1, -1 where there is none (or more than one)."""
    m = len(triangles)
    corners = triangles.astype(np.int64)
    start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    same = (low[1:] == low[:-1]) & (high[1:] == high[:-1])
    crowd = np.zeros(len(low), bool)
    three = np.flatnonzero(same[1:] & same[:-1])
    crowd[three] = crowd[three + 1] = crowd[three + 2] = True
    first = np.flatnonzero(same)
    first = first[~crowd[first]]
    across = np.full(3 * m, -1, np.int32)
    across[order[first]] = order[first + 1] // 3
    across[order[first + 1]] = order[first] // 3
    return across.reshape(m, 3)


def _spread(x: Array) -> Array:
    x = x.astype(np.uint64)
    for shift, mask in ((32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F)):
        x = (x | (x << np.uint64(shift))) & np.uint64(mask)
    x = (x | (x << np.uint64(4))) & np.uint64(0x10C30C30C30C30C3)
    return (x | (x << np.uint64(2))) & np.uint64(0x1249249249249249)


def morton_order(points: Array) -> Array:
    """Indices that sort points along a space-filling curve."""
    low = points.min(axis=0)
    extent = max(float((points.max(axis=0) - low).max()), 1e-12)
    cells = np.minimum((points - low) / extent * (2**20 - 1), 2**20 - 1).astype(np.uint64)
    code = _spread(cells[:, 0]) | (_spread(cells[:, 1]) << np.uint64(1)) | (_spread(cells[:, 2]) << np.uint64(2))
    return np.argsort(code, kind="stable")


class SurfaceTree:
    """Closest-point and inside queries against one triangle surface."""

    def __init__(self, points: Array, triangles: Array) -> None:
        if len(triangles) == 0:
            raise SceneError("SurfaceTree.triangles: is empty; a surface needs at least one triangle")
        points = np.array(points, np.float64, order="C")
        faces = np.ascontiguousarray(triangles, Index)
        leaves = 1 << max(0, int(np.ceil(np.log2(max(1, -(-len(faces) // LEAF))))))
        self.tables = Tables(
            points=points,
            triangles=faces,
            across=neighbour_triangles(faces),
            order=morton_order(points[faces].mean(axis=1)).astype(Index),
            low=np.empty((2 * leaves, 3)),
            high=np.empty((2 * leaves, 3)),
            face_normal=np.empty((len(faces), 3)),
            vertex_normal=np.empty((len(points), 3)),
        )
        self.refit(points)

    @property
    def is_closed(self) -> bool:
        """No border and no edge of three triangles, so that inside means something everywhere."""
        return bool((self.tables.across >= 0).all())

    def refit(self, points: Array) -> None:
        """Take over moved positions: boxes and normals, no rebuild."""
        self.tables.points[...] = points
        _fit(self.tables)

    def closest(self, queries: Array, reach: float = np.inf) -> Nearest:
        """Closest points; a query with nothing within `reach` [m] gets distance `reach` and triangle 2**32 - 1."""
        queries = np.ascontiguousarray(queries, np.float64)
        count = len(queries)
        out = Nearest(
            np.empty(count), np.empty((count, 3)), np.empty((count, 3)), np.empty(count, Index), np.empty((count, 3))
        )
        _closest(queries, self.tables, float(reach), out)
        return out

    def inside(self, queries: Array) -> Array:
        """(q,) bool."""
        return self.closest(queries).distance < 0


@kernel
def _fit(t):
    t.vertex_normal[:] = 0.0
    for f in range(len(t.triangles)):
        _face(t, f)
    for v in range(len(t.vertex_normal)):
        x, y, z = t.vertex_normal[v]
        length = np.sqrt(x * x + y * y + z * z)
        if length > 0:
            t.vertex_normal[v, 0], t.vertex_normal[v, 1], t.vertex_normal[v, 2] = x / length, y / length, z / length
    leaves = len(t.low) // 2
    for leaf in range(leaves):
        for k in range(3):
            low, high = np.inf, -np.inf
            for s in range(LEAF * leaf, min(LEAF * leaf + LEAF, len(t.order))):
                for c in range(3):
                    x = t.points[t.triangles[t.order[s], c], k]
                    low, high = min(low, x), max(high, x)
            t.low[leaves + leaf, k], t.high[leaves + leaf, k] = low, high
    for node in range(leaves - 1, 0, -1):
        for k in range(3):
            t.low[node, k] = min(t.low[2 * node, k], t.low[2 * node + 1, k])
            t.high[node, k] = max(t.high[2 * node, k], t.high[2 * node + 1, k])


@inline
def _face(t, f):
    """Unit normal of a face, and its angle-weighted share of its corners' normals."""
    p, q, r = t.points[t.triangles[f, 0]], t.points[t.triangles[f, 1]], t.points[t.triangles[f, 2]]
    ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    vx, vy, vz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
    wx, wy, wz = r[0] - q[0], r[1] - q[1], r[2] - q[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    double_area = np.sqrt(nx * nx + ny * ny + nz * nz)
    scale = 1.0 / double_area if double_area > 0 else 0.0
    nx, ny, nz = nx * scale, ny * scale, nz * scale
    t.face_normal[f, 0], t.face_normal[f, 1], t.face_normal[f, 2] = nx, ny, nz
    at_p = np.arctan2(double_area, ux * vx + uy * vy + uz * vz)
    at_q = np.arctan2(double_area, -(ux * wx + uy * wy + uz * wz))
    for k in range(3):
        angle = at_p if k == 0 else (at_q if k == 1 else np.pi - at_p - at_q)
        v = t.triangles[f, k]
        t.vertex_normal[v, 0] += angle * nx
        t.vertex_normal[v, 1] += angle * ny
        t.vertex_normal[v, 2] += angle * nz


@inline
def triangle_weights(points, a, b, c, x, y, z):
    """Barycentric weights of the point of triangle (a, b, c) closest to (x, y, z) (Ericson 2005, 5.1.5)."""
    ax, ay, az = points[a, 0], points[a, 1], points[a, 2]
    ux, uy, uz = points[b, 0] - ax, points[b, 1] - ay, points[b, 2] - az
    vx, vy, vz = points[c, 0] - ax, points[c, 1] - ay, points[c, 2] - az
    px, py, pz = x - ax, y - ay, z - az
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    d1, d2 = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
    d3, d4, d5, d6 = d1 - uu, d2 - uv, d1 - uv, d2 - vv
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    s, t = 0.0, 0.0
    if d1 <= 0.0 and d2 <= 0.0:
        s, t = 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        s, t = 1.0, 0.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s, t = d1 / (d1 - d3), 0.0
    elif d6 >= 0.0 and d5 <= d6:
        s, t = 0.0, 1.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        s, t = 0.0, d2 / (d2 - d6)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        s = 1.0 - t
    else:
        scale = 1.0 / (va + vb + vc)
        s, t = vb * scale, vc * scale
    return s, t


@inline
def _box_distance(low, high, node, x, y, z):
    dx = max(low[node, 0] - x, 0.0, x - high[node, 0])
    dy = max(low[node, 1] - y, 0.0, y - high[node, 1])
    dz = max(low[node, 2] - z, 0.0, z - high[node, 2])
    return dx * dx + dy * dy + dz * dz


@kernel
def pseudonormal(t, f, s, w):
    """Normal at the point of triangle f with weights (1 - s - w, s, w): of the face, the edge or the corner."""
    r = 1.0 - s - w
    eps = 1e-9
    n = t.face_normal[f]
    x, y, z = n[0], n[1], n[2]
    corner, edge = -1, -1
    if s <= eps and w <= eps:
        corner = 0
    elif r <= eps and w <= eps:
        corner = 1
    elif r <= eps and s <= eps:
        corner = 2
    elif w <= eps:
        edge = 0
    elif r <= eps:
        edge = 1
    elif s <= eps:
        edge = 2
    if corner >= 0:
        n = t.vertex_normal[t.triangles[f, corner]]
        x, y, z = n[0], n[1], n[2]
    elif edge >= 0 and t.across[f, edge] >= 0:
        n = t.face_normal[t.across[f, edge]]
        x, y, z = x + n[0], y + n[1], z + n[2]
        length = np.sqrt(x * x + y * y + z * z)
        if length > 0:
            x, y, z = x / length, y / length, z / length
    return x, y, z


@kernel
def _search(t, x, y, z, best):
    """(squared distance, triangle or -1, s, w) of the closest surface point nearer than `best`."""
    leaves = len(t.low) // 2
    stack = np.empty(64, np.int64)
    bound = np.empty(64)
    top = 1
    stack[0], bound[0] = 1, _box_distance(t.low, t.high, 1, x, y, z)
    face, s, w = -1, 0.0, 0.0
    while top > 0:
        top -= 1
        node = stack[top]
        if bound[top] >= best:
            continue
        if node >= leaves:
            first = LEAF * (node - leaves)
            for row in range(first, min(first + LEAF, len(t.order))):
                f = t.order[row]
                a, b, c = t.triangles[f, 0], t.triangles[f, 1], t.triangles[f, 2]
                u, v = triangle_weights(t.points, a, b, c, x, y, z)
                square = 0.0
                q = (x, y, z)
                for k in range(3):
                    d = t.points[a, k] + u * (t.points[b, k] - t.points[a, k])
                    d += v * (t.points[c, k] - t.points[a, k]) - q[k]
                    square += d * d
                if square < best:
                    best, face, s, w = square, np.int64(f), u, v
            continue
        left = _box_distance(t.low, t.high, 2 * node, x, y, z)
        right = _box_distance(t.low, t.high, 2 * node + 1, x, y, z)
        near, far = (2 * node, 2 * node + 1) if left <= right else (2 * node + 1, 2 * node)
        stack[top], bound[top] = far, max(left, right)
        stack[top + 1], bound[top + 1] = near, min(left, right)
        top += 2
    return best, face, s, w


@kernel
def _answer(i, queries, t, reach, out):
    x, y, z = queries[i, 0], queries[i, 1], queries[i, 2]
    square, face, s, w = _search(t, x, y, z, reach * reach)
    out.weights[i, 0], out.weights[i, 1], out.weights[i, 2] = 1.0 - s - w, s, w
    if face < 0:
        out.distance[i] = reach
        out.triangle[i] = 0xFFFFFFFF
        for k in range(3):
            out.point[i, k], out.normal[i, k] = queries[i, k], 0.0
        return
    out.triangle[i] = face
    n = pseudonormal(t, face, s, w)
    a, b, c = t.triangles[face, 0], t.triangles[face, 1], t.triangles[face, 2]
    side = 0.0
    for k in range(3):
        p = (1.0 - s - w) * t.points[a, k] + s * t.points[b, k] + w * t.points[c, k]
        out.point[i, k], out.normal[i, k] = p, n[k]
        side += (queries[i, k] - p) * n[k]
    out.distance[i] = np.sqrt(square) if side >= 0 else -np.sqrt(square)


@sweep
def _closest(queries, t, reach, out):
    # one call per row: stores through a tuple's fields written here directly were lost in the shared form
    for i in span(len(queries)):
        _answer(i, queries, t, reach, out)
