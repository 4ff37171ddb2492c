"""A sparse symmetric factor L D L^T whose pattern is found once and whose numbers are made anew in each pose.

The unknowns are the points of one mesh and the pattern its edges, ordered by nested dissection, so that the two
halves on either side of the first separator are factored and solved independently, each by its own thread.
Left-looking, by columns (Davis 2006, "Direct Methods for Sparse Linear Systems", 4.10 and 6.3). A masked unknown has
its row and column replaced by those of the identity; its column then costs nothing.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.filters.draping.net import Net
from pliant.kernels import kernel, span, sweep
from pliant.kernels.lanes import LANES, fill, load, store

LEAF = 8  # points that are not dissected any more


class Pattern(NamedTuple):
    """Where the factor is not zero; unknowns in the order of elimination."""

    order: Array  # (n,) uint32 point of each unknown
    place: Array  # (n,) uint32 unknown of each point
    column: Array  # (n + 1,) uint32 first entry of each column of L, without its diagonal
    below: Array  # (z,) uint32 row of each entry, ascending in a column
    line: Array  # (n + 1,) uint32 first entry of each row of L
    left: Array  # (z,) uint32 column of each entry of a row
    entry: Array  # (z,) uint32 its place in `below`
    given: Array  # (n + 1,) uint32 first edge of each column
    given_row: Array  # (e,) uint32 row at its other end
    given_edge: Array  # (e,) uint32 the edge
    part: Array  # (3,) uint32 ends of the two halves and of the separator between them


class Factor:
    """(K with masked rows) = L D L^T for K_ij = -w_ij on edges and K_ii given."""

    def __init__(self, net: Net, points: Array) -> None:
        self.pattern = pattern_of(net, points)
        self.value = np.zeros(len(self.pattern.below))
        self.inverse = np.ones(net.size)  # of D
        self._work, self._lanes = np.zeros((2, net.size)), np.empty(net.size * LANES)

    def make(self, diagonal: Array, weights: Array, masked: Array) -> None:
        """`weights` (e,) of the edges; `diagonal` (n,), `masked` (n,) of the points."""
        tables = self.pattern, self.value, self.inverse, self._work
        _factor_halves(diagonal, weights, masked, *tables)
        _factor_rest(diagonal, weights, masked, *tables)

    def solve(self, right: Array) -> Array:
        """(n, r) for (n, r) right-hand sides; rows of masked points come back as they are."""
        out = np.empty_like(right)
        p, value, inverse, x = self.pattern, self.value, self.inverse, self._lanes
        for first in range(0, right.shape[1], LANES):
            _forward_halves(right, p, value, x, first)
            _rest(right, p, value, inverse, x, first)
            _backward_halves(out, p, value, inverse, x, first)
        return out


def pattern_of(net: Net, points: Array) -> Pattern:
    order, first, second = _dissected(net, points)
    n = net.size
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    a, b = place[net.edges[:, 0].astype(np.int64)], place[net.edges[:, 1].astype(np.int64)]
    low, high = np.minimum(a, b), np.maximum(a, b)
    by_column = np.lexsort((high, low))
    by_row = np.lexsort((low, high))
    given = np.searchsorted(low[by_column], np.arange(n + 1)).astype(Index)
    lines = np.searchsorted(high[by_row], np.arange(n + 1)).astype(Index)
    counts, rows = np.zeros(n, np.int64), np.zeros(n, np.int64)
    parent = np.full(n, -1, np.int64)
    _count(lines, low[by_row], parent, counts, rows)
    column, line = (np.concatenate([[0], np.cumsum(c)]).astype(Index) for c in (counts, rows))
    below, left, entry = (np.empty(int(column[-1]), Index) for _ in range(3))
    _fill(lines, low[by_row], parent, column, line, (below, left, entry))
    return Pattern(
        np.asarray(order, Index),
        place.astype(Index),
        column,
        below,
        line,
        left,
        entry,
        given,
        high[by_column].astype(Index),
        by_column.astype(Index),
        np.array([first, second, n], Index),
    )


def _dissected(net: Net, points: Array) -> tuple[Array, int, int]:
    """(order, end of the first half, end of the second)."""
    start, other = net.start.astype(np.int64), net.other.astype(np.int64)
    side = np.zeros(net.size, np.int8)  # scratch: 1 in the lower half at hand, 2 in the upper
    one, two, cut = _halves(np.arange(net.size), points, start, other, side)
    order: list[Array] = []
    for half in (one, two):
        _dissect(half, points, (start, other), side, order)
    order.append(cut)
    return np.concatenate(order), len(one), len(one) + len(two)


def _dissect(some: Array, points: Array, graph: tuple[Array, Array], side: Array, order: list[Array]) -> None:
    if len(some) <= LEAF:
        order.append(some)
        return
    one, two, cut = _halves(some, points, *graph, side)
    if len(one) == 0 or len(two) == 0:
        order.append(some)
        return
    _dissect(one, points, graph, side, order)
    _dissect(two, points, graph, side, order)
    order.append(cut)


def _halves(some: Array, points: Array, start: Array, other: Array, side: Array) -> tuple[Array, Array, Array]:
    """Two halves and the points between them: along the axis that needs the fewest."""
    best: tuple[Array, Array, Array] | None = None
    extent = np.ptp(points[some], axis=0)
    for axis in np.argsort(-extent, kind="stable"):
        if best is not None and extent[axis] < 0.3 * extent.max():
            break
        ranked = some[np.argsort(points[some, axis], kind="stable")]
        one, two = ranked[: len(some) // 2], ranked[len(some) // 2 :]
        side[one], side[two] = 1, 2
        cuts = [_beside(one, 2, start, other, side), _beside(two, 1, start, other, side)]
        side[some] = 0
        if cuts[0].sum() <= cuts[1].sum():
            found = one[~cuts[0]], two, one[cuts[0]]
        else:
            found = one, two[~cuts[1]], two[cuts[1]]
        if best is None or len(found[2]) < len(best[2]):
            best = found
    assert best is not None
    return best


def _beside(some: Array, what: int, start: Array, other: Array, side: Array) -> Array:
    """(k,) bool: has a neighbour on that side."""
    counts = start[some + 1] - start[some]
    slots = np.repeat(start[some] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
    owner = np.repeat(np.arange(len(some)), counts)
    return np.bincount(owner, side[other[slots]] == what, minlength=len(some)) > 0


@kernel
def _count(lines, lower, parent, counts, rows):
    """Elimination tree, and the number of entries of each column and row of L (Davis 2006, 4.1 and 4.5)."""
    n = len(parent)
    ancestor = np.full(n, -1, np.int64)
    mark = np.full(n, -1, np.int64)
    for k in range(n):
        for s in range(lines[k], lines[k + 1]):
            j = lower[s]
            while j != -1 and j < k:
                after = ancestor[j]
                ancestor[j] = k
                if after == -1:
                    parent[j] = k
                j = after
        mark[k] = k
        for s in range(lines[k], lines[k + 1]):
            j = lower[s]
            while mark[j] != k:
                mark[j] = k
                counts[j] += 1
                rows[k] += 1
                j = parent[j]


@kernel
def _fill(lines, lower, parent, column, line, tables):
    below, left, entry = tables
    n = len(parent)
    mark = np.full(n, -1, np.int64)
    used = np.zeros(n, np.int64)
    for k in range(n):
        mark[k] = k
        at = np.int64(line[k])
        for s in range(lines[k], lines[k + 1]):
            j = lower[s]
            while mark[j] != k:
                mark[j] = k
                p = column[j] + used[j]
                used[j] += 1
                below[p] = k
                left[at], entry[at] = j, p
                at += 1
                j = parent[j]


@kernel
def _columns(first, last, diagonal, weights, masked, pattern, value, inverse, work):
    """Columns first to last of L, left-looking: w = A(:, k) - sum_j L(:, j) D_j L(k, j)."""
    order, column, below, entry = pattern.order, pattern.column, pattern.below, pattern.entry
    line, left, given = pattern.line, pattern.left, pattern.given
    for k in range(first, last):
        k0, k1 = column[k], column[k + 1]
        if masked[order[k]]:
            inverse[k] = 1.0
            for q in range(k0, k1):
                value[q] = 0.0
            continue
        pivot = diagonal[order[k]]
        for s in range(given[k], given[k + 1]):
            i = pattern.given_row[s]
            if not masked[order[i]]:
                work[i] = -weights[pattern.given_edge[s]]
        for s in range(line[k], line[k + 1]):
            p, j = entry[s], left[s]
            if value[p] == 0.0:
                continue
            f = value[p] / inverse[j]
            pivot -= value[p] * f
            for q in range(p + 1, column[j + 1]):
                work[below[q]] -= value[q] * f
        inverse[k] = 1.0 / pivot
        for q in range(k0, k1):
            i = below[q]
            value[q] = work[i] * inverse[k]
            work[i] = 0.0


@sweep
def _factor_halves(diagonal, weights, masked, pattern, value, inverse, work):
    for half in span(2):
        first = 0 if half == 0 else pattern.part[0]
        _columns(first, pattern.part[half], diagonal, weights, masked, pattern, value, inverse, work[half])


@kernel
def _factor_rest(diagonal, weights, masked, pattern, value, inverse, work):
    _columns(pattern.part[1], pattern.part[2], diagonal, weights, masked, pattern, value, inverse, work[0])


@kernel
def _forward(first, last, pattern, value, x):
    """L y = b by rows, so that the halves write nothing of each other; LANES right-hand sides at once."""
    left, entry = pattern.left, pattern.entry
    for k in range(first, last):
        total = load(x, k * LANES)
        for s in range(pattern.line[k], pattern.line[k + 1]):
            total = total - fill(value[entry[s]]) * load(x, left[s] * LANES)
        store(x, k * LANES, total)


@kernel
def _backward(first, last, pattern, value, inverse, x):
    """L' x = D^-1 y."""
    below = pattern.below
    for back in range(last - first):
        k = last - 1 - back
        total = fill(inverse[k]) * load(x, k * LANES)
        for q in range(pattern.column[k], pattern.column[k + 1]):
            total = total - fill(value[q]) * load(x, below[q] * LANES)
        store(x, k * LANES, total)


