"""What carries held points: a path in time, the same for every run."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from pydantic import SerializeAsAny

from pliant.arrays import Array, frozen
from pliant.description import Description, Vec3, quantity
from pliant.errors import SceneError


class Motion(Description, ABC):
    """Moves held points together, from where they were at the start."""

    @abstractmethod
    def offset(self, time: float) -> Array:
        """(3,) displacement from the start [m], or one per held point; zero at time 0 unless it jumps on purpose."""

    @classmethod
    def example(cls) -> Self:
        return cls()


class KeyMotion(Motion):
    """A smooth way through key displacements; it rests at the last one."""

    times: tuple[float, ...] = quantity((0.0, 1.0), unit="s", help="When each key is reached, rising")
    offsets: tuple[Vec3, ...] = quantity(((0, 0, 0), (0, 0, 0)), unit="m", help="Displacement at each key")

    def model_post_init(self, context: object) -> None:
        if len(self.times) != len(self.offsets) or len(self.times) < 2:
            raise SceneError(
                f"KeyMotion: {len(self.times)} times and {len(self.offsets)} offsets; give two or more each"
            )
        if any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise SceneError(f"KeyMotion.times = {self.times}; every time must be later than the one before")

    def offset(self, time: float) -> Array:
        k = int(np.clip(np.searchsorted(self.times, time) - 1, 0, len(self.times) - 2))
        s = np.clip((time - self.times[k]) / (self.times[k + 1] - self.times[k]), 0.0, 1.0)
        blend = s * s * (3.0 - 2.0 * s)  # rests at every key
        a, b = np.array(self.offsets[k]), np.array(self.offsets[k + 1])
        return a + blend * (b - a)


class Sampled(Motion):
    """A way given by samples, even in time; straight between them, at rest beyond the ends."""

    fps: float = quantity(60.0, unit="1/s", above=0.0, high=1e5, help="Samples per second")
    offsets: Any = quantity(((0.0, 0.0, 0.0),), unit="m", help="(f, 3) displacement at each sample")

    def model_post_init(self, context: object) -> None:
        offsets = np.array(self.offsets, float)
        if offsets.ndim != 2 or offsets.shape[1] != 3 or not len(offsets) or not np.isfinite(offsets).all():
            raise SceneError(f"Sampled.offsets: shape is {offsets.shape}; expected (frames, 3) finite numbers")
        object.__setattr__(self, "offsets", frozen(offsets))

    def offset(self, time: float) -> Array:
        return _sampled(self.offsets, time * self.fps)


class Together:
    """Many motions at one time: those that are sampled alike are looked up at once, as the strings of a crowd are."""

    def __init__(self, motions: Sequence[Motion]) -> None:
        self._motions = motions
        first = motions[0] if motions else None
        self._fps = first.fps if isinstance(first, Sampled) else 0.0
        alike = [isinstance(m, Sampled) and m.fps == self._fps and len(m.offsets) == _count(first) for m in motions]
        self._table = np.stack([m.offsets for m in motions], axis=1) if motions and all(alike) else None  # type: ignore[attr-defined]

    def offsets(self, time: float) -> Array:
        """(k, 3) [m] of each."""
        if self._table is not None:
            return _sampled(self._table, time * self._fps)
        return np.array([motion.offset(time) for motion in self._motions])


def _count(motion: Motion | None) -> int:
    return len(motion.offsets) if isinstance(motion, Sampled) else 0


def _sampled(table: Array, place: float) -> Array:
    """Rows of a table in time, straight between them, at rest beyond the ends."""
    last = len(table) - 1
    place = min(max(place, 0.0), float(last))
    k = min(int(place), max(last - 1, 0))
    before, after = table[k], table[min(k + 1, last)]
    return np.asarray(before + (place - k) * (after - before))


class Spiral(Motion):
    """A gymnast's hand: it draws circles while it travels to and fro."""

    radius: float = quantity(0.25, unit="m", low=0.0, high=10.0, slider=(0, 1), help="Radius of the circles")
    rate: float = quantity(1.6, unit="1/s", low=0.0, high=20.0, slider=(0, 4), help="Circles per second")
    travel: Vec3 = quantity((0.6, 0.0, 0.0), unit="m", help="How far the hand swings to either side")
    period: float = quantity(4.0, unit="s", above=0.0, high=1e3, help="Duration of one swing to and fro")
    start: float = quantity(0.5, unit="s", low=0.0, high=60.0, help="Time until it moves at full size")

    def offset(self, time: float) -> Array:
        angle = 2.0 * np.pi * self.rate * time
        circle = self.radius * np.array([0.0, np.cos(angle) - 1.0, np.sin(angle)])
        return grown(time, self.start) * (circle + np.sin(2.0 * np.pi * time / self.period) * np.array(self.travel))


class Swings(Motion):
    """A sum of harmonic swings: circles, figures of eight, steps; sum_k a_k sin(2 pi (f_k t + p_k))."""

    amplitudes: tuple[Vec3, ...] = quantity(((0.1, 0.0, 0.0),), unit="m", help="How far each swing goes")
    rates: tuple[float, ...] = quantity((1.0,), unit="1/s", help="Swings per second of each")
    phases: tuple[float, ...] = quantity((0.0,), help="Where each begins, in turns")
    start: float = quantity(0.5, unit="s", low=0.0, high=60.0, help="Time until it moves at full size")

    def model_post_init(self, context: object) -> None:
        if not len(self.amplitudes) == len(self.rates) == len(self.phases) > 0:
            raise SceneError(
                f"Swings: {len(self.amplitudes)} amplitudes, {len(self.rates)} rates and {len(self.phases)} phases; "
                f"give as many of each, one or more"
            )

    def offset(self, time: float) -> Array:
        angle = 2.0 * np.pi * (np.array(self.rates) * time + np.array(self.phases))
        return grown(time, self.start) * (np.sin(angle) @ np.array(self.amplitudes))


class Circuit(Motion):
    """Round and round a vertical axis; what moves in the axes that turn along may be said as well."""

    arm: Vec3 = quantity((1.0, 0.0, 0.0), unit="m", help="From the axis to the point at the start")
    period: float = quantity(10.0, unit="s", help="Duration of one round; < 0: clockwise seen from above")
    start: float = quantity(1.5, unit="s", low=0.0, high=60.0, help="Time until it goes at full speed")
    own: SerializeAsAny[Motion] | None = quantity(None, help="Motion in the turning axes")

    def model_post_init(self, context: object) -> None:
        if self.period == 0.0 or not np.isfinite(self.period):
            raise SceneError(f"Circuit.period = {self.period}; give a duration of one round that is not 0 [s]")

    def angle(self, time: float) -> float:
        """[rad] turned by then; smooth at the start."""
        s = min(time / self.start, 1.0) if self.start > 0.0 else 1.0
        gone = self.start * (s**3 - 0.5 * s**4) + max(time - self.start, 0.0)
        return 2.0 * np.pi * gone / self.period

    def offset(self, time: float) -> Array:
        arm = np.array(self.arm)
        x, y, z = arm if self.own is None else arm + self.own.offset(time)
        c, s = np.cos(self.angle(time)), np.sin(self.angle(time))
        return np.array([c * x + s * z, y, c * z - s * x]) - arm


def grown(time: float, start: float) -> float:
    """0 at the start, 1 from `start` [s] on, smooth between."""
    s = min(time / start, 1.0) if start > 0.0 else 1.0
    return s * s * (3.0 - 2.0 * s)
