"""What sets the velocity of held rows: a motion in the scene, or somebody's hand."""

from typing import Any, Protocol

import numpy as np

from pliant.arrays import Array
from pliant.constants import HAND_EDGES, HAND_SPEED, HAND_SPIN
from pliant.constraints.motions import Together
from pliant.errors import UnsupportedError
from pliant.geometry import rotation
from pliant.integrators import Stepper
from pliant.kernels.rigid import at_points
from pliant.loop.pulling import Reach, Rim, edge_of
from pliant.world import Part, Rows


class Driver(Protocol):
    def begin_frame(self, time: float, frame_step: float) -> None:
        """Once per frame, before its first substep."""

    def drive(self, rows: Rows, time: float, h: float) -> None:
        """Give held rows the velocity that takes them from `time` to where they belong at `time + h`."""


class _Plain:
    """A driver that is asked in every substep."""

    def begin_frame(self, time: float, frame_step: float) -> None:
        pass


class MotionDriver:
    """Carries a part's held rows along its Motion."""

    def __init__(self, part: Part) -> None:
        self._motion, self._held = part.motion, part.held
        self._home = part.rest_position[part.held]
        self._span, self._ends = (0.0, 0.0), (np.zeros(3), np.zeros(3))  # of the frame [s], and the offsets there

    def begin_frame(self, time: float, frame_step: float) -> None:
        """A motion that is dear to ask is asked once per frame; within it the way is straight."""
        if self._motion.dear:
            first = self._ends[1] if time == self._span[1] else self._motion.offset(time)
            self._span, self._ends = (time, time + frame_step), (first, self._motion.offset(time + frame_step))

    def _offset(self, time: float) -> Array:
        first, last = self._span
        if not self._motion.dear or first == last:
            return np.asarray(self._motion.offset(time))
        share = min((time - first) / (last - first), 1.0)
        return self._ends[0] + share * (self._ends[1] - self._ends[0])

    def drive(self, rows: Rows, time: float, h: float) -> None:
        still_held = self._held[rows.inverse_mass[self._held] == 0.0]
        goal = self._home + self._offset(time + h)
        if len(still_held) < len(self._held):
            goal = goal[np.isin(self._held, still_held)]
        rows.velocity[still_held] = (goal - rows.position[still_held]) / h


class FollowDriver(_Plain):
    """Takes points along a track: held ones exactly, the others by a pull that grows with their weight.

    The pull is a critically damped spring per mass, k = stiffness w: with e = goal - x and u the velocity against the
    goal, u' = exp(-2 h sqrt(k)) u + h k e. Beyond k = 1 / h^2, where a point would arrive within one substep, it
    grows no further. Explicit, so that gravity g leaves exactly the sag g / k, whatever the step.
    """

    def __init__(self, part: Part) -> None:
        follow = part.extra["follow"]
        self._track = follow.track
        weights = np.ones(len(follow.rows)) if follow.weights is None else follow.weights
        self._held = np.flatnonzero(weights >= 1.0)
        self._drawn = np.flatnonzero((weights < 1.0) & (weights > 0.0))
        self._rows = follow.rows.astype(np.int64)
        self._pull = (follow.stiffness * weights)[self._drawn, None]

    def drive(self, rows: Rows, time: float, h: float) -> None:
        goal = self._track(time + h)
        held = self._held[rows.inverse_mass[self._rows[self._held]] == 0.0]  # a hand may have freed some
        rows.velocity[self._rows[held]] = (goal[held] - rows.position[self._rows[held]]) / h
        drawn = self._drawn[rows.inverse_mass[self._rows[self._drawn]] > 0.0]
        if not len(drawn):
            return
        pull, row = self._pull[np.searchsorted(self._drawn, drawn)], self._rows[drawn]
        now = self._track(time)[drawn]
        along = (goal[drawn] - now) / h
        pull = np.minimum(pull, 1.0 / h**2)
        against = np.exp(-2.0 * h * np.sqrt(pull)) * (rows.velocity[row] - along)
        rows.velocity[row] = along + against + h * pull * (now - rows.position[row])


