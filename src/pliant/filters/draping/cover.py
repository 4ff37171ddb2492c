"""What a garment covers at rest it covers in every pose.

Pushing cloth out of a limb by the shortest way tunnels where the limb swings far: cloth ends up on its wrong side and
the limb sticks out. So each point of the body that lies beneath the garment at rest remembers the place above it; where
it has come out there, it pushes the cloth along its own normal until it is beneath again.
"""

import numpy as np

from pliant.arrays import Array, Index
from pliant.filters.draping.beneath import Beneath, square_to
from pliant.filters.draping.net import Net, point_normals
from pliant.filters.draping.smooth import Smoother
from pliant.filters.draping.wear import Wear
from pliant.kernels import inline, kernel, lean

ROUNDS = 4
DEEP = 0.30  # [m] beneath the garment at rest; farther points are of another part of the body
OUT = 0.15  # [m] by which a point may have come out
BESIDE = 0.5  # of its distance from the cloth that a point may lie beside the normal there
FACING = 0.2  # cosine between the normals of the body and of the cloth above it
SURE = 0.6  # more of that cosine, over which the push grows to its full size
SOFT = 0.003  # [m] of coming out within which the push grows to its full size
SHARE = 0.6  # of what smoothing leaves undone that a round adds


class Cover:
    """Points of the surfaces beneath one garment, and the points of the garment above them at rest."""

    def __init__(self, net: Net, wear: Wear, beneath: list[Beneath], smoother: Smoother) -> None:
        """The surfaces must stand in the rest pose."""
        from scipy.spatial import cKDTree

        self._net, self._smoother, rest = net, smoother, wear.mesh.points
        self._border = np.zeros(net.size, bool)
        loose = np.flatnonzero(net.twin < 0)
        self._border[net.triangles[loose // 3, loose % 3]] = True
        self._border[net.triangles[loose // 3, (loose % 3 + 1) % 3]] = True
        self._vectors, self._normals = np.empty((len(net.triangles), 3)), np.empty((net.size, 3))
        point_normals(net, np.ascontiguousarray(rest, float), self._vectors, self._normals)
        tree = cKDTree(rest)
        self._covered: list[tuple[Array, Array]] = []
        for surface in beneath:
            points = surface.surface.points
            far, above = tree.query(points, distance_upper_bound=DEEP)
            known = np.flatnonzero(np.isfinite(far))
            c = above[known]
            away, n = points[known] - rest[c], self._normals[c]
            along = (away * n).sum(axis=1)
            beside = np.sqrt(np.maximum((away**2).sum(axis=1) - along**2, 0.0))
            facing = (surface.surface.normals[known] * n).sum(axis=1)
            good = (along < 0.0) & ~self._border[c] & (facing > FACING) & (beside < BESIDE * far[known] + 0.01)
            if wear.foreign is not None:
                good &= (surface.surface.part[known] & wear.foreign[c]) == 0
            self._covered.append((known[good].astype(Index), c[good].astype(Index)))
        self._need, self._push = np.empty(net.size), np.empty((net.size, 3))

    def over(self, x: Array, beneath: list[Beneath], gap: float) -> None:
        """Move the cloth in place until nothing that it covers has come out of it."""
        for turn in range(ROUNDS):
            point_normals(self._net, x, self._vectors, self._normals)
            self._need[:] = 0.0
            self._push[:] = 0.0
            for surface, (points, above) in zip(beneath, self._covered, strict=True):
                tables = self._net.start, self._net.other, self._border
                emerged(x, self._normals, points, above, surface.surface, tables, self._need, self._push, gap)
            if not self._need.any():
                return
            smooth = self._smoother(self._push) if turn < ROUNDS - 1 else np.zeros_like(x)
            follow(x, smooth, self._push, SHARE if turn < ROUNDS - 1 else 1.0)


@kernel
def emerged(x, normals, points, above, surface, tables, need, push, gap):
    """The largest push that each cloth point needs, along the normal of the body point that asks for it.

    A body point begins to ask, and ceases to, by degrees: cloth that jumps as one comes out would flicker.
    """
    start, other, border = tables
    p, n = surface.points, surface.normals
    for s in range(len(points)):
        v, c = points[s], np.int64(above[s])
        c, best = _climbed(x, start, other, c, p, v)
        dx, dy, dz = p[v, 0] - x[c, 0], p[v, 1] - x[c, 1], p[v, 2] - x[c, 2]
        out = dx * normals[c, 0] + dy * normals[c, 1] + dz * normals[c, 2]
        if out <= 0.0 or out > OUT or (border[c] and best - out * out > 0.3 * best):
            continue
        if best - out * out > (BESIDE * out + 0.012) ** 2:
            continue
        cosine = n[v, 0] * normals[c, 0] + n[v, 1] * normals[c, 1] + n[v, 2] * normals[c, 2]
        if cosine < FACING:
            continue
        aside = np.sqrt(max(best - out * out, 0.0))
        share = min(1.0, out / SOFT, (OUT - out) / (0.3 * OUT), (BESIDE * out + 0.012 - aside) / 0.006)
        share *= min(1.0, (cosine - FACING) / SURE)
        asked = share * (out + gap)
        _ask(c, asked, n, v, need, push)
        for slot in range(start[c], start[c + 1]):
            j = np.int64(other[slot])
            edge = (x[j, 0] - x[c, 0]) ** 2 + (x[j, 1] - x[c, 1]) ** 2 + (x[j, 2] - x[c, 2]) ** 2
            farther = square_to(x, j, p[v, 0], p[v, 1], p[v, 2]) - best  # 0 where c hands over to j, then edge squared
            _ask(j, asked * (1.0 - farther / max(edge, 1e-18)), n, v, need, push)


@inline
def _ask(c, asked, away, v, need, push):
    if asked > need[c]:
        need[c] = asked
        for k in range(3):
            push[c, k] = asked * away[v, k]


@lean
def _climbed(x, start, other, c, at, v):
    """The cloth point from which no neighbour is nearer, and its squared distance."""
    best = square_to(x, c, at[v, 0], at[v, 1], at[v, 2])
    while True:
        here = c
        for slot in range(start[here], start[here + 1]):
            square = square_to(x, other[slot], at[v, 0], at[v, 1], at[v, 2])
            if square < best:
                best, c = square, np.int64(other[slot])
        if c == here:
            return c, best


@kernel
def follow(x, smooth, push, share):
    """Move by the smoothed push, and by a share of what it leaves undone."""
    for i in range(len(x)):
        asked = np.sqrt(push[i, 0] ** 2 + push[i, 1] ** 2 + push[i, 2] ** 2)
        rest = 0.0
        if asked > 0.0:
            done = 0.0
            for k in range(3):
                done += smooth[i, k] * push[i, k]
            rest = share * max(1.0 - max(done, 0.0) / (asked * asked), 0.0)
        for k in range(3):
            x[i, k] += smooth[i, k] + rest * push[i, k]
