"""Alembic archives (.abc): every surface as a polygon mesh with a sample per frame, below a transform of its name.

No library is needed. Alembic is Y up and right-handed, its polygons run clockwise as seen from outside, and it knows no
unit: `--for` changes the unit alone. Normals and texture coordinates belong to points. A sample's time is its frame
over the frame rate, from 0. Checked in Blender, which reads Alembic by its own library.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.sinks.base import Sink
from pliant.sinks.cast import Cast, identifier, unit_normals
from pliant.sinks.conventions import convention
from pliant.sinks.ogawa import NOTHING, Ogawa
from pliant.world import Frame, PartFrame, World

LIBRARY = 10708  # the library version whose layout this is: 1.7.8
_MESH = "AbcGeom_PolyMesh_v1"
_XFORM = "AbcGeom_Xform_v3"


class _Type(NamedTuple):
    """What a property holds: a compound, or scalars or arrays of `extent` numbers of a kind."""

    shape: int  # 0 compound, 1 scalar, 2 array
    number: int = 0  # of Alembic's list of plain types
    extent: int = 1
    about: str = ""


_COMPOUND = _Type(0)
_POINTS = _Type(2, 10, 3, "geoScope=vtx;interpretation=point")
_FACES = _Type(2, 6)
_BOX = _Type(1, 11, 6, "interpretation=box")
_FLAG = _Type(1, 0)
_PARAMETER = "arrayExtent=1;geoScope=vtx;interpretation={};isGeomParam=true;podExtent={};podName=float32_t"
_NORMALS = _Type(2, 10, 3, _PARAMETER.format("normal", 3))
_UV = _Type(2, 10, 2, _PARAMETER.format("vector", 2))


class Alembic(Sink):
    """One .abc for Blender, Houdini, Maya, Cinema 4D, Unreal and Unity."""

    suffixes = (".abc",)
    summary = "Alembic (Ogawa): polygon meshes with a sample per frame"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._scale = np.float32(convention(target_app).units_per_metre)
        self._file = Ogawa(self.target)
        self._cast: Cast | None = None
        self._meshes: list[_Mesh] = []
        self._count = 0

    def write(self, frame: Frame) -> None:
        if self._cast is None:
            self._cast = Cast.of(frame)
            taken: set[str] = set()
            self._meshes = [_Mesh(identifier(part.name, taken), part, self._file) for part in self._cast.surfaces]
        for mesh, part in zip(self._meshes, self._cast.now(frame), strict=True):
            mesh.add(part, self._scale)
        self._count += 1

    def close(self) -> None:
        file, about = self._file, f"schema={_XFORM};schemaObjTitle={_XFORM}:.xform"
        roots = [(mesh.name, about, mesh.finish(self._count)) for mesh in self._meshes]
        top = _object(file, NOTHING, roots)
        known = file.data(f"_ai_Application=pliant;_ai_DCC_FPS={self.fps:.9g}".encode())
        clocks = _clock(1, 1.0) + _clock(self._count, 1.0 / self.fps)
        numbers = [file.data(struct.pack("<i", n)) for n in (0, LIBRARY)]
        file.keep(file.group([*numbers, top, known, file.data(clocks), file.data(b"")]))

    def abandon(self) -> None:
        self._file.discard()


@dataclass
class _Property:
    """A property's samples: equal neighbours at its two ends are stored once."""

    name: str
    kind: _Type
    places: list[int] = field(default_factory=list)  # of each stored sample
    count: int = 0
    first: int = 0  # sample that differs from the one before it: the first, and the last
    last: int = 0
    _before: bytes = b""

    def add(self, values: Array, file: Ogawa) -> None:
        content = np.ascontiguousarray(values).tobytes()
        if self.count == 0 or content != self._before:
            if self.first:
                self.places += self.places[-1:] * (self.count - self.last - 1)
            elif self.count:
                self.first = self.count
            self.places.append(file.sample(content))
            self.last, self._before = self.count, content
        self.count += 1

    def finish(self, file: Ogawa) -> tuple[int, bytes]:
        """Its group, and its line in the header of the compound it is in; arrays say their shape by their length."""
        shapes = [1 << 63] * len(self.places)
        children = (
            self.places if self.kind.shape == 1 else [p for pair in zip(self.places, shapes, strict=True) for p in pair]
        )
        return file.group(children), _header(self.name, self.kind, self.count, self.first, self.last)


