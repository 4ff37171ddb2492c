"""Points that move as a recording says: what obstacles and held points follow."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from pliant.arrays import Array, frozen
from pliant.description import Description, quantity
from pliant.errors import SceneError


class PointTrack(Description):
    """Positions of some points, sampled evenly in time. Between two samples they go straight; they rest at both ends.

    Called with a time it gives the points then, so it serves as `MeshCollider(deform=…)`.
    """

    fps: float = quantity(30.0, unit="1/s", above=0.0, high=1e5, help="Samples per second")
    start: float = quantity(0.0, unit="s", low=-1e6, high=1e6, help="Time of the first sample")
    positions: Any = quantity(unit="m", help="(f, n, 3) where each point is")

    def model_post_init(self, context: Any) -> None:
        positions = np.array(self.positions, float)
        if positions.ndim != 3 or positions.shape[2] != 3 or not positions.size:
            raise SceneError(f"PointTrack.positions: shape is {positions.shape}; expected (frames, points, 3)")
        bad = np.flatnonzero(~np.isfinite(positions).all(axis=(1, 2)))
        if bad.size:
            raise SceneError(f"PointTrack.positions: frame {bad[0]} is not finite; every position must be numbers")
        object.__setattr__(self, "positions", frozen(positions))

    def __call__(self, time: float) -> Array:
        """(n, 3) [m] at a time [s]."""
        last = len(self.positions) - 1
        place = float(np.clip((time - self.start) * self.fps, 0.0, last))
        k = min(int(place), max(last - 1, 0))
        before, after = self.positions[k], self.positions[min(k + 1, last)]
        return np.asarray(before + (place - k) * (after - before))

    @property
    def seconds(self) -> float:
        return (len(self.positions) - 1) / self.fps

    @classmethod
    def of(cls, frames: Iterable[Any], part: str | None = None, *, rows: Any = None, fps: float | None = None) -> Self:
        """The points of one part of a clip; `rows` takes some of them. The first frame is where the run begins.

        Args:
            frames: A recording, or frames you have.
            part: Its part; none: the only one there is.
            rows: Indices of its points; none: all.
            fps: Frames per second, where the clip does not say.
        """
        chosen, times = [], []
        for frame in frames:
            if part is None and len(frame) != 1:
                raise SceneError(f"PointTrack: the clip has the parts {', '.join(frame)}; say which one")
            points = frame[part if part is not None else next(iter(frame))].points
            chosen.append(points if rows is None else points[np.asarray(rows)])
            times.append(frame.time)
        if not chosen:
            raise SceneError("PointTrack: the clip has no frames")
        if len({len(points) for points in chosen}) > 1:
            raise SceneError("PointTrack: the number of points changes within the clip; a track keeps its points")
        rate = fps or getattr(frames, "fps", None)
        if rate is None:
            rate = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 and times[-1] > times[0] else 30.0
        return cls(fps=float(rate), positions=np.stack(chosen))
