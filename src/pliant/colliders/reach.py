"""Which rows of some surfaces can come near anything at all, by boxes: the others need not be looked at.

Rows of a skin that touches itself always count. Of the others those do that are within reach of the box of another
part; boxes of what is left are smaller, so a few rounds leave little where two parts only pass by each other.
"""

import math
from collections.abc import Sequence

import numpy as np

from pliant.arrays import Array
from pliant.colliders.skins import Skins
from pliant.constants import HAND_SPEED
from pliant.kernels import inline, kernel
from pliant.world import Part, State

ROUNDS = 3
HASTE = 1.5  # of its present speed that a row may have within the frame
AGAIN = 0.01  # [m] that it may go in any case


class Reach:
    """Scratch of one group of surfaces."""

    def __init__(self, every: Array, count: int, parts: Sequence[Part]) -> None:
        self._every = every
        self._chosen, self._now = np.zeros_like(every), np.zeros_like(every)
        self._held = np.zeros(count, bool)  # rows that are held by the scene: a hand moves the others faster
        for part in parts:
            self._held[part.rows.start + np.asarray(part.held, np.int64)] = True

    def within_frame(self, state: State, skins: Skins, frame_step: float, across: float) -> Array:
        """Rows that can touch anything within the frame, at the speeds at its start; `across` [m] a face reaches."""
        boxes = np.zeros((int(skins.owner.max(initial=0)) + 1, 7))
        motion = (state.velocity, state.inverse_mass, self._held, HASTE * frame_step)
        _ways(self._every, skins.owner, motion, boxes)
        count = len(self._every)
        self._chosen[:] = self._every
        for _ in range(ROUNDS):
            before = count
            count = int(_sift(state.position, self._chosen[:count], skins, across, boxes, self._chosen))
            if count == before:
                break
        return self._chosen[:count]

    def now(self, position: Array, active: Array, skins: Skins, reach: float) -> Array:
        """Those of the active rows that are within reach of anything as they lie."""
        boxes = np.zeros((int(skins.owner.max(initial=0)) + 1, 7))
        return self._now[: int(_sift(position, active, skins, reach, boxes, self._now))]


@kernel
def _ways(rows, owner, motion, boxes):
    """Into the last column: how far [m] a row of each part goes at most."""
    v, w, held, time = motion
    for n in range(rows.shape[0]):
        i = rows[n]
        speed = math.sqrt(v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
        if w[i] == 0.0 and not held[i]:
            speed = max(speed, HAND_SPEED)
        boxes[owner[i], 6] = max(boxes[owner[i], 6], time * speed + AGAIN)


@kernel
def _sift(x, rows, skins, reach, boxes, chosen):
    """Those of the rows that may touch something, into `chosen`, which may be where the rows are; their number."""
    for o in range(boxes.shape[0]):
        for k in range(3):
            boxes[o, k], boxes[o, 3 + k] = math.inf, -math.inf
    for n in range(rows.shape[0]):
        i = rows[n]
        o = skins.owner[i]
        for k in range(3):
            boxes[o, k], boxes[o, 3 + k] = min(boxes[o, k], x[i, k]), max(boxes[o, 3 + k], x[i, k])
    count = 0
    for n in range(rows.shape[0]):
        i = rows[n]
        own = skins.owner[i]
        wanted = skins.alone[i] != 0
        for o in range(boxes.shape[0]):
            wanted = wanted or (o != own and _within(x, i, boxes, o, reach + boxes[own, 6] + boxes[o, 6]))
        if wanted:
            chosen[count] = i
            count += 1
    return count


@inline
def _within(x, i, boxes, o, reach):
    inside = True
    for k in range(3):
        inside = inside and boxes[o, k] - reach <= x[i, k] <= boxes[o, 3 + k] + reach
    return inside
