"""Isotropic remeshing: edges of one length, near-equilateral triangles, the same surface, the same borders.

Botsch and Kobbelt 2004, "A remeshing approach to multiresolution modeling": split edges above 4/3 of the wanted
length, collapse those below 4/5, flip towards degree six, move points along the surface to the middle of their
neighbours, and bring them back onto the surface; a few times.
"""

import math
from collections.abc import Callable

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry.corners import RING, collapse, corners_of, flip, following, leading, mesh_of, ring, split
from pliant.geometry.nearest import SurfaceTree
from pliant.geometry.surface import triangle_areas
from pliant.kernels import inline, kernel
from pliant.kernels.closest import cross, dot, less, row

LONG, SHORT = 4.0 / 3.0, 4.0 / 5.0
ROUNDS = 8

Project = Callable[[Array], Array]


def remeshed(
    points: Array,
    triangles: Array,
    size: float | Array,
    *,
    project: Project | None = None,
    rounds: int = ROUNDS,
) -> tuple[Array, Array]:
    """The same surface with edges of about `size` [m], for all points or at each.

    `project` brings points back onto the surface; none: to the closest point of the given mesh.
    """
    back = project if project is not None else closest_on(points, triangles)
    size = np.broadcast_to(np.asarray(size, float), (len(points),))
    finest = float(triangle_areas(points, triangles).sum()) / (0.3 * float(size.min()) ** 2) / max(len(triangles), 1)
    table = corners_of(points, triangles, size, max(2.0, 1.5 * finest))
    for turn in range(rounds):
        _weave(table, turn + 1 == rounds)
        points, triangles, size = mesh_of(table)
        inner = _settled(points, triangles, 3)
        points[inner] = back(points[inner])
        table = corners_of(points, triangles, size, 2.0)
    _tidy(table)
    points, triangles, _ = mesh_of(table)
    return points, triangles.astype(Index)


def to_count(
    points: Array, triangles: Array, count: int, *, project: Project | None = None, tries: int = 5
) -> tuple[Array, Array]:
    """Remeshed to `count` triangles, within half a percent if the surface allows it."""
    area = float(triangle_areas(points, triangles).sum())
    back = project if project is not None else closest_on(points, triangles)
    size = math.sqrt(4.0 / math.sqrt(3.0) * area / count)
    best = remeshed(points, triangles, size, project=back)
    made = best
    for _ in range(tries):
        if abs(len(best[1]) / count - 1.0) < 0.004:
            break
        size *= math.sqrt(len(made[1]) / count)
        made = remeshed(*made, size, project=back, rounds=3)
        best = min(best, made, key=lambda mesh: abs(len(mesh[1]) - count))
    return best


def quality(points: Array, triangles: Array) -> tuple[float, float]:
    """(mean of 4 sqrt(3) A / sum of l^2, which is 1 for equilateral triangles; smallest angle [deg])."""
    p = points[triangles]
    edge = np.roll(p, -1, axis=1) - p
    length = np.linalg.norm(edge, axis=2)
    shape = 4.0 * np.sqrt(3.0) * triangle_areas(points, triangles) / (length**2).sum(axis=1)
    back = -np.roll(edge, 1, axis=1)
    cosine = np.einsum("tki,tki->tk", edge, back) / (length * np.roll(length, 1, axis=1))
    return float(shape.mean()), float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).min())


def closest_on(points: Array, triangles: Array) -> Project:
    tree = SurfaceTree(points, triangles)
    return lambda queries: tree.closest(queries).point


def _settled(points: Array, triangles: Array, sweeps: int) -> Array:
    """Move points to the middle of their neighbours, in place; gives the inner ones."""
    table = corners_of(points, triangles, np.ones(len(points)), 1.0)
    border = np.zeros(len(points), np.bool_)
    for _ in range(sweeps):
        _relax(table, points, border)
        table.x[: len(points)] = points
    return np.flatnonzero(~border)


