"""Semi-implicit Euler: v' = v + h F(x, v) / m;  x' = x + h v'.  First order, symplectic, explicit.

Stable while h times the fastest frequency stays below 2 (spec of seed 000, section 4).
"""

from typing import ClassVar, Literal

from pliant.arrays import Array
from pliant.forces import BoundForce
from pliant.integrators.base import Integrator, Stepper, bound_table_forces, longest_stable_step
from pliant.integrators.moving import kick_and_drift
from pliant.world import Part, Rows, World


class Symplectic(Integrator):
    """Semi-implicit (symplectic) Euler."""

    name: ClassVar[str] = "symplectic"
    family: ClassVar[Literal["force"]] = "force"

    def bind(self, world: World, part: Part) -> Stepper:
        return _Stepper(bound_table_forces(world, part, by=self))


class _Stepper(Stepper):
    def __init__(self, forces: tuple[BoundForce, ...]) -> None:
        self._forces = forces

    def stable_step(self, rows: Rows) -> float:
        return longest_stable_step(rows, self._forces)

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        for own in self._forces:
            own.add(rows, force, h)
        kick_and_drift(rows.position, rows.velocity, rows.inverse_mass, force, h)
