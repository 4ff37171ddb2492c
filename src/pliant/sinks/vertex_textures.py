"""Vertex-animation textures: a folder `clip.vat/` that a game engine plays on the GPU.

For each surface: `NAME_position.png`, `NAME_normal.png`, `NAME.glb` (the first frame, whose second texture coordinate
says which texel is whose) and in `clip.json` how to read them; with shaders for Godot, Unity, Unreal and three.js.

A coordinate is a 16-bit number between the bounds of the whole clip, `low + (high - low) k / 65535`. Its upper byte
stands in the upper half of the position picture and its lower byte in the lower half, since browsers and Godot cut
16-bit PNGs to eight. A frame takes `rows_per_frame` rows, the first frame at the top.
"""

import json
import math
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside, BesideFolder, Spool
from pliant.sinks.cast import Cast, identifier, unit_normals
from pliant.sinks.conventions import convention
from pliant.sinks.gltf_json import static_glb
from pliant.sinks.png_rows import png
from pliant.world import Frame, PartFrame, World

WIDTH, HEIGHT = 8192, 16384  # texels that every desktop GPU takes
_KINDS = (".png", ".json", ".glb", ".gdshader", ".shader", ".ush", ".js")


class VertexTextures(Sink):
    """A folder of textures, meshes and shaders, put in place when whole."""

    suffixes = (".vat",)
    summary = "vertex-animation textures with shaders for Godot, Unity, Unreal, three.js"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        convention(target_app)  # the shaders turn the axes; the textures are the same for all
        self._folder = BesideFolder(self.target, _KINDS)
        self._cast: Cast | None = None
        self._tracks: list[_Track] = []

    def write(self, frame: Frame) -> None:
        if self._cast is None:
            self._cast = Cast.of(frame)
            taken: set[str] = set()
            self._tracks = [_Track(part, identifier(part.name, taken), self.target) for part in self._cast.surfaces]
        for track, part in zip(self._tracks, self._cast.now(frame), strict=True):
            track.add(part)

    def close(self) -> None:
        for track in self._tracks:
            track.finish(self._folder)
        about = {"format": 1, "fps": self.fps, "up": "Y", "metres_per_unit": 1.0}
        document = about | {"parts": [track.about() for track in self._tracks]}
        self._folder.write(f"{self.target.stem}.json", (json.dumps(document, indent=1) + "\n").encode())
        for shader in sorted(files("pliant.sinks").joinpath("vat_shaders").iterdir(), key=lambda item: item.name):
            self._folder.write(shader.name, shader.read_bytes())
        self._folder.keep()
        self._release()

    def abandon(self) -> None:
        self._folder.discard()
        self._release()

    def _release(self) -> None:
        for track in self._tracks:
            track.spool.close()


class _Track:
    """One surface: its frames wait on disk until the bounds of the clip are known."""

    def __init__(self, part: PartFrame, name: str, target: Path) -> None:
        self.name, self.first = name, part
        self.spool = Spool(target)
        self.frames = 0
        self.width = min(len(part.points), WIDTH)
        self.rows = math.ceil(len(part.points) / WIDTH)
        self._low, self._high = part.points.min(axis=0), part.points.max(axis=0)

    def add(self, part: PartFrame) -> None:
        self._low = np.minimum(self._low, part.points.min(axis=0))
        self._high = np.maximum(self._high, part.points.max(axis=0))
        self.spool.write(np.concatenate([part.points, unit_normals(part)], axis=1).tobytes())
        self.frames += 1

    def about(self) -> dict[str, Any]:
        return {
            "name": self.first.name,
            "mesh": f"{self.name}.glb",
            "position": f"{self.name}_position.png",
            "normal": f"{self.name}_normal.png",
            "vertices": len(self.first.points),
            "frames": self.frames,
            "width": self.width,
            "rows_per_frame": self.rows,
            "low": self._low.tolist(),
            "high": self._high.tolist(),
        }

    def finish(self, folder: BesideFolder) -> None:
        height = self.frames * self.rows
        if 2 * height > HEIGHT:
            raise FormatError(
                f"{folder.target}: {self.frames} frames of part {self.first.name!r} need {2 * height} rows of texels, "
                f"GPUs take {HEIGHT}; write fewer frames or a coarser mesh"
            )
        _save(folder, f"{self.name}_position.png", self.width, 2 * height, self._positions())
        _save(folder, f"{self.name}_normal.png", self.width, height, self._normals())
        index = np.arange(len(self.first.points))
        texel = np.stack([(index % self.width + 0.5) / self.width, index // self.width], axis=1)
        folder.write(f"{self.name}.glb", static_glb(self.first, texel.astype(np.float32)))

    def _frames(self) -> Iterator[Array]:
        """(n, 6) positions and normals, frame by frame."""
        count = len(self.first.points) * 6 * 4
        held = b""
        for chunk in self.spool.chunks():
            held += chunk
            while len(held) >= count:
                yield np.frombuffer(held[:count], np.float32).reshape(-1, 6)
                held = held[count:]

    def _positions(self) -> Iterator[Array]:
        span = np.where(self._high > self._low, self._high - self._low, 1.0).astype(np.float64)
        for shift in (8, 0):
            for frame in self._frames():
                steps = np.rint((frame[:, :3] - self._low) / span * 65535.0).astype(np.uint16)
                yield self._texels((steps >> shift & 255).astype(np.uint8))

    def _normals(self) -> Iterator[Array]:
        for frame in self._frames():
            yield self._texels(np.rint((frame[:, 3:] * 0.5 + 0.5) * 255.0).astype(np.uint8))

    def _texels(self, values: Array) -> Array:
        """(rows, width, 3), the last row filled with zeros."""
        block = np.zeros((self.rows * self.width, 3), np.uint8)
        block[: len(values)] = values
        return block.reshape(self.rows, self.width, 3)


def _save(folder: BesideFolder, name: str, width: int, height: int, rows: Iterator[Array]) -> None:
    picture = Beside(folder.part / name)
    for piece in png(width, height, rows):
        picture.write(piece)
    picture.keep()
