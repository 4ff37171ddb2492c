"""Tethers: no point of inextensible cloth is farther from a pin than the way to it along the threads.

    |x_i - x_pin| <= slack * way,   way the shortest path along structural edges at rest

Kim, Chentanez and Müller-Fischer 2012, "Long range attachments". One tether per point and group of joined pins, so that
a sheet between two hands is held by both. Two hands that part farther than the cloth between them is long, D, leave no
choice: a point with ways a and b to them then gets

    lent = max(1, D / (a + b))

times its length, and so do the edges between such points; cloth that is not between the hands keeps its own length.
These ways may go along diagonals. Along threads alone it would be the least for which every way from hand to hand is
long enough, yet with three hands such a sheet need not fit into space (measured: edges 0.9 longer than so lent).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constraints.base import BoundConstraint, Constraint
from pliant.description import quantity
from pliant.kernels import kernel, span, sweep
from pliant.world import BEND, Part, Rows, Springs, World, structural

GROUPS = 5  # of pins that every point is tethered to; more cost time and add little
APART = 1.02  # stretch of an edge between two pins from which they are of two groups


class Ways(NamedTuple):
    """The longest distance of each row to its pins."""

    row: Array  # (t, n) the pin
    length: Array  # (t, n) [m], infinite where a row has none
    way: Array  # (t, n) [m] the bare way to the pin, diagonals counted, of held rows as well

    @classmethod
    def none(cls, count: int) -> "Ways":
        return cls(np.empty((0, count), np.int64), np.empty((0, count)), np.empty((0, count)))


class Tethers(Constraint):
    """Holds every point within reach of its pins."""

    slack: float = quantity(1.02, low=1.0, high=10.0, slider=(1, 1.2), help="Greatest distance over the way to the pin")

    def bind(self, world: World, part: Part) -> "BoundTethers":
        return BoundTethers(self, part)


class Reins:
    """What a part's rows hang from: tethers that follow from what is held, and what pins that part lend."""

    def __init__(self, part: Part, slack: float) -> None:
        count = len(part.mass)
        self._part, self._slack = part, slack
        self._held, self._apart = b"", np.empty(0, bool)
        self._between, self._rest = np.empty((0, 2), np.int64), np.empty(0)  # edges from pin to pin
        self.ways = Ways.none(count)
        self.lent = np.ones(count)  # how much longer each row's edges and tethers may be

    def look(self, rows: Rows) -> bool:
        """Whether they are others than before: somebody grabbed, let go, or draws pins apart."""
        held = rows.inverse_mass == 0.0
        now = held.tobytes()  # compared in a fifth of the time that arrays take
        if now == self._held:
            if not _part(rows.position, self._between, self._rest, self._apart):
                return False
        else:
            self._held = now
            self._between, self._rest = _between(self._part, held)
            self._apart = np.zeros(len(self._rest), bool)
            _part(rows.position, self._between, self._rest, self._apart)
        self.ways = ways_to_pins(self._part, held, self._slack, cut=self._between[self._apart])
        self.lent[:] = 1.0
        self.lend(rows, 0.0)
        return True

    def lend(self, rows: Rows, h: float) -> None:
        """Lengthen what is between pins that part too far within the next `h` [s]."""
        if len(self.ways.row) > 1:
            _lend(rows.position, rows.velocity, h, self.ways.row, self.ways.way, self.lent)


class BoundTethers(BoundConstraint):
    def __init__(self, of: Tethers, part: Part) -> None:
        self.reins = Reins(part, of.slack)

    def project(self, rows: Rows, previous: Array, h: float) -> None:
        self.reins.look(rows)
        self.reins.lend(rows, 0.0)
        for row, length in zip(self.reins.ways.row, self.reins.ways.length, strict=True):
            _hold_back(rows.position, row, length, self.reins.lent)


@sweep
def _hold_back(x, pin, longest, lent):
    for i in span(x.shape[0]):
        p = pin[i]
        dx, dy, dz = x[i, 0] - x[p, 0], x[i, 1] - x[p, 1], x[i, 2] - x[p, 2]
        length, limit = math.sqrt(dx * dx + dy * dy + dz * dz), longest[i] * lent[i]
        if length > limit:
            share = 1.0 - limit / length
            x[i, 0] -= share * dx
            x[i, 1] -= share * dy
            x[i, 2] -= share * dz


