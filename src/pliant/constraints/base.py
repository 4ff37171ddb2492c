"""The Constraint extension point: describe, bind, run.

A Constraint holds something by moving positions. `bind` returns a BoundConstraint, which owns colours and multipliers
for one part. `when` says how often it is projected: in every round of a substep, or once at the end of a frame.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, Self

from pliant.arrays import Array
from pliant.description import Description
from pliant.world import Part, Rows, World


class Constraint(Description, ABC):
    """Something that holds."""

    @abstractmethod
    def bind(self, world: World, part: Part) -> "BoundConstraint": ...

    @classmethod
    def example(cls) -> Self:
        """An instance with telling values, for the conformance tests."""
        return cls()


class BoundConstraint(ABC):
    """A constraint and one part."""

    when: ClassVar[Literal["substep", "frame"]] = "substep"

    def begin(self, rows: Rows, h: float) -> None:
        """Reset the multipliers; called once per substep, before the first `project`."""

    @abstractmethod
    def project(self, rows: Rows, previous: Array, h: float) -> None:
        """One sweep: move positions towards the constraint, h [s]. Allocates nothing, leaves held rows alone.

        `previous` (n, 3) are the positions at the start of the substep (of the frame, for `when = "frame"`).
        """

    def broken(self, rows: Rows) -> bool:
        """Whether it is worth another sweep after contact, for `when = "frame"`."""
        return True

    def exceeded(self, rows: Rows, *, moved: bool) -> bool:
        """Whether something is beyond what it allows, for `when = "frame"`: then it has the last word.

        `moved`: something may have moved the rows since `project`.
        """
        return False

    def refresh(self) -> None:
        """Take over columns of the part's tables that a live edit changed."""