class _Mesh:
    """One surface over time."""

    def __init__(self, name: str, part: PartFrame, file: Ogawa) -> None:
        self.name, self._file = name, file
        self._box, self._points = _Property(".selfBnds", _BOX), _Property("P", _POINTS)
        self._normals = _Property("N", _NORMALS)
        triangles = part.triangles[:, ::-1]
        self._still = []
        for label, kind, values in (
            (".faceIndices", _FACES, triangles.astype("<i4")),
            (".faceCounts", _FACES, np.full(len(triangles), 3, "<i4")),
            *([("uv", _UV, np.asarray(part.uv, "<f4"))] if part.uv is not None else []),
        ):
            self._still.append(_Property(label, kind))
            self._still[-1].add(values, file)

    def add(self, part: PartFrame, scale: np.float32) -> None:
        points = (part.points * scale).astype("<f4")
        self._points.add(points, self._file)
        self._normals.add(unit_normals(part).astype("<f4"), self._file)
        self._box.add(np.concatenate([points.min(axis=0), points.max(axis=0)]).astype("<f8"), self._file)

    def finish(self, count: int) -> int:
        """The group of the transform that holds the mesh."""
        file, base = self._file, "schemaBaseType=AbcGeom_GeomBase_v1"
        geometry = _compound(file, [p.finish(file) for p in (self._box, self._points, *self._still, self._normals)])
        inside = _compound(file, [(geometry, _header(".geom", _COMPOUND._replace(about=f"schema={_MESH};{base}")))])
        mesh = _object(file, inside, [])
        inherits = _Property(".inherits", _FLAG)
        inherits.add(np.array([1], np.uint8), file)
        turn = _compound(file, [inherits.finish(file)])
        above = _compound(file, [(turn, _header(".xform", _COMPOUND._replace(about=f"schema={_XFORM}")))])
        about = f"schema={_MESH};{base};schemaObjTitle={_MESH}:.geom"
        return _object(file, above, [(f"{self.name}Shape", about, mesh)])


def _compound(file: Ogawa, properties: list[tuple[int, bytes]]) -> int:
    groups, headers = zip(*properties, strict=True)
    return file.group([*groups, file.data(b"".join(headers))])


def _object(file: Ogawa, properties: int, children: list[tuple[str, str, int]]) -> int:
    """An object with its properties and children, each of a name, metadata and the place of its group."""
    lines = b"".join(
        struct.pack("<I", len(name)) + name.encode() + b"\xff" + struct.pack("<I", len(about)) + about.encode()
        for name, about, _ in children
    )
    marks = bytes(32)  # where the library keeps hashes of what is below; it compares them and needs none
    return file.group([properties, *(place for *_, place in children), file.data(lines + marks)])


def _header(name: str, kind: _Type, count: int = 0, first: int = 0, last: int = 0) -> bytes:
    """A property's line: flags, counts, name, metadata; all counts of four bytes."""
    info = kind.shape | 2 << 2 | 0xFF << 20
    counts = []
    if kind.shape:
        moving = count > 1 and last > 0
        info |= kind.number << 4 | kind.extent << 12 | 0x400 | (0x100 if moving else 0)
        counts.append(count)
        if not moving:
            info |= 0x800
        elif (first, last) != (1, count - 1):
            info |= 0x200
            counts += [first, last]
        if moving:
            counts.append(1)  # the second clock, that of the frames
    counts.append(len(name))
    return (
        struct.pack(f"<{len(counts) + 1}I", info, *counts)
        + name.encode()
        + struct.pack("<I", len(kind.about))
        + kind.about.encode()
    )


def _clock(samples: int, step: float) -> bytes:
    """Times 0, step, 2 step …"""
    return struct.pack("<IdId", samples, step, 1, 0.0)
