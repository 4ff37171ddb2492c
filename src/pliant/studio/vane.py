"""The wind as an arrow to turn: drag its ball, and the air blows that way."""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.forces import Wind
from pliant.scene import Scene
from pliant.studio.runner import Runner
from pliant.studio.view import StageView

SCALE = 0.06  # of the scene's radius: length of the arrow for 1 m/s
SHORTEST = 0.05  # of the scene's radius: a calm's ball can be taken, too
STRONGEST = 25.0  # [m/s]
COLOR = (47, 111, 200)


class Vane:
    """The arrow of a scene's first wind."""

    def __init__(self, server: Any, runner: Runner, view: StageView) -> None:
        self._runner = runner
        self._path = next((name for name, thing in runner.session.scene.named() if isinstance(thing, Wind)), None)
        self._things: list[Any] = []
        if self._path is None:
            return
        bounds, radius = view.bounds, view.bounds.radius
        self._unit = SCALE * min(radius, 2.0)
        self._foot = np.array([bounds.low[0] - 0.25 * radius, view.floor() + 0.5 * radius, bounds.high[2]])
        self._velocity = np.zeros(3)
        self._thick = 0.013 * radius
        self._arrow = server.scene.add_arrows(
            f"/vane{view.number}/arrow",
            self._segment(),
            colors=COLOR,
            shaft_radius=self._thick,
            head_radius=2.4 * self._thick,
            head_length=5.0 * self._thick,
        )
        self._ball = server.scene.add_icosphere(
            f"/vane{view.number}/ball", radius=2.6 * self._thick, color=COLOR, opacity=0.55
        )
        self._ball.on_drag(self._dragged)
        self._things = [self._arrow, self._ball]
        self.show(runner.session.scene)

    def show(self, scene: Scene) -> None:
        """Point where the wind blows."""
        if self._path is None:
            return
        wind = dict(scene.named()).get(self._path)
        if isinstance(wind, Wind) and not np.array_equal(wind.velocity, self._velocity):
            self._velocity = np.array(wind.velocity)
            self._place()
        elif self._ball.position[0] == 0.0 and self._foot[0] != 0.0:
            self._place()

    def remove(self) -> None:
        for thing in self._things:
            thing.remove()

    def _place(self) -> None:
        segment = self._segment()
        self._arrow.points = segment
        self._ball.position = tuple(float(x) for x in segment[0, 1])

    def _segment(self) -> Array:
        way = self._unit * self._velocity
        if np.linalg.norm(way) < SHORTEST * self._unit / SCALE:
            way = way + np.array([SHORTEST * self._unit / SCALE, 0.0, 0.0])
        return np.array([[self._foot, self._foot + way]], np.float32)

    async def _dragged(self, event: Any) -> None:
        way = (np.asarray(event.end_position, float) - self._foot) / self._unit
        if not np.isfinite(way).all() or self._path is None:
            return
        size = float(np.linalg.norm(way))
        velocity = way * min(1.0, STRONGEST / max(size, 1e-9)) * (size > 0.5)
        path, given = f"{self._path}.velocity", tuple(round(float(v), 2) for v in velocity)
        self._runner.put(lambda runner: runner.change(path, given))
