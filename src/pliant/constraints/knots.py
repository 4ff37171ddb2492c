"""Cloth knotted to a segment, for as long as it moves by itself: the knot weighs what hangs on it.

A method that knows only the cloth lets a drawn end spring out of the hand that holds it: by 27 cm in a frame when the
limit of strain shortens a whipped ribbon, at 100 m/s and more in a substep, and the tie that brings it back tears at
the last edge. So for as long as the cloth is alone the knotted point is as heavy as itself and the segment together,

    1 / w' = 1 / w + M,

with M what the segment weighs there, 1 / (1/m + r^2/I), shared by its knots. In the update it begins with the velocity
of both, v' = (m v + M V) / (m + M), and what changed it, the segment is owed: with x, V at the start and x', v' at the
end the momentum M (v' - V) and the angular momentum x' x M v' - x x M V, so both are kept exactly. The limit, with all
of the segment's mass, moves the point by d: the impulse M d / h, at the knot.
"""

import numpy as np

from pliant.arrays import Array
from pliant.constraints.ties import Whole, push_body, turned
from pliant.kernels import kernel
from pliant.kernels.vectors import add, cross, dot, get3, put3, scale, sub
from pliant.world import BODY, POINT, State, Ties

IMMOVABLE = 1e9  # times as heavy as the point: a segment that nothing moves


class Knots:
    """The ties of length 0 between a point and a segment among some rows of a table."""

    def __init__(self, table: Ties, rows: Array) -> None:
        self._table = table
        first = (table.a.kind[rows] == POINT) & (table.b.kind[rows] == BODY)
        last = (table.b.kind[rows] == POINT) & (table.a.kind[rows] == BODY)
        self._rows = np.concatenate([rows[first], rows[last]])
        self._first = np.repeat([True, False], [int(first.sum()), int(last.sum())])  # the point is the tie's end a
        self._kept = np.zeros((len(self._rows), 4))  # position [m] and inverse mass [1/kg] of each point, 0: untouched
        self._carried = np.zeros((len(self._rows), 4))  # velocity [m/s] of the segment there, and its mass [kg]
        body = np.where(self._first, table.b.row[self._rows], table.a.row[self._rows])
        self._share = 1.0 / np.array([float((body == row).sum()) for row in body])

    def __len__(self) -> int:
        return len(self._rows)

    def join(self, state: State) -> None:
        """Before the update: the points go with their segments."""
        kept = (self._kept, self._carried)
        _join(self._rows, self._first, self._table[:-1], _whole(state), state.memory["ties"], self._share, kept)

    def part(self, state: State) -> None:
        """After it: the segments take what drew at their points."""
        _part(self._rows, self._first, self._table[:-1], _whole(state), self._kept, self._carried)

    def glue(self, state: State) -> None:
        """Before the limit."""
        _glue(self._rows, self._first, self._table[:-1], _whole(state), state.memory["ties"], self._kept)

    def loosen(self, state: State, frame_step: float) -> None:
        """After it."""
        _loosen(self._rows, self._first, self._table[:-1], _whole(state), self._kept, frame_step)


def _whole(state: State) -> Whole:
    return Whole(state.position, state.velocity, state.inverse_mass, state.rotation_xyzw, state.spin)


@kernel
def _glue(rows, first, table, whole, broken, kept):
    a, b = table[0], table[1]
    for k in range(rows.shape[0]):
        t = rows[k]
        point, body = (a.row[t], b.row[t]) if first[k] else (b.row[t], a.row[t])
        kept[k, 3] = 0.0
        if broken[t] > 0.0 or whole.w[point] == 0.0:
            continue
        for c in range(3):
            kept[k, c] = whole.x[point, c]
        kept[k, 3] = whole.w[point]
        w, share = whole.w[point], whole.w[body]
        whole.w[point] = w * share / (w + share)


@kernel
def _loosen(rows, first, table, whole, kept, h):
    a, b = table[0], table[1]
    for k in range(rows.shape[0]):
        t = rows[k]
        if kept[k, 3] == 0.0:
            continue
        point = a.row[t] if first[k] else b.row[t]
        p = (kept[k, 0], kept[k, 1], kept[k, 2])
        moved = (whole.x[point, 0] - p[0], whole.x[point, 1] - p[1], whole.x[point, 2] - p[2])
        whole.w[point] = kept[k, 3]
        end = b if first[k] else a
        if whole.w[end.row[t]] > 0.0:
            mass = 1.0 / whole.w[end.row[t]]
            push_body(end, t, whole, p, (mass * moved[0], mass * moved[1], mass * moved[2]), h)


@kernel
def _join(rows, first, table, whole, broken, share, both):
    kept, carried = both
    for k in range(rows.shape[0]):
        t = rows[k]
        a, b = (table[0], table[1]) if first[k] else (table[1], table[0])
        point, body = a.row[t], b.row[t]
        kept[k, 3] = 0.0
        if broken[t] > 0.0 or whole.w[point] == 0.0:
            continue
        x, w = get3(whole.x, point, 0), whole.w[point]
        put3(kept, k, 0, x)
        kept[k, 3] = w
        arm = sub(x, get3(whole.x, body, 0))
        mass = IMMOVABLE / w
        if whole.w[body] > 0.0:
            # no heavier than the segment is there to any pull: it would be thrown back farther than it came
            least = min(b.inertia[t, 0], b.inertia[t, 1], b.inertia[t, 2])
            mass = share[k] / (whole.w[body] + dot(arm, arm) / least)
        speed = add(get3(whole.v, body, 0), cross(get3(whole.spin, b.body[t], 0), arm))
        put3(carried, k, 0, speed)
        carried[k, 3] = mass
        together = 1.0 / w + mass
        put3(whole.v, point, 0, scale(1.0 / together, add(scale(1.0 / w, get3(whole.v, point, 0)), scale(mass, speed))))
        whole.w[point] = 1.0 / together


@kernel
def _part(rows, first, table, whole, kept, carried):
    for k in range(rows.shape[0]):
        t = rows[k]
        if kept[k, 3] == 0.0:
            continue
        a, b = (table[0], table[1]) if first[k] else (table[1], table[0])
        point, row, body = a.row[t], b.row[t], b.body[t]
        whole.w[point] = kept[k, 3]
        if whole.w[row] == 0.0:
            continue
        before, now = scale(carried[k, 3], get3(carried, k, 0)), scale(carried[k, 3], get3(whole.v, point, 0))
        owed = sub(now, before)
        turning = sub(cross(get3(whole.x, point, 0), now), cross(get3(kept, k, 0), before))
        turning = sub(turning, cross(get3(whole.x, row, 0), owed))
        put3(whole.v, row, 0, add(get3(whole.v, row, 0), scale(whole.w[row], owed)))
        put3(whole.spin, body, 0, add(get3(whole.spin, body, 0), turned(b, t, whole, turning)))
