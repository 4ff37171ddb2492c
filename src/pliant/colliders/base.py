"""The Collider extension point: describe, bind, run."""

from abc import ABC, abstractmethod
from typing import Self

from pliant.arrays import Array
from pliant.description import Description
from pliant.world import Part, Rows, World


class Collider(Description, ABC):
    """Something in the way."""

    @abstractmethod
    def bind(self, world: World, part: Part) -> "BoundCollider": ...

    @classmethod
    def example(cls) -> Self:
        """An instance with telling values, for the conformance tests."""
        return cls()


class BoundCollider(ABC):
    """A collider and one part."""

    def begin_frame(self, rows: Rows, time: float, frame_step: float) -> None:
        """Called once per frame, before its first substep."""

    def begin(self, time: float, h: float) -> None:
        """Called once per substep: a collider that moves goes to where it is at `time + h` [s]."""

    @abstractmethod
    def resolve(self, rows: Rows, previous: Array, h: float) -> None:
        """Move penetrating rows to the surface; `previous` (n, 3), positions at the start of the substep, give the
        sliding that friction acts on. Leaves held rows alone."""
