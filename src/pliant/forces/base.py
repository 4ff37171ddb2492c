"""The Force extension point: describe, bind, run.

A Force is a frozen description in SI units; one instance may serve many worlds and parts. `bind` returns a BoundForce,
which owns the columns and the scratch memory for one part. To add one: a file in this room, and its name in the
room's `__init__`. The conformance tests find it there.
"""

from abc import ABC, abstractmethod
from typing import Self

from pliant.arrays import Array
from pliant.description import Description
from pliant.world import Part, Rows, World


class Force(Description, ABC):
    """Something that pushes."""

    @abstractmethod
    def bind(self, world: World, part: Part) -> "BoundForce": ...

    @classmethod
    def example(cls) -> Self:
        """An instance with telling values, for the conformance tests."""
        return cls()


class BoundForce(ABC):
    """A force and one part."""

    def begin_frame(self, rows: Rows, time: float, frame_step: float) -> None:
        """Called once per frame, before its first substep: what changes slowly is looked up here."""

    def begin(self, time: float, h: float) -> None:
        """Called once per substep, before `add`: the substep goes from `time` to `time + h` [s]."""

    @abstractmethod
    def add(self, rows: Rows, force: Array, h: float) -> None:
        """Add this force [N] to `force` (n, 3); h [s] bounds a force that must not overshoot in one step."""

    def add_stiffness_product(self, rows: Rows, displacement: Array, product: Array) -> None:
        """Add K @ displacement [N], K = -d(force)/d(position). Zero unless overridden."""

    def stiffness_bound(self, rows: Rows) -> Array | float:
        """(n,) upper bound of each particle's own stiffness [N/m]; 0 where none. Sets the stable step."""
        return 0.0

    def damping_time(self) -> float:
        """Largest ratio of damping to stiffness [s]; it shortens the stable step of explicit methods."""
        return 0.0

    def energy(self, rows: Rows) -> float | None:
        """Potential energy [J], or None where there is none. Tests compare -d(energy)/dx with `add`."""
        return None

    def refresh(self) -> None:
        """Take over columns of the part's tables that a live edit changed."""