@kernel
def _part(x, ends, rest, apart):
    """Note which edges between pins are stretched; True if they are others than before."""
    changed = False
    for e in range(rest.shape[0]):
        i, j = ends[e, 0], ends[e, 1]
        dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        now = math.sqrt(dx * dx + dy * dy + dz * dz) > APART * rest[e]
        changed = changed or now != apart[e]
        apart[e] = now
    return changed


@sweep
def _lend(x, v, h, pin, way, lent):
    """lent = max(1, D / (a + b)) of all pairs of a row's pins; D is greatest at an end of the time h."""
    for i in span(x.shape[0]):
        most = 1.0
        for t in range(1, pin.shape[0]):
            p = pin[t, i]
            for u in range(t):
                q = pin[u, i]
                need = way[t, i] + way[u, i]
                if p == q or need <= 0.0:
                    continue
                now, then = 0.0, 0.0
                for k in range(3):
                    d = x[p, k] - x[q, k]
                    e = d + h * (v[p, k] - v[q, k])
                    now += d * d
                    then += e * e
                most = max(most, math.sqrt(max(now, then)) / need)
        lent[i] = most


def _between(part: Part, held: Array) -> tuple[Array, Array]:
    """Structural edges that join two held rows, and their lengths [m]."""
    if not part.has(Springs) or np.count_nonzero(held) < 2:
        return np.empty((0, 2), np.int64), np.empty(0)
    springs = part.table(Springs)
    rows = structural(springs)
    rows = rows[held[springs.ends[rows]].all(axis=1)]
    return springs.ends[rows].astype(np.int64), springs.rest_length[rows]


def ways_to_pins(part: Part, held: Array, slack: float, *, cut: Array | None = None) -> Ways:
    """For each group of joined pins, each row's nearest pin and `slack` times the way to it.

    The way runs along the structural edges: a sheared weave reaches that far, and no farther. Edges between pins that
    are `cut` join no group.
    """
    from scipy.sparse.csgraph import connected_components, dijkstra

    if not held.any() or held.all() or not part.has(Springs):
        return Ways.none(len(held))
    graph, surface = threads(part, len(held)), threads(part, len(held), diagonals=True)
    pins = np.flatnonzero(held)
    count, group = connected_components(_without(graph, cut)[held][:, held], directed=False)
    order = np.argsort(-np.bincount(group, minlength=count), kind="stable")
    largest = [order[k : k + 1] for k in range(min(count, GROUPS))]
    if count > GROUPS:  # the small ones that are left are one
        largest[-1] = order[GROUPS - 1 :]
    rows, ways, straight = [], [], []
    for which in largest:
        own = pins[np.isin(group, which)]
        way, _, pin = dijkstra(graph, directed=False, indices=own, min_only=True, return_predecessors=True)
        ways.append(way)
        rows.append(np.where(pin >= 0, pin, pins[0]))
        if len(largest) > 1:
            straight.append(dijkstra(surface, directed=False, indices=own, min_only=True))
    length = np.where(held, np.inf, slack * np.array(ways))
    return Ways(np.array(rows, np.int64), length, np.array(straight or ways))


def _without(graph: Any, cut: Array | None) -> Any:
    if cut is None or not len(cut):
        return graph
    kept = graph.tolil()
    kept[cut[:, 0], cut[:, 1]] = 0.0
    kept[cut[:, 1], cut[:, 0]] = 0.0
    left = kept.tocsr()
    left.eliminate_zeros()
    return left


def threads(part: Part, count: int, *, diagonals: bool = False) -> Any:
    """The structural edges, and the diagonals where asked, as a sparse graph of rest lengths."""
    from scipy.sparse import csr_matrix  # late: it takes longer to import than everything else here

    springs = part.table(Springs)
    rows = np.flatnonzero(springs.kind != BEND) if diagonals else structural(springs)
    ends = springs.ends[rows]
    return csr_matrix((springs.rest_length[rows], (ends[:, 0], ends[:, 1])), shape=(count, count))
