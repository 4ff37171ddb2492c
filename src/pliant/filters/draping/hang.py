"""How a garment hangs: static relaxation of a coarse net of its points, always from the skinned shape.

About every eighth point is a knot; threads between neighbouring knots resist stretching and hardly resist
compression; gravity pulls, the body is in the way. The displacement of the knots is spread over all points by smooth
weights that sum to one, so the result is free of wrinkles, as what is drawn on it later needs. Rejected: relaxing
the garment's own mesh, where the hem of a raised shirt needs six times the sweeps to feel its collar.
"""

from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.filters.draping.beneath import FAR, Answer, Beneath, answer_of
from pliant.filters.draping.net import Net
from pliant.filters.draping.push import ask
from pliant.filters.draping.smooth import Smoother
from pliant.filters.draping.wear import Wear
from pliant.kernels import adjacency, kernel, span, sweep

SHARE = 8  # points per knot
KEPT = 16  # knots that move a point
SWEEPS = 20  # of a round
SMOOTH = 0.5  # of the way to the mean of its neighbours' displacement that a knot goes after each round
SLACK = 0.10  # resistance to compression, of that to stretching
FALL = 0.003  # [m] by which gravity moves a knot in the first sweep
SURE = 0.07  # [m] below which a knot's distance is that of triangles
GRIP = 0.8  # of the pull along the body that friction takes up where a knot touches it
BAND = 0.03  # [m] over which the displacement grows from a pinned band


class Knots(NamedTuple):
    """The coarse net."""

    point: Array  # (k,) uint32 points of the mesh that are knots
    threads: Array  # (t, 2) uint32
    length: Array  # (t,) [m]
    held: Array  # (k,) bool
    start: Array  # (k + 1,) uint32 first slot of each knot in `other`
    other: Array  # (2 t,) uint32 knots that a thread leads to
    knot: Array  # (n, KEPT) uint32 knots that move a point
    weight: Array  # (n, KEPT) their shares


def knots_of(net: Net, rest: Array, pinned: Array) -> Knots:
    from scipy.sparse.csgraph import dijkstra

    count = max(40, net.size // SHARE)
    chosen = _spread_out(rest, min(count, net.size))
    graph = _graph(net, rest)
    _, _, source = dijkstra(graph, directed=False, indices=chosen, min_only=True, return_predecessors=True)
    rank = np.full(net.size, -1)
    rank[chosen] = np.arange(len(chosen))
    owner = rank[source]
    across = owner[net.edges.astype(np.int64)]
    across = np.sort(across[(across[:, 0] != across[:, 1]) & (across >= 0).all(axis=1)], axis=1)
    threads = np.unique(across, axis=0)
    length = np.linalg.norm(rest[chosen[threads[:, 1]]] - rest[chosen[threads[:, 0]]], axis=1)
    around = adjacency(threads, len(chosen))
    shuffled = np.random.default_rng(0).permutation(len(threads))
    knot, weight = _shares(net, rest, chosen, owner, float(length.mean()))
    weight *= _away_from(graph, pinned, net.size)[:, None]
    return Knots(
        chosen.astype(Index),
        threads[shuffled].astype(Index),
        length[shuffled],
        np.isin(chosen, pinned),
        around.start,
        around.other,
        knot.astype(Index),
        weight,
    )


def _graph(net: Net, rest: Array) -> Any:
    from scipy.sparse import coo_array

    a, b = net.edges.astype(np.int64).T
    return coo_array((np.linalg.norm(rest[b] - rest[a], axis=1), (a, b)), shape=(net.size, net.size)).tocsr()


def _spread_out(rest: Array, count: int) -> Array:
    """Points far from each other, one after the other."""
    chosen = np.empty(count, np.int64)
    chosen[0] = 0
    nearest = np.full(len(rest), np.inf)
    for k in range(1, count):
        nearest = np.minimum(nearest, ((rest - rest[chosen[k - 1]]) ** 2).sum(axis=1))
        chosen[k] = int(np.argmax(nearest))
    return chosen


def _shares(net: Net, rest: Array, chosen: Array, owner: Array, spacing: float) -> tuple[Array, Array]:
    """Each knot's territory, smoothed over the spacing: a partition of one."""
    territory = np.zeros((net.size, len(chosen)))
    known = owner >= 0
    territory[np.flatnonzero(known), owner[known]] = 1.0
    smooth = Smoother(net, rest, spacing)(territory)
    kept = np.argsort(-smooth, axis=1, kind="stable")[:, : KEPT + 1]
    weight = np.take_along_axis(smooth, kept, axis=1)
    kept, weight = kept[:, :-1], np.maximum(weight[:, :-1] - np.maximum(weight[:, -1:], 0.0), 0.0)
    return kept, weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-12)


