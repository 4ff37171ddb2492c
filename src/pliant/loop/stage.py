"""The step of the world: update, adjust, finish, for any mix of parts.

A Stage is a World bound: each part with its own integrator, fields, constraints and colliders. Parts that nothing
couples are stepped apart, each with its own substeps, so that a part far away changes no bit of the others.
"""

import dataclasses
from time import perf_counter

import numpy as np

from pliant.colliders.between import Touching
from pliant.colliders.islands import Islands
from pliant.colliders.skins import Skins, skins_of
from pliant.constants import STAGE_LIMIT
from pliant.errors import UnstableError
from pliant.filters import BoundFilter
from pliant.kernels import kernel
from pliant.loop.bound import BoundPart
from pliant.loop.couplings import Couplings
from pliant.loop.crew import side_by_side
from pliant.loop.tearing import Tearing
from pliant.world import Part, Rows, State, World, rows_of

TURNS = 8  # of strain limit and contact at the end of a frame, at most; usually one or none


@kernel
def _first_beyond(x, limit):
    """The first row with a coordinate that is not within `limit`, as NaN never is; the number of rows if all are."""
    for i in range(x.shape[0]):
        for k in range(3):
            if not -limit < x[i, k] < limit:
                return i
    return x.shape[0]


def _held(members: list[tuple[BoundPart, Rows]], couplings: Couplings, frame_step: float) -> bool:
    return any([part.hold_frame(rows, frame_step, alone=not couplings.knotted) for part, rows in members])


def _held_again(members: list[tuple[BoundPart, Rows]], couplings: Couplings, frame_step: float) -> bool:
    for part, rows in members:
        part.hold_again(rows, frame_step, alone=not couplings.knotted)
    return True


