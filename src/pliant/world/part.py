"""What follows from one description: constant arrays, made once by `build`."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import UnsupportedError
from pliant.world.state import POCKET
from pliant.world.tables import Table


@dataclass(frozen=True, slots=True)
class Look:
    """How a part wants to be drawn."""

    color: tuple[float, float, float] = (0.8, 0.3, 0.25)  # linear RGB of the front
    back: tuple[float, float, float] | None = None  # of the back; None: a darker front
    pattern: str = "plain"  # plain, weave, stripes, check, foil


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a world. Indices inside it are local: row 0 is the part's first row."""

    name: str
    kind: str  # the description's class, lower case: cloth, ribbon, balloon, puppet
    rows: slice  # in State.position; bodies come first where a part has both
    bodies: slice  # in State.rotation_xyzw and State.spin
    gases: slice  # in State.moles
    rest_position: Array  # (n, 3) [m]
    mass: Array  # (n,) [kg], of held rows too
    held: Array  # rows held from the start
    triangles: Array  # (m, 3) uint32, the surface for air, contact and pictures
    tables: tuple[Table, ...]
    thickness: float  # [m] distance kept from everything else
    friction: float  # [-] of the surface; a contact uses the geometric mean of both sides
    integrator: Any  # the Integrator description that moves it
    rest_rotation_xyzw: Array = field(default_factory=lambda: np.empty((0, 4)))
    inertia: Array = field(default_factory=lambda: np.empty((0, 3)))  # (b, 3) [kg m^2], principal, body axes
    moles: Array = field(default_factory=lambda: np.empty(0))  # (g,) [mol] at the start
    pocket: Array = field(default_factory=lambda: np.empty((0, POCKET)))  # (g, POCKET) at the start
    uv: Array | None = None  # (n, 2)
    motion: Any = None  # the Motion description that carries the held rows; None: they stay
    look: Look = field(default_factory=Look)
    extra: dict[str, Any] = field(default_factory=dict)  # what only this kind of part has

    def table(self, kind: type[Any]) -> Any:
        """The part's table of one kind, or an error that says which it has."""
        for table in self.tables:
            if type(table) is kind:
                return table
        has = ", ".join(type(table).__name__ for table in self.tables) or "none"
        raise UnsupportedError(f"part {self.name!r} has no table {kind.__name__} (has: {has})")

    def has(self, kind: type[Any]) -> bool:
        return any(type(table) is kind for table in self.tables)