class Hand(_Plain):
    """Holds some rows of a part and follows a target that jumps.

    Its speed is bounded, and cloth lets itself be drawn as far as it reaches, so that nothing is torn.
    """

    def __init__(self, part: Part, held: Array, rows: Rows, target: Array) -> None:
        self.part = part.name
        self.pinned = rows.inverse_mass[held] == 0.0  # (k,) whether the row was held before
        self.held = held  # (k,) rows
        self.offsets = rows.position[held] - target  # (k, 3) of each row from the target [m]
        self.target = target  # (3,) [m]
        self.frame_end = 0.0  # time at which the target is to be reached [s]
        self._felt, self._frame, self._pull = 0.0, 1.0, np.zeros(3)
        self.feel(part)

    def feel(self, part: Part) -> None:
        """Know the cloth, which may have been made anew: how far it reaches, and how it pulls."""
        self.reach, self.rim = Reach(part, self.held), Rim(part, self.held)
        self._fastest = min(HAND_SPEED, HAND_EDGES * edge_of(part))  # [m/s]

    def drive(self, rows: Rows, time: float, h: float) -> None:
        left = max(self.frame_end - time, h)
        goal = self.reach.bounded(self.target, self.offsets, rows)
        velocity = (goal + self.offsets - rows.position[self.held]) / left
        speed = np.linalg.norm(velocity, axis=1, keepdims=True)
        velocity *= np.minimum(1.0, self._fastest / np.maximum(speed, 1e-12))
        if self.frame_end != self._felt:  # between frames the cloth is as long as it may be, if it can
            self._felt, self._pull, self._frame = self.frame_end, self.rim.pull(rows), left
        size = float(np.linalg.norm(self._pull))
        if size > 0.0:  # something else holds the cloth: the hand goes no farther away, and gives
            toward = self._pull / size
            velocity += np.maximum(size / self._frame - velocity @ toward, 0.0)[:, None] * toward
        rows.velocity[self.held] = velocity

    def let_go(self) -> None:
        """Nothing to undo: the rows are given back by whoever took them."""


def drivers_of(part: Part, stepper: Stepper) -> list[Driver]:
    """Everything in the scene that moves rows of the part."""
    drivers: list[Driver] = [MotionDriver(part)] if part.motion is not None else []
    if part.extra.get("follow") is not None:
        drivers.append(FollowDriver(part))
    puppet, pulls = part.extra.get("puppet"), getattr(stepper, "pulls", None)
    if puppet is None:
        return drivers
    if puppet.strings and pulls is None:
        raise UnsupportedError(
            f"part {part.name!r}: {part.integrator.name!r} knows no strings; use 'shake', or hold segments instead"
        )
    if puppet.strings:
        drivers.append(StringDriver(part, puppet, pulls))
    if puppet.drive is not None:
        drivers.append(PoseDriver(part, puppet, pulls))
    return drivers


class StringDriver(_Plain):
    """Hangs a puppet's strings up and carries their upper ends."""

    def __init__(self, part: Part, puppet: Any, pulls: Any) -> None:
        self._pulls = pulls
        motions: dict[int, Any] = {}
        which: list[int] = []  # of the motions, for each string that is carried
        carried: list[int] = []
        hooks: list[Array] = []
        for copy, place in enumerate(puppet.places):
            for string in puppet.strings:
                row = copy * len(puppet.segments) + puppet.index(string.segment)
                hook = np.array(string.hook) + np.array(place)
                at = np.array(string.at)
                local = rotation.rotate(rotation.inverse(part.rest_rotation_xyzw[row]), at)
                length = string.length or float(np.linalg.norm(hook - part.rest_position[row] - at))
                key = pulls.string(row, local, hook, length)
                motion = string.motion or puppet.motion
                if motion is not None:
                    motions.setdefault(id(motion), motion)
                    which.append(list(motions).index(id(motion)))
                    carried.append(key)
                    hooks.append(hook)
        self._together, self._which = Together(list(motions.values())), np.array(which, np.int64)
        self._carried, self._hooks = np.array(carried, np.int64), np.array(hooks).reshape(-1, 3)

    def drive(self, rows: Rows, time: float, h: float) -> None:
        if len(self._carried):
            before, after = (self._hooks + self._together.offsets(t)[self._which] for t in (time, time + h))
            self._pulls.aim(self._carried, after, start=before)


