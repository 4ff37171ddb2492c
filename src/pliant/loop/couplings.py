"""What the parts of one island do to each other within a step: ties, contacts of surfaces, limbs against all."""

import math

import numpy as np

from pliant.arrays import Array
from pliant.colliders.between import Touching, needs_touching
from pliant.colliders.limbs import Limbs, limbs_of
from pliant.constants import MEETING_STEP, TIED_STEP
from pliant.constraints import BoundTies
from pliant.loop.meeting import Meeting, meeting_of
from pliant.loop.momentum import AngularMomentum
from pliant.world import State, World


class Couplings:
    """Bound once for each set of parts that have met; where nothing couples, every method is a glance."""

    def __init__(self, world: World, island: list[str]) -> None:
        self.touching = Touching(world, island) if needs_touching(world, island) else None
        self._limbs: Limbs | None = limbs_of(world, island)
        self._meeting: Meeting | None = meeting_of(world, island)
        self._ties = _ties_of(world, island)
        self._spin = AngularMomentum(world, island) if self._ties is not None else None
        self._start: Array = np.zeros((0, 3))  # positions of all rows at the start of the substep

    def substeps(self, state: State, frame_step: float) -> int:
        """How many the contacts and ties ask for."""
        count = 1
        if self.touching is not None:
            count = self.touching.substeps(state, frame_step)
        if self._meeting is not None:
            count = max(count, math.ceil(frame_step / MEETING_STEP - 1e-9))
        if self._ties is not None or self._limbs is not None:
            count = max(count, math.ceil(frame_step / TIED_STEP - 1e-9))
        return count

    def begin_frame(self, state: State, frame_step: float) -> None:
        if self.touching is not None:
            self.touching.begin_frame()
        if self._ties is not None:
            self._ties.begin(state, state.time)
        if self._limbs is not None:
            self._limbs.begin_frame(state, frame_step)

    def begin(self, state: State, h: float) -> None:
        """Before the update stroke."""
        if self.touching is not None:
            self.touching.begin(state, h)
        if self._meeting is not None:
            self._meeting.begin(state, h)
        if self._limbs is not None:
            self._start = state.position.copy()

    def predict(self, h: float) -> None:
        """After the update stroke."""
        if self.touching is not None:
            self.touching.predict(h)

    def measure(self, state: State) -> None:
        """Before the parts hold themselves: what must not be lost."""
        if self._spin is not None:
            self._spin.begin(state)

    def project(self, state: State, h: float) -> None:
        """One round between the parts."""
        if self._ties is not None:
            self._ties.project(state, h)
        if self.touching is not None:
            self.touching.project(state)
        if self._limbs is not None:
            self._limbs.project(state, self._start, h)
        if self._spin is not None:
            self._spin.restore(state, h)

    def end_frame(self, state: State) -> bool:
        """What holds once per frame may have pulled something through; True if anything can touch."""
        if self.touching is None or not self.touching.live:
            return False
        self.touching.project(state)
        return True


def _ties_of(world: World, island: list[str]) -> BoundTies | None:
    if world.ties is None:
        return None
    rows = [k for k, (a, b) in enumerate(world.ties.names) if a in island or b in island]
    return BoundTies(world.ties, np.array(rows, np.int64)) if rows else None
