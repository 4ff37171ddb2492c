"""What lies on something keeps no tremor: velocities of stopped rows are what their positions did.

A method of many small steps leaves a row with the velocity of its last one, v, not with the mean one of the stroke, m.
Contact acts once per stroke and gives back (x - predicted) / h, which stops m. What is left, v - m without the part
that steady forces explain, is an elastic tremor; a row held by friction returns to the same place in every stroke,
and the tremor, of about the stroke's own frequency, would go on for ever. So a row loses the share of it that
solids took of its motion: all where it is stopped, little where it slides on.
"""

import numpy as np

from pliant.arrays import Array
from pliant.kernels import span, sweep
from pliant.world import Rows


class Settling:
    """Remembers how far solids pushed each of `count` rows within a stroke."""

    def __init__(self, count: int) -> None:
        self._pushed = np.zeros((count, 3))  # [m]
        self._wanted = False

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
