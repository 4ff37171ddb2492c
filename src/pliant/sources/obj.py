"""Wavefront OBJ: points, polygons, groups and texture coordinates, with the file's vertex order.

A point that has several texture coordinates (a seam) keeps its first; the notes say how many there are.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sources.raw import RawMesh, numbers, rows_of, text


@dataclass
class _Lists:
    """What the lines of the file fill."""

    where: str
    points: list[str] = field(default_factory=list)
    texture: list[str] = field(default_factory=list)
    corners: list[int] = field(default_factory=list)
    corner_texture: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    group: str = ""
    groups: dict[str, list[int]] = field(default_factory=dict)


def read_obj(path: Path) -> RawMesh:
    lists = _Lists(str(path))
    lines = text(path, "OBJ").replace("\\\r\n", " ").replace("\\\n", " ").splitlines()
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words:
            _line(lists, words, number)
    if not lists.points:
        raise FormatError(f"{path}: has no vertices; is it an OBJ file?")
    points = numbers(lists.points, str(path)).reshape(-1, 3)
    corners = np.array(lists.corners, np.int64)
    uv, notes = _uv(lists, corners, len(points))
    groups = {name: np.unique(rows) for name, rows in lists.groups.items() if rows}
    return RawMesh(points, rows_of(lists.sizes), corners, uv, groups, notes)


def _line(lists: _Lists, words: list[str], number: int) -> None:
    key = words[0]
    if key == "v":
        if len(words) < 4:
            raise FormatError(f"{lists.where}: line {number}: a vertex has {len(words) - 1} numbers; it needs three")
        lists.points += words[1:4]
    elif key == "vt":
        lists.texture += [*words[1:3], "0", "0"][:2]
    elif key == "f":
        _face(lists, words[1:], number)
    elif key in ("g", "o"):
        lists.group = " ".join(words[1:])
        lists.groups.setdefault(lists.group, [])


def _face(lists: _Lists, words: list[str], number: int) -> None:
    first = len(lists.corners)
    try:
        for word in words:
            at = word.split("/")
            lists.corners.append(_row(int(at[0]), len(lists.points) // 3))
            texture = int(at[1]) if len(at) > 1 and at[1] else 0
            lists.corner_texture.append(_row(texture, len(lists.texture) // 2) if texture else -1)
    except ValueError:
        raise FormatError(
            f"{lists.where}: line {number}: {word[:40]!r} is no corner; expected 1, 1/2 or 1/2/3"
        ) from None
    lists.sizes.append(len(words))
    if lists.group:
        lists.groups[lists.group] += lists.corners[first:]


def _row(index: int, count: int) -> int:
    """Rows count from one; negative ones backwards from the last so far. Zero is no row."""
    return index - 1 if index > 0 else count + index if index < 0 else -1


def _uv(lists: _Lists, corners: Array, count: int) -> tuple[Array | None, tuple[str, ...]]:
    texture = numbers(lists.texture, lists.where).reshape(-1, 2)
    chosen = np.array(lists.corner_texture, np.int64)
    good = (chosen >= 0) & (chosen < len(texture)) & (corners >= 0) & (corners < count)
    if not good.any():
        return None, ()
    corners, chosen = corners[good], chosen[good]
    uv = np.zeros((count, 2))
    uv[corners[::-1]] = texture[chosen[::-1]]  # backwards, so that the first one stays
    several = np.unique(corners[(texture[chosen] != uv[corners]).any(axis=1)])
    if not several.size:
        return uv, ()
    return uv, (f"{several.size} points on texture seams have several texture coordinates; the first is kept",)