@sweep
def _forward_halves(right, pattern, value, x, first_column):
    for half in span(2):
        first = np.int64(0) if half == 0 else np.int64(pattern.part[0])
        last = np.int64(pattern.part[half])
        _gather(first, last, pattern.order, right, x, first_column)
        _forward(first, last, pattern, value, x)


@kernel
def _rest(right, pattern, value, inverse, x, first_column):
    first, last = np.int64(pattern.part[1]), np.int64(pattern.part[2])
    _gather(first, last, pattern.order, right, x, first_column)
    _forward(first, last, pattern, value, x)
    _backward(first, last, pattern, value, inverse, x)


@sweep
def _backward_halves(out, pattern, value, inverse, x, first_column):
    order = pattern.order
    for half in span(2):
        first = np.int64(0) if half == 0 else np.int64(pattern.part[0])
        _backward(first, np.int64(pattern.part[half]), pattern, value, inverse, x)
    for k in span(len(order)):
        for c in range(first_column, min(first_column + LANES, out.shape[1])):
            out[order[k], c] = x[k * LANES + c - first_column]


@kernel
def _gather(first, last, order, right, x, first_column):
    count = min(LANES, right.shape[1] - first_column)
    for k in range(first, last):
        for c in range(LANES):
            x[k * LANES + c] = right[order[k], first_column + c] if c < count else 0.0
