"""The Sink extension point: a context manager with one verb. A sink writes beside its target and renames when whole."""

import inspect
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Self

from pliant.errors import UnstableError
from pliant.world import Frame, World


class Sink(ABC):
    """Receives frames, one by one, and never keeps them all."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str] = ""  # one line for `pliant list formats`
    keywords: ClassVar[tuple[str, ...]] = ()  # keywords it reads beside those of its own signature

    def __init__(self, target: str | Path, world: World, *, fps: float = 60.0, **options: Any) -> None:
        self.target = Path(target)
        self.world = world
        self.fps = fps

    @abstractmethod
    def write(self, frame: Frame) -> None: ...

    @classmethod
    def takes(cls) -> frozenset[str]:
        """Names of the keywords this sink understands."""
        named = inspect.signature(cls).parameters.values()
        return frozenset(cls.keywords) | {p.name for p in named if p.kind is p.KEYWORD_ONLY}

    def close(self) -> None:
        """Finish the file and give it its name. Called once, after the last frame."""

    def abandon(self) -> None:
        """After an error: keep what is whole, remove what is not."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or issubclass(kind, UnstableError):  # the frames before a run diverged are whole
            try:
                self.close()
            except BaseException:  # a disk may be full at the very end, too
                self.abandon()
                raise
        else:
            self.abandon()
