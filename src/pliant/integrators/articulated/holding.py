"""Hands and strings that a stepper keeps between steps, and the obstacles it knows."""

from dataclasses import dataclass

import numpy as np

from pliant.arrays import Array
from pliant.colliders import Solid
from pliant.errors import SceneError
from pliant.integrators.articulated import columns as c
from pliant.integrators.articulated import supports as s
from pliant.integrators.articulated.plan import Plan, no_shapes
from pliant.kernels.shapes import Shapes
from pliant.world import Part, World


@dataclass
class Pull:
    """One point of a segment, drawn to a place or hung on a string."""

    segment: int  # row in the part
    at: Array  # (3,) [m] from the segment's centre, in its axes
    stiffness: float  # [N/m] of a hand
    cap: float  # [N] a hand pulls no harder
    length: float = 0.0  # [m] of a string; 0 for a hand


class PullTable:
    """The pulls on one part. A change of a goal costs nothing; a pull added or dropped, one sort."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._pulls: dict[int, Pull] = {}
        self._order = np.zeros(0, np.int64)
        self._table = np.zeros((0, s.PULL_NUMBERS))
        self._goal = np.zeros((8, 3))  # [m] by key: where each leads by the end of the step
        self._start = np.zeros((8, 3))  # [m] and where it was at its start
        self._next = 0
        self.changed = False

    def hand(self, segment: int, at: Array, goal: Array, *, stiffness: float = 4000.0, weights: float = 10.0) -> int:
        """Draw a point of a segment to `goal`; returns a key.

        Args:
            segment: Row of the segment in the part.
            at: (3,) the point, from the segment's centre of mass, in its axes [m].
            goal: (3,) where it is to be [m].
            stiffness: Of the pull per kg of the part's tree [N/m/kg]; a hand is a few mm from its goal.
            weights: The hand pulls no harder than so many weights of the part.
        """
        mass = float(self._part.extra.get("tree_mass", self._part.mass.sum()))
        return self._add(Pull(segment, np.array(at), stiffness * mass, weights * 9.81 * mass), np.array(goal, float))

    def string(self, segment: int, at: Array, hook: Array, length: float) -> int:
        """Hang a point of a segment on a string that cannot be stretched; returns a key."""
        if not length > 0.0:
            raise SceneError(f"string: length = {length}; must be > 0 [m]")
        return self._add(Pull(segment, np.array(at), 0.0, np.inf, length), np.array(hook, float))

    def _add(self, pull: Pull, goal: Array) -> int:
        if not 0 <= pull.segment < len(self._part.inertia):
            raise SceneError(
                f"part {self._part.name!r} has segments 0 to {len(self._part.inertia) - 1}, not {pull.segment}"
            )
        if not (np.isfinite(goal).all() and np.isfinite(pull.at).all()):
            raise SceneError(f"part {self._part.name!r}: a pull goes to {goal}; expected three finite numbers")
        self._next += 1
        if self._next >= len(self._goal):
            self._goal, self._start = (np.concatenate([a, np.zeros_like(a)]) for a in (self._goal, self._start))
        self._goal[self._next] = self._start[self._next] = goal
        self._pulls[self._next] = pull
        self.changed = True
        return self._next

    def aim(self, key: int | Array, goal: Array, *, start: Array | None = None) -> None:
        """Where a pull, or many, lead by the end of the next step, and where they start if not at the last goal."""
        self._goal[key] = goal
        if start is not None:
            self._start[key] = start

    def drop(self, key: int) -> None:
        del self._pulls[key]
        self.changed = True

    def entered(self, plan: Plan) -> Plan:
        """The plan with the present pulls, sorted by tree."""
        slot_of = np.argsort(plan.integers[:, c.ROW])
        slots = {key: int(slot_of[pull.segment]) for key, pull in self._pulls.items()}
        order = sorted(self._pulls, key=lambda key: (slots[key], key))
        self._order = np.array(order, np.int64)
        at = np.array([slots[key] for key in order], np.int64)
        self._table = np.zeros((len(at), s.PULL_NUMBERS))
        for row, key in zip(self._table, order, strict=True):
            pull = self._pulls[key]
            row[s.PULL_AT : s.PULL_AT + 3] = pull.at
            row[s.PULL_STIFFNESS], row[s.PULL_CAP], row[s.PULL_LENGTH] = pull.stiffness, pull.cap, pull.length
        self.changed = False
        begin = np.searchsorted(at, plan.start)
        local = at - np.repeat(plan.start[:-1], np.diff(begin))
        return plan._replace(pulls=self._table, pull_slot=local, pull_start=begin)

    def begin(self) -> None:
        """Write where every pull is at the start and the end of the coming step."""
        if self._order.size:
            self._table[:, s.PULL_FROM : s.PULL_FROM + 3] = self._start[self._order]
            self._table[:, s.PULL_TO : s.PULL_TO + 3] = self._start[self._order] = self._goal[self._order]


class Obstacles:
    """The world's simple solids, as the articulated solver sees them."""

    def __init__(self, world: World | None, part: Part) -> None:
        self._solids = tuple(c for c in world.colliders if isinstance(c, Solid)) if world is not None else ()
        shapes = [solid.shape() for solid in self._solids]
        columns = (np.concatenate([getattr(shape, name) for shape in shapes]) for name in Shapes._fields)
        self.shapes = Shapes(*columns) if shapes else no_shapes()
        self.friction = np.array([np.sqrt(solid.friction * part.friction) for solid in self._solids])
        self._start = self.shapes.center.copy()
        self._moving = [k for k, solid in enumerate(self._solids) if solid.motion is not None]

    def move_to(self, time: float) -> None:
        """Where moving solids are at `time` [s]."""
        for k in self._moving:
            self.shapes.center[k] = self._start[k] + self._solids[k].motion.offset(time)
