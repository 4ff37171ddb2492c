"""The two methods for a part that encloses gas, under the names they have everywhere.

`xpbd`: small steps, compliant edges with a floor, gas and skin in agreement, rotation split off (spec of seed 001).
`pbd`: Lee and Kim's own: stiffness per iteration, pressure from the lag of the volume, one spin beside the rows.
"""

from typing import ClassVar, Literal

import numpy as np

from pliant.arrays import Array
from pliant.constraints import Bends
from pliant.description import quantity
from pliant.forces import Gravity
from pliant.integrators.base import Integrator, Stepper
from pliant.integrators.inflated import skin as sweeps
from pliant.integrators.inflated.gas import MARK
from pliant.integrators.inflated.rigid import pass_on
from pliant.integrators.inflated.skin import scratch_for, skin_of
from pliant.integrators.inflated.step import (
    AREA,
    GAUGE,
    KEPT,
    LENGTH,
    MORE,
    PAPER,
    PINNED,
    PLAIN,
    SEEN,
    SPLIT,
    VOLUME,
    Method,
    Pairs,
    advance,
    conclude,
    mark_of,
    prepare,
    settle_measures,
)
from pliant.integrators.inflated.string import Strand, pull_string
from pliant.kernels import color_offsets, thread_count
from pliant.world import Hinges, Part, Rows, Springs, Volumes, World

SHARED_FROM = 16000  # rows; below, one call for everything measured faster than sharing each sweep
TAUT = 50.0  # [Pa] gauge pressure above which bending is invisible
SMOOTH = 40.0  # times an edge's bending stiffness that tension must be to smooth the same kink
ROTATIONS = {"split": SPLIT, "kept": KEPT, "plain": PLAIN, "paper_post": PAPER}


class InflatedXPBD(Integrator):
    """Compliant position-based dynamics of a closed skin around gas."""

    name: ClassVar[str] = "xpbd"
    family: ClassVar[Literal["position"]] = "position"

    fewest: int | None = quantity(None, low=1, high=64, help="Substeps per frame; none: 4, for a foil 6")
    iterations: int | None = quantity(None, low=1, high=100, help="Rounds per substep; none: 2, for a foil 6")
    floor: float | None = quantity(
        None, above=0.0, high=100.0, help="Least compliance of an edge over its inverse masses; none: 2, for a foil 0.1"
    )
    rotation: Literal["split", "kept", "plain"] = quantity("split", help="How spin is kept: split off, mended, or not")
    rest_speed: float = quantity(0.03, unit="m/s", low=0.0, high=1.0, help="Slower than this it may sleep; 0: never")
    rest_time: float = quantity(0.5, unit="s", above=0.0, high=60.0, help="How long it must have been so slow")

    def bind(self, world: World, part: Part) -> Stepper:
        # a skin that wrinkles must be nearly inextensible to find its shape; an elastic one must share its stretch
        fewest, rounds, floor = (6, 6, 0.1) if float(part.table(Volumes).slack[0]) == 0.0 else (4, 2, 2.0)
        numbers = Method(
            iterations=self.iterations or rounds,
            floor=self.floor or floor,
            stretch=0.0,
            bend=0.0,
            hold=1.0,
            lag=False,
            rotation=ROTATIONS[self.rotation],
            softness=0.0,
            rest_speed=self.rest_speed,
            rest_time=self.rest_time,
        )
        return InflatedStepper(numbers, self.fewest or fewest, world, part)


