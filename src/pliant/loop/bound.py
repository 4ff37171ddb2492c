"""One part of a stage with everything that moves it: its strokes of update, adjust and finish."""

import functools
from collections.abc import Callable
from time import perf_counter
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np

from pliant.arrays import Array
from pliant.integrators import Integrator
from pliant.integrators.momentum import Momentum
from pliant.loop.drivers import Driver, drivers_of
from pliant.loop.settling import Settling, feed_back
from pliant.world import Part, Rows, Volumes, World

P = ParamSpec("P")
R = TypeVar("R")


def _timed(method: Callable[Concatenate["BoundPart", P], R]) -> Callable[Concatenate["BoundPart", P], R]:
    """Counts what a part's own strokes take into its load."""

    @functools.wraps(method)
    def run(part: "BoundPart", /, *arguments: P.args, **keywords: P.kwargs) -> R:
        began = perf_counter()
        result = method(part, *arguments, **keywords)
        part.load += perf_counter() - began
        return result

    return run


class BoundPart:
    """One part with everything that moves it. `load` [s] is the time its own strokes took in the last frame."""

    def __init__(self, world: World, part: Part) -> None:
        self.part = part
        integrator: Integrator = part.integrator
        self.stepper = integrator.bind(world, part)
        self.fields = tuple(field.bind(world, part) for field in world.fields)
        own = self.stepper.meets_obstacles
        self.colliders = () if own else tuple(collider.bind(world, part) for collider in world.colliders)
        self.drivers: list[Driver] = drivers_of(part, self.stepper)
        self.load = 0.0
        count = len(part.mass)
        # projections one after the other leak angular momentum; what is tied must give and take exactly
        self._spin = Momentum(kept=True) if _is_tied_cloth(world, part) else None
        self._force = np.zeros((count, 3))
        self._start = np.zeros((count, 3))  # positions at the start of the substep
        self._predicted = np.zeros((count, 3))  # and after the update stroke
        self.settling = Settling(count)

    def refresh(self) -> None:
        """Take over what a live edit changed in the part's arrays."""
        self.stepper.refresh()
        for field in self.fields:
            field.refresh()

    @_timed
    def begin_frame(self, rows: Rows, time: float, frame_step: float) -> None:
        for thing in (*self.fields, *self.colliders):
            thing.begin_frame(rows, time, frame_step)
        for driver in self.drivers:
            driver.begin_frame(time, frame_step)
        self.settling.begin_frame(rows.position)

    @_timed
    def update(self, rows: Rows, time: float, h: float) -> None:
        self._start[:] = rows.position
        self._force[:] = 0.0
        for driver in self.drivers:
            driver.drive(rows, time, h)
        self.stepper.begin(rows, time, h)
        for field in self.fields:
            field.begin(time, h)
            field.add(rows, self._force, h)
        noted = self._spin is not None and self._spin.note(rows, self._force, h)
        self.stepper.advance(rows, self._force, h)
        if noted and self._spin is not None:
            self._spin.restore_moved(rows)
        self._predicted[:] = rows.position
        self.settling.begin(bool(self.colliders) and self.stepper.beats > 1)
        for constraint in self.stepper.constraints:
            constraint.begin(rows, h)
        for collider in self.colliders:
            collider.begin(time, h)

    @_timed
    def hold(self, rows: Rows, h: float) -> None:
        for constraint in self.stepper.constraints:
            if constraint.when == "substep":
                constraint.project(rows, self._start, h)

    @_timed
    def collide(self, rows: Rows, h: float) -> None:
        self.settling.before(rows.position)
        for collider in self.colliders:
            collider.resolve(rows, self._start, h)
        self.settling.after(rows.position)

    @_timed
    def finish(self, rows: Rows, h: float, felt: Array | None = None) -> None:
        self.settling.settle(rows, self._force, self._start, self._predicted, h, self.stepper.beats)
        # only what came after the update goes back into velocity: feeding back the whole step freezes explicit methods
        feed_back(rows.position, self._predicted, rows.velocity, rows.inverse_mass, 1.0 / h)
        self.stepper.finish(rows, self._predicted if felt is None else rows.position - felt, h)

    @_timed
    def hold_frame(self, rows: Rows, frame_step: float, *, alone: bool) -> bool:
        """What holds once per frame; True if there is any. `alone`: the part minds its own spin."""
        late = [c for c in self.stepper.constraints if c.when == "frame"]
        self._predicted[:] = rows.position
        minded = alone and self._spin is not None and bool(late)
        noted = minded and self._spin is not None and self._spin.note(rows, np.zeros_like(self._force), 0.0)
        for constraint in late:
            constraint.project(rows, self._start, frame_step)
        if noted and self._spin is not None:
            feed_back(rows.position, self._predicted, rows.velocity, rows.inverse_mass, 1.0 / frame_step)
            self._spin.restore_moved(rows)
            self._predicted[:] = rows.position
        return bool(late)

    def strained(self, rows: Rows) -> bool:
        """Whether contact undid so much of what holds once per frame that it is worth another turn."""
        return any(c.when == "frame" and c.broken(rows) for c in self.stepper.constraints)

    def exceeded(self, rows: Rows, *, moved: bool) -> bool:
        """Whether something that holds once per frame is beyond what it allows."""
        moved = moved or bool(self.colliders)
        return any(c.when == "frame" and c.exceeded(rows, moved=moved) for c in self.stepper.constraints)

    def hold_again(self, rows: Rows, frame_step: float, *, alone: bool) -> None:
        """What contact has stretched since `hold_frame`."""
        before = self._predicted.copy()
        if alone and self._spin is not None:  # it weighs the spin of what has been fed back
            feed_back(rows.position, before, rows.velocity, rows.inverse_mass, 1.0 / frame_step)
        self.hold_frame(rows, frame_step, alone=alone)
        if not alone or self._spin is None:
            self._predicted[:] = before

    @_timed
    def clear(self, rows: Rows, h: float) -> None:
        """Once more out of what is in the way: a sheet that is shortened is drawn into what it lies on."""
        for collider in self.colliders:
            collider.resolve(rows, self._predicted, h)

    @_timed
    def end_frame(self, rows: Rows, frame_step: float) -> None:
        """What was done since `hold_frame` goes into the velocities."""
        feed_back(rows.position, self._predicted, rows.velocity, rows.inverse_mass, 1.0 / frame_step)


def _is_tied_cloth(world: World, part: Part) -> bool:
    tied = world.ties is not None and any(part.name in pair for pair in world.ties.names)
    position = part.integrator.family == "position"
    return tied and position and part.motion is None and not len(part.inertia) and not part.has(Volumes)
