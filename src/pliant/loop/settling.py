"""What lies on something keeps no tremor: velocities of stopped rows are what their positions did.

A method of many small steps leaves a row with the velocity of its last one, v, not with the mean one of the stroke, m.
Contact acts once per stroke and gives back (x - predicted) / h, which stops m. What is left, v - m without the part
that steady forces explain, is an elastic tremor; a row held by friction returns to the same place in every stroke,
and the tremor, of about the stroke's own frequency, would go on for ever. So a row loses the share of it that
solids took of its motion: all where it is stopped, little where it slides on.

Layers on layers push each other to and fro within a frame, and each stroke leaves what its last push was in the
velocities. A row that touches something and went less than `STILL` times the frame is at rest or nearly so: its
velocity becomes at most twice what the frame has moved it, which is all that a steady force gives from rest.
"""

import numpy as np

from pliant.arrays import Array
from pliant.kernels import span, sweep
from pliant.world import Rows

STILL = 0.02  # [m/s] on the way of a whole frame


class Settling:
    """Remembers how far solids pushed each of `count` rows within a stroke."""

    def __init__(self, count: int) -> None:
        self._pushed = np.zeros((count, 3))  # [m]
        self._place = np.zeros((count, 3))  # at the start of the frame
        self._wanted = False

    def begin_frame(self, position: Array) -> None:
        self._place[:] = position

    def rest(self, rows: Rows, touched: Array, frame_step: float) -> None:
        """At the end of a frame; `touched` (n,): rows that lie on others, besides those that solids hold up."""
        _rest(rows.position, self._place, self._pushed, rows.velocity, touched, frame_step)

    def begin(self, wanted: bool) -> None:
        """`wanted`: something is in the way, and the method takes several small steps in a stroke."""
        self._wanted = wanted
        if wanted:
            self._pushed[:] = 0.0

    def before(self, position: Array) -> None:
        if self._wanted:
            self._pushed -= position

    def after(self, position: Array) -> None:
        if self._wanted:
            self._pushed += position

    def settle(self, rows: Rows, force: Array, start: Array, predicted: Array, h: float, beats: int) -> None:
        """Before what contact did is fed back; `predicted` is where the update stroke led from `start`."""
        if self._wanted:
            lead = 0.5 * h * (beats - 1) / beats  # [s] that the last small step is ahead of the middle of all
            _settle(predicted, start, self._pushed, rows.velocity, rows.inverse_mass, force, lead, h)


@sweep
def _settle(predicted, start, pushed, v, w, force, lead, h):
    """v -= s (v - m - lead w f), with m = (predicted - start) / h and s = min(1, |pushed| / |m h|)."""
    for i in span(predicted.shape[0]):
        px, py, pz = pushed[i, 0], pushed[i, 1], pushed[i, 2]
        push = px * px + py * py + pz * pz
        if w[i] > 0.0 and push > 1e-24:  # sums of what came and went leave a rounding
            mx, my, mz = predicted[i, 0] - start[i, 0], predicted[i, 1] - start[i, 1], predicted[i, 2] - start[i, 2]
            way = mx * mx + my * my + mz * mz
            share = 1.0 if push >= way else (push / way) ** 0.5
            v[i, 0] -= share * (v[i, 0] - mx / h - lead * w[i] * force[i, 0])
            v[i, 1] -= share * (v[i, 1] - my / h - lead * w[i] * force[i, 1])
            v[i, 2] -= share * (v[i, 2] - mz / h - lead * w[i] * force[i, 2])


@sweep
def _rest(x, place, pushed, v, touched, frame_step):
    """|v| <= 2 |x - place| / frame_step where that is slow and something is touched."""
    for i in span(x.shape[0]):
        way, speed, push = 0.0, 0.0, 0.0
        for k in range(3):
            way += (x[i, k] - place[i, k]) ** 2
            speed += v[i, k] ** 2
            push += pushed[i, k] ** 2
        most = 2.0 * way**0.5 / frame_step
        if (touched[i] or push > 1e-24) and most < 2.0 * STILL and speed > most * most:
            for k in range(3):
                v[i, k] *= most / speed**0.5


@sweep
def feed_back(x, predicted, v, w, rate):
    """v += (x - predicted) / h for free rows."""
    for i in span(x.shape[0]):
        if w[i] > 0.0:
            for k in range(3):
                v[i, k] += rate * (x[i, k] - predicted[i, k])
