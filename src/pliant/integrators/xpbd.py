"""Small-step extended position-based dynamics: the default for everything soft.

    v += h w f;  x += h v;  then every distance and hinge is projected once per substep

Macklin et al. 2019, "Small steps in physics simulation", Algorithm 1. Substeps by the rule of the spec of seed 000,
section 17: one iteration per substep leaves an extra strain of about N^2 g h^2 / (2 L) at the top of a sheet of N rows
and length L below its pins, so S = H N sqrt(g / (2 eps L)) keeps it below eps.
"""

import math
from typing import ClassVar, Literal

import numpy as np

from pliant.arrays import Array
from pliant.constants import GRAVITY, SUBSTEP_LIMIT
from pliant.constraints import BoundConstraint, StrainLimit, Tethers
from pliant.description import quantity
from pliant.integrators.base import Integrator, Stepper, bound_table_constraints
from pliant.integrators.fine import FineStepper
from pliant.integrators.moving import kick_and_drift
from pliant.integrators.reach import is_tied, reach_below_pins
from pliant.integrators.sheets import SheetStepper, is_woven
from pliant.world import Part, Rows, Springs, World

LIMIT_AIM = 0.8  # what a mesh's sweeps aim at, so that they end within the limit
SHEETS_FINER = 5.0  # steps of a regular sheet cost so little that it may leave less strain


class XPBD(Integrator):
    """Compliant position-based dynamics in small steps."""

    name: ClassVar[str] = "xpbd"
    family: ClassVar[Literal["position"]] = "position"

    strain: float = quantity(0.02, above=0.0, high=1.0, slider=(0.005, 0.2), help="Extra strain the substeps may leave")
    fewest: int = quantity(4, low=1, high=SUBSTEP_LIMIT, help="Fewest substeps per frame")
    most: int = quantity(SUBSTEP_LIMIT, low=1, high=1000, help="Most substeps per frame")

    def bind(self, world: World, part: Part) -> Stepper:
        if is_woven(part):
            return SheetStepper(self.strain / SHEETS_FINER, world, part)
        if "tear" in part.extra:
            held_by = bound_table_constraints(world, part, by=self)
            return FineStepper(self.strain / SHEETS_FINER, part, held_by, _limits(world, part))
        return _Stepper(self, part, bound_table_constraints(world, part, by=self) + _limits(world, part))


def _limits(world: World, part: Part) -> tuple[BoundConstraint, ...]:
    """Tethers and strain limit of a fabric that has a limit."""
    limit, shear_limit = part.extra.get("limit"), part.extra.get("shear_limit")
    if limit is None or not part.has(Springs):
        return ()
    percent = None if shear_limit is None else 100.0 * shear_limit
    limits = StrainLimit(limit=LIMIT_AIM * 100.0 * limit, shear_limit=percent).bind(world, part)
    if "tear" in part.extra or is_tied(world, part):  # tethers would hide how far threads are stretched
        return (limits,)
    tethers = Tethers().bind(world, part)
    limits.lent, limits.tethers = tethers.reins.lent, tethers
    return tethers, limits


class _Stepper(Stepper):
    def __init__(self, of: XPBD, part: Part, constraints: tuple[BoundConstraint, ...]) -> None:
        self._of, self._part = of, part
        self.constraints = constraints
        self._held = np.empty(0, bool)
        self._rule = 0.0

    def substeps(self, rows: Rows, frame_step: float) -> int:
        held = rows.inverse_mass == 0.0
        if not np.array_equal(held, self._held):  # the reach changes only when somebody grabs or lets go
            self._held = held
            count, length = reach_below_pins(self._part, held)
            self._rule = count * math.sqrt(GRAVITY / (2.0 * self._of.strain * length)) if length > 0 else 0.0
        return int(np.clip(math.ceil(frame_step * self._rule), self._of.fewest, self._of.most))

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        kick_and_drift(rows.position, rows.velocity, rows.inverse_mass, force, h)
