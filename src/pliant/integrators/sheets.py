"""XPBD of a regular sheet: many small substeps inside each step of the stage, vectorised.

The stage's own substeps are strokes of about 1/240 s in which fields, ties and colliders act; within a stroke the
sheet takes as many small steps as its size needs, so that a fine sheet hangs as stiffly as a coarse one. Numbers and
rejected ways are in docs/cloth-solver.md.
"""

import functools
import math

import numpy as np

from pliant.arrays import Array
from pliant.constants import GRAVITY
from pliant.constraints import BoundConstraint
from pliant.constraints.limits import SHARES
from pliant.constraints.tethers import Reins, Ways
from pliant.integrators.base import Stepper
from pliant.integrators.loom import shorten, stretched, stroke
from pliant.integrators.moving import magnitude
from pliant.integrators.reach import is_tied, own_weight, reach_below_pins
from pliant.integrators.weave import Weave
from pliant.kernels.lanes import LANES
from pliant.world import Hinges, Part, Rows, Springs, World

STROKES = 240.0  # [1/s] of the stage, where nothing is in the way
CONTACT_STROKES = 480.0  # [1/s] where something is
SMALL_STEP_LIMIT = 400  # in a stroke; only a storm asks for more
NEAR_PINS = 8  # rows at either side of a lone pin that are swept more often
PASSES = 10  # of the strain limit at the end of a frame,
ROUNDS = 30  # as often as it takes, up to this
SLACK = 1.02  # of the tethers
SHARED = 3000  # points from which blocks of rows are shared among threads
BEND_ERROR = 0.02  # part of a bending stiffness that the small steps may lose
FEWEST = 720.0  # [1/s] small steps, however small the sheet


