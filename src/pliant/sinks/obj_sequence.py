"""Wavefront OBJ, a folder `clip.obj/` with one file per frame, `clip_000000.obj`; a single frame is a plain file.

All parts stand in each file as objects, with texture coordinates and normals, vertices in their own order.
Programs that read OBJ take it as Y up and turn it themselves, so `--for` changes its unit alone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.sinks.base import Sink
from pliant.sinks.beside import BesideFolder
from pliant.sinks.cast import Cast, identifier, unit_normals
from pliant.sinks.conventions import convention
from pliant.world import Frame, PartFrame, World


class ObjSequence(Sink):
    """A folder of .obj files, put in place when the last one is written."""

    suffixes = (".obj",)
    summary = "Wavefront OBJ, a folder with a file per frame"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._scale = np.float32(convention(target_app).units_per_metre)
        self._folder = BesideFolder(self.target, (".obj",))
        self._cast: Cast | None = None
        self._count = 0

    def write(self, frame: Frame) -> None:
        self._cast = self._cast or Cast.of(frame)
        text = obj_text(self._cast.present(frame), f"time {frame.time:.9g} s, {self.fps:g} frames/s", self._scale)
        self._folder.write(f"{self.target.stem}_{self._count:06d}.obj", text.encode())
        self._count += 1

    def close(self) -> None:
        self._folder.keep()

    def abandon(self) -> None:
        self._folder.discard()


def obj_text(parts: list[PartFrame], remark: str, scale: np.float32 | float = 1.0) -> str:
    """One file: its parts as objects."""
    lines = [f"# pliant, {remark}\n"]
    taken: set[str] = set()
    point, texture = 1, 1
    for part in parts:
        lines.append(f"o {identifier(part.name, taken)}\n")
        lines += _rows("v", part.points * np.float32(scale))
        if part.uv is not None:
            lines += _rows("vt", np.asarray(part.uv, np.float32))
        lines += _rows("vn", unit_normals(part))
        lines += _faces(part.triangles, point, texture if part.uv is not None else None)
        point += len(part.points)
        texture += len(part.points) if part.uv is not None else 0
    return "".join(lines)


def _rows(key: str, values: Array) -> Iterator[str]:
    """Nine digits bring every float32 back exactly."""
    if len(values):
        line = f"{key} " + " ".join(["%.9g"] * values.shape[1]) + "\n"
        yield (line * len(values)) % tuple(values.ravel().tolist())


def _faces(triangles: Array, point: int, texture: int | None) -> Iterator[str]:
    rows = triangles.astype(np.int64)
    if texture is None:
        columns, line = [rows + point, rows + point], "f %d//%d %d//%d %d//%d\n"
    else:
        columns, line = [rows + point, rows + texture, rows + point], "f %d/%d/%d %d/%d/%d %d/%d/%d\n"
    yield (line * len(rows)) % tuple(np.stack(columns, axis=2).ravel().tolist())
