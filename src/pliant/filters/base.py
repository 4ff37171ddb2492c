"""The Filter extension point: describe, bind, run.

A Filter takes a frame and gives a frame: the same answer for the same frame, whatever came before. So it works on a
running scene, on a recording and inside an exporter. A part that a filter makes has no rows in State.
"""

from abc import ABC, abstractmethod
from typing import Self

from pliant.description import Description
from pliant.world import Frame, World


class Filter(Description, ABC):
    """Something that changes or adds what a frame shows."""

    @abstractmethod
    def bind(self, world: World) -> "BoundFilter": ...

    @classmethod
    def example(cls) -> Self:
        """An instance with telling values, for the conformance tests."""
        return cls()


class BoundFilter(ABC):
    """A filter and one world; owns its scratch memory."""

    @abstractmethod
    def apply(self, frame: Frame) -> Frame:
        """A new frame; the given one, its parts and their arrays stay untouched."""