class SheetStepper(Stepper):
    """One regular sheet under small-step XPBD."""

    def __init__(self, strain: float, world: World, part: Part) -> None:
        self._part, self._strain = part, strain
        touching = world.contacts and (len(world.parts) > 1 or part.extra.get("self_contact", False))
        self._free_reach = bool(world.colliders or world.ties or touching)
        self._strokes = CONTACT_STROKES if self._free_reach else STROKES
        self._tied = is_tied(world, part)
        self._columns, self._rows = part.extra["grid"]
        self._vectors = max(3, -(-(self._columns + 1) // LANES))
        self._g = _weave(part, self._columns, self._rows, self._vectors)
        self._scratch = np.zeros(LANES)
        self._reins, self._pins = Reins(part, SLACK), np.empty(0, np.int64)
        self._lent = self._parted = False  # something is lent; pins have moved since that was looked at
        self._pace, self._every = FEWEST, 4  # [1/s] small steps under gravity; of which one bends
        self.constraints: tuple[BoundConstraint, ...] = ()
        self.refresh()

    def refresh(self) -> None:
        self._weight = own_weight(self._part)
        _load_materials(self._g, self._part, self._columns, self._rows, self._vectors)
        limit, shear_limit = self._part.extra.get("limit"), self._part.extra.get("shear_limit")
        self.constraints = (SheetLimit(self, limit, shear_limit),) if limit is not None else ()
        self._reins = Reins(self._part, SLACK)

    def substeps(self, rows: Rows, frame_step: float) -> int:
        self._look_at_pins(rows)
        return max(1, math.ceil(frame_step * self._strokes - 1e-9))

    def _look_at_pins(self, rows: Rows) -> None:
        """Tethers and small steps follow from what is held, and change only when somebody grabs or lets go."""
        if not self._reins.look(rows):
            return
        held = rows.inverse_mass == 0.0
        self._pins = np.flatnonzero(held)
        count, length = reach_below_pins(self._part, held)
        if count == 0 and self._free_reach:  # it may come to hang from any of its points
            count = self._columns + self._rows
            length = float(self._g.rest[0] * self._columns + self._g.rest[1] * self._rows)
        rule = count * math.sqrt(GRAVITY / (2.0 * self._strain * length)) if count > 0 else 0.0
        self._pace, self._every = _with_bends(max(FEWEST, rule), self._stiffest_bend())
        limited = self._part.extra.get("limit") is not None and not self._tied
        tethers = self._reins.ways if limited else Ways.none(len(held))
        self._g = _with_tethers(self._g, tethers, held, self._columns, self._rows)
        self._lend(rows, 0.0)

    def _lend(self, rows: Rows, h: float) -> None:
        """What pins that part too far within the next `h` [s] lend the cloth between them."""
        self._reins.lend(rows, h)
        self._g.lent[self._g.slot] = self._reins.lent
        self._lent = bool(self._reins.lent.max() > 1.0)

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        self._look_at_pins(rows)
        load = magnitude(force) / self._weight  # storms and loads pull harder than its weight
        wanted = min(SMALL_STEP_LIMIT, math.ceil(h * self._pace * math.sqrt(max(1.0, load)) - 1e-9))
        # what is tied or in the way jerks threads, which a few steps too many take better than just enough
        padded = wanted + -wanted % self._every
        count, every = (padded, self._every) if self._free_reach else _whole(wanted, self._every)
        self.beats = count
        held = rows.velocity[self._pins]
        moving = bool(self._g.tether.shape[0]) and bool(held.any())
        if moving:
            self._lend(rows, h)
        self._parted = self._parted or moving
        there = (rows.position, rows.velocity, rows.inverse_mass, force)
        stroke(*there, self._g, self._vectors, h, count, every, moving)

    def _stiffest_bend(self) -> float:
        """k w [1/s^2] of a bend: how fast it is beside its own inertia."""
        lengths, rigidity = self._g.rest[:2], self._part.extra.get("bend", 0.0)
        density = float(self._part.mass.sum()) / (self._columns * self._rows * lengths[0] * lengths[1])
        return float(rigidity / (density * lengths.min() ** 4))

    def strain(self, rows: Rows) -> float:
        """The greatest length of an edge over its length at rest."""
        return float(stretched(rows.position, rows.inverse_mass, self._g, self._vectors, self._scratch))

    def limit_strain(self, rows: Rows, longest: Array, enough: float) -> float:
        """Shorten what is too long, positions only; returns the greatest length over rest length that is left."""
        if self._parted:
            self._lend(rows, 0.0)
            self._parted = False
        # where pins leave no room for all, whole steps leave the excess to a few edges; smaller ones spread it
        shares = SHARES if self._lent else SHARES[:0]
        there = (rows.position, rows.inverse_mass, self._g, self._vectors)
        return float(shorten(*there, longest, PASSES, ROUNDS, enough, shares, self._scratch))


class SheetLimit(BoundConstraint):
    """The strain limit of a regular sheet, in the vectors of its stepper."""

    when = "frame"

    def __init__(self, stepper: SheetStepper, limit: float, shear_limit: float | None) -> None:
        self._stepper = stepper
        rest = stepper._g.rest
        across = rest[2] * (1.0 + shear_limit) if shear_limit is not None else 0.0
        aim = 1.0 + 0.6 * limit  # a few sweeps do not reach what they aim at
        self._enough = 1.0 + 0.9 * limit
        self._most, self._left = 1.0 + limit, 0.0
        self._again_from = 1.0 + 0.65 * limit  # what contact stretched beyond this is worth another turn
        self._longest = np.array([rest[0] * aim, rest[1] * aim, across, 1.0])

    def broken(self, rows: Rows) -> bool:
        return self._stepper.strain(rows) > self._again_from

    def exceeded(self, rows: Rows, *, moved: bool) -> bool:
        return (self._stepper.strain(rows) if moved else self._left) > self._most

    def project(self, rows: Rows, previous: Array, h: float) -> None:
        self._left = self._stepper.limit_strain(rows, self._longest, self._enough)


def _with_bends(pace: float, square: float) -> tuple[float, int]:
    """Small steps [1/s], and in one of how many a bend of k w = `square` [1/s^2] is projected.

    One projection per step h acts as the stiffness k / (1 + 6 k w h^2); 6 k w h^2 stays below BEND_ERROR.
    """
    needed = math.sqrt(6.0 * square / BEND_ERROR)
    every = next((n for n in (4, 2) if n * needed <= pace), 1)
    return max(pace, needed), every


@functools.cache
def _whole(count: int, every: int) -> tuple[int, int]:
    """At least `count` small steps, and in one of how many bends are projected: a divisor, at most `every`."""
    return min(((count + -count % n, n) for n in range(every, 0, -1)), key=lambda found: found[0])


def is_woven(part: Part) -> bool:
    """True if the part is a flat regular sheet whose stiffness depends on the row or column alone."""
    if "grid" not in part.extra or "tear" in part.extra or not part.has(Springs):
        return False
    columns, rows = part.extra["grid"]
    springs: Springs = part.table(Springs)
    if len(springs.ends) != (rows + 1) * columns + rows * (columns + 1) + 2 * rows * columns:
        return False
    if part.has(Hinges) and np.abs(part.table(Hinges).rest_angle).max(initial=0.0) > 1e-6:
        return False
    along, across, shear = _groups(springs.stiffness, columns, rows)
    lengths = _groups(springs.rest_length, columns, rows)
    even = all(np.ptp(group) <= 1e-6 * group.max() for group in lengths)
    same = (
        np.ptp(along, axis=1).max() == 0.0
        and np.ptp(across, axis=0).max() == 0.0
        and np.ptp(shear) <= 1e-9 * max(float(shear.max()), 1e-30)
    )
    return bool(even and (same or _nearly(along, across)))


def _nearly(along: Array, across: Array) -> bool:
    return bool(
        np.ptp(along, axis=1).max() <= 1e-6 * along.max() and np.ptp(across, axis=0).max() <= 1e-6 * across.max()
    )


def _groups(column: Array, columns: int, rows: int) -> tuple[Array, Array, Array]:
    """A column of the Springs table as (rows + 1, columns), (rows, columns + 1) and the rest."""
    first, second = (rows + 1) * columns, rows * (columns + 1)
    along = column[:first].reshape(rows + 1, columns)
    return along, column[first : first + second].reshape(rows, columns + 1), column[first + second :]


def _weave(part: Part, columns: int, rows: int, vectors: int) -> Weave:
    width = vectors * LANES
    size = (rows + 1) * width + 2 * LANES
    column = np.arange(columns + 1)
    place = (column % vectors) * LANES + column // vectors
    slot = (np.arange(rows + 1)[:, None] * width + place).ravel()
    lengths = [float(np.mean(group)) for group in _groups(part.table(Springs).rest_length, columns, rows)]
    at_column = (np.arange(LANES)[None, :] * vectors + np.arange(vectors)[:, None]).ravel()
    blocks = 1 if (rows + 1) * (columns + 1) < SHARED else 2 if rows < 255 else 8
    x, y, z, old_x, old_y, old_z, fall_x, fall_y, fall_z, weight = (np.zeros(size) for _ in range(10))
    return Weave(
        x=x,
        y=y,
        z=z,
        old_x=old_x,
        old_y=old_y,
        old_z=old_z,
        fall_x=fall_x,
        fall_y=fall_y,
        fall_z=fall_z,
        weight=weight,
        slot=slot.astype(np.int64),
        next_one=(at_column + 1 <= columns).astype(float),
        next_two=(at_column + 2 <= columns).astype(float),
        stretch_along=np.ones(rows + 1),
        stretch_across=np.ones(width),
        bend_along=np.zeros(rows + 1),
        bend_across=np.ones(width),
        rest=np.array(lengths),
        uniform=np.zeros(3),
        block=np.linspace(0, rows + 1, blocks + 1).astype(np.int64),
        extra=np.empty(0, np.int64),
        anchor=np.empty((0, 3, size)),
        anchor_row=np.empty((0, len(slot)), np.int64),
        tether=np.empty((0, size)),
        lent=np.ones(size),
    )


def _load_materials(g: Weave, part: Part, columns: int, rows: int, vectors: int) -> None:
    """Stiffnesses from the neutral tables; a rim row or column has half the breadth of the others."""
    springs: Springs = part.table(Springs)
    along, across, shear = _groups(springs.stiffness, columns, rows)
    column = np.arange(columns + 1)
    place = (column % vectors) * LANES + column // vectors
    g.stretch_along[:] = along[:, 0]
    g.stretch_across[place] = across[0]
    rigidity = part.extra.get("bend", 0.0)
    breadth = np.ones(rows + 1)
    breadth[[0, -1]] = 0.5
    g.bend_along[:] = rigidity * g.rest[1] * breadth / g.rest[0] ** 3
    breadth = np.ones(columns + 1)
    breadth[[0, -1]] = 0.5
    g.bend_across[place] = rigidity * g.rest[0] * breadth / g.rest[1] ** 3
    stiffest = int(np.argmax(springs.stiffness))
    time = springs.damping[stiffest] / springs.stiffness[stiffest]
    g.uniform[:] = float(shear.mean()), 2.0 * rigidity / (g.rest[0] * g.rest[1]), time


def _with_tethers(g: Weave, tethers: Ways, held: Array, columns: int, rows: int) -> Weave:
    count = len(tethers.row)
    anchor = np.zeros((count, 3, len(g.x)))
    tether = np.full((count, len(g.x)), np.inf)
    tether[:, g.slot] = tethers.length
    lines = np.unique(np.flatnonzero(held) // (columns + 1))
    extra = np.unique(np.clip(np.add.outer(lines, np.arange(-NEAR_PINS, NEAR_PINS + 1)), 0, rows))
    if len(extra) > (rows + 1) // 2 or held.sum() > 0.5 * len(lines) * (columns + 1):
        extra = extra[:0]  # held all along: no few points carry the rest
    return g._replace(
        anchor=anchor, tether=np.minimum(tether, 1e150), anchor_row=tethers.row, extra=extra.astype(np.int64)
    )