def _away_from(graph: Any, pinned: Array, count: int) -> Array:
    """(n,) 0 on the pinned points, 1 beyond BAND."""
    from scipy.sparse.csgraph import dijkstra

    if len(pinned) == 0:
        return np.ones(count)
    far = dijkstra(graph, directed=False, indices=pinned.astype(np.int64), min_only=True)
    t = np.clip(np.where(np.isfinite(far), far, BAND) / BAND, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


class Hanging:
    """Relaxation of one garment."""

    def __init__(self, net: Net, wear: Wear, surfaces: int, rounds: int) -> None:
        rest, pinned = wear.mesh.points, wear.pinned
        self.knots = knots_of(net, rest, pinned)
        count = len(self.knots.point)
        self._rounds = rounds
        self._answer: Answer = answer_of(count, None if wear.foreign is None else wear.foreign[self.knots.point], FAR)
        self._hints = [np.empty(count, np.int32) for _ in range(surfaces)]
        self._foot, self._moved = np.empty((count, 3)), np.empty((count, 3))

    def relax(self, x: Array, normals: Array, beneath: list[Beneath], gap: float) -> None:
        """Move the points in place; `normals` are those of the skinned shape."""
        k = self.knots
        self._answer.facing[:] = normals[k.point]
        start = x[k.point]
        y = start.copy()
        for turn in range(self._rounds):
            self._answer.clear()
            if turn == 0:
                ask(y, beneath, self._answer, SURE, self._hints)
            else:
                for surface, hint in zip(beneath, self._hints, strict=True):
                    surface.follow(y, self._answer, hint, SURE)
            feet(y, self._answer.distance, self._answer.outward, self._foot)
            fall = FALL * (1.0 - turn / self._rounds)
            settle(y, k.threads, k.length, k.held, self._foot, self._answer.outward, (gap, fall, SLACK))
            smooth_out(y, start, k.held, k.start, k.other, self._moved)
        carry(x, self._moved, k.knot, k.weight)


@kernel
def feet(y, distance, outward, foot):
    """Closest point of the surface."""
    for i in range(len(y)):
        for k in range(3):
            foot[i, k] = y[i, k] - distance[i] * outward[i, k]


@kernel
def settle(y, threads, length, held, foot, outward, amounts):
    """Sweeps of gravity, threads (Gauss-Seidel, in a fixed shuffled order) and half-spaces outside the body."""
    gap, fall, slack = amounts
    for turn in range(SWEEPS):
        drop = fall * (1.0 - 0.8 * turn / SWEEPS)
        for i in range(len(y)):
            if not held[i]:
                y[i, 1] -= drop
        for t in range(len(threads)):
            i, j = threads[t, 0], threads[t, 1]
            dx, dy, dz = y[j, 0] - y[i, 0], y[j, 1] - y[i, 1], y[j, 2] - y[i, 2]
            now = max(np.sqrt(dx * dx + dy * dy + dz * dz), 1e-12)
            c = (now - length[t]) / now
            if c < 0.0:
                c *= slack
            wi, wj = (0.0 if held[i] else 1.0), (0.0 if held[j] else 1.0)
            if wi + wj == 0.0:
                continue
            c /= wi + wj
            y[i, 0] += wi * c * dx
            y[i, 1] += wi * c * dy
            y[i, 2] += wi * c * dz
            y[j, 0] -= wj * c * dx
            y[j, 1] -= wj * c * dy
            y[j, 2] -= wj * c * dz
        _outside(y, held, foot, outward, gap, drop)


@kernel
def _outside(y, held, foot, outward, gap, drop):
    """Out to the gap; friction gives back most of the sweep's fall along the surface."""
    for i in range(len(y)):
        if held[i]:
            continue
        nx, ny, nz = outward[i, 0], outward[i, 1], outward[i, 2]
        if nx == 0.0 and ny == 0.0 and nz == 0.0:
            continue
        d = (y[i, 0] - foot[i, 0]) * nx + (y[i, 1] - foot[i, 1]) * ny + (y[i, 2] - foot[i, 2]) * nz
        if d < gap:
            y[i, 0] += (gap - d) * nx
            y[i, 1] += (gap - d) * ny
            y[i, 2] += (gap - d) * nz
            y[i, 0] -= GRIP * drop * ny * nx
            y[i, 1] += GRIP * drop * (1.0 - ny * ny)
            y[i, 2] -= GRIP * drop * ny * nz


@kernel
def smooth_out(y, rest, held, start, other, moved):
    """y - rest without what neighbours do not share, so that nothing as short as a thread remains."""
    for i in range(len(y)):
        for d in range(3):
            y[i, d] -= rest[i, d]
    for i in range(len(y)):
        share = 0.0 if held[i] else SMOOTH / max(start[i + 1] - start[i], 1)
        for d in range(3):
            around = 0.0
            for s in range(start[i], start[i + 1]):
                around += y[other[s], d] - y[i, d]
            moved[i, d] = y[i, d] + share * around
    for i in range(len(y)):
        for d in range(3):
            y[i, d] = rest[i, d] + moved[i, d]


@sweep
def carry(x, moved, knot, weight):
    """x += sum of the knots' displacements."""
    for i in span(len(x)):
        for s in range(knot.shape[1]):
            w, j = weight[i, s], knot[i, s]
            for k in range(3):
                x[i, k] += w * moved[j, k]
