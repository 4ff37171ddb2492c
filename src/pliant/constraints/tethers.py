"""Tethers: no point of inextensible cloth is farther from a pin than the way to it along the threads.

    |x_i - x_pin| <= slack * way,   way the shortest path along structural edges at rest

Kim, Chentanez and Müller-Fischer 2012, "Long range attachments". One tether per point and group of joined pins, so that
a sheet between two hands is held by both.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constraints.base import BoundConstraint, Constraint
from pliant.description import quantity
from pliant.kernels import span, sweep
from pliant.world import Part, Rows, Springs, World, structural

GROUPS = 4  # of pins that every point is tethered to; more cost time and add little


class Ways(NamedTuple):
    """The longest distance of each row to its pins."""

    row: Array  # (t, n) the pin
    length: Array  # (t, n) [m], infinite where a row has none

    @classmethod
    def none(cls, count: int) -> "Ways":
        return cls(np.empty((0, count), np.int64), np.empty((0, count)))


class Tethers(Constraint):
    """Holds every point within reach of its pins."""

    slack: float = quantity(1.02, low=1.0, high=10.0, slider=(1, 1.2), help="Greatest distance over the way to the pin")

    def bind(self, world: World, part: Part) -> BoundConstraint:
        return _Tethers(self, part)


class _Tethers(BoundConstraint):
    def __init__(self, of: Tethers, part: Part) -> None:
        self._of, self._part = of, part
        self._held = np.empty(0, bool)
        self._ways = Ways.none(len(part.mass))

    def project(self, rows: Rows, previous: Array, h: float) -> None:
        held = rows.inverse_mass == 0.0
        if not np.array_equal(held, self._held):  # somebody grabbed or let go
            self._held = held
            self._ways = ways_to_pins(self._part, held, self._of.slack)
        for row, length in zip(self._ways.row, self._ways.length, strict=True):
            _hold_back(rows.position, row, length)


@sweep
def _hold_back(x, pin, longest):
    for i in span(x.shape[0]):
        p = pin[i]
        dx, dy, dz = x[i, 0] - x[p, 0], x[i, 1] - x[p, 1], x[i, 2] - x[p, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        if length > longest[i]:
            share = 1.0 - longest[i] / length
            x[i, 0] -= share * dx
            x[i, 1] -= share * dy
            x[i, 2] -= share * dz


def ways_to_pins(part: Part, held: Array, slack: float) -> Ways:
    """For each group of joined pins, each row's nearest pin and `slack` times the way to it.

    The way runs along the structural edges: a sheared weave reaches that far, and no farther.
    """
    from scipy.sparse.csgraph import connected_components, dijkstra

    if not held.any() or held.all() or not part.has(Springs):
        return Ways.none(len(held))
    graph = threads(part, len(held))
    count, group = connected_components(graph[held][:, held], directed=False)
    pins = np.flatnonzero(held)
    largest = np.argsort(-np.bincount(group, minlength=count), kind="stable")[:GROUPS]
    rows, lengths = [], []
    for which in largest:
        way, _, pin = dijkstra(
            graph, directed=False, indices=pins[group == which], min_only=True, return_predecessors=True
        )
        lengths.append(np.where(held, np.inf, slack * way))
        rows.append(np.where(pin >= 0, pin, pins[0]))
    return Ways(np.array(rows, np.int64), np.array(lengths))


def threads(part: Part, count: int, *, every: bool = False) -> Any:
    """The structural edges, or `every` edge, as a sparse graph of rest lengths."""
    from scipy.sparse import csr_matrix  # late: it takes longer to import than everything else here

    springs = part.table(Springs)
    rows = slice(None) if every else structural(springs)
    ends = springs.ends[rows]
    return csr_matrix((springs.rest_length[rows], (ends[:, 0], ends[:, 1])), shape=(count, count))
