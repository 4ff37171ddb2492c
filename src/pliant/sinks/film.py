"""What mp4 and gif share: frames at a rate of their own, painted in order, by a camera that looks ahead."""

from abc import abstractmethod
from pathlib import Path
from typing import Any

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside
from pliant.sinks.picture import Options, Painter
from pliant.sinks.picture.framing import Framing, window_for
from pliant.world import Frame, Look, World

EARLY = 1e-6  # [s] a frame this much before its time is on time


def as_rate(value: Any, *, high: float) -> float:
    """Pictures per second."""
    try:
        rate = float(value)
    except (TypeError, ValueError):
        raise FormatError(f"rate = {value!r}; expected pictures per second") from None
    if not 0.5 <= rate <= high:
        raise FormatError(f"rate = {rate:g}; must be 0.5 to {high:g} pictures per second")
    return rate


class Film(Sink):
    """Chooses frames by their time, paints them and passes them on; the file appears when the last one is in."""

    keywords = ("size", "rate", "theme", "wire", "renderer", "view")
    usual_size = (1280, 720)
    usual_rate = 60.0
    fastest = 240.0
    dither = 1.0

    def __init__(self, target: str | Path, world: World, *, fps: float = 60.0, **options: Any) -> None:
        super().__init__(target, world, fps=fps)
        self.rate = min(fps, as_rate(options.get("rate", self.usual_rate), high=self.fastest))
        self.options = Options.of(options, size=self.usual_size, also=("rate",))
        self.looks: list[Look] = []  # of everything in the first frame, what filters add too
        self._framing = Framing()
        self._painter: Painter | None = None
        self._next_time: float | None = None
        self._count = 0
        self._file = Beside(self.target)

    @abstractmethod
    def _add(self, picture: Array) -> None:
        """One more picture, (h, w, 3) uint8."""

    @abstractmethod
    def _finish(self) -> None:
        """After the last picture, before the file gets its name."""

    def _drop(self) -> None:
        """Let go of whatever writes, after an error."""

    def write(self, frame: Frame) -> None:
        if self._next_time is not None and frame.time < self._next_time - EARLY:
            return
        self._next_time = (frame.time if self._next_time is None else self._next_time) + 1.0 / self.rate
        try:
            if self._painter is None:
                self._painter = Painter(self.world, self.options, dither=self.dither)
                self._framing.window = window_for(frame)
                self.looks = [part.look for part in frame.values()]
            self._painter.trails.see(frame)
            for ready, bounds in self._framing.add(frame, self._painter.bounds(frame)):
                self._put(self._painter.paint(ready, bounds))
        except BaseException:
            self.abandon()
            raise

    def close(self) -> None:
        try:
            if self._painter is None:
                raise FormatError(f"{self.target}: no frame arrived; a film needs at least one")
            for ready, bounds in self._framing.rest():
                self._put(self._painter.paint(ready, bounds))
            self._finish()
            self._painter.close()
        except BaseException:
            self.abandon()
            raise
        self._file.keep()

    def abandon(self) -> None:
        self._drop()
        self._file.discard()
        if self._painter is not None:
            self._painter.close()
            self._painter = None

    def _put(self, picture: Array) -> None:
        self._add(picture)
        self._count += 1
