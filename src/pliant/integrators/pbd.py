"""Position-based dynamics as first published: free flight, then plain projections; for comparison with xpbd.

    v += h w f;  x += h v;  then n sweeps, each of which takes a fixed fraction of every error away

Müller, Heidelberger, Hennix and Ratcliff 2007, "Position based dynamics", Algorithm 1. How stiff a cloth is depends on
the number of sweeps and on the step, not on its material: the fractions below stand in the place of N/m.
"""

from typing import ClassVar, Literal

from pliant.arrays import Array
from pliant.constants import SUBSTEP_LIMIT
from pliant.constraints import Angles, BoundConstraint, Constraint, Lengths
from pliant.description import quantity
from pliant.integrators.base import Integrator, Stepper, bound_table_constraints
from pliant.integrators.moving import kick_and_drift
from pliant.world import Hinges, Part, Rows, Springs, World


class PBD(Integrator):
    """Classic position-based dynamics."""

    name: ClassVar[str] = "pbd"
    family: ClassVar[Literal["position"]] = "position"
    order: ClassVar[None] = None
    elastic: ClassVar[bool] = False

    stretch: float = quantity(1.0, low=0.0, high=1.0, slider=(0, 1), help="Part of a stretch one substep takes away")
    bend: float = quantity(0.1, low=0.0, high=1.0, slider=(0, 1), help="Part of a bend one substep takes away")
    sweeps: int = quantity(10, low=1, high=1000, slider=(1, 50), help="Sweeps per substep")
    steps: int = quantity(4, low=1, high=SUBSTEP_LIMIT, help="Substeps per frame")

    def bind(self, world: World, part: Part) -> Stepper:
        own: dict[type, Constraint] = {
            Springs: Lengths(stretch=self.stretch, bend=self.bend, sweeps=self.sweeps),
            Hinges: Angles(bend=self.bend, sweeps=self.sweeps),
        }
        bound = bound_table_constraints(world, part, by=self, instead=own)
        return _Stepper(self, bound * self.sweeps)


class _Stepper(Stepper):
    def __init__(self, of: PBD, constraints: tuple[BoundConstraint, ...]) -> None:
        self._of = of
        self.constraints = constraints

    def substeps(self, rows: Rows, frame_step: float) -> int:
        return self._of.steps

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        kick_and_drift(rows.position, rows.velocity, rows.inverse_mass, force, h)
