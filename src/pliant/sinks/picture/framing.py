"""What a camera keeps in view while frames stream by: it knows a little of the future and moves only outwards, gently.

The first frames are held back until the window is full, so a clip shorter than the window has a camera that stands.
"""

from collections import deque
from collections.abc import Iterator

import numpy as np

from pliant.sinks.picture.camera import Bounds, Camera
from pliant.world import Frame

WINDOW = 90  # frames looked ahead
WINDOW_BYTES = 256 * 2**20  # of frames held back
EASE = 0.06  # share of the way to the bounds wanted that one frame goes


class Watch:
    """How far a scene's view must step back for what leaves it, frame by frame.

    What it leaves out in the first frame stays out: whoever chose the view meant it so.
    """

    def __init__(self, view: Camera | None, aspect: float) -> None:
        self._view, self._aspect = view, aspect
        self._left_out: float | None = None  # [m]

    def step(self, frame: Frame) -> float:
        """[m]; 0 for a camera that finds its own place, and for one that stays."""
        view = self._view
        if view is None or not view.roams:
            return 0.0
        lacking = max((view.lacking(part.points, self._aspect) for part in frame.values()), default=-np.inf)
        self._left_out = max(lacking, 0.0) if self._left_out is None else self._left_out
        return max(lacking - self._left_out, 0.0)


class Framing:
    """Delays frames by a window and gives each the bounds to be shown in."""

    def __init__(self, window: int = WINDOW) -> None:
        self.window = window
        self._waiting: deque[Frame] = deque()
        self._wanted = Bounds(np.full(3, np.inf), np.full(3, -np.inf))
        self._shown: Bounds | None = None

    def add(self, frame: Frame, bounds: Bounds) -> Iterator[tuple[Frame, Bounds]]:
        """The frames that are ready, each with its bounds."""
        self._wanted = self._wanted.joined(bounds)
        self._waiting.append(frame)
        while len(self._waiting) > self.window:
            yield self._next()

    def rest(self) -> Iterator[tuple[Frame, Bounds]]:
        """At the end: all that still wait."""
        while self._waiting:
            yield self._next()

    def _next(self) -> tuple[Frame, Bounds]:
        if self._shown is None or self._shown.empty:
            self._shown = self._wanted
        else:
            self._shown = self._shown.towards(self._wanted, EASE)
        return self._waiting.popleft(), self._shown


def window_for(frame: Frame) -> int:
    """How many frames of this size may be held back."""
    size = sum(part.points.nbytes + part.velocities.nbytes for part in frame.values())
    return max(1, min(WINDOW, WINDOW_BYTES // max(size, 1)))
