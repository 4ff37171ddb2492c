"""How far a part hangs below its pins, in rows of structural edges and in metres of rest length."""

import numpy as np

from pliant.arrays import Array
from pliant.constants import GRAVITY
from pliant.constraints.tethers import threads
from pliant.world import Part, Springs, World


def own_weight(part: Part) -> float:
    """Norm of the weights [N] of a part's points without what hangs on a few of them.

    A force that is larger by s stretches its threads s times as far in one small step: so storms and loads ask for
    more of them, by the root of s.
    """
    return GRAVITY * float(np.linalg.norm(np.minimum(part.mass, 4.0 * np.median(part.mass))))


def is_tied(world: World, part: Part) -> bool:
    """Whether its pins are not all that holds it: a tether to them would tear it away from what it is tied to."""
    return world.ties is not None and any(part.name in pair for pair in world.ties.names)


def reach_below_pins(part: Part, held: Array) -> tuple[int, float]:
    """(edges, metres) from the nearest held row to the farthest row along structural edges; (0, 0) if nothing holds.

    The count is of edges on a straight way, so a diagonal triangulation does not shorten it: it is the length
    over the median structural edge.
    """
    from scipy.sparse.csgraph import dijkstra

    if not held.any() or held.all() or not part.has(Springs):
        return 0, 0.0
    graph = threads(part, len(held))
    distance = dijkstra(graph, directed=False, indices=np.flatnonzero(held), min_only=True)
    farthest = float(distance[np.isfinite(distance)].max(initial=0.0))
    return max(1, round(farthest / float(np.median(graph.data)))), farthest
