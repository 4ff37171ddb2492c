"""Cloth knotted to a segment, while a limit of strain shortens the cloth: the knot weighs what hangs on it.

A limit that knows only the cloth draws its end out of the hand that holds it, by 27 cm in a frame of a whipped ribbon,
and mending the knot afterwards tears the last edge apart. So for as long as the limit runs the knotted point is as
heavy as itself and the segment together,

    1 / w' = 1 / w + M,

and what it is moved by then, d, the segment is owed: the impulse M d / h, at the knot. Linear momentum is kept exactly.
"""

import numpy as np

from pliant.arrays import Array
from pliant.constraints.ties import Whole, push_body
from pliant.kernels import kernel
from pliant.world import BODY, POINT, State, Ties


class Knots:
    """The ties of length 0 between a point and a segment among some rows of a table."""

    def __init__(self, table: Ties, rows: Array) -> None:
        self._table = table
        first = (table.a.kind[rows] == POINT) & (table.b.kind[rows] == BODY)
        last = (table.b.kind[rows] == POINT) & (table.a.kind[rows] == BODY)
        self._rows = np.concatenate([rows[first], rows[last]])
        self._first = np.repeat([True, False], [int(first.sum()), int(last.sum())])  # the point is the tie's end a
        self._kept = np.zeros((len(self._rows), 4))  # position [m] and inverse mass [1/kg] of each point, 0: untouched

    def __len__(self) -> int:
        return len(self._rows)

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
