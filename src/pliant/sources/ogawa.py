"""Alembic archives as they lie on disk: the Ogawa container, its objects and their properties.

Read without any library, bounds checked at every step: a place outside the file, a nesting too deep or a table too
large is one line. Archives of the older HDF5 kind are named as such.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError

DATA = 1 << 63
DEEPEST, MOST = 64, 100_000  # objects within objects, and objects and properties altogether
_KINDS = ("?", "u1", "i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f2", "<f4", "<f8")


class Property(NamedTuple):
    """One property: what it holds, and where each stored sample lies."""

    name: str
    about: dict[str, str]
    compound: bool
    kind: str = ""  # of a number, as NumPy has it
    extent: int = 1
    array: bool = False
    samples: int = 0
    first: int = 0  # sample from which on each is stored
    last: int = 0  # sample after which none differs
    clock: int = 0
    places: tuple[int, ...] = ()
    inside: tuple["Property", ...] = ()

    def at(self, name: str) -> "Property | None":
        return next((p for p in self.inside if p.name == name), None)


@dataclass
class Object:
    """A node of the scene."""

    name: str
    about: dict[str, str]
    properties: tuple[Property, ...] = ()
    children: list["Object"] = field(default_factory=list)

    def at(self, name: str) -> Property | None:
        return next((p for p in self.properties if p.name == name), None)


class Clock(NamedTuple):
    """When samples are: `start`, then one every `step`, or at stored times."""

    step: float  # [s]; 0: the times are stored
    times: tuple[float, ...]  # [s]

    def at(self, index: int) -> float:
        if self.step <= 0.0:
            return self.times[min(index, len(self.times) - 1)]
        cycle, rest = divmod(index, len(self.times))
        return self.times[rest] + cycle * self.step


class Archive:
    """An open file; `top` is its scene."""

    def __init__(self, path: Path, stream: IO[bytes]) -> None:
        self.path, self._stream = path, stream
        self._size = stream.seek(0, 2)
        self._left = MOST
        head = self._read(0, 16) if self._size >= 16 else b""
        if head[:4] == b"\x89HDF":
            raise FormatError(f"{path}: an Alembic archive of the old HDF5 kind; export it as Ogawa")
        if head[:5] != b"Ogawa":
            raise FormatError(f"{path}: does not begin with Ogawa; it is no Alembic archive")
        if head[5] != 0xFF:
            raise FormatError(f"{path}: was never finished by the program that wrote it")
        root = self._group(struct.unpack("<Q", head[8:])[0])
        if len(root) < 6:
            raise FormatError(f"{path}: has {len(root)} root entries, an Alembic archive has six; it is damaged")
        self.clocks = self._clocks(self.data(root[4]))
        self._phrases = [{}, *self._indexed(self.data(root[5]))]
        self.top = self._object("", {}, root[2], 0)

    def data(self, place: int) -> bytes:
        if not place & DATA:
            raise FormatError(f"{self.path}: a group stands where data should; the archive is damaged")
        place &= DATA - 1
        return self._read(place + 8, self._number(place)) if place else b""

    def sample(self, what: Property, index: int) -> Array:
        """(n, extent) of an array, (extent,) of scalars."""
        if not what.places:
            return np.empty((0, what.extent))
        row = 0 if index < what.first or not what.last else min(index, what.last) - what.first + 1
        content = self.data(what.places[min(row, len(what.places) - 1)])[16:]
        size = np.dtype(what.kind).itemsize
        values = np.frombuffer(content[: len(content) // size * size], what.kind)
        if len(values) % what.extent or (not what.array and len(values) < what.extent):
            raise FormatError(f"{self.path}: {what.name} has {len(values)} numbers in groups of {what.extent}; damaged")
        return values.reshape(-1, what.extent) if what.array else values

    def _read(self, place: int, length: int) -> bytes:
        if place < 0 or length < 0 or place + length > self._size:
            raise FormatError(f"{self.path}: points to byte {place + length}, it has {self._size}; cut off?")
        self._stream.seek(place)
        return self._stream.read(length)

    def _number(self, place: int) -> int:
        return int(struct.unpack("<Q", self._read(place, 8))[0])

    def _group(self, place: int) -> tuple[int, ...]:
        if place & DATA:
            raise FormatError(f"{self.path}: data stands where a group should; the archive is damaged")
        if not place:
            return ()
        count = self._number(place)
        return struct.unpack(f"<{count}Q", self._read(place + 8, 8 * count))

    def _object(self, name: str, about: dict[str, str], place: int, depth: int) -> Object:
        self._counted(depth)
        found, children = Object(name, about), self._group(place)
        if not children:
            return found
        found.properties = self._compound(children[0], depth)
        if children[-1] & DATA:
            lines = _Lines(self.data(children[-1])[:-32])
            for below in children[1:-1]:
                label = lines.text(lines.number(2))
                mark = lines.number(0)
                said = _phrases(lines.text(lines.number(2))) if mark == 0xFF else self._phrase(mark)
                found.children.append(self._object(label, said, below, depth + 1))
        return found

    def _compound(self, place: int, depth: int) -> tuple[Property, ...]:
        self._counted(depth)
        children = self._group(place)
        if not children or not children[-1] & DATA:
            return ()
        lines = _Lines(self.data(children[-1]))
        return tuple(self._property(lines, below, depth + 1) for below in children[:-1])

    def _property(self, lines: "_Lines", place: int, depth: int) -> Property:
        """A property's line in the header of its compound: flags, counts, name, metadata."""
        self._counted(depth)
        info = lines.number(2)
        hint, shape, clock = info >> 2 & 3, info & 3, 0
        count = first = last = 0
        if shape:
            count = lines.number(hint)
            first, last = (0, 0) if info & 0x800 else (1, count - 1)
            if info & 0x200:
                first, last = lines.number(hint), lines.number(hint)
            clock = lines.number(hint) if info & 0x100 else 0
        name, mark = lines.text(lines.number(hint)), info >> 20 & 0xFF
        about = _phrases(lines.text(lines.number(hint))) if mark == 0xFF else self._phrase(mark)
        if not shape:
            return Property(name, about, True, inside=self._compound(place, depth))
        number, extent = info >> 4 & 15, max(info >> 12 & 0xFF, 1)
        places = self._group(place)
        kind = _KINDS[number] if number < len(_KINDS) else "u1"  # words are never looked at
        stored = places if shape == 1 else places[::2]
        return Property(name, about, False, kind, extent, shape != 1, count, first, last, clock, stored)

    def _counted(self, depth: int) -> None:
        self._left -= 1
        if self._left < 0 or depth > DEEPEST:
            raise FormatError(f"{self.path}: objects within objects without end; the archive is damaged")

    def _phrase(self, mark: int) -> dict[str, str]:
        return self._phrases[mark] if mark < len(self._phrases) else {}

    def _indexed(self, content: bytes) -> list[dict[str, str]]:
        lines, found = _Lines(content), []
        while lines.left:
            found.append(_phrases(lines.text(lines.number(0))))
        return found

    def _clocks(self, content: bytes) -> list[Clock]:
        lines, found = _Lines(content), []
        while lines.left:
            lines.number(2)
            step, count = struct.unpack("<dI", lines.take(12))
            times = np.frombuffer(lines.take(8 * count), "<f8")
            uneven = not 0.0 < step < 1e6  # stored one by one
            if not len(times) or not np.isfinite(times).all():
                raise FormatError(f"{self.path}: its times are no finite numbers; the archive is damaged")
            found.append(Clock(0.0 if uneven else step, tuple(times.tolist())))
        return found


class _Lines:
    """Numbers and words one after the other; running out is said by a ValueError."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    @property
    def left(self) -> int:
        return len(self._content) - self._at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise ValueError(f"{count} bytes wanted, {self.left} left")
        self._at += count
        return self._content[self._at - count : self._at]

    def number(self, hint: int) -> int:
        """Of 1, 2 or 4 bytes."""
        return int.from_bytes(self.take((1, 2, 4, 4)[hint]), "little")

    def text(self, count: int) -> str:
        return self.take(count).decode("utf-8", "replace")


def _phrases(text: str) -> dict[str, str]:
    return dict(phrase.split("=", 1) for phrase in text.split(";") if "=" in phrase)