class PoseDriver(_Plain):
    """Takes driven segments from pose to pose, or draws them there softly by two points each."""

    def __init__(self, part: Part, puppet: Any, pulls: Any) -> None:
        self._drive, self._pulls = puppet.drive, pulls
        chosen = np.array([puppet.index(name) for name in puppet.drive.segments])
        first = np.arange(len(puppet.places)) * len(puppet.segments)
        self._rows = (first[:, None] + chosen).ravel()
        self._shift = np.repeat(np.array(puppet.places, float), len(chosen), axis=0)
        self._soft: tuple[Array, Array, Array] | None = None  # keys, rows among the driven, points in their axes
        if puppet.drive.stiffness is None:
            return
        if pulls is None:
            raise UnsupportedError(f"part {part.name!r}: {part.integrator.name!r} knows no soft targets; use 'shake'")
        position, turn = self._at(0.0)
        keys, driven, points = [], [], []
        for k, row in enumerate(self._rows):
            ends = part.extra["capsules"][row].copy()
            ends[:6] = np.where(np.abs(ends[:6]).max() > 1e-9, ends[:6], ends[6] * np.array([0, -1, 0, 0, 1, 0]))
            for at in (ends[:3], ends[3:6]):
                goal = position[k] + rotation.rotate(turn[k], at)
                keys.append(pulls.hand(int(row), at, goal, stiffness=puppet.drive.stiffness))
                driven.append(k)
                points.append(at)
        self._soft = np.array(keys), np.array(driven), np.array(points)

    def _at(self, time: float) -> tuple[Array, Array]:
        """Centres and orientations of the driven segments of all copies."""
        position, turn = self._drive.at(time)
        copies = len(self._rows) // len(position)
        if copies > 1:
            position, turn = np.tile(position, (copies, 1)), np.tile(turn, (copies, 1))
        return position + self._shift, turn

    def drive(self, rows: Rows, time: float, h: float) -> None:
        position, turn = self._at(time + h)
        if self._soft is not None:
            keys, k, at = self._soft
            place = np.empty_like(at)
            at_points(position, turn, k, at, place)
            self._pulls.aim(keys, place)
            return
        r = self._rows
        velocity = (position - rows.position[r]) / h
        away = rotation.multiply(turn, rotation.inverse(rows.rotation_xyzw[r]))
        spin = rotation.to_rotation_vector(away) / h
        # a clip that begins elsewhere, or jumps, is caught up with in a few frames: nothing tied to it is torn
        fastest = max(float(np.abs(velocity).max()) / HAND_SPEED, float(np.abs(spin).max()) / HAND_SPIN, 1.0)
        rows.velocity[r], rows.spin[r] = velocity / fastest, spin / fastest


class SegmentHand(_Plain):
    """Somebody's hand on a point of a segment: it draws softly, so that joints hold and the hand gives."""

    def __init__(self, part: str, row: int, rows: Rows, point: Array, pulls: Any) -> None:
        self.part = part
        self.held = np.empty(0, np.int64)  # it holds no row
        self.pinned = np.empty(0, bool)
        self.target = point.copy()  # (3,) [m]
        self.frame_end = 0.0  # time at which the target is to be reached [s]
        self._place, self._pulls = point.copy(), pulls
        at = rotation.rotate(rotation.inverse(rows.rotation_xyzw[row]), point - rows.position[row])
        self._key = pulls.hand(row, at, point)
        self._row, self._at = row, at

    @classmethod
    def again(cls, other: "SegmentHand", pulls: Any) -> "SegmentHand":
        """The same hand on a stage that was built anew."""
        hand = cls.__new__(cls)
        hand.__dict__.update(other.__dict__)
        hand._pulls = pulls
        hand._key = pulls.hand(other._row, other._at, other._place)
        return hand

    def drive(self, rows: Rows, time: float, h: float) -> None:
        left = max(self.frame_end - time, h)
        way = self.target - self._place
        length = float(np.linalg.norm(way))
        step = way * (h / left) if length / left <= HAND_SPEED else way * (HAND_SPEED * h / length)
        start, self._place = self._place, self._place + step
        self._pulls.aim(self._key, self._place, start=start)

    def let_go(self) -> None:
        self._pulls.drop(self._key)