class InflatedPBD(Integrator):
    """Position-based dynamics of a balloon as published by Lee and Kim."""

    name: ClassVar[str] = "pbd"
    family: ClassVar[Literal["position"]] = "position"

    fewest: int = quantity(10, low=1, high=64, help="Substeps per frame")
    iterations: int = quantity(5, low=1, high=100, help="Rounds over skin and volume per substep")
    stretch: float = quantity(0.1, above=0.0, high=1.0, help="Share of an edge's error removed per round")
    bend: float = quantity(0.03, low=0.0, high=1.0, help="Share of a bend pair's error removed per round")
    hold: float = quantity(0.1, above=0.0, high=1.0, help="Share of the volume's error removed per round")
    gas: Literal["paper", "closure"] = quantity("paper", help="Pressure from the volume's lag, or from the skin")
    rotation: Literal["paper_post", "split", "kept", "plain"] = quantity("paper_post", help="How torque turns it")

    def bind(self, world: World, part: Part) -> Stepper:
        numbers = Method(
            iterations=self.iterations,
            floor=0.0,
            stretch=self.stretch,
            bend=self.bend,
            hold=self.hold,
            lag=self.gas == "paper",
            rotation=ROTATIONS[self.rotation],
            softness=0.0,
            rest_speed=0.0,
            rest_time=1.0,
        )
        return InflatedStepper(numbers, self.fewest, world, part)


class InflatedStepper(Stepper):
    """A method, bound to one balloon."""

    def __init__(self, method: Method, fewest: int, world: World, part: Part) -> None:
        self._part, self._method, self._fewest = part, method, fewest
        self._gas: Volumes = part.table(Volumes)
        self._skin = skin_of(part, _against_gravity(world))
        self._work = scratch_for(self._skin)
        self._pairs = _bend_pairs(part)
        self._strand: Strand | None = part.extra.get("strand")
        self._start = np.zeros((len(part.mass) - len(self._gas.body), 3))
        self._time = 0.0
        self._bends = Bends().bind(world, part) if part.has(Hinges) and method.floor > 0.0 else None
        self.taut = TAUT  # [Pa] gauge pressure from which it does not bend
        self.refresh()

    def refresh(self) -> None:
        fresh = skin_of(self._part, self._skin.up)
        for old, new in zip(self._skin, fresh, strict=True):
            old[...] = new
        floor = self._method.floor
        softness = float(np.mean(1.0 / self._skin.stiffness)) if floor > 0.0 else 1.0
        self._method = self._method._replace(softness=softness)
        area = np.linalg.norm(_area_vectors(self._part), axis=1).sum()
        self._work.body[AREA], self._work.body[LENGTH] = area, self._skin.rest_length.sum()
        if self._bends is not None:
            self._bends.refresh()
            self.taut = self._taut_pressure()

    def _taut_pressure(self) -> float:
        """Gauge pressure from which bending is invisible [Pa]: a kink t of an edge l costs k t^2 / 2 in bending and
        T l^2 t^2 / 8 in stretch, with the tension T = 3 p V / (2 A). A foil wrinkles along lines without tension."""
        if float(self._gas.slack[0]) == 0.0:
            return TAUT
        stiffness = float(np.mean(self._part.table(Hinges).stiffness))
        size = float(np.mean(self._skin.rest_length))
        tension = 4.0 * SMOOTH * stiffness / size**2
        return min(TAUT, tension * float(self._work.body[AREA]) / (1.5 * float(self._gas.rest_volume[0])))

    @property
    def gauge(self) -> float:
        """Pressure of the skin over the air outside, at the start of the last substep [Pa]."""
        return float(self._work.body[GAUGE])

    @property
    def volume(self) -> float:
        """Enclosed volume then [m^3]."""
        return float(self._work.body[VOLUME])

    def substeps(self, rows: Rows, frame_step: float) -> int:
        return self._fewest

    def begin(self, rows: Rows, time: float, h: float) -> None:
        self._time = time
        until = self._part.extra.get("pinned_until")
        if until is not None and time - h < until <= time + 1e-9:
            held = self._part.held[self._part.held < len(self._gas.body)]
            rows.inverse_mass[held] = 1.0 / self._part.mass[held]

    def advance(self, rows: Rows, force: Array, h: float) -> None:
        if len(self._skin.share) >= SHARED_FROM and thread_count() > 1:
            self._advance_shared(rows, force, h)
        else:
            advance(rows, force, self._time, h, self._skin, self._gas, self._method, self._pairs, self._work)
        self._bend(rows, h)
        if self._strand is not None:
            work = self._work
            pinned = bool(work.body[PINNED] > 0.0)
            pull_string(rows, force, h, self._strand, pinned, self._start, work.body)
            rows.pocket[0, MARK] = mark_of(rows.position, len(work.mass))

    def finish(self, rows: Rows, predicted: Array, h: float) -> None:
        more, body = float(self._work.body[MORE]), self._work.body
        if more > 0.0 and body[PINNED] == 0.0:
            pass_on(rows.position, rows.velocity, self._work.mass, rows.inverse_mass, h, more, predicted, body)

    def _bend(self, rows: Rows, h: float) -> None:
        """Hinges of a skin that is not taut; under tension a thin skin has no use for them."""
        if self._bends is None or self._work.body[GAUGE] >= self.taut:
            return
        before, n = self._work.predicted, len(self._work.mass)
        before[:] = rows.position[:n]
        self._bends.begin(rows, h)
        self._bends.project(rows, before, h)
        rows.velocity[:n] += (rows.position[:n] - before) * (rows.inverse_mass[:n, None] > 0.0) / h
        self._work.body[SEEN] = rows.pocket[0, MARK] = mark_of(rows.position, n)

    def _advance_shared(self, rows: Rows, force: Array, h: float) -> None:
        """The same calls one by one, so that threads share each."""
        x, w = rows.position, rows.inverse_mass
        skin, gas, method, work = self._skin, self._gas, self._method, self._work
        work.body[SEEN] = mark_of(x, len(work.mass))
        volume = sweeps.volume_and_lift(x, skin, work.gradient, work.lift, work.partial)
        pull, rise, length = sweeps.virial(x, skin, float(gas.slack[0]), work.partial)
        settle_measures(volume, pull, rise, length, work)
        target = prepare(rows, force, self._time, h, skin, gas, method, work)
        if target < 0.0:
            return
        work.multiplier[:] = 0.0
        for _ in range(method.iterations):
            self._hold_shared(x, w, h)
            volume, weight = sweeps.volume_gradient(x, w, skin, work.gradient, work.partial)
            if weight > 0.0:
                sweeps.push_along(x, w, work.gradient, method.hold * (target - volume) / weight)
        conclude(rows, h, method, work)

    def _hold_shared(self, x: Array, w: Array, h: float) -> None:
        skin, method, pairs = self._skin, self._method, self._pairs
        if method.floor > 0.0:
            sweeps.hold_edges(x, w, h, method.floor, float(self._gas.slack[0]), skin, self._work.multiplier)
        else:
            sweeps.pull_pairs(x, w, method.stretch, skin.offset, skin.ends, skin.rest_length)
        if method.bend > 0.0:
            sweeps.pull_pairs(x, w, method.bend, pairs.offset, pairs.ends, pairs.rest_length)