class Stage:
    """A world, bound and ready to step states."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.parts = {name: BoundPart(world, part) for name, part in world.parts.items()}
        self.filters: tuple[BoundFilter, ...] = tuple(f.bind(world) for f in world.filters)
        self._bound_to: State | None = None
        self._rows: dict[str, Rows] = {}
        self._couplings: dict[tuple[str, ...], Couplings] = {}
        self._touching: dict[tuple[str, ...], Touching] = {}
        self._skins: Skins | None = None
        self._islands = Islands(world)
        self._nothing = np.zeros(sum(len(part.mass) for part in world.parts.values()), bool)
        self.between = 0.0  # [s] that ties and contacts between parts took in the last frame
        self.drawing = 0.0  # [s] that filters took for the last frame that went through them
        self._tearing = {name: Tearing(part) for name, part in world.parts.items() if "seams" in part.extra}

    def rows(self, state: State, name: str) -> Rows:
        """A part's own rows of the state."""
        if self._bound_to is not state:
            self._bound_to = state
            self._rows = {n: rows_of(state, p.part) for n, p in self.parts.items()}
        return self._rows[name]

    def substeps(self, state: State, name: str, frame_step: float) -> int:
        """The scene's own number, or what the part's method asks for."""
        if self.world.substeps is not None:
            return self.world.substeps
        return self.parts[name].stepper.substeps(self.rows(state, name), frame_step)

    def step(self, state: State, frame_step: float) -> None:
        """Advance by one frame of `frame_step` [s]."""
        self.recall(state)
        self.between = 0.0
        for island in self._islands.meet(state, frame_step):
            self._step_island(state, island, frame_step)
        for name, tearing in self._tearing.items():
            if tearing.open(state, self.rows(state, name)):
                self._fit(name, tearing.part)
        state.frame += 1
        state.time += frame_step
        self._watch(state, frame_step)

    def recall(self, state: State) -> None:
        """Give the methods what the state remembers of them, and cloth its tears; a state that knows nothing starts
        them anew."""
        for name, tearing in self._tearing.items():
            if tearing.recall(state):
                self._fit(name, tearing.part)
        for name, part in self.parts.items():
            for key, array in part.stepper.memory.items():
                kept = state.memory.get(f"{name}.{key}")
                if kept is not array:
                    array[...] = 0.0 if kept is None else kept
                    state.memory[f"{name}.{key}"] = array

    def _fit(self, name: str, part: Part) -> None:
        """Bind a part anew whose triangles stand on other points than before; who drives it goes on."""
        self.world = dataclasses.replace(self.world, parts=self.world.parts | {name: part})
        bound = BoundPart(self.world, part)
        bound.drivers = self.parts[name].drivers
        self.parts[name] = bound
        self._couplings.clear()
        self._touching.clear()
        self._skins = None
        self._islands = Islands(self.world)

    def _coupled(self, island: list[str]) -> Couplings:
        key = tuple(island)
        if key not in self._couplings:
            self._couplings[key] = Couplings(self.world, island, self._touching_of)
        return self._couplings[key]

    def _touching_of(self, names: list[str]) -> Touching:
        """Bound once for each set of surfaces that have come near each other."""
        key = tuple(names)
        if key not in self._touching:
            self._skins = self._skins or skins_of(self.world)
            self._touching[key] = Touching(self.world, names, self._skins)
        return self._touching[key]

    def _step_island(self, state: State, island: list[str], frame_step: float) -> None:
        began = perf_counter()
        members = [(self.parts[name], self.rows(state, name)) for name in island]
        for part, _ in members:
            part.load = 0.0
        couplings = self._coupled(island)
        couplings.meet(state, self._islands.touching_groups(island), frame_step)
        count = max(self.substeps(state, name, frame_step) for name in island)
        if self.world.substeps is None:
            count = max(count, couplings.substeps(state, frame_step))
        h = frame_step / count
        for part, rows in members:
            part.begin_frame(rows, state.time, frame_step)
        couplings.begin_frame(state, frame_step)
        for step in range(count):
            self._step_once(state, members, couplings, state.time + step * h, h)
        self._end_frame(state, members, couplings, frame_step, h)
        touched = couplings.touched(state) if self.world.colliders else None
        for part, rows in members:  # nothing rests where nothing stands: what flies keeps its momentum
            if part.stepper.beats > 1 and part.colliders:
                lying = self._nothing if touched is None else touched
                part.settling.rest(rows, lying[part.part.rows], frame_step)
        self.between += perf_counter() - began - sum(part.load for part, _ in members)

    def _end_frame(
        self, state: State, members: list[tuple[BoundPart, Rows]], couplings: Couplings, frame_step: float, h: float
    ) -> None:
        """What holds once per frame, and what that may have pulled through something."""
        for part, rows in members:
            if part.part.name in self._tearing:
                self._tearing[part.part.name].look(rows)
        moved = couplings.shorten(state, frame_step, lambda: _held(members, couplings, frame_step))
        touching = couplings.end_frame(state, frame_step)
        if not touching and not moved:
            return
        for part, rows in members:
            part.clear(rows, h)
        self._take_turns(state, members, couplings, (frame_step, h), touching)
        if couplings.knotted:
            loose = [member for member in members if member[0].part.name not in couplings.tied]
            self._take_turns_alone(loose, frame_step, h)
        for part, rows in members:
            part.end_frame(rows, frame_step)

    def _take_turns(
        self,
        state: State,
        members: list[tuple[BoundPart, Rows]],
        couplings: Couplings,
        steps: tuple[float, float],
        touching: bool,
    ) -> None:
        """Shortening pulls cloth through itself and through solids, and parting them stretches it.

        What holds has the last word: a hand may draw cloth where nothing but passing through leaves it its length.
        Cloth knotted to a segment has not, since limbs do not take part in the turns.
        """
        (frame_step, h), moved = steps, touching or self.world.ties is not None

        def exceeded() -> bool:
            return any([part.exceeded(rows, moved=moved) for part, rows in members])

        def strained() -> bool:
            return any([part.strained(rows) for part, rows in members])

        def shorten() -> None:
            couplings.shorten(state, frame_step, lambda: _held_again(members, couplings, frame_step))

        for _ in range(TURNS):
            if not (strained() if touching else not couplings.knotted and exceeded()):
                return
            shorten()
            couplings.end_frame(state, frame_step)
            for part, rows in members:
                part.clear(rows, h)
        if not couplings.knotted and exceeded():
            shorten()

    def _take_turns_alone(self, members: list[tuple[BoundPart, Rows]], frame_step: float, h: float) -> None:
        """Where something else is knotted: cloth that nothing is tied to and the solids it lies on."""
        for part, rows in members:
            for turn in range(TURNS + 1):
                if not part.exceeded(rows, moved=True):
                    break
                part.hold_again(rows, frame_step, alone=True)
                if turn < TURNS:
                    part.clear(rows, h)

    def _step_once(
        self, state: State, members: list[tuple[BoundPart, Rows]], couplings: Couplings, time: float, h: float
    ) -> None:
        # update
        couplings.begin(state, time, h)
        self._update(members, time, h)
        couplings.predict(state, h)
        # adjust
        for _ in range(self.world.adjustments):
            self._adjust(state, members, couplings, h)
        # finish
        for part, rows in members:
            part.finish(rows, h, couplings.felt(part.part, rows.position))
        for pressing in couplings.pressing:
            pressing.press(state, h)

    def _update(self, members: list[tuple[BoundPart, Rows]], time: float, h: float) -> None:
        """Every part by its own dynamics; of the time that two share, each counts what is its own."""
        if len(members) == 1 or self.filters:  # what filters make of the frame before is drawn beside it
            for part, rows in members:
                part.update(rows, time, h)
            return
        before, began = [part.load for part, _ in members], perf_counter()
        side_by_side([(m, len(m[1].position)) for m in members], lambda m: m[0].update(m[1], time, h))
        took = [part.load - had for (part, _), had in zip(members, before, strict=True)]
        share = min(1.0, (perf_counter() - began) / max(sum(took), 1e-9))
        for (part, _), had, own in zip(members, before, took, strict=True):
            part.load = had + share * own

    def _adjust(self, state: State, members: list[tuple[BoundPart, Rows]], couplings: Couplings, h: float) -> None:
        """One round: each part by itself, then parts against each other, then all against what is in the way."""
        couplings.measure(state, h)
        for part, rows in members:
            part.hold(rows, h)
        couplings.project(state, h)
        for part, rows in members:
            part.collide(rows, h)
        # solids push layers through each other and layers push each other into solids, so they take turns
        while couplings.part(state, h):
            for part, rows in members:
                part.collide(rows, h)

    def refuse_unstable_step(self, state: State, frame_step: float) -> None:
        """An explicit method beyond its stability limit is refused with the number of substeps it needs."""
        for name, part in self.parts.items():
            count = self.substeps(state, name, frame_step)
            longest = part.stepper.stable_step(self.rows(state, name))
            if frame_step / count > longest:
                needed = int(np.ceil(frame_step / longest))
                raise UnstableError(
                    f"part {name!r}: {part.part.integrator.name} with a step of {frame_step / count:.3g} s is unstable "
                    f"(limit here {longest:.3g} s); set substeps >= {needed} (now {count}), or use another integrator"
                )

    def _watch(self, state: State, frame_step: float) -> None:
        """Stop at once when something diverged, and name it."""
        row = _first_beyond(state.position, STAGE_LIMIT)
        for name, part in self.world.parts.items():
            if part.rows.start <= row < part.rows.stop:
                raise UnstableError(
                    f"part {name!r}, particle {row - part.rows.start}: left the stage (position "
                    f"{state.position[row]}) at t = {state.time:.4g} s under {part.integrator.name!r}, frame step "
                    f"{frame_step:.3g} s; use more substeps or a softer material"
                )
