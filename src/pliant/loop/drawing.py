"""Filters finish one frame while the stage steps the next: on two cores a dressed figure costs little time of its own.

A filter knows nothing but the frame it is given, so nothing is shared, and the bits are those of one after the other.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import perf_counter
from typing import NamedTuple

from pliant.errors import PliantError
from pliant.kernels import maximum_thread_count
from pliant.loop.frames import picture, through
from pliant.loop.stage import Stage
from pliant.loop.threads import set_threads
from pliant.world import Frame, State


class Bare(NamedTuple):
    """An instant as the stage left it, before its filters."""

    frame: Frame
    stage: Stage

    @classmethod
    def of(cls, stage: Stage, state: State) -> "Bare":
        return cls(picture(stage.world, state), stage)

    def finished(self) -> Frame:
        """What the filters make of it; the stage is told how long they took."""
        began = perf_counter()
        frame = through(self.stage.filters, self.frame)
        self.stage.drawing = perf_counter() - began
        return frame


class Drawing:
    """A thread that finishes frames, one at a time."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "pliant-drawing", initializer=set_threads, initargs=(1,))

    def begin(self, bare: Bare) -> Future[Frame]:
        return self._pool.submit(bare.finished)

    def close(self) -> None:
        self._pool.shutdown()


def may_draw_beside(threads: int | None) -> bool:
    """Whether there is a thread to spare."""
    return maximum_thread_count() > 1 and (threads is None or threads > 1)


def drawn(step: Callable[[], Bare], count: int | None, *, beside: bool) -> Iterator[Frame]:
    """`count` frames of `step`, for ever if None; with `beside` each is finished while the next is stepped."""
    bare = step()
    if not (beside and bare.stage.filters):
        yield bare.finished()
        while count is None or bare.frame.index < count:
            bare = step()
            yield bare.finished()
        return
    drawing = Drawing()
    try:
        while True:
            frame, fault = drawing.begin(bare), None
            more = count is None or bare.frame.index < count
            if more:
                try:
                    bare = step()
                except PliantError as error:  # the frame before it was well, and is shown first
                    fault = error
            yield frame.result()
            if fault is not None:
                raise fault
            if not more:
                return
    finally:
        drawing.close()
