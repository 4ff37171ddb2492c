"""The paths of traced points: a thin tube along where each has been, up to the instant that is shown."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.geometry import solids
from pliant.sinks.picture.camera import Bounds
from pliant.sinks.picture.finish import Finish
from pliant.sinks.picture.surface import Surface, drawn
from pliant.world import Frame, World

WIDTH = 0.0035  # radius of a path, of the scene's radius
SHORT = 0.004  # [m] a piece is at least so long
COLORS = ((0.70, 0.03, 0.03), (0.03, 0.22, 0.75), (0.05, 0.42, 0.08), (0.85, 0.50, 0.02))  # linear RGB, in turn


class _Place(NamedTuple):
    time: float  # [s]
    at: Array  # (3,) [m]


class Trails:
    """Sees every frame, in order; draws as much of each path as a frame's time allows."""

    def __init__(self, world: World) -> None:
        self._paths: dict[tuple[str, int], list[_Place]] = {
            (name, int(row)): [] for name, part in world.parts.items() for row in part.extra.get("traced", ())
        }

    def see(self, frame: Frame) -> None:
        """Remember where the traced points are, if they have moved on."""
        for (name, row), path in self._paths.items():
            if name not in frame or row >= len(frame[name].points):
                continue
            at = frame[name].points[row].astype(float)
            if np.isfinite(at).all() and (not path or np.linalg.norm(at - path[-1].at) > SHORT):
                path.append(_Place(frame.time, at))

    def bounds(self, time: float) -> Bounds:
        """Of all paths up to a time."""
        places = [place.at for path in self._paths.values() for place in path if place.time <= time]
        return Bounds.of(np.array(places).reshape(-1, 3))

    def surfaces(self, frame: Frame, radius: float) -> list[Surface]:
        """One tube for each path that has begun."""
        shown = []
        for k, ((name, row), path) in enumerate(self._paths.items()):
            places = np.array([place.at for place in path if place.time <= frame.time])
            if len(places) > 1:
                color = COLORS[k % len(COLORS)]
                tube = solids.tubes(places[:-1], places[1:], WIDTH * radius)
                shown.append(drawn(f"{name} path {row}", tube, Finish(color, color), still=False))
        return shown
