"""Small parts of one island do their own strokes side by side: each alone is too small to be shared among threads.

A stroke of a part reads and writes its own rows only, so the bits do not depend on who runs it or when.
"""

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from pliant.kernels import SHARE_FROM, set_thread_count, thread_count

T = TypeVar("T")

WORTH = 100  # rows of a part; below, waking another thread costs more than the stroke


def side_by_side(parts: Sequence[tuple[T, int]], stroke: Callable[[T], None]) -> None:
    """Call `stroke` with each of the things, given with their rows; those too large for this come first, one by one."""
    waiting: deque[T] = deque()
    several = len(parts) > 1 and thread_count() > 1
    for part, rows in parts:
        if several and WORTH <= rows < SHARE_FROM:
            waiting.append(part)
        else:
            stroke(part)

    def work() -> None:
        while waiting:
            try:
                part = waiting.popleft()
            except IndexError:  # the other one was faster
                return
            stroke(part)

    if len(waiting) < 2:
        work()
        return
    other = _pool(os.getpid()).submit(work)
    try:
        work()
    finally:
        other.result()


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """One for each process: threads do not live on in one that is split off."""
    return ThreadPoolExecutor(1, "pliant-crew", initializer=set_thread_count, initargs=(1,))
