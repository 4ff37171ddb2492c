"""Stanford PLY, binary: a folder `clip.ply/` with one file per frame, `clip_000000.ply`; one frame is a plain file.

Vertices carry normals, texture coordinates (s, t) and the part they belong to (`part`, counted as in the comments).
"""

from pathlib import Path
from typing import Any

import numpy as np

from pliant.sinks.base import Sink
from pliant.sinks.beside import BesideFolder
from pliant.sinks.cast import Cast, unit_normals
from pliant.sinks.conventions import Convention, convention
from pliant.world import Frame, PartFrame, World

_VERTEX = [(name, "<f4") for name in ("x", "y", "z", "nx", "ny", "nz", "s", "t")] + [("part", "<i4")]
_FACE = np.dtype([("count", "u1"), ("rows", "<i4", 3)])


class PlySequence(Sink):
    """A folder of .ply files, put in place when the last one is written."""

    suffixes = (".ply",)
    summary = "Stanford PLY (binary), a folder with a file per frame"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._axes = convention(target_app)
        self._folder = BesideFolder(self.target, (".ply",))
        self._cast: Cast | None = None
        self._count = 0

    def write(self, frame: Frame) -> None:
        self._cast = self._cast or Cast.of(frame)
        remark = f"pliant, time {frame.time:.9g} s, {self.fps:g} frames/s"
        data = ply_bytes(self._cast.present(frame), remark, self._axes)
        self._folder.write(f"{self.target.stem}_{self._count:06d}.ply", data)
        self._count += 1

    def close(self) -> None:
        self._folder.keep()

    def abandon(self) -> None:
        self._folder.discard()


def ply_bytes(parts: list[PartFrame], remark: str, axes: Convention) -> bytes:
    vertices = np.concatenate([np.zeros(0, _VERTEX), *(_vertices(k, part, axes) for k, part in enumerate(parts))])
    faces, first = [np.zeros(0, _FACE)], 0
    for part in parts:
        block = np.zeros(len(part.triangles), _FACE)
        block["count"], block["rows"] = 3, axes.triangles(part.triangles) + np.uint32(first)
        faces.append(block)
        first += len(part.points)
    rows = np.concatenate(faces)
    header = ["ply", "format binary_little_endian 1.0", f"comment {remark}"]
    header += [f"comment part {k} {part.name.encode('ascii', 'replace').decode()}" for k, part in enumerate(parts)]
    header += [f"element vertex {len(vertices)}"]
    header += [f"property {'int' if kind == '<i4' else 'float'} {name}" for name, kind in _VERTEX]
    header += [f"element face {len(rows)}", "property list uchar int vertex_indices", "end_header\n"]
    return "\n".join(header).encode() + vertices.tobytes() + rows.tobytes()


def _vertices(index: int, part: PartFrame, axes: Convention) -> np.ndarray:
    block = np.zeros(len(part.points), _VERTEX)
    block["x"], block["y"], block["z"] = axes.points(part.points).T
    block["nx"], block["ny"], block["nz"] = axes.directions(unit_normals(part)).T
    if part.uv is not None:
        block["s"], block["t"] = np.asarray(part.uv, np.float32).T
    block["part"] = index
    return block
