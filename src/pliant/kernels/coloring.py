"""Greedy coloring: rows of one color share no particle, so a sweep over them has no races."""

import numpy as np

from pliant.arrays import Array, Index
from pliant.kernels.jit import kernel


def color_offsets(rows: Array, particle_count: int) -> tuple[Array, Array]:
    """Return (order, offsets): rows[order[offsets[c]:offsets[c + 1]]] is color c. At most 64 colors."""
    if len(rows) == 0:
        return np.empty(0, np.int64), np.zeros(1, np.int64)
    color = np.empty(len(rows), np.int64)
    _color(np.ascontiguousarray(rows, Index), np.zeros(particle_count, np.uint64), color)
    order = np.argsort(color, kind="stable")
    return order, np.searchsorted(color[order], np.arange(color.max() + 2))


@kernel
def _color(rows, busy, color):
    one = np.uint64(1)
    for s in range(rows.shape[0]):
        taken = np.uint64(0)
        for k in range(rows.shape[1]):
            taken |= busy[rows[s, k]]
        c = 0
        while (taken >> np.uint64(c)) & one:
            c += 1
        color[s] = c
        for k in range(rows.shape[1]):
            busy[rows[s, k]] |= one << np.uint64(c)
