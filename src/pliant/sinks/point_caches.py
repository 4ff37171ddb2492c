"""Point caches: PC2 (little-endian, evenly sampled) and MDD (big-endian, with a table of times).

A cache holds positions alone. Beside `clip.pc2` stands the mesh it moves, `clip.pc2.obj`, in the same vertex order:
import that, then put the cache on it. With several surfaces `clip.pc2/` is a folder with such a pair for each of them.
Both are Y up, since programs turn an imported OBJ themselves; `--for` changes the unit alone.
"""

import struct
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pliant.arrays import Array
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside, BesideFolder, Spool
from pliant.sinks.cast import Cast, identifier
from pliant.sinks.conventions import convention
from pliant.sinks.obj_sequence import obj_text
from pliant.world import Frame, PartFrame, World


class _Cache(Protocol):
    """One file of positions in the making."""

    def __init__(self, target: Path, count: int, fps: float) -> None: ...

    def write(self, points: Array, time: float) -> None: ...

    def keep(self) -> None: ...

    def discard(self) -> None: ...


class _Pc2File:
    """`POINTCACHE2`, version 1, points, start frame, frames per sample, samples; then float32 positions."""

    def __init__(self, target: Path, count: int, fps: float) -> None:
        self._file = Beside(target)
        self._samples = 0
        self._file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, count, 0.0, 1.0, 0))

    def write(self, points: Array, time: float) -> None:
        self._file.write(points.astype("<f4").tobytes())
        self._samples += 1

    def keep(self) -> None:
        self._file.patch(28, struct.pack("<i", self._samples))
        self._file.keep()

    def discard(self) -> None:
        self._file.discard()


class _MddFile:
    """Frames, points, the time of each frame [s], then positions; all big-endian."""

    def __init__(self, target: Path, count: int, fps: float) -> None:
        self._file, self._spool = Beside(target), Spool(target)
        self._count, self._times = count, list[float]()

    def write(self, points: Array, time: float) -> None:
        self._spool.write(points.astype(">f4").tobytes())
        self._times.append(time)

    def keep(self) -> None:
        self._file.write(struct.pack(">ii", len(self._times), self._count))
        self._file.write(np.array(self._times, ">f4").tobytes())
        self._file.take(self._spool)
        self._file.keep()
        self._spool.close()

    def discard(self) -> None:
        self._file.discard()
        self._spool.close()


class _Caches:
    """A cache for every surface, with the mesh it moves."""

    def __init__(self, sink: Sink, kind: type[_Cache], target_app: str | None) -> None:
        self._sink, self._kind = sink, kind
        self._scale = np.float32(convention(target_app).units_per_metre)
        self._cast: Cast | None = None
        self._caches: list[_Cache] = []
        self._meshes: list[Beside] = []
        self._folder: BesideFolder | None = None
        if not sink.target.is_dir():
            Beside(sink.target).discard()  # refuses a bad place before anything is computed

    def write(self, frame: Frame) -> None:
        if self._cast is None:
            self._cast = Cast.of(frame)
            self._begin(self._cast.surfaces)
        for part, cache in zip(self._cast.now(frame), self._caches, strict=True):
            cache.write(part.points * self._scale, frame.time)

    def _begin(self, surfaces: tuple[PartFrame, ...]) -> None:
        target, suffix = self._sink.target, self._sink.target.suffix
        if len(surfaces) == 1:
            self._add(target, surfaces[0])
            return
        self._folder = BesideFolder(target, (suffix, ".obj"))
        taken: set[str] = set()
        for part in surfaces:
            self._add(self._folder.part / (identifier(part.name, taken) + suffix), part)

    def _add(self, path: Path, part: PartFrame) -> None:
        self._caches.append(self._kind(path, len(part.points), self._sink.fps))
        mesh = Beside(path.with_name(path.name + ".obj"))
        self._meshes.append(mesh)
        remark = f"first frame of {path.name}, {self._sink.fps:g} frames/s"
        mesh.write(obj_text([part], remark, self._scale).encode())

    def close(self) -> None:
        for mesh, cache in zip(self._meshes, self._caches, strict=True):
            mesh.keep()
            cache.keep()
        if self._folder is not None:
            self._folder.keep()

    def abandon(self) -> None:
        for mesh, cache in zip(self._meshes, self._caches, strict=True):
            mesh.discard()
            cache.discard()
        if self._folder is not None:
            self._folder.discard()


class Pc2(Sink):
    """Evenly sampled positions for Blender's Mesh Cache, 3ds Max, Houdini."""

    suffixes = (".pc2",)
    summary = "PC2 point cache with its mesh beside it"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._caches = _Caches(self, _Pc2File, target_app)

    def write(self, frame: Frame) -> None:
        self._caches.write(frame)

    def close(self) -> None:
        self._caches.close()

    def abandon(self) -> None:
        self._caches.abandon()


class Mdd(Sink):
    """Positions with their times for Blender's Mesh Cache, LightWave, Cinema 4D."""

    suffixes = (".mdd",)
    summary = "MDD point cache with its mesh beside it"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._caches = _Caches(self, _MddFile, target_app)

    def write(self, frame: Frame) -> None:
        self._caches.write(frame)

    def close(self) -> None:
        self._caches.close()

    def abandon(self) -> None:
        self._caches.abandon()
