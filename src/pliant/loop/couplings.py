"""What the parts of one island do to each other within a step: ties, contacts of surfaces, limbs against all."""

import math
from collections.abc import Callable

import numpy as np

from pliant.arrays import Array
from pliant.colliders.between import Touching
from pliant.colliders.limbs import Limbs, limbs_of
from pliant.constants import MEETING_STEP, TIED_STEP
from pliant.constraints import BoundTies
from pliant.constraints.knots import Knots
from pliant.constraints.ties import knotted
from pliant.integrators.inflated import Pressing, pass_through
from pliant.loop.meeting import Meeting, meeting_of
from pliant.loop.momentum import AngularMomentum
from pliant.world import Part, Pipes, State, Volumes, World


class Couplings:
    """Bound once for each set of parts that have met; where nothing couples, every method is a glance."""

    def __init__(self, world: World, island: list[str], touching_of: Callable[[list[str]], Touching]) -> None:
        self._world, self._touching_of = world, touching_of
        self._touching: list[Touching] = []
        self._balloons: dict[tuple[str, ...], Pressing] = {}
        self.pressing: list[Pressing] = []  # balloons on balloons, after the finish stroke
        self._limbs: Limbs | None = limbs_of(world, island)
        self._meeting: Meeting | None = meeting_of(world, island)
        self._ties, self._knots = _ties_of(world, island)
        self.knotted = self._knots is not None  # cloth to a segment: what holds once per frame goes through `shorten`
        tied = world.ties.names if world.ties is not None else ()
        self.tied = {name for pair in tied for name in pair}  # parts that anything is tied to
        self._pipes = _pipes_of(world, island)
        self._start: Array = np.zeros((0, 3))  # positions of all rows at the start of the substep
        self._gas = len(island) > 1 and any(world.part(name).has(Volumes) for name in island)
        self._spin = AngularMomentum(world, island) if self._ties is not None or self._gas else None
        self._mark: Array = np.zeros((0, 3))  # positions after the last round between the parts
        self._own: Array = np.zeros((0, 3))  # what anything else displaced in the substep until then [m]

    def meet(self, state: State, groups: list[list[str]], frame_step: float) -> None:
        """Before a frame: which surfaces can touch in it, of groups of parts that can meet."""
        self._touching = [t for t in map(self._touching_of, groups) if t.meet(state, frame_step)]
        self.pressing = [self._pressing_of(touching) for touching in self._touching if self._gas]

    def _pressing_of(self, touching: Touching) -> Pressing:
        if touching.names not in self._balloons:
            self._balloons[touching.names] = Pressing(self._world, touching)
        return self._balloons[touching.names]

    def substeps(self, state: State, frame_step: float) -> int:
        """How many the contacts and ties ask for."""
        count = max((touching.substeps(state, frame_step) for touching in self._touching), default=1)
        if self._meeting is not None:
            count = max(count, math.ceil(frame_step / MEETING_STEP - 1e-9))
        if self._ties is not None or self._limbs is not None:
            count = max(count, math.ceil(frame_step / TIED_STEP - 1e-9))
        return count

    def begin_frame(self, state: State, frame_step: float) -> None:
        if self._ties is not None:
            self._ties.begin(state, state.time)
        if self._limbs is not None:
            self._limbs.begin_frame(state, frame_step)

    def begin(self, state: State, time: float, h: float) -> None:
        """Before the update stroke."""
        for touching in self._touching:
            touching.begin(state, h)
        if self._pipes is not None:
            pass_through(state.moles, state.pocket, self._pipes, time, h)
        if self._meeting is not None:
            self._meeting.begin(state, h)
        if self._limbs is not None:
            self._start = state.position.copy()
        if self._knots is not None:
            self._knots.join(state)

    def predict(self, state: State, h: float) -> None:
        """After the update stroke."""
        if self._knots is not None:
            self._knots.part(state)
        if self._gas:
            self._mark, self._own = state.position.copy(), np.zeros_like(state.position)
        for touching in self._touching:
            touching.predict(state, h)
        if self._spin is not None:
            self._spin.predict(state)

    def measure(self, state: State, h: float) -> None:
        """Before the parts hold themselves: what must not be lost."""
        if self._spin is not None and self._ties is not None:
            self._spin.begin(state, h)

    def project(self, state: State, h: float) -> None:
        """One round between the parts."""
        if self._gas:
            self._own += state.position - self._mark
        if self._spin is not None and self._ties is None:
            self._spin.begin(state, h)
        if self._ties is not None:
            self._ties.project(state, h)
        for touching in self._touching:
            touching.project(state)
        if self._limbs is not None:
            self._limbs.project(state, self._start, h)
        if self._gas:
            self._mark[:] = state.position
        if self._spin is not None:
            self._spin.restore(state, h)

    def felt(self, part: Part, position: Array) -> Array | None:
        """(n, 3) [m] what the surroundings displaced of a part, without what other parts did; None: all of it.

        A balloon passes a push on to its whole body, which only the ground may answer: parts give and take equally.
        """
        return self._own[part.rows] + (position - self._mark[part.rows]) if self._gas else None

    def part(self, state: State, h: float) -> bool:
        """One more sweep that keeps surfaces apart; True if it is worth another."""
        gas = self._gas and bool(self._touching)
        if gas:
            self._own += state.position - self._mark
        if gas and self._spin is not None:
            self._spin.begin(state, h)
        more = any([touching.project(state) for touching in self._touching])
        if gas:
            self._mark[:] = state.position
        if gas and self._spin is not None:
            self._spin.restore(state, h)
        return more

    def shorten(self, state: State, frame_step: float, hold: Callable[[], bool]) -> bool:
        """Let the parts do what holds once per frame without drawing tied ends apart; True if it moved any."""
        if self._ties is None or self._spin is None:
            return hold()
        self._spin.predict(state)
        self._spin.begin(state, frame_step)
        if self._knots is not None:
            self._knots.glue(state)
        moved = hold()
        if self._knots is not None:
            self._knots.loosen(state, frame_step)
        if moved:
            self._ties.mend(state, frame_step)
        self._spin.restore(state, frame_step)
        return moved

    def touched(self, state: State) -> Array | None:
        """(n,) which rows of the state lie on others; None if nothing can touch."""
        live = [touching for touching in self._touching if touching.live]
        if not live:
            return None
        found = np.zeros(len(state.position), bool)
        for touching in live:
            touching.mark(state.position, found)
        return found

    def end_frame(self, state: State, frame_step: float) -> bool:
        """What holds once per frame may have pulled something through; True if anything can touch."""
        live = [touching for touching in self._touching if touching.live]
        spin = self._spin if live and self._gas else None
        if spin is not None:
            spin.predict(state)
            spin.begin(state, frame_step)
        for touching in live:
            touching.project(state)
        if spin is not None:
            spin.restore(state, frame_step)
        return bool(live)


def _ties_of(world: World, island: list[str]) -> tuple[BoundTies | None, Knots | None]:
    listed = () if world.ties is None else world.ties.names
    rows = np.array([k for k, (a, b) in enumerate(listed) if a in island or b in island], np.int64)
    if world.ties is None or not len(rows):
        return None, None
    knots = Knots(world.ties, knotted(world.ties, rows))
    return BoundTies(world.ties, rows), knots if len(knots) else None


def _pipes_of(world: World, island: list[str]) -> Pipes | None:
    if world.pipes is None:
        return None
    rows = [k for k, (a, _) in enumerate(world.pipes.names) if a in island]
    chosen = {name: getattr(world.pipes, name)[rows] for name in Pipes._fields if name != "names"}
    return Pipes(**chosen, names=()) if rows else None
