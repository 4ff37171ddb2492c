"""How far a hand may draw cloth that is held elsewhere: as far as the cloth reaches, and no farther.

A point of cloth and a pin are never farther apart than the way between them in the cloth, so whoever draws harder
feels the cloth resist. A hand without that bound would tear a sheet of threads to many times its size.
"""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.constraints.tethers import threads
from pliant.kernels import kernel
from pliant.world import Part, Rows, Springs, structural

GIVE = 0.5  # of the strain limit that a hand may use up; the rest is left to what the cloth does meanwhile
SHEAR = 0.12  # of what a way along the threads is longer than a straight one: so far a weave may be drawn askew
PULL = 1.2  # times the strain limit, from which on the threads around a patch draw the hand along
PINS = 64  # that are minded at most: as far from each other as can be
PLACES = 9  # of a patch that are minded, the same way
ROUNDS = 20  # over pins and places; where the ways leave no room they are the compromise


class Reach:
    """The balls around pins that places of a patch have to stay in."""

    def __init__(self, part: Part, taken: Array) -> None:
        self._part, self._taken = part, taken
        self._places = taken[_spread(part.rest_position[taken], PLACES)]
        self._index = np.array([np.flatnonzero(taken == row)[0] for row in self._places])
        self._held = np.empty(0, bool)
        self._pins = np.empty(0, np.int64)
        self._longest = np.empty((0, 0))

    def bounded(self, goal: Array, offsets: Array, rows: Rows) -> Array:
        """The place nearest to `goal` that the cloth reaches; the patch lies at `offsets` from it."""
        self._look_at_pins(rows)
        if not len(self._pins):
            return goal
        pins, bounded = rows.position[self._pins], goal.copy()
        now = np.linalg.norm(rows.position[self._places][:, None] - pins, axis=2)
        # half of what is left or too much: the pin may be another hand's, which takes the other half
        _draw_back(bounded, offsets[self._index], pins, 0.5 * (self._longest + now))
        return bounded

    def _look_at_pins(self, rows: Rows) -> None:
        """The ways change only when somebody grabs, pins or lets go."""
        held = rows.inverse_mass == 0.0
        held[self._taken] = False
        if np.array_equal(held, self._held):
            return
        self._held, self._pins = held, np.flatnonzero(held)
        limit = self._part.extra.get("limit")
        if limit is None or not len(self._pins) or not self._part.has(Springs):
            self._pins = self._pins[:0]
            return
        self._pins = self._pins[_spread(self._part.rest_position[self._pins], PINS)]
        self._longest = (1.0 + GIVE * limit) * ways_within(self._part, self._places, self._pins)


def ways_within(part: Part, first: Array, second: Array) -> Array:
    """(f, s) [m] ways in the cloth at rest: nearly straight across a whole flat sheet, along edges in any other."""
    if "grid" in part.extra and "tear" not in part.extra:
        columns, rows = part.extra["grid"]
        corners = part.rest_position[[0, columns, (columns + 1) * rows]]
        sides = (corners[1:] - corners[0]) / np.linalg.norm(corners[1:] - corners[0], axis=1, keepdims=True)
        apart = part.rest_position[first][:, None] - part.rest_position[second]
        straight = np.linalg.norm(apart, axis=2)
        return np.asarray(straight + SHEAR * (np.abs(apart @ sides.T).sum(axis=2) - straight))
    from scipy.sparse.csgraph import dijkstra

    ways: Any = dijkstra(threads(part, len(part.mass), diagonals=True), directed=False, indices=first)
    return np.asarray(ways[:, second])


def edge_of(part: Part) -> float:
    """The median edge of a part's threads at rest [m]; infinite where it has none."""
    lengths = part.table(Springs).rest_length[structural(part.table(Springs))] if part.has(Springs) else np.empty(0)
    return float(np.median(lengths)) if len(lengths) else np.inf


def _spread(points: Array, count: int) -> Array:
    """`count` of the points, the first one and then always the one farthest from those taken (Gonzalez 1985)."""
    if len(points) <= count:
        return np.arange(len(points))
    chosen, away = [0], np.linalg.norm(points - points[0], axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(away)))
        away = np.minimum(away, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return np.array(chosen)


class Rim:
    """The threads from a patch to the cloth around it: how hard they pull a hand back."""

    def __init__(self, part: Part, taken: Array) -> None:
        self._part = part
        within = np.zeros(len(part.mass), bool)
        within[taken] = True
        springs: Springs | None = part.table(Springs) if part.has(Springs) else None
        rows = np.empty(0, np.int64) if springs is None else structural(springs)
        ends = np.empty((0, 2), np.int64) if springs is None else springs.ends[rows].astype(np.int64)
        over = within[ends[:, 0]] != within[ends[:, 1]]
        swapped = within[ends[over, 1]]
        self._inner = np.where(swapped, ends[over, 1], ends[over, 0])
        self._outer = np.where(swapped, ends[over, 0], ends[over, 1])
        self._rest = np.empty(0) if springs is None else springs.rest_length[rows[over]]

    def pull(self, rows: Rows) -> Array:
        """(3,) [m] by which these threads are longer than the cloth allows, on the mean of those that are."""
        limit = self._part.extra.get("limit")
        if limit is None or not len(self._rest):
            return np.zeros(3)
        way = rows.position[self._outer] - rows.position[self._inner]
        length = np.linalg.norm(way, axis=1)
        excess = length - (1.0 + PULL * limit) * self._rest
        tight = excess > 0.0
        if not tight.any():
            return np.zeros(3)
        return np.asarray((way[tight] * (excess[tight] / length[tight])[:, None]).mean(axis=0))


@kernel
def _draw_back(goal, offsets, pins, longest):
    """Move `goal` into every ball, the next one always from where the one before left it."""
    for _ in range(ROUNDS):
        inside = True
        for i in range(offsets.shape[0]):
            for j in range(pins.shape[0]):
                square = 0.0
                for k in range(3):
                    square += (goal[k] + offsets[i, k] - pins[j, k]) ** 2
                if square <= longest[i, j] ** 2:
                    continue
                share = 1.0 - longest[i, j] / square**0.5
                for k in range(3):
                    goal[k] -= share * (goal[k] + offsets[i, k] - pins[j, k])
                inside = inside and share < 1e-6
        if inside:
            break
