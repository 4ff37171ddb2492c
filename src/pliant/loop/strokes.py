"""What a brush does to a running session: hold, push, pinch, cut."""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.loop import brushes
from pliant.loop.stage import Stage
from pliant.scene import Cloth, Input, Scene, get_path
from pliant.world import State, rows_of


class Strokes:
    """The part of a Session that a brush uses; every stroke is logged and repeats bit for bit."""

    scene: Scene
    stage: Stage
    state: State

    def _do(self, entry: Input) -> None:
        raise NotImplementedError

    def pin(self, part: str, points: Any, *, held: bool = True) -> None:
        raise NotImplementedError

    def set(self, path: str, value: Any) -> None:
        raise NotImplementedError

    def freeze(self, part: str, center: Any, *, radius: float, held: bool = True) -> int:
        """Hold every point within `radius` [m] of a place where it is, or free it; says how many."""
        near, _ = self._patch(part, center, radius)
        now = rows_of(self.state, self.stage.world.part(part)).inverse_mass[near]
        near = near[now > 0.0] if held else near[now == 0.0]
        if len(near):
            self.pin(part, [int(row) for row in near], held=held)
        return len(near)

    def push(self, part: str, center: Any, velocity: Any, *, radius: float) -> None:
        """Give the points around a place a velocity [m/s] more, fading towards the rim of the brush."""
        near, share = self._patch(part, center, radius)
        stroke = place_of(velocity, "push: velocity")
        if len(near):
            self._do(Input(verb="push", part=part, rows=near, shares=share, to=stroke, frame=self.state.frame))

    def pinch(self, part: str, center: Any, *, radius: float, speed: float = 1.0) -> None:
        """Draw the points around a place together; a negative speed [m/s] spreads them."""
        near, share = self._patch(part, center, radius)
        if len(near):
            to = place_of(center, "pinch: center")
            entry = Input(verb="pinch", part=part, rows=near, shares=speed * share, to=to, frame=self.state.frame)
            self._do(entry)

    def cut(self, part: str, triangles: Any) -> None:
        """Take triangles out of a cloth, with the threads that only they hold; what hangs on nothing falls."""
        if not isinstance(self.scene.parts.get(part), Cloth):
            raise SceneError(f"cut: part {part!r} is no cloth; cloth and ties can be cut")
        gone = {*get_path(self.scene, f"{part}.cuts"), *(int(t) for t in triangles)}
        self.set(f"{part}.cuts", sorted(gone))

    def cut_ties(self, numbers: Any) -> None:
        """Cut ties, by their rows in the world's table."""
        ties = self.stage.world.ties
        count = 0 if ties is None else len(ties.length)
        rows = tuple(int(n) for n in numbers)
        if any(not 0 <= row < count for row in rows):
            raise SceneError(f"cut_ties: {rows}; this scene has {count} ties, counted from 0")
        self._do(Input(frame=self.state.frame, verb="cut", rows=rows))

    def _do_push(self, entry: Input) -> None:
        rows = rows_of(self.state, self.stage.world.part(entry.part))
        brushes.push(rows, np.array(entry.rows), np.array(entry.shares), np.array(entry.to))

    def _do_pinch(self, entry: Input) -> None:
        rows = rows_of(self.state, self.stage.world.part(entry.part))
        brushes.pinch(rows, np.array(entry.rows), np.array(entry.shares), np.array(entry.to), 1.0)

    def _do_cut(self, entry: Input) -> None:
        ties = self.stage.world.ties
        if ties is not None:
            self.state.memory.setdefault("ties", np.zeros(len(ties.length)))[list(entry.rows)] = 1.0

    def _patch(self, part: str, center: Any, radius: float) -> tuple[Array, Array]:
        described = self.stage.world.part(part)
        if not 0.0 < radius < 1e3:
            raise SceneError(f"radius = {radius}; must be above 0 [m]")
        return brushes.patch(described, rows_of(self.state, described), place_of(center, "center"), radius)


def place_of(value: Any, what: str, also: str = "") -> tuple[float, float, float]:
    try:
        place = np.asarray(value, float)
    except (TypeError, ValueError):
        place = np.empty(0)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise SceneError(f"{what} is {value}; expected{also} three finite numbers")
    return float(place[0]), float(place[1]), float(place[2])
