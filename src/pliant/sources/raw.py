"""What every mesh reader gives, before anything is judged or changed, and the doors files come in by."""

import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constants import MAXIMUM_UPLOAD
from pliant.errors import FormatError

FARTHEST = 1e9  # [units] a coordinate beyond is garbage, and its square would drown everything else


def usable(points: Array) -> Array:
    """(n,) bool: points whose coordinates are finite and not absurd."""
    return np.asarray((np.abs(points) <= FARTHEST).all(axis=1))


class RawMesh(NamedTuple):
    """A surface as its file says it: polygons of any size, indices unchecked, vertex order kept."""

    points: Array  # (n, 3) float64, in the file's unit and axes
    starts: Array  # (p + 1,) polygon p has corners[starts[p]:starts[p + 1]]
    corners: Array  # (c,) int64 rows of points
    uv: Array | None = None  # (n, 2)
    groups: Mapping[str, Array] = MappingProxyType({})  # named rows of points, sorted
    notes: tuple[str, ...] = ()
    weights: Mapping[str, Array] = MappingProxyType({})  # painted numbers, each (n,) float64


def contents(path: Path) -> bytes:
    """The whole file, or one line that says why not."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise FormatError(f"{path}: is a folder; a file is needed")
        if size > MAXIMUM_UPLOAD:
            raise FormatError(f"{path}: {size / 2**20:.0f} MiB; files above {MAXIMUM_UPLOAD // 2**20} MiB are refused")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise error if isinstance(error, FormatError) else FormatError(f"{path}: {reason}") from None
    if not data.strip():
        raise FormatError(f"{path}: is empty")
    return data


def text(path: Path, kind: str) -> str:
    """The file as text, or one line that says it is none."""
    data = contents(path)
    if b"\0" in data[:4096]:
        raise FormatError(f"{path}: holds binary data; a {kind} file is text")
    return data.decode("utf-8-sig", errors="replace")


@contextmanager
def damaged(path: Path, kind: str) -> Iterator[None]:
    """Whatever trips over the inside of a file means the same to the user: it is damaged."""
    try:
        yield
    except FormatError:
        raise
    except _TRIPS as error:
        said = " ".join(str(error).split())[:100]
        raise FormatError(f"{path}: the {kind} file is damaged ({type(error).__name__}: {said})") from None


_TRIPS = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def numbers(words: list[str], where: str) -> Array:
    """Float64 of words; the first that is none is named."""
    try:
        return np.array(words, dtype=np.float64)
    except ValueError:
        bad = next(word for word in words if not _is_number(word))
        hint = "; decimals are written with a point" if "," in bad else ""
        raise FormatError(f"{where}: {bad[:40]!r} is not a number{hint}") from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def rows_of(sizes: list[int] | Array) -> Array:
    """Starts of compressed rows."""
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64)