def _area_vectors(part: Part) -> Array:
    a, b, c = (part.rest_position[part.triangles[:, k]] for k in range(3))
    return 0.5 * np.cross(b - a, c - a)


def _against_gravity(world: World) -> Array:
    """(4,) unit vector up and the acceleration, from the scene's own gravity."""
    total = np.zeros(3)
    for field in world.fields:
        if isinstance(field, Gravity):
            total += field.acceleration
    size = float(np.linalg.norm(total))
    return np.append(-total / size if size > 0.0 else np.zeros(3), size)


def _bend_pairs(part: Part) -> Pairs:
    """The two points opposite each edge; a pair that is an edge or was listed already is dropped."""
    springs, count = part.table(Springs), len(part.mass)
    corners = part.table(Hinges).corners if part.has(Hinges) else np.empty((0, 4), np.uint32)
    across = np.unique(np.sort(corners[:, 2:].astype(np.int64), axis=1), axis=0)
    edges = springs.ends.astype(np.int64)
    fresh = ~np.isin(across[:, 0] * count + across[:, 1], edges[:, 0] * count + edges[:, 1])
    across = across[fresh & (across[:, 0] != across[:, 1])]
    order, offset = color_offsets(across, count)
    ends = across[order].astype(np.uint32).reshape(-1, 2)
    length = np.linalg.norm(part.rest_position[ends[:, 1]] - part.rest_position[ends[:, 0]], axis=1)
    return Pairs(offset, ends, length)
