"""Fewer frames within a bound: the key frames of a point sequence that is to be played back linearly between them.

A frame is left out when every frame since the last key lies within `error` of the straight line from that key to the
newest frame (an opening-window reduction: Keogh et al. 2001, "An online algorithm for segmenting time series"); an
error of 0 keeps every frame. At most `WINDOW` frames wait for their verdict, so memory does not grow with the clip.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array

WINDOW = 32


class Key(NamedTuple):
    """A frame worth keeping."""

    time: float  # [s]
    points: Array  # (n, 3) float32
    normals: Array  # (n, 3) float32


class KeyFrames:
    """Feed frames in, keys come out; `last` gives what still waits at the end."""

    def __init__(self, error: float) -> None:
        self._error = error
        self._start: Key | None = None
        self._waiting: list[Key] = []

    def add(self, key: Key) -> Key | None:
        """The key that becomes certain by this frame, if any."""
        if self._start is None:
            self._start = key
            return key
        if self._waiting and (self._error <= 0.0 or len(self._waiting) >= WINDOW or not self._straight_to(key)):
            self._start = self._waiting[-1]
            self._waiting = [key]
            return self._start
        self._waiting.append(key)
        return None

    def last(self) -> Key | None:
        return self._waiting[-1] if self._waiting else None

    def _straight_to(self, key: Key) -> bool:
        first = self._start
        assert first is not None
        span = key.points - first.points
        for waiting in self._waiting:
            part = np.float32((waiting.time - first.time) / (key.time - first.time))
            if np.abs(waiting.points - (first.points + part * span)).max() > self._error:
                return False
        return True
