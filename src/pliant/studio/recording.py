"""One recording: frames go into a queue, and a thread of its own writes them, so that the stage need not wait.

A film takes longer to paint than a cloth to move. Frames wait up to a bound of memory; beyond it the stage slows down,
for a recording leaves nothing out.
"""

import queue
import threading
from collections.abc import Callable
from pathlib import Path

from pliant.errors import PliantError
from pliant.sinks import Sink
from pliant.world import Frame

WAITING = 256 * 2**20  # [byte] of frames that may wait to be written
FEWEST, MOST = 8, 3000


class Recording(threading.Thread):
    """Opens a sink, writes what it is given, closes it: all on this thread, for pictures are bound to theirs."""

    def __init__(self, opening: Callable[[], Sink], like: Frame) -> None:
        super().__init__(name="pliant-recording", daemon=True)
        size = sum(part.points.nbytes + part.velocities.nbytes + part.triangles.nbytes // 8 for part in like.values())
        self._frames: queue.Queue[Frame | None] = queue.Queue(max(FEWEST, min(MOST, WAITING // max(size, 1))))
        self._opening = opening
        self._opened = threading.Event()
        self._target: Path | None = None
        self.error: Exception | None = None
        self.written = 0

    def begin(self) -> None:
        """Start; what cannot be opened is refused here."""
        self.start()
        self._opened.wait()
        if self.error is not None:
            raise self.error

    @property
    def waiting(self) -> int:
        """Frames that are still to be written."""
        return self._frames.qsize()

    def take(self, frame: Frame) -> None:
        """One more frame; waits only where too many wait already."""
        while self.error is None and self.is_alive():
            try:
                self._frames.put(frame, timeout=0.5)
                return
            except queue.Full:
                continue

    def finish(self, patience: float = 1800.0) -> Path:
        """Write what is left, close the file and say where it is."""
        while self.is_alive():
            try:
                self._frames.put(None, timeout=0.5)
                break
            except queue.Full:
                continue
        self.join(patience)
        if self.error is not None:
            raise self.error
        if self._target is None or self.is_alive():
            raise PliantError("the recording was not finished in time; choose a faster format")
        return self._target

    def run(self) -> None:
        sink: Sink | None = None
        try:
            sink = self._opening()
            self._opened.set()
            while (frame := self._frames.get()) is not None:
                sink.write(frame)
                self.written += 1
            sink.close()
            self._target = sink.target
        except Exception as error:  # the stage goes on, whatever a format had to say
            known = isinstance(error, PliantError | OSError)
            self.error = error if known else PliantError(f"{type(error).__name__}: {str(error)[:200]}")
            if sink is not None and self._target is None:
                sink.abandon()
        finally:
            self._opened.set()
