"""Garment points out of the body: rounds of pushes along the shortest way, each spread over the neighbourhood."""

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.beneath import Answer, Beneath
from pliant.filters.draping.smooth import Smoother
from pliant.kernels import kernel

ROUNDS = 3
ROOM = 1e-6  # [m] more than asked for, so that rounding leaves no point short


def ask(x: Array, beneath: list[Beneath], answer: Answer, exact: float, hints: list[Array]) -> None:
    """Distances from the nearest of several surfaces."""
    answer.clear()
    for surface, hint in zip(beneath, hints, strict=True):
        surface.ask(x, answer, hint, exact)


@kernel
def need(distance, outward, gap, out):
    """out = max(gap - d, 0) n; the largest of them."""
    most = 0.0
    for i in range(len(distance)):
        short = max(gap - distance[i], 0.0)
        most = max(most, short)
        for k in range(3):
            out[i, k] = short * outward[i, k]
    return most


@kernel
def spread(x, wanted, smooth, distance, outward, gap):
    """Move by the smoothed push, and by at least six tenths of what it leaves undone."""
    for i in range(len(x)):
        along = 0.0
        for k in range(3):
            along += smooth[i, k] * outward[i, k]
        rest = 0.6 * max(max(gap - distance[i], 0.0) - max(along, 0.0), 0.0)
        for k in range(3):
            x[i, k] += smooth[i, k] + rest * outward[i, k]


def correct(
    x: Array, beneath: list[Beneath], answer: Answer, hints: list[Array], smoother: Smoother, gap: float, exact: float
) -> None:
    """Push in place to at least `gap`; leaves the distances of the result in `answer`."""
    wanted = np.empty_like(x)
    for turn in range(ROUNDS):
        ask(x, beneath, answer, exact, hints)
        if need(answer.distance, answer.outward, gap, wanted) <= ROOM:
            return
        if turn < ROUNDS - 1:
            spread(x, wanted, smoother(wanted), answer.distance, answer.outward, gap)
        else:
            need(answer.distance, answer.outward, gap + ROOM, wanted)
            x += wanted
    ask(x, beneath, answer, exact, hints)
