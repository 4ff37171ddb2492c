"""Forward Euler: x' = x + h v;  v' = v + h F(x, v) / m.  First order, explicit, for comparison.

Unstable for every undamped spring network, however short the step (spec of seed 000, section 4): it is refused only
beyond the step at which it explodes at once, and stopped when it does.
"""

from typing import ClassVar, Literal

from pliant.arrays import Array
from pliant.forces import BoundForce
from pliant.integrators.base import Integrator, Stepper, bound_table_forces, longest_stable_step
from pliant.integrators.moving import drift_and_kick
from pliant.world import Part, Rows, World


class Explicit(Integrator):
    """Forward Euler, as the papers compare against."""

    name: ClassVar[str] = "explicit"
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
        drift_and_kick(rows.position, rows.velocity, rows.inverse_mass, force, h)
