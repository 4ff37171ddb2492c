"""The method of seed 003: segments move by themselves, then are put right from the held one outwards.

    update   dx' = k dx + a dt^2 for positions, the same for orientations (Stoermer increments with damping k)
    adjust   forced rotation and translation, root to leaves (see `articulated.forced`)
    finish   velocities from what the poses really did

It closes a tree's joints in one pass, whatever happens, and looks right under heavy damping. It is no mechanics: a
joint's reaction never reaches the parent, so momentum is not conserved and the error does not fall with the step. The
default of puppets is `shake`. Bae, Baek, Lee, Ryu 2001, sections 4 and 5.
"""

from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from pliant.arrays import Array
from pliant.description import quantity
from pliant.errors import UnsupportedError
from pliant.integrators.articulated import columns as c
from pliant.integrators.articulated.forced import LITERAL, MINIMAL, NORMALISED, meet, sweep_outwards
from pliant.integrators.articulated.motion import begin, differences, gather, pose, scatter
from pliant.integrators.articulated.plan import Plan, make_plan
from pliant.integrators.articulated.resistance import Resistance
from pliant.integrators.base import Integrator, Stepper
from pliant.kernels import kernel
from pliant.kernels.vectors import get3, put3
from pliant.world import Joints, Part, Rows, World

VARIANTS = {"literal": LITERAL, "normalised": NORMALISED, "minimal": MINIMAL}


class Procedural(Integrator):
    """Stoermer increments, then one pass of forced rotations and translations."""

    name: ClassVar[str] = "procedural"
    family: ClassVar[Literal["articulated"]] = "articulated"

    variant: Literal["literal", "normalised", "minimal"] = quantity("minimal", help="How far a segment is turned")
    passes: int = quantity(1, low=1, high=1000, help="Adjust passes; several held segments never quite close")

    def bind(self, world: World, part: Part) -> Stepper:
        return _Stepper(self, part)


class _Stepper(Stepper):
    def __init__(self, of: Procedural, part: Part) -> None:
        self._of, self._part, self._joints = of, part, part.table(Joints)
        self._damping = float(part.extra.get("damping", 0.0))
        self._settings = np.zeros(5)
        self._resistance = Resistance(part, float(part.extra.get("resistance", 0.0)), int(part.extra.get("seed", 0)))
        self.memory = {"clock": self._resistance.clock}
        self._replan(np.isin(np.arange(len(part.mass)), part.held))

    def _replan(self, held: Array) -> None:
        """Groups around every held segment, and the joints where groups meet."""
        _, closing = make_plan(self._part, self._joints, held, self._settings)
        if closing:
            ends = (self._joints.parent[closing[0]], self._joints.child[closing[0]])
            a, b = (repr(self._part.extra["names"][k]) if "names" in self._part.extra else k for k in ends)
            raise UnsupportedError(
                f"part {self._part.name!r}: 'procedural' needs a tree, and the joint between segments {a} and {b} "
                f"closes a loop; remove it or use 'shake'"
            )
        plan, meeting = make_plan(self._part, self._joints, held, self._settings, groups=True)
        slot = np.argsort(plan.integers[:, c.ROW])
        self._pairs = np.stack([slot[self._joints.parent[meeting]], slot[self._joints.child[meeting]]], axis=1)
        self._anchors = np.concatenate(
            [self._joints.parent_anchor[meeting], self._joints.child_anchor[meeting]], axis=1
        )
        self._group_mass = _group_mass(plan)
        self._plan, self._held = plan, held
        self._resistance.follow(plan)

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        held = rows.inverse_mass == 0.0
        if not np.array_equal(held, self._held):
            self._replan(held)
        self._resistance.add(rows, force, self._damping, h)
        keep = float(np.exp(-self._damping * h))
        numbers = (VARIANTS[self._of.variant], self._of.passes, h, keep)
        _advance(self._plan, rows, force, self._group_mass, self._pairs, self._anchors, numbers)


def _group_mass(plan: Plan) -> Array:
    """What every segment carries, itself included [kg]."""
    mass = plan.constants[:, c.MASS].copy()
    for low, high in pairwise(plan.start.tolist()):
        for k in range(high - 1, low, -1):
            mass[low + plan.integers[k, c.UP]] += mass[k]
    return mass


@kernel
def _advance(plan, rows, force, group_mass, pairs, anchors, numbers):
    variant, passes, h, keep = numbers
    F, W, J, start = plan.constants, plan.variables[0], plan.integers, plan.start
    trees = len(start) - 1
    for tree in range(trees):
        low, high = start[tree], start[tree + 1]
        _update(F[low:high], W[low:high], J[low:high], rows, force, h, keep)
    for _ in range(passes):
        for n in range(len(pairs)):
            at = (anchors[n, 0], anchors[n, 1], anchors[n, 2], anchors[n, 3], anchors[n, 4], anchors[n, 5])
            meet(F, W, J, group_mass, (pairs[n, 0], pairs[n, 1]), at, variant, h)
        for tree in range(trees):
            low, high = start[tree], start[tree + 1]
            own = group_mass[low:high]
            sweep_outwards(F[low:high], W[low:high], J[low:high], own, 0, high - low, variant, h)
    for tree in range(trees):
        low, high = start[tree], start[tree + 1]
        differences(F[low:high], W[low:high], J[low:high], 0, high - low, h)
        scatter(F[low:high], W[low:high], J[low:high], rows, 0, high - low)


@kernel
def _update(F, W, J, rows, force, h, keep):
    """Every segment by itself."""
    gather(F, W, J, rows, 0, len(F))
    for k in range(len(F)):
        put3(W, k, c.KICK, get3(force, J[k, c.ROW], 0))
    begin(F, W, J, 0, len(F), h, keep, h)
    for k in range(len(F)):
        if not J[k, c.HELD]:
            pose(F, W, k, h)
