"""Compressed rows: for each particle the springs that end there, in the order of the other end."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index, frozen


class Adjacency(NamedTuple):
    """Slots start[i] .. start[i + 1] belong to particle i."""

    start: Array  # (n + 1,) first slot of each particle
    other: Array  # (2 s,) the particle at the far end
    row: Array  # (2 s,) the row of the table


def adjacency(ends: Array, particle_count: int) -> Adjacency:
    """Each pair is seen from both of its ends, so that a particle gathers and never scatters."""
    i, j = ends[:, 0].astype(np.int64), ends[:, 1].astype(np.int64)
    near, far = np.concatenate([i, j]), np.concatenate([j, i])
    row = np.tile(np.arange(len(ends)), 2)
    order = np.lexsort((far, near))
    start = np.searchsorted(near[order], np.arange(particle_count + 1))
    return Adjacency(frozen(start.astype(Index)), frozen(far[order].astype(Index)), frozen(row[order].astype(Index)))
