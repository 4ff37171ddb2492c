"""Articulated segments by Stoermer-Verlet with exact joints: the default method of puppets.

    p = k p + h f;  free motion;  then the joint impulses that close every joint at the substep's end, all at once

Ryckaert, Ciccotti, Berendsen 1977 (SHAKE), with the multipliers of the whole tree solved directly (Baraff 1996).
Second order, conserves both momenta, joints closed to `tolerance`. One call does all the substeps it needs, each tree
of the part its own number, so that a crowd costs one call. It replaces the one-way pass of seed 003 (see `procedural`),
which ignores reactions and does not converge; see the spec of seed 003, section 4.
"""

import math
from typing import ClassVar, Literal

import numpy as np

from pliant.arrays import Array
from pliant.description import quantity
from pliant.integrators.articulated.bodies import Bodies
from pliant.integrators.articulated.holding import Obstacles, PullTable
from pliant.integrators.articulated.plan import make_plan, shape_columns
from pliant.integrators.articulated.resistance import Resistance
from pliant.integrators.articulated.step import advance_trees
from pliant.integrators.articulated.touching import Touching
from pliant.integrators.base import Integrator, Stepper
from pliant.world import Joints, Part, Rows, World


class Shake(Integrator):
    """Exact joints, second order."""

    name: ClassVar[str] = "shake"
    family: ClassVar[Literal["articulated"]] = "articulated"

    longest_step: float = quantity(1 / 240, unit="s", above=0.0, high=1.0, help="No substep is longer")
    largest_turn: float = quantity(0.25, unit="rad", above=0.0, high=1.0, help="No segment turns more in a substep")
    most: int = quantity(16, low=1, high=1000, help="Most substeps per call")
    tolerance: float = quantity(2e-6, unit="m", above=0.0, high=1e-2, help="Gap a joint may keep in a step of 1/60 s")

    def bind(self, world: World, part: Part) -> "ShakeStepper":
        return ShakeStepper(self, world, part)


class ShakeStepper(Stepper):
    """One part's trees. It meets obstacles itself, within its solve."""

    meets_obstacles = True

    def __init__(self, of: Shake, world: World, part: Part) -> None:
        self._part, self._joints = part, part.table(Joints)
        damping = float(part.extra.get("damping", 0.0))
        self._settings = np.array([damping, of.longest_step, of.largest_turn, of.most, of.tolerance])
        self._obstacles, self._bodies = Obstacles(world, part), Bodies(world, part)
        self.pulls = PullTable(part)
        self._touching = Touching([part]) if part.extra.get("touches_itself") else None
        self.deepest = 0.0  # [m] depth of the worst contact between segments found last
        self._resistance = Resistance(part, float(part.extra.get("resistance", 0.0)), int(part.extra.get("seed", 0)))
        self._resists = bool(part.extra.get("resistance", 0.0))
        self.last_step = np.zeros(0)
        self._replan(np.isin(np.arange(len(part.mass)), part.held))
        self.memory = {"last_step": self.last_step, "clock": self._resistance.clock}

    def _replan(self, held: Array) -> None:
        """Walk the trees from what is held now."""
        plan, _ = make_plan(self._part, self._joints, held, self._settings)
        kept = self.last_step if len(self.last_step) else plan.last_step
        there = self._obstacles
        balls = {f"ball_{name}": getattr(self._bodies.balls, name) for name in ("start", "at", "plane")}
        columns = shape_columns(there.shapes) | balls
        self._plan = plan._replace(last_step=kept, obstacle_friction=there.friction, **columns)
        self._held, self.last_step = held.tobytes(), kept
        self._resistance.follow(plan)
        self.pulls.changed = True

    def substeps(self, rows: Rows, frame_step: float) -> int:
        """One call does many substeps; only contacts between segments need them one by one."""
        return max(1, math.ceil(frame_step / self._settings[1] - 1e-9)) if self._touching is not None else 1

    def begin(self, rows: Rows, time: float, h: float) -> None:
        self._obstacles.move_to(time + h)
        self._bodies.look(rows, time, h)

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        held = rows.inverse_mass == 0.0
        if held.tobytes() != self._held:
            self._replan(held)
        if self.pulls.changed:
            self._plan = self.pulls.entered(self._plan)
        self.pulls.begin()
        if self._touching is not None:
            self.deepest = self._touching.push_apart(rows, h)
        if self._resists:
            self._resistance.add(rows, force, float(self._settings[0]), h)
        advance_trees(rows.position, self._plan, rows, force, h)

    @property
    def counts(self) -> Array:
        """(t, 4) substeps done, and how many of them took the cautious solver."""
        return self._plan.counts
