"""Two gather passes in one walk through memory: the second follows the first as closely as it may.

Rows are taken in blocks. What the second pass needs of a block is the first pass of every neighbour of its rows, and
once those are done nobody asks for its old rows any more, so it may write them in place. Where neighbours are near in
the order of the rows, as in any sheet, the second pass then finds everything still in the cache. Blocks are shared
among threads in chunks that depend on the number of rows alone; a block with a neighbour in another chunk waits until
all chunks are through their first pass. Each row sees the same numbers as in two whole passes: not one bit differs.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array

BLOCK = 128  # rows; the scratch of their springs fits the first-level cache
CHUNKS = 8


class Waves(NamedTuple):
    """In which order the blocks of a part are taken."""

    chunk: Array  # (CHUNKS + 1,) first block of each chunk, and one past the last
    last: Array  # (b,) the last block of whose first pass this block's second has need; at least that of those before
    late: Array  # (b,) bool, has a neighbour in another chunk


def waves_of(start: Array, other: Array, count: int) -> Waves:
    """From the adjacency of `count` rows: neighbours of row i are other[start[i] : start[i + 1]]."""
    blocks = -(-count // BLOCK)
    chunk = np.linspace(0, blocks, CHUNKS + 1).astype(np.int64)
    own = np.searchsorted(chunk, np.arange(blocks), side="right") - 1
    low, high = np.arange(blocks), np.arange(blocks)
    first = start[np.minimum(np.arange(blocks + 1) * BLOCK, count)].astype(np.int64)
    some = np.flatnonzero(np.diff(first))  # blocks of rows without any spring have no neighbours
    if len(some):
        low[some] = np.minimum(low[some], np.minimum.reduceat(other, first[some]) // BLOCK)
        high[some] = np.maximum(high[some], np.maximum.reduceat(other, first[some]) // BLOCK)
    late = (low < chunk[own]) | (high >= chunk[own + 1])
    last = np.maximum.accumulate(np.where(late, 0, high))
    return Waves(chunk, last, late)
