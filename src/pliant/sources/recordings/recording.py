"""What every reader of clips gives, and how flat arrays become frames."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index, frozen
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.sources.raw import usable
from pliant.sources.units import TURN_TO_Y, upward
from pliant.world import Frame, Look, PartFrame, Poses


class Role(NamedTuple):
    """What stays of one part from frame to frame."""

    name: str
    kind: str
    rows: slice  # of the frame's points
    triangles: Array  # (m, 3) uint32, counted from the part's first point
    uv: Array | None = None  # (n, 2) float32
    look: Look = Look()
    bodies: slice = slice(0, 0)  # of the frame's rotations
    names: tuple[str, ...] = ()  # of its bodies


class Moment(NamedTuple):
    """What a file says of one frame, all parts one after the other."""

    points: Array  # (n, 3) float32 [m]
    velocities: Array | None = None  # (n, 3) float32; None: from the frame before
    rotations_xyzw: Array = np.empty((0, 4), np.float32)
    centres: Array | None = None  # (b, 3) float32 of the bodies; None: the parts' first points


class Placed(NamedTuple):
    """Axes and unit of a file that does not say them; what leaves is in metres and Y up."""

    up: str = "y"
    unit: float = 1.0  # [m]

    def moment(self, moment: Moment) -> Moment:
        if self == Placed():
            return moment
        turned = rotation.multiply(TURN_TO_Y[self.up], moment.rotations_xyzw.astype(float))
        return Moment(
            self._points(moment.points),
            None if moment.velocities is None else self._points(moment.velocities),
            turned.astype(np.float32) if len(turned) else moment.rotations_xyzw,
            None if moment.centres is None else self._points(moment.centres),
        )

    def _points(self, points: Array) -> Array:
        return np.asarray(upward(points, self.up) * np.float32(self.unit), np.float32)


OURS = Placed()


@dataclass(frozen=True)
class Recording:
    """A clip on disk. Iterate it as often as you like; `len` frames at `fps`."""

    path: Path
    fps: float
    times: tuple[float, ...]  # [s]
    roles: tuple[Role, ...]
    moments: Callable[[], Iterator[Moment]]
    notes: tuple[str, ...] = ()
    placed: Placed = OURS

    def __len__(self) -> int:
        return len(self.times)

    def __iter__(self) -> Iterator[Frame]:
        before: Array | None = None
        for index, (time, moment) in enumerate(zip(self.times, map(self.placed.moment, self.moments()), strict=False)):
            if not usable(moment.points).all():
                raise FormatError(f"{self.path}: frame {index} has a coordinate that is no finite number below 1e9")
            velocities = moment.velocities
            if velocities is None:
                step = 0.0 if before is None else time - self.times[index - 1]
                change = np.zeros_like(moment.points) if before is None else moment.points - before
                velocities = change / np.float32(step) if step > 0.0 else np.zeros_like(change)
            before = moment.points
            parts = {role.name: _part(role, moment, velocities) for role in self.roles}
            yield Frame(index, time, parts)


def _part(role: Role, moment: Moment, velocities: Array) -> PartFrame:
    points = frozen(np.array(moment.points[role.rows], np.float32))
    turns = frozen(np.array(moment.rotations_xyzw[role.bodies], np.float32))
    quantities = {}
    if len(turns):
        names = role.names or tuple(f"segment_{k}" for k in range(len(turns)))
        centres = points if moment.centres is None else moment.centres[role.bodies]
        quantities["poses"] = Poses(names, centres, turns)
    speeds = frozen(np.array(velocities[role.rows], np.float32))
    return PartFrame(role.name, role.kind, points, role.triangles, speeds, turns, role.look, role.uv, quantities)


def checked_triangles(values: Array, count: int, where: str) -> Array:
    """(m, 3) uint32 with every index below `count`."""
    triangles = np.asarray(values)
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
        raise FormatError(
            f"{where}: faces of shape {triangles.shape} and type {triangles.dtype}; expected (m, 3) integers"
        )
    if triangles.size and (triangles.min() < 0 or triangles.max() >= count):
        raise FormatError(f"{where}: a face uses a point that is not there; there are {count}")
    return frozen(np.ascontiguousarray(triangles, Index))
