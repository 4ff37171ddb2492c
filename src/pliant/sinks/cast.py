"""Who plays in a recording: the parts of its first frame, with which every later frame must agree."""

import re
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.world import Frame, PartFrame


@dataclass(frozen=True)
class Cast:
    """Names and constant arrays of the parts that have a surface."""

    surfaces: tuple[PartFrame, ...]  # as they are in the first frame
    everyone: tuple[str, ...]

    @classmethod
    def of(cls, frame: Frame) -> "Cast":
        return cls(tuple(part.opened() for part in frame.values() if len(part.triangles)), tuple(frame))

    def now(self, frame: Frame) -> list[PartFrame]:
        """The same surfaces in a later frame; a surface that changed its size is refused."""
        found = self.present(frame)
        for part, first in zip(found, self.surfaces, strict=True):
            if len(part.points) != len(first.points) or len(part.triangles) != len(first.triangles):
                raise FormatError(
                    f"frame {frame.index}: part {part.name!r} has {len(part.points)} points, the first frame had "
                    f"{len(first.points)}; a recording keeps its points"
                )
        return found

    def present(self, frame: Frame) -> list[PartFrame]:
        """The surfaces of a later frame, of whatever size: for a file per frame."""
        if tuple(frame) != self.everyone:
            raise FormatError(f"frame {frame.index}: has the parts {tuple(frame)}, the first had {self.everyone}")
        return [frame[part.name].opened() for part in self.surfaces]

    @property
    def point_starts(self) -> Array:
        return np.cumsum([0, *(len(part.points) for part in self.surfaces)])

    @property
    def face_starts(self) -> Array:
        return np.cumsum([0, *(len(part.triangles) for part in self.surfaces)])


def unit_normals(part: PartFrame) -> Array:
    """(n, 3) float32 normals; a point without area looks up, since formats allow no zero normal."""
    normals = part.normals.copy()
    normals[~normals.any(axis=1)] = (0.0, 1.0, 0.0)
    return normals


def identifier(name: str, taken: set[str] | None = None) -> str:
    """A name every format takes: letters, digits and underscores, never beginning with a digit."""
    word = re.sub(r"[^A-Za-z0-9_]", "_", name) or "part"
    word = f"_{word}" if word[0].isdigit() else word
    unique, count = word, 1
    while taken is not None and unique in taken:
        count += 1
        unique = f"{word}_{count}"
    if taken is not None:
        taken.add(unique)
    return unique
