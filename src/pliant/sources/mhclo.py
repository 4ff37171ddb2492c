"""MakeHuman's clothes (.mhclo): each point of a garment hangs on three points of the base mesh, or lies on one.

A line of three points, three shares and an offset means x = sum of shares times points + offset times scale. The scale
of each axis is the distance of two named points of the figure along it over what it was when the clothes were made.
So clothes fit every shape of the base mesh that keeps its points.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sources.raw import text

SUFFIX = ".mhclo"
_AXES = {"x_scale": 0, "y_scale": 1, "z_scale": 2}


class Clothes(NamedTuple):
    """A garment bound to a base mesh."""

    path: Path
    mesh: Path  # the file of its faces, point by point as bound here
    corners: Array  # (n, 3) int64 points of the base mesh
    shares: Array  # (n, 3)
    offsets: Array  # (n, 3) times the scale of its axis
    measured: tuple[tuple[int, int, float], ...]  # per axis: two points of the base mesh, their distance when made


def read_mhclo(path: Path) -> Clothes:
    """The binding; which file the faces are in is looked up beside it."""
    rows: list[list[float]] = []
    measured: dict[int, tuple[int, int, float]] = {}
    mesh, listing = "", False
    for number, line in enumerate(text(path, "clothes").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if listing and (words[0][0].isdigit() or words[0][0] == "-"):
            rows.append(_row(path, number, words))
            continue
        listing = words[0] == "verts"
        if words[0] == "obj_file" and len(words) > 1:
            mesh = " ".join(words[1:])
        elif words[0] in _AXES:
            measured[_AXES[words[0]]] = _scale(path, number, words)
        elif words[0] == "delete_verts":
            break
    if not rows:
        raise FormatError(f"{path}: binds no points (no lines after 'verts'); is it a MakeHuman clothes file?")
    if len(measured) < 3:
        raise FormatError(f"{path}: says no {'xyz'[min({0, 1, 2} - set(measured))]}_scale; export the clothes anew")
    table = np.array(rows)
    return Clothes(
        path,
        _beside(path, mesh),
        table[:, :3].astype(np.int64),
        table[:, 3:6],
        table[:, 6:],
        tuple(measured[k] for k in range(3)),
    )


def _row(path: Path, number: int, words: list[str]) -> list[float]:
    """Three points, three shares, three offsets; one point alone is that point."""
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if len(values) == 1:
        values = [values[0]] * 3 + [1.0, 0.0, 0.0]
    if len(values) == 6:
        values += [0.0] * 3
    if len(values) != 9 or not np.isfinite(values).all():
        raise FormatError(
            f"{path}: line {number}: {' '.join(words)[:60]!r} binds no point; expected one point, or three points, "
            "three shares and an offset"
        )
    return values


def _scale(path: Path, number: int, words: list[str]) -> tuple[int, int, float]:
    try:
        first, second, made = int(words[1]), int(words[2]), float(words[3])
    except (IndexError, ValueError):
        made = 0.0
    if not made > 0.0:
        raise FormatError(f"{path}: line {number}: {words[0]} needs two points and their distance above 0")
    return first, second, made


def _beside(path: Path, mesh: str) -> Path:
    """The file it names, or the .obj of its own name."""
    for candidate in (path.with_name(Path(mesh).name) if mesh else path.with_suffix(".obj"), path.with_suffix(".obj")):
        if candidate.is_file():
            return candidate
    raise FormatError(f"{path}: its mesh {mesh or path.with_suffix('.obj').name!r} is not beside it; copy it there")


def fitted(clothes: Clothes, base: Array) -> Array:
    """(n, 3) the garment's points on a figure; `base` (k, 3) holds all points of its base mesh, helpers too."""
    most = int(max(clothes.corners.max(), *(max(a, b) for a, b, _ in clothes.measured)))
    least = int(min(clothes.corners.min(), *(min(a, b) for a, b, _ in clothes.measured)))
    if least < 0 or most >= len(base):
        raise FormatError(
            f"{clothes.path}: hangs on point {most if least >= 0 else least} of the base mesh, which has {len(base)}; "
            "the clothes are for another base"
        )
    scale = np.array([abs(base[a, k] - base[b, k]) / made for k, (a, b, made) in enumerate(clothes.measured)])
    return np.asarray(np.einsum("nc,nci->ni", clothes.shares, base[clothes.corners]) + clothes.offsets * scale)


__all__ = ["SUFFIX", "Clothes", "fitted", "read_mhclo"]
