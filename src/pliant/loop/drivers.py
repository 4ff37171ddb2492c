"""What sets the velocity of held rows: a motion in the scene, or somebody's hand."""

from typing import Protocol

import numpy as np

from pliant.arrays import Array
from pliant.constants import HAND_SPEED
from pliant.world import Part, Rows


class Driver(Protocol):
    def drive(self, rows: Rows, time: float, h: float) -> None:
        """Give held rows the velocity that takes them from `time` to where they belong at `time + h`."""


class MotionDriver:
    """Carries a part's held rows along its Motion."""

    def __init__(self, part: Part) -> None:
        self._motion, self._held = part.motion, part.held
        self._home = part.rest_position[part.held]

    def drive(self, rows: Rows, time: float, h: float) -> None:
        still_held = self._held[rows.inverse_mass[self._held] == 0.0]
        home = self._home if len(still_held) == len(self._held) else self._home[np.isin(self._held, still_held)]
        goal = home + self._motion.offset(time + h)
        rows.velocity[still_held] = (goal - rows.position[still_held]) / h


class Hand:
    """Holds some rows of a part and follows a target that jumps: the speed is bounded, so the part is not torn."""

    def __init__(self, part: str, held: Array, offsets: Array, target: Array, pinned: Array) -> None:
        self.part = part
        self.pinned = pinned  # (k,) whether the row was held before
        self.held = held  # (k,) rows
        self.offsets = offsets  # (k, 3) of each row from the target [m]
        self.target = target  # (3,) [m]
        self.frame_end = 0.0  # time at which the target is to be reached [s]

    def drive(self, rows: Rows, time: float, h: float) -> None:
        left = max(self.frame_end - time, h)
        velocity = (self.target + self.offsets - rows.position[self.held]) / left
        speed = np.linalg.norm(velocity, axis=1, keepdims=True)
        rows.velocity[self.held] = velocity * np.minimum(1.0, HAND_SPEED / np.maximum(speed, 1e-12))