@kernel
def _weave(m, last):
    """One round of splits, collapses and flips."""
    for h in range(m.used[1]):
        if m.corner[h] >= 0 and _length(m, h) > 4.0 / 3.0 * _wanted(m, h) and split(m, h) < 0:
            break
    first, second = np.empty(RING, np.int64), np.empty(RING, np.int64)
    for h in range(m.used[1]):
        if m.corner[h] >= 0 and _length(m, h) < 0.8 * _wanted(m, h):
            _try_collapse(m, h, first, second)
    for _ in range(2):
        for h in range(m.used[1]):
            if m.corner[h] >= 0 and m.twin[h] > h:
                _try_flip(m, h, first, last)


@kernel
def _tidy(m):
    """Flips towards Delaunay: the smallest angles grow."""
    buffer = np.empty(RING, np.int64)
    for _ in range(3):
        for h in range(m.used[1]):
            if m.corner[h] >= 0 and m.twin[h] > h:
                _try_flip(m, h, buffer, True)


@inline
def _length(m, h):
    along = less(row(m.x, m.corner[following(h)]), row(m.x, m.corner[h]))
    return math.sqrt(dot(along, along))


@inline
def _wanted(m, h):
    return min(m.size[m.corner[h]], m.size[m.corner[following(h)]])


@inline
def _normal(m, a, b, c):
    x = row(m.x, a)
    return cross(less(row(m.x, b), x), less(row(m.x, c), x))


@inline
def _size(n):
    return math.sqrt(dot(n, n))


@kernel
def _try_collapse(m, h, first, second):
    """Collapse an edge if the surface stays a surface, no triangle turns over and no edge becomes long."""
    count, border = ring(m, m.corner[h], first)
    others, fixed = ring(m, m.corner[following(h)], second)
    if count >= RING or others >= RING or (border and (not fixed or m.twin[h] >= 0)):
        return
    a, b = m.corner[h], m.corner[following(h)]
    if _shared(m, first, count, border, second, others, fixed) != (2 if m.twin[h] >= 0 else 1):
        return
    if not _sturdy(m, h):
        return
    p, q = row(m.x, a), row(m.x, b)
    if border == fixed:
        q = (0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]))
    if _stays(m, first, count, b, q) and _stays(m, second, others, a, q):
        m.x[b, 0], m.x[b, 1], m.x[b, 2] = q
        collapse(m, h, first, count)


@kernel
def _shared(m, first, count, border, second, others, fixed):
    """How many points are neighbours of both ends of an edge."""
    found = 0
    for r in range(count + (1 if border else 0)):
        p = m.corner[following(first[r])] if r < count else m.corner[leading(first[count - 1])]
        for s in range(others + (1 if fixed else 0)):
            q = m.corner[following(second[s])] if s < others else m.corner[leading(second[others - 1])]
            if p == q:
                found += 1
    return found


@kernel
def _sturdy(m, h):
    """The points beside an edge keep at least three neighbours, two at a border."""
    for side in range(2):
        g = h if side == 0 else m.twin[h]
        if g < 0:
            continue
        p, q = m.twin[following(g)], m.twin[leading(g)]
        if p < 0 and q < 0:
            return False
        if p >= 0 and q >= 0 and m.twin[following(p)] >= 0 and m.twin[following(p)] == leading(q):
            return False
    return True


@kernel
def _stays(m, around, count, partner, goal):
    """No triangle around a point turns by much or gets a long edge when the point goes to `goal`."""
    for r in range(count):
        h = around[r]
        b, c = m.corner[following(h)], m.corner[leading(h)]
        if b == partner or c == partner:
            continue
        before = _normal(m, m.corner[h], b, c)
        p, q = less(row(m.x, b), goal), less(row(m.x, c), goal)
        after = cross(p, q)
        if dot(before, after) <= 0.3 * _size(before) * _size(after):
            return False
        if max(dot(p, p), dot(q, q)) > (1.3 * _wanted(m, h)) ** 2:
            return False
    return True


