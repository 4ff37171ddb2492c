"""The Integrator extension point: the update stroke.

An Integrator is a frozen set of numbers. `bind` turns it into a Stepper, which owns all scratch memory for one part.
`Stepper.advance` moves the part's own rows by h under its own dynamics, without looking at what holds it. A
position-family method also brings the constraints that its part's tables mean to it; the loop projects them in adjust.

Rows with inverse mass 0 are held: their velocity belongs to whoever holds them. Every method moves them by h v and
changes nothing else of them.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import numpy as np

from pliant import constraints, forces
from pliant.arrays import Array
from pliant.constraints import BoundConstraint
from pliant.description import Description
from pliant.errors import UnsupportedError
from pliant.world import Part, Rows, World


class Stepper(ABC):
    """An integrator and one part."""

    constraints: tuple[BoundConstraint, ...] = ()
    memory: Mapping[str, Array] = MappingProxyType({})  # what the method remembers from step to step, besides rows
    pulls: Any = None  # hands and strings on single points, where the method knows them (articulated.holding.PullTable)
    beats: int = 1  # small steps that the last `advance` took within its h
    meets_obstacles: bool = False  # True: it keeps its part out of the scene's colliders itself

    def begin(self, rows: Rows, time: float, h: float) -> None:
        """Called once per substep, before the fields: the substep goes from `time` to `time + h` [s]."""

    @abstractmethod
    def advance(self, rows: Rows, force: Array, h: float) -> None:
        """Move the rows by h [s] under the external `force` (n, 3) [N] and the part's own tables."""

    def finish(self, rows: Rows, predicted: Array, h: float) -> None:
        """Called once per substep, after velocities took over what adjust did since `predicted` (n, 3)."""

    def substeps(self, rows: Rows, frame_step: float) -> int:
        """How many substeps one frame needs by the method's own rule."""
        return 1

    def stable_step(self, rows: Rows) -> float:
        """The longest step [s] that stays stable; an explicit method has one."""
        return math.inf

    def refresh(self) -> None:
        """Take over masses and columns that a live edit changed."""
        for constraint in self.constraints:
            constraint.refresh()


class Integrator(Description, ABC):
    """One method, named as its paper names it."""

    name: ClassVar[str]
    family: ClassVar[Literal["force", "position", "articulated"]]
    order: ClassVar[int | None] = 1  # of accuracy in h; None: what it converges to depends on the step
    elastic: ClassVar[bool] = True  # comes to rest where the energy of its material is least

    @abstractmethod
    def bind(self, world: World, part: Part) -> Stepper: ...

    @classmethod
    def example(cls) -> Self:
        return cls()


def bound_table_forces(
    world: World, part: Part, *, by: Integrator, besides: type[Any] | None = None
) -> tuple[forces.BoundForce, ...]:
    """The force-family counterpart of every table of the part; `besides` is the table a method reads by itself."""
    return tuple(
        _counterpart(forces.FOR_TABLE, table, "forces", by)().bind(world, part)
        for table in part.tables
        if besides is None or type(table) is not besides
    )


def bound_table_constraints(
    world: World, part: Part, *, by: Integrator, instead: dict[type, constraints.Constraint] | None = None
) -> tuple[BoundConstraint, ...]:
    """The position-family counterpart of every table of the part; `instead` replaces that of some tables."""
    own = instead or {}
    return tuple(
        (
            own[type(table)] if type(table) in own else _counterpart(constraints.FOR_TABLE, table, "constraints", by)()
        ).bind(world, part)
        for table in part.tables
    )


def _counterpart(for_table: dict[Any, Any], table: object, room: str, by: Integrator) -> Any:
    if type(table) not in for_table:
        known = ", ".join(sorted(kind.__name__ for kind in for_table))
        raise UnsupportedError(
            f"{by.name}: pliant.{room} has nothing for the table {type(table).__name__} (has: {known}); "
            f"choose an integrator of the other family"
        )
    return for_table[type(table)]


def longest_stable_step(rows: Rows, parts: tuple[forces.BoundForce, ...]) -> float:
    """Step [s] below which semi-implicit Euler is stable, with omega bounded by Gershgorin on M^-1 K.

    A mode of frequency omega and stiffness-proportional damping beta needs omega^2 h^2 + 2 beta h omega^2 <= 4.
    """
    stiffness = sum(part.stiffness_bound(rows) for part in parts)
    square = 2.0 * float(np.max(stiffness * rows.inverse_mass, initial=0.0))
    beta = max((part.damping_time() for part in parts), default=0.0)
    return math.inf if square == 0.0 else math.sqrt(beta * beta + 4.0 / square) - beta
