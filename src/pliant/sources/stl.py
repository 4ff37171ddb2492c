"""STL, text and binary: loose triangles. Corners at exactly the same place are joined by `read_mesh`, which says so."""

from pathlib import Path

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sources.raw import RawMesh, contents, numbers

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(path: Path) -> RawMesh:
    data = contents(path)
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) == 84 + 50 * count:
        corners = np.frombuffer(data, _RECORD, count, 84)["corners"]
    elif data.lstrip()[:5].lower() == b"solid":
        corners = _text_corners(data, path)
    else:
        raise FormatError(f"{path}: {len(data)} bytes do not fit {count} triangles; the STL file is cut off or none")
    points = corners.reshape(-1, 3).astype(np.float64)
    if not len(points):
        raise FormatError(f"{path}: has no triangles")
    return RawMesh(points, np.arange(0, len(points) + 1, 3), np.arange(len(points)))


def _text_corners(data: bytes, path: Path) -> Array:
    words = data.decode("ascii", errors="replace").split()
    at = [k for k, word in enumerate(words) if word == "vertex"]
    if at and at[-1] + 3 >= len(words):
        raise FormatError(f"{path}: ends inside a triangle; the STL file is cut off")
    if len(at) % 3 or not words[-1] or "endsolid" not in words:
        raise FormatError(f"{path}: {len(at)} corners and no proper end; the STL file is cut off")
    return numbers([word for k in at for word in words[k + 1 : k + 4]], str(path)).reshape(-1, 3, 3)
