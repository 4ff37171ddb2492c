"""What lies beneath a garment: how far a point is from the posed body, and which way leads out.

A uniform grid over the points of the surface gives the nearest of them; the exact closest point lies on one of the
triangles around it. A second, coarse grid over every eighth point tells whether a point far from every other is deep
inside. The sign is that of the surface's smooth normal at the closest point.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.filters.draping.net import Net, net_of, point_normals
from pliant.geometry.nearest import triangle_weights
from pliant.kernels import inline, kernel, lean, span, sweep

CELL = 0.02  # [m] of the fine grid; also how far it looks
FAR = 0.07  # [m] of the coarse grid
EVERY = 8  # points of the fine grid per point of the coarse one
FACE = 0.5  # cosine at which cloth and a part it is not worn on face each other enough
ON = 1e-9  # share of a corner below which the closest point lies on the edge across
NONE = np.uint8(0)
COLUMN_X, COLUMN_Y = (0, -1, 1, 0, 0, -1, -1, 1, 1), (0, 0, 0, -1, 1, -1, 1, -1, 1)  # of cells, the nearest first
CELLS = 1 << 18  # at most; a larger scene gets larger cells


class Grid(NamedTuple):
    """Points sorted by cell; cells of one column in z follow each other."""

    head: Array  # (CELLS + 1,) uint32 first point of each cell
    member: Array  # (n,) uint32 points in the order of their cells
    place: Array  # (n, 3) [m] their positions in that order
    key: Array  # (n,) uint32 scratch: the cell of each point
    frame: Array  # (8,) low corner, cell size, cells along x, y, z, reach


class Surface(NamedTuple):
    """One posed surface that garments must stay outside of."""

    points: Array  # (n, 3) [m]
    normals: Array  # (n, 3) unit
    triangles: Array  # (m, 3) uint32
    fan_start: Array  # (n + 1,)
    fan: Array  # (3 m,)
    start: Array  # (n + 1,) first slot of each point in `other`
    other: Array  # neighbours
    border: Array  # (n,) bool: at the rim of an open surface there is no inside beyond it
    part: Array  # (n,) uint8 bit of the part of the body that each point belongs to, 0 where they are not told apart


def _grid(count: int) -> Grid:
    return Grid(
        np.zeros(CELLS + 1, Index), np.empty(count, Index), np.empty((count, 3)), np.empty(count, Index), np.empty(8)
    )


class Beneath:
    """A surface that moves; answers queries after `pose`."""

    def __init__(self, triangles: Array, count: int, part: Array | None = None) -> None:
        self.net: Net = net_of(triangles, count)
        border = np.zeros(count, bool)
        loose = np.flatnonzero(self.net.twin < 0)
        border[self.net.triangles[loose // 3, loose % 3]] = True
        border[self.net.triangles[loose // 3, (loose % 3 + 1) % 3]] = True
        self.surface = Surface(
            np.empty((count, 3)),
            np.empty((count, 3)),
            self.net.triangles,
            self.net.fan_start,
            self.net.fan,
            self.net.start,
            self.net.other,
            border,
            np.zeros(count, np.uint8) if part is None else part,
        )
        self.near, self.far = _grid(count), _grid(-(-count // EVERY))
        self._vectors = np.empty((len(triangles), 3))

    def pose(self) -> None:
        """Take over what was written into `surface.points`."""
        s = self.surface
        point_normals(self.net, s.points, self._vectors, s.normals)
        fill(self.near, s.points, 1, CELL)
        fill(self.far, s.points, EVERY, FAR)

    def ask(self, x: Array, answer: "Answer", nearest: Array, exact: float) -> None:
        """Keep, for each point, the smaller of the distance known and that to this surface.

        `nearest` gets the point of the surface next to each, -1 where nothing is near; below the height `exact` over
        the surface distances are those of its triangles, above it those of tangent planes.
        """
        _ask(x, self.surface, self.near, self.far, exact, answer, nearest)

    def follow(self, x: Array, answer: "Answer", nearest: Array, exact: float) -> None:
        """As `ask`, for points that moved a little: walking from the surface point that was nearest to each."""
        _follow(x, self.surface, exact, answer, nearest)


class Answer(NamedTuple):
    """Distances of points of a garment from what lies beneath."""

    distance: Array  # (n,) [m], negative inside; `reach` where nothing is near
    outward: Array  # (n, 3) unit direction that leads out

    stale: Array  # (n,) bool, moved since it was asked
    foreign: Array  # (n,) uint8 bits of the parts that the point is not worn on
    facing: Array  # (n, 3) unit normal of the cloth there
    reach: float  # [m] that is looked for the surface, and the distance where there is none

    def clear(self) -> None:
        """Forget everything."""
        self.distance[:] = self.reach
        self.outward[:] = 0.0
        self.stale[:] = True

    def forget(self) -> None:
        """Forget what points that moved were told."""
        self.distance[self.stale] = self.reach
        self.outward[self.stale] = 0.0


def answer_of(count: int, foreign: Array | None = None, reach: float = CELL) -> Answer:
    return Answer(
        np.empty(count),
        np.empty((count, 3)),
        np.ones(count, bool),
        np.zeros(count, np.uint8) if foreign is None else foreign,
        np.zeros((count, 3)),
        reach,
    )


@kernel
def fill(grid, points, every, cell):
    """Sort every `every`-th point into cells of at least the given size (counting sort)."""
    head, member, place, key, frame = grid.head, grid.member, grid.place, grid.key, grid.frame
    high = np.empty(3)
    for k in range(3):
        frame[k], high[k] = np.inf, -np.inf
    for i in range(0, len(points), every):
        for k in range(3):
            frame[k] = min(frame[k], points[i, k])
            high[k] = max(high[k], points[i, k])
    size = cell
    while True:
        nx, ny, nz = (
            int((high[0] - frame[0]) / size) + 1,
            int((high[1] - frame[1]) / size) + 1,
            int((high[2] - frame[2]) / size) + 1,
        )
        if nx * ny * nz <= len(head) - 1:
            break
        size *= 1.3
    frame[3], frame[4], frame[5], frame[6], frame[7] = size, nx, ny, nz, cell
    cells = nx * ny * nz
    head[: cells + 1] = 0
    for s in range(len(member)):
        i = s * every
        a, b, c = (
            int((points[i, 0] - frame[0]) / size),
            int((points[i, 1] - frame[1]) / size),
            int((points[i, 2] - frame[2]) / size),
        )
        q = (a * ny + b) * nz + c
        key[s] = q
        head[q] += 1
    total = 0
    for q in range(cells + 1):
        total += head[q]
        head[q] = total
    for back in range(len(member)):
        s = len(member) - 1 - back
        q = key[s]
        head[q] -= 1
        at = head[q]
        member[at] = s * every
        for k in range(3):
            place[at, k] = points[s * every, k]


@inline
def nearest_in(grid, part, foreign, x, y, z):
    """Nearest point that belongs to no `foreign` part, -1 if none is within the grid's reach.

    The point's own column of cells comes first; of the others only those are looked at that may hold a nearer one.
    """
    frame, head, place, member = grid.frame, grid.head, grid.place, grid.member
    size, nx, ny, nz = frame[3], int(frame[4]), int(frame[5]), int(frame[6])
    px, py, pz = x - frame[0], y - frame[1], z - frame[2]
    a, b, c = int(np.floor(px / size)), int(np.floor(py / size)), int(np.floor(pz / size))
    best, found = frame[7] * frame[7], np.int64(-1)
    c0, c1 = max(c - 1, 0), min(c + 1, nz - 1)
    if c1 < c0:
        return found
    for turn in range(9):
        i, j = a + COLUMN_X[turn], b + COLUMN_Y[turn]
        if i < 0 or j < 0 or i >= nx or j >= ny:
            continue
        ex, ey = max(i * size - px, px - (i + 1) * size, 0.0), max(j * size - py, py - (j + 1) * size, 0.0)
        if ex * ex + ey * ey >= best:
            continue
        base = (i * ny + j) * nz
        for s in range(head[base + c0], head[base + c1 + 1]):
            dx, dy, dz = x - place[s, 0], y - place[s, 1], z - place[s, 2]
            square = dx * dx + dy * dy + dz * dz
            if square < best and part[member[s]] & foreign == 0:
                best, found = square, np.int64(member[s])
    return found


@inline
def square_to(points, v, x, y, z):
    dx, dy, dz = x - points[v, 0], y - points[v, 1], z - points[v, 2]
    return dx * dx + dy * dy + dz * dz


@lean
def descend(surface, v, x, y, z):
    """The point from which no neighbour is nearer, and its squared distance."""
    points, start, other = surface.points, surface.start, surface.other
    best = square_to(points, v, x, y, z)
    while True:
        here = v
        for s in range(start[here], start[here + 1]):
            square = square_to(points, other[s], x, y, z)
            if square < best:
                best, v = square, np.int64(other[s])
        if v == here:
            return v, best


@lean
def exact_distance(surface, v, x, y, z):
    """(signed distance, outward direction, 3) from the triangles around point v.

    The direction is the smooth normal where the closest point lies, which follows a moving point without jumps; the
    straight way out, to a flat triangle, jumps from edge to edge.
    """
    points, normals, triangles = surface.points, surface.normals, surface.triangles
    best = np.inf
    ci, cs, cw = np.int64(-1), 0.0, 0.0
    for slot in range(surface.fan_start[v], surface.fan_start[v + 1]):
        f = surface.fan[slot] // 3
        i, j, k = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        s, w = triangle_weights(points, i, j, k, x, y, z)
        r = 1.0 - s - w
        dx = x - r * points[i, 0] - s * points[j, 0] - w * points[k, 0]
        dy = y - r * points[i, 1] - s * points[j, 1] - w * points[k, 1]
        dz = z - r * points[i, 2] - s * points[j, 2] - w * points[k, 2]
        square = dx * dx + dy * dy + dz * dz
        if square < best:
            best, ci, cs, cw = square, np.int64(f), s, w
    if ci < 0:
        return np.inf, 0.0, 0.0, 0.0
    i, j, k = triangles[ci, 0], triangles[ci, 1], triangles[ci, 2]
    r = 1.0 - cs - cw
    dx = x - r * points[i, 0] - cs * points[j, 0] - cw * points[k, 0]
    dy = y - r * points[i, 1] - cs * points[j, 1] - cw * points[k, 1]
    dz = z - r * points[i, 2] - cs * points[j, 2] - cw * points[k, 2]
    nx = r * normals[i, 0] + cs * normals[j, 0] + cw * normals[k, 0]
    ny = r * normals[i, 1] + cs * normals[j, 1] + cw * normals[k, 1]
    nz = r * normals[i, 2] + cs * normals[j, 2] + cw * normals[k, 2]
    along = dx * nx + dy * ny + dz * nz
    distance = np.sqrt(best)
    length = max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-300)
    signed = distance if along >= 0.0 else -distance
    border = surface.border
    if (border[i] or r < ON) and (border[j] or cs < ON) and (border[k] or cw < ON):
        # beyond the rim of an open surface is neither inside nor outside
        share = min(max((abs(along) / (length * max(distance, 1e-12)) - 0.5) / 0.2, 0.0), 1.0)
        signed = share * signed + (1.0 - share) * FAR
    return signed, nx / length, ny / length, nz / length


@lean
def _one(i, x, surface, near, far, exact, answer, nearest):
    nearest[i] = -1
    px, py, pz = x[i, 0], x[i, 1], x[i, 2]
    v, other = nearest_in(near, surface.part, NONE, px, py, pz), np.int64(-1)
    if v >= 0 and surface.part[v] & answer.foreign[i]:
        other, v = v, nearest_in(near, surface.part, answer.foreign[i], px, py, pz)
    if v < 0:
        v = _deep_in(i, surface, far, answer, px, py, pz)
    if v >= 0:
        nearest[i] = v
        _lower(i, v, px, py, pz, surface, exact, 1.0, answer)
    if other >= 0:
        share = against(surface, other, answer.facing, i)
        if share > 0.0:
            nearest[i] = other
            _lower(i, other, px, py, pz, surface, exact, share, answer)


@inline
def _deep_in(i, surface, far, answer, px, py, pz):
    """The surface point next to one that is too far from the fine grid's; -1 of one that is outside, if only what is
    inside counts at such a distance."""
    v = nearest_in(far, surface.part, NONE, px, py, pz)
    if v >= 0:
        v, _ = descend(surface, v, px, py, pz)
        if surface.part[v] & answer.foreign[i] or (answer.reach <= CELL and _above(surface, v, px, py, pz) >= 0.0):
            v = np.int64(-1)
    return v


@sweep
def _follow(x, surface, exact, answer, nearest):
    distance, outward, stale, foreign, facing = (
        answer.distance,
        answer.outward,
        answer.stale,
        answer.foreign,
        answer.facing,
    )
    reach = answer.reach
    for i in span(len(x)):
        v = np.int64(nearest[i])
        if v < 0:
            continue
        v, _ = descend(surface, v, x[i, 0], x[i, 1], x[i, 2])
        nearest[i] = v
        share = against(surface, v, facing, i) if surface.part[v] & foreign[i] else 1.0
        if share > 0.0:
            whole = Answer(distance, outward, stale, foreign, facing, reach)
            _lower(i, v, x[i, 0], x[i, 1], x[i, 2], surface, exact, share, whole)


@inline
def against(surface, v, facing, i):
    """How much cloth that is not worn on the part of point v feels it, 0 to 1: only where the two face each other.

    Where an arm goes into the trunk, the shortest way out of the arm leads to its far side; the trunk's cloth must
    not come out there.
    """
    n = surface.normals
    cosine = n[v, 0] * facing[i, 0] + n[v, 1] * facing[i, 1] + n[v, 2] * facing[i, 2]
    return min(max(-cosine / FACE, 0.0), 1.0)


@inline
def _lower(i, v, px, py, pz, surface, exact, share, answer):
    """Take the distance from the triangles at point v, if it is the smallest so far."""
    height = _above(surface, v, px, py, pz)
    if height < exact:
        height, nx, ny, nz = exact_distance(surface, v, px, py, pz)
    else:
        nx, ny, nz = surface.normals[v, 0], surface.normals[v, 1], surface.normals[v, 2]
    known = share * height + (1.0 - share) * answer.reach
    if known < answer.distance[i]:
        answer.distance[i] = known
        answer.outward[i, 0], answer.outward[i, 1], answer.outward[i, 2] = nx, ny, nz


@inline
def _above(surface, v, x, y, z):
    """Height over the tangent plane of point v."""
    p, n = surface.points, surface.normals
    return (x - p[v, 0]) * n[v, 0] + (y - p[v, 1]) * n[v, 1] + (z - p[v, 2]) * n[v, 2]


@sweep
def _ask(x, surface, near, far, exact, answer, nearest):
    distance, outward, stale, foreign, facing = (
        answer.distance,
        answer.outward,
        answer.stale,
        answer.foreign,
        answer.facing,
    )
    reach = answer.reach
    for i in span(len(x)):
        if stale[i]:
            _one(i, x, surface, near, far, exact, Answer(distance, outward, stale, foreign, facing, reach), nearest)
