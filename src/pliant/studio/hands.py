"""Mouse drags of several people as hands on the stage.

The page says where a drag began and where it leads; which part's which point that is, is found here. Every client has
its own hands; what a client held is dropped when it goes away.
"""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.studio.runner import Runner

PATCH = 0.06  # of the part's size: how large a patch of a soft part a hand takes


class Hands:
    """The hands of all clients on one runner."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._held: dict[tuple[int, str], int] = {}  # (client, part) -> handle; used on the runner's thread alone

    def drag(self, client: int, part: str, phase: str, start: Any, end: Any) -> None:
        """One event of a drag, from any thread."""
        where, target = np.asarray(start, float), np.asarray(end, float)
        if not (np.isfinite(where).all() and np.isfinite(target).all()):
            return
        actions = {"start": self._start, "update": self._update, "end": self._end}
        self._runner.put(lambda runner: actions[phase]((client, part), where, target))

    def leave(self, client: int) -> None:
        """A client is gone: whatever it held flies on."""
        self._runner.put(lambda runner: self._release(client))

    @property
    def count(self) -> int:
        return len(self._held)

    def _start(self, key: tuple[int, str], where: Array, target: Array) -> None:
        self._end(key, where, target)
        self._held[key] = self._runner.grab(key[1], where, radius=self._patch(key[1]))
        self._runner.aim(self._held[key], target)

    def _update(self, key: tuple[int, str], where: Array, target: Array) -> None:
        if key in self._held:
            self._runner.aim(self._held[key], target)

    def _end(self, key: tuple[int, str], where: Array, target: Array) -> None:
        if key in self._held:
            self._runner.drop(self._held.pop(key))

    def _release(self, client: int) -> None:
        for key in [key for key in self._held if key[0] == client]:
            self._runner.drop(self._held.pop(key))

    def _patch(self, part: str) -> float:
        rest = self._runner.session.stage.world.part(part).rest_position
        return PATCH * float(np.ptp(rest, axis=0).max())