@kernel
def _try_flip(m, h, buffer, shape):
    """Flip if degrees come nearer to six (four at a border), or, with `shape`, if it opens the smallest angles."""
    g = m.twin[h]
    a, b = m.corner[h], m.corner[g]
    c, d = m.corner[leading(h)], m.corner[leading(g)]
    before, after = 0, 0
    for k in range(4):
        v = (a, b, c, d)[k]
        count, border = ring(m, v, buffer)
        if count >= RING or (k < 2 and count <= 3):
            return
        if k == 2:
            for r in range(count + (1 if border else 0)):
                p = m.corner[following(buffer[r])] if r < count else m.corner[leading(buffer[count - 1])]
                if p == d:
                    return
        off = count - (3 if border else 6)
        before += off * off
        off += -1 if k < 2 else 1
        after += off * off
    if shape:
        if _opening(m, c, a, b) + _opening(m, d, b, a) <= math.pi + 1e-6:
            return
    elif after >= before:
        return
    if _faces(m, a, b, c, d):
        flip(m, h)


@inline
def _faces(m, a, b, c, d):
    """Whether both triangles at the diagonal c-d face as those at a-b do."""
    n, o = _normal(m, a, b, c), _normal(m, b, a, d)
    n = (n[0] + o[0], n[1] + o[1], n[2] + o[2])
    p, q = _normal(m, a, d, c), _normal(m, d, b, c)
    least = 0.2 * _size(n)
    return dot(n, p) > least * _size(p) and dot(n, q) > least * _size(q)


@inline
def _opening(m, c, a, b):
    """Angle at c [rad]."""
    x = row(m.x, c)
    u, v = less(row(m.x, a), x), less(row(m.x, b), x)
    return math.atan2(_size(cross(u, v)), dot(u, v))


@kernel
def _relax(m, x, border):
    """Each point to the area-weighted middle of its neighbours, along the surface; at a border along the border."""
    buffer = np.empty(RING, np.int64)
    for v in range(len(x)):
        if m.out[v] < 0:
            continue
        count, border[v] = ring(m, v, buffer)
        if count >= RING:
            continue
        if border[v]:
            _slide(m, v, m.corner[following(buffer[0])], m.corner[leading(buffer[count - 1])], x)
        else:
            _center(m, v, buffer, count, x)


@inline
def _center(m, v, buffer, count, x):
    at = row(m.x, v)
    weight, tx, ty, tz, nx, ny, nz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for r in range(count):
        b, c = m.corner[following(buffer[r])], m.corner[leading(buffer[r])]
        n = _normal(m, v, b, c)
        area = _size(n)
        nx, ny, nz = nx + n[0], ny + n[1], nz + n[2]
        u, w = less(row(m.x, b), at), less(row(m.x, c), at)
        tx, ty, tz = tx + area * (u[0] + w[0]), ty + area * (u[1] + w[1]), tz + area * (u[2] + w[2])
        weight += 3.0 * area
    square = nx * nx + ny * ny + nz * nz
    if weight > 0.0 and square > 0.0:
        away = (tx * nx + ty * ny + tz * nz) / (weight * square)
        x[v, 0] = at[0] + 0.9 * (tx / weight - away * nx)
        x[v, 1] = at[1] + 0.9 * (ty / weight - away * ny)
        x[v, 2] = at[2] + 0.9 * (tz / weight - away * nz)


@inline
def _slide(m, v, a, b, x):
    at, p, q = row(m.x, v), row(m.x, a), row(m.x, b)
    along = less(q, p)
    square = dot(along, along)
    if square > 0.0:
        share = 0.5 * (0.5 - dot(less(at, p), along) / square)
        for k in range(3):
            x[v, k] = at[k] + share * along[k]
