"""Point caches PC2 and MDD, with the mesh that stands beside them as `clip.pc2.obj`, or a folder of such pairs."""

import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sources.meshes import read_mesh
from pliant.sources.raw import damaged
from pliant.sources.recordings.recording import Moment, Recording, Role


class _Cache(NamedTuple):
    """Where the positions of one surface lie."""

    path: Path
    size: int  # points
    offset: int
    kind: str  # of a number
    times: tuple[float, ...]
    fps: float

    def points(self) -> Iterator[Array]:
        with self.path.open("rb") as stream:
            stream.seek(self.offset)
            for _ in self.times:
                data = stream.read(12 * self.size)
                yield np.frombuffer(data, self.kind).reshape(-1, 3).astype(np.float32)


def open_pc2(path: Path) -> Recording:
    return _open(path, _pc2)


def open_mdd(path: Path) -> Recording:
    return _open(path, _mdd)


def _open(path: Path, reader: Callable[[Path], _Cache]) -> Recording:
    files = sorted(path.glob(f"*{path.suffix}")) if path.is_dir() else [path]
    if not files:
        raise FormatError(f"{path}: the folder has no {path.suffix} files")
    with damaged(path, path.suffix[1:].upper()):
        caches = [reader(file) for file in files]
    if len({len(cache.times) for cache in caches}) > 1:
        raise FormatError(f"{path}: its caches have different numbers of frames")
    roles, start = [], 0
    for cache in caches:
        roles.append(_role(cache, start))
        start += cache.size

    def moments() -> Iterator[Moment]:
        for blocks in zip(*(cache.points() for cache in caches), strict=True):
            yield Moment(np.concatenate(blocks))

    return Recording(path, caches[0].fps, caches[0].times, tuple(roles), moments)


def _role(cache: _Cache, start: int) -> Role:
    rows = slice(start, start + cache.size)
    mesh = cache.path.with_name(cache.path.name + ".obj")
    if not mesh.exists():
        return Role(cache.path.stem, "points", rows, np.empty((0, 3), np.uint32))
    record = read_mesh(mesh)
    if len(record.points) != cache.size:
        raise FormatError(f"{mesh}: has {len(record.points)} points, its cache moves {cache.size}")
    name = next(iter(record.groups), cache.path.stem)
    uv = None if record.uv is None else record.uv.astype(np.float32)
    return Role(name, "cloth", rows, record.triangles, uv)


def _said_fps(path: Path) -> float | None:
    """Our mesh beside the cache says the frame rate in its first line; caches themselves do not."""
    mesh = path.with_name(path.name + ".obj")
    if not mesh.exists():
        return None
    with mesh.open("rb") as stream:
        found = re.search(rb"([0-9.]+) frames/s", stream.readline(200))
    return float(found[1]) if found else None


def _pc2(path: Path) -> _Cache:
    with path.open("rb") as stream:
        head = stream.read(32)
    if len(head) < 32 or head[:11] != b"POINTCACHE2":
        raise FormatError(f"{path}: does not begin with POINTCACHE2; it is no PC2 cache")
    _, count, _, rate, samples = struct.unpack("<iiffi", head[12:])
    _sized(path, 32, count, samples)
    fps = _said_fps(path) or 30.0
    step = rate if 0.0 < rate < 1e6 else 1.0
    return _Cache(path, count, 32, "<f4", tuple(k * step / fps for k in range(samples)), fps)


def _mdd(path: Path) -> _Cache:
    with path.open("rb") as stream:
        head = stream.read(8)
        if len(head) < 8:
            raise FormatError(f"{path}: is {len(head)} bytes long; it is no MDD cache")
        samples, count = struct.unpack(">ii", head)
        _sized(path, 8 + 4 * max(samples, 0), count, samples)
        stored = np.frombuffer(stream.read(4 * samples), ">f4")
    times = stored.astype(float) if (np.abs(stored) < 1e9).all() else np.zeros(2)
    steps = np.diff(times)
    if (steps <= 0).any():
        raise FormatError(f"{path}: its times do not rise; it is no MDD cache")
    fps = _said_fps(path) or (float(1.0 / steps.mean()) if len(steps) else 30.0)
    return _Cache(path, count, 8 + 4 * samples, ">f4", tuple(times.tolist()), fps)


def _sized(path: Path, offset: int, count: int, samples: int) -> None:
    size, said = path.stat().st_size, offset + 12 * count * samples
    if count <= 0 or samples <= 0 or size < said:
        raise FormatError(f"{path}: {samples} frames of {count} points need {said} bytes, it has {size}; cut off?")
