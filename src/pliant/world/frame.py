"""What leaves the simulation: a read-only picture of one instant."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np

from pliant.arrays import Array, frozen
from pliant.errors import SceneError, unknown
from pliant.geometry.surface import vertex_normals
from pliant.world.part import Look, Part


class Pose(NamedTuple):
    """Where one segment is."""

    name: str
    position: Array  # (3,) [m] float32
    rotation_xyzw: Array  # (4,) float32


class Poses(Sequence[Pose]):
    """The poses of all segments of a part; each is made when it is asked for, since a crowd has thousands."""

    def __init__(self, names: Sequence[str], position: Array, rotation_xyzw: Array) -> None:
        self.names, self.position, self.rotation_xyzw = names[: len(position)], position, rotation_xyzw

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, at: int) -> Pose: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Pose, ...]: ...
    def __getitem__(self, at: int | slice) -> Pose | tuple[Pose, ...]:
        if isinstance(at, slice):
            return tuple(map(Pose, self.names[at], self.position[at], self.rotation_xyzw[at]))
        return Pose(self.names[at], self.position[at], self.rotation_xyzw[at])


@dataclass(frozen=True)
class PartFrame:
    """One part at one instant; arrays are float32 and read-only."""

    name: str
    kind: str
    points: Array  # (n, 3) [m]
    triangles: Array  # (m, 3) uint32
    velocities: Array  # (n, 3) [m/s]
    rotations_xyzw: Array  # (b, 4), of bodies
    look: Look
    uv: Array | None
    quantities: dict[str, Any] = field(default_factory=dict)  # pressure, volume, moles, strain … where a part has them

    @cached_property
    def normals(self) -> Array:
        """(n, 3) unit vertex normals, area-weighted."""
        return frozen(vertex_normals(self.points, self.triangles).astype(np.float32))

    def opened(self) -> "PartFrame":
        """Of cloth that can tear, the same surface with own points for every triangle: their order never changes."""
        if "torn" not in self.quantities:
            return self
        corner = self.triangles.ravel()
        made = dataclasses.replace(
            self,
            points=frozen(self.points[corner]),
            velocities=frozen(self.velocities[corner]),
            triangles=frozen(np.arange(len(corner), dtype=np.uint32).reshape(-1, 3)),
            uv=None if self.uv is None else frozen(self.uv[corner]),
            quantities={},
        )
        made.__dict__["normals"] = frozen(self.normals[corner])  # smooth, as of the joined surface
        return made

    def __getattr__(self, name: str) -> Any:
        quantities = object.__getattribute__(self, "quantities")
        if name in quantities:
            return quantities[name]
        raise AttributeError(f"part {self.name!r} ({self.kind}) has no {name!r}")


@dataclass(frozen=True)
class Frame(Mapping[str, PartFrame]):
    """`frame["flag"].points`, `frame.time`."""

    index: int
    time: float  # [s]
    parts: dict[str, PartFrame]

    def __getitem__(self, name: str) -> PartFrame:
        if name not in self.parts:
            raise SceneError(unknown("part", name, self.parts))
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)


def still(array: Array) -> Array:
    """A read-only float32 copy."""
    return frozen(array.astype(np.float32))


def part_frame(part: Part, position: Array, velocity: Array, **quantities: Any) -> PartFrame:
    return PartFrame(
        name=part.name,
        kind=part.kind,
        points=still(position),
        triangles=part.triangles,
        velocities=still(velocity),
        rotations_xyzw=np.empty((0, 4), np.float32),
        look=part.look,
        uv=part.uv,
        quantities=quantities,
    )
