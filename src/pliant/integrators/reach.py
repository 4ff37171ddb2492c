"""How far a part hangs below its pins, in rows of structural edges and in metres of rest length."""

from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.world import Part, Springs, structural


def reach_below_pins(part: Part, held: Array) -> tuple[int, float]:
    """(edges, metres) from the nearest held row to the farthest row along structural edges; (0, 0) if nothing holds.

    The count is of edges on a straight way, so a diagonal triangulation does not shorten it: it is the length
    over the median structural edge.
    """
    from scipy.sparse.csgraph import dijkstra

    if not held.any() or held.all() or not part.has(Springs):
        return 0, 0.0
    graph = _threads(part, len(held))
    distance = dijkstra(graph, directed=False, indices=np.flatnonzero(held), min_only=True)
    farthest = float(distance[np.isfinite(distance)].max(initial=0.0))
    return max(1, round(farthest / float(np.median(graph.data)))), farthest


class Tethers(NamedTuple):
    """The longest way of each row to its pins; no point of inextensible cloth can be farther away."""

    row: Array  # (t, n) the pin
    length: Array  # (t, n) [m], infinite where a row has none

    @classmethod
    def none(cls, count: int) -> "Tethers":
        return cls(np.empty((0, count), np.int64), np.empty((0, count)))


def ways_to_pins(part: Part, held: Array, slack: float, most: int = 4) -> Tethers:
    """For each of at most `most` groups of joined pins, each row's nearest pin and `slack` times the way to it.

    The way runs along the structural edges: a sheared weave reaches that far, and no farther.
    """
    from scipy.sparse.csgraph import connected_components, dijkstra

    if not held.any() or held.all() or not part.has(Springs):
        return Tethers.none(len(held))
    graph = _threads(part, len(held))
    count, group = connected_components(graph[held][:, held], directed=False)
    pins = np.flatnonzero(held)
    largest = np.argsort(-np.bincount(group, minlength=count), kind="stable")[:most]
    rows, lengths = [], []
    for which in largest:
        way, _, pin = dijkstra(
            graph, directed=False, indices=pins[group == which], min_only=True, return_predecessors=True
        )
        lengths.append(np.where(held, np.inf, slack * way))
        rows.append(np.where(pin >= 0, pin, pins[0]))
    return Tethers(np.array(rows, np.int64), np.array(lengths))


def _threads(part: Part, count: int) -> Any:
    from scipy.sparse import csr_matrix  # late: it takes longer to import than everything else here

    springs = part.table(Springs)
    rows = structural(springs)
    ends = springs.ends[rows]
    return csr_matrix((springs.rest_length[rows], (ends[:, 0], ends[:, 1])), shape=(count, count))
