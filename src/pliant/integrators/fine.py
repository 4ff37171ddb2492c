"""XPBD of cloth that can tear: many small steps inside each step of the stage, on the tables that any mesh has.

Threads tear where they are stretched, so what small steps leave unsolved must be far below what tears. The steps
follow the rule of a regular sheet (`sheets`), finer by the root of load over weight. Tethers and limits would hide how
far threads are stretched, so none of them acts here before the end of a frame.
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.constants import GRAVITY
from pliant.constraints import BoundConstraint
from pliant.integrators.base import Stepper
from pliant.integrators.moving import kick_and_drift, magnitude, take_velocities
from pliant.integrators.reach import own_weight, reach_below_pins
from pliant.world import Part, Rows

STROKES = 240.0  # [1/s] of the stage
FEWEST = 2400.0  # [1/s] small steps: gusts of 5 m/s on a taut banner leave 3 % at its worst point, with 720 it is 12 %
MOST = 240  # in a stroke
EVERY = 4  # a bend acts in one small step of so many, being slow beside stretching


class FineStepper(Stepper):
    """Any mesh under small-step XPBD; `held_by` springs, then hinges; `constraints` is what is left to the stage."""

    def __init__(
        self, strain: float, part: Part, held_by: tuple[BoundConstraint, ...], late: tuple[BoundConstraint, ...]
    ) -> None:
        self._strain, self._part, self._held_by = strain, part, held_by
        self.constraints = late
        self._weight = own_weight(part)
        self._held = np.empty(0, bool)
        self._pace = FEWEST
        self._start = np.zeros_like(part.rest_position)

    def substeps(self, rows: Rows, frame_step: float) -> int:
        self._look_at_pins(rows)
        return max(1, math.ceil(frame_step * STROKES - 1e-9))

    def _look_at_pins(self, rows: Rows) -> None:
        held = rows.inverse_mass == 0.0
        if np.array_equal(held, self._held):
            return
        self._held = held
        count, length = reach_below_pins(self._part, held)
        rule = count * math.sqrt(GRAVITY / (2.0 * self._strain * length)) if length > 0.0 else 0.0
        self._pace = max(FEWEST, rule)

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        self._look_at_pins(rows)
        load = max(1.0, magnitude(force) / self._weight)  # storms and loads pull harder than its weight
        count = min(MOST, math.ceil(h * self._pace * math.sqrt(load) - 1e-9))
        count += -count % EVERY
        small, self.beats = h / count, count
        for step in range(count):
            self._start[:] = rows.position
            kick_and_drift(rows.position, rows.velocity, rows.inverse_mass, force, small)
            for k, constraint in enumerate(self._held_by):
                if k == 0 or step % EVERY == 0:
                    share = small if k == 0 else small * math.sqrt(EVERY)  # a = 1 / (k h^2) for all the steps it skips
                    constraint.begin(rows, share)
                    constraint.project(rows, self._start, share)
            take_velocities(rows.position, self._start, rows.velocity, rows.inverse_mass, small)

    def refresh(self) -> None:
        for constraint in (*self._held_by, *self.constraints):
            constraint.refresh()
