"""Instants to come back to: a session can leave its way and take it up again."""

from collections import deque
from typing import NamedTuple

from pliant.scene import Input, Scene
from pliant.world import Frame, State


class Bookmark(NamedTuple):
    """An instant to come back to, with the way that led there."""

    state: State
    scene: Scene
    start: Scene
    log: tuple[Input, ...]


class Branches:
    """The part of a Session that knows more than one past."""

    scene: Scene
    state: State
    log: list[Input]
    _start: Scene
    _history: deque[tuple[State, Scene]]

    @property
    def frame(self) -> Frame:
        raise NotImplementedError

    def _do(self, entry: Input) -> None:
        raise NotImplementedError

    def _become(self, scene: Scene) -> None:
        raise NotImplementedError

    def _restore(self, state: State) -> None:
        raise NotImplementedError

    def _remember(self) -> None:
        raise NotImplementedError

    def repeat(self, entry: Input) -> None:
        """Do what was done elsewhere, on the same rows."""
        self._do(entry)

    def save_state(self) -> State:
        """A copy to come back to with `load_state`."""
        return self.state.copy()

    def bookmark(self) -> Bookmark:
        """An instant and the way to it, to branch from."""
        return Bookmark(self.state.copy(), self.scene, self._start, tuple(self.log))

    def go(self, mark: Bookmark) -> Frame:
        """To a bookmark; the ring begins anew there."""
        self._become(mark.scene)
        self.log, self._start = list(mark.log), mark.start
        self._restore(mark.state)
        self._history.clear()
        self._remember()
        return self.frame

    @property
    def reach(self) -> float:
        """How far back [s] `rewind` goes."""
        return self.state.time - self._history[0][0].time
