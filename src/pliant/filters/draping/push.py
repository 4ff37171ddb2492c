"""Garment points out of the body: rounds of pushes along the shortest way, each spread over the neighbourhood."""

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.beneath import Answer, Beneath
from pliant.filters.draping.smooth import Smoother
from pliant.kernels import kernel

ROUNDS = 3
STILL = 3e-5  # [m] a smoothed push below this is none
ROOM = 1e-6  # [m] more than asked for, so that rounding leaves no point short


def ask(x: Array, beneath: list[Beneath], answer: Answer, exact: float, hints: list[Array]) -> None:
    """Distances of the points that moved from the nearest of several surfaces."""
    answer.forget()
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
def spread(x, smooth, answer, gap, share):
    """Move by the smoothed push, and by a share of what it leaves undone; a point that hardly moves stays."""
    distance, outward, stale = answer.distance, answer.outward, answer.stale
    for i in range(len(x)):
        along, size = 0.0, 0.0
        for k in range(3):
            along += smooth[i, k] * outward[i, k]
        rest = share * max(max(gap - distance[i], 0.0) - max(along, 0.0), 0.0)
        for k in range(3):
            size += (smooth[i, k] + rest * outward[i, k]) ** 2
        stale[i] = size > STILL**2
        if stale[i]:
            for k in range(3):
                x[i, k] += smooth[i, k] + rest * outward[i, k]


def correct(
    x: Array, beneath: list[Beneath], answer: Answer, hints: list[Array], smoother: Smoother, gap: float, exact: float
) -> None:
    """Push in place to at least `gap`; leaves the distances of the result in `answer`."""
    wanted = np.empty_like(x)
    answer.clear()
    for turn in range(ROUNDS):
        ask(x, beneath, answer, exact, hints)
        if need(answer.distance, answer.outward, gap, wanted) <= ROOM:
            return
        if turn < ROUNDS - 1:
            spread(x, smoother(wanted), answer, gap, 0.6)
        else:
            wanted[:] = 0.0
            spread(x, wanted, answer, gap + ROOM, 1.0)
    ask(x, beneath, answer, exact, hints)
