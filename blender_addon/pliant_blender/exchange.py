"""Arrays between Blender and pliant: recordings (.npz), point caches (.pc2) and scene files (.toml with .npz).

Blender counts Z up, pliant Y up: (x, y, z) there is (x, z, -y) here, exactly. Everything is in world space and metres.
"""

import json
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from .client import PliantRunError


def to_pliant(points: np.ndarray) -> np.ndarray:
    """(…, 3), Z up to Y up."""
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


def to_blender(points: np.ndarray) -> np.ndarray:
    """(…, 3), Y up to Z up."""
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


class Recording:
    """A pliant .npz; frames are read one at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with np.load(path, allow_pickle=False) as archive:
                constants = {name: archive[name] for name in archive.files if not name.endswith("_seq")}
            with zipfile.ZipFile(path) as archive, archive.open("vertices_seq.npy") as stream:
                self.frames, self.points, _ = self._header(stream)
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise PliantRunError(f"{path}: no recording of pliant ({error})") from None
        self.fps = float(constants.get("fps", 30.0))
        self.names = [str(name) for name in constants.get("names", np.array(["mesh"]))]
        self.starts = constants.get("part_starts", np.array([0, self.points])).tolist()
        self.faces = constants.get("faces", np.empty((0, 3), np.int64)).astype(np.int64)
        self.face_starts = constants.get("face_starts", np.array([0, len(self.faces)])).tolist()
        self.uv, self.colors = constants.get("uv"), constants.get("colors")
        if len(self.starts) == len(self.names):  # data sets may leave the end out
            self.starts, self.face_starts = [*self.starts, self.points], [*self.face_starts, len(self.faces)]

    def parts(self) -> Iterator[tuple[str, slice, np.ndarray]]:
        """Name, rows and triangles (counted from the part's first point) of everything with a surface."""
        for k, name in enumerate(self.names):
            triangles = self.faces[self.face_starts[k] : self.face_starts[k + 1]] - self.starts[k]
            if len(triangles):
                yield name, slice(self.starts[k], self.starts[k + 1]), triangles

    def __iter__(self) -> Iterator[np.ndarray]:
        """(n, 3) float32 in Blender's axes, frame by frame."""
        with zipfile.ZipFile(self.path) as archive, archive.open("vertices_seq.npy") as stream:
            self._header(stream)
            for _ in range(self.frames):
                data = stream.read(12 * self.points)
                if len(data) < 12 * self.points:
                    raise PliantRunError(f"{self.path}: is cut off")
                yield to_blender(np.frombuffer(data, np.float32).reshape(-1, 3))

    @staticmethod
    def _header(stream) -> tuple[int, int, int]:
        version = npy.read_magic(stream)
        shape, _, kind = npy.read_array_header_1_0(stream) if version == (1, 0) else npy.read_array_header_2_0(stream)
        if len(shape) != 3 or kind != np.float32:
            raise ValueError(f"vertices_seq is {kind} of shape {shape}")
        return shape


class PointCache:
    """A PC2 file in the making, (n, 3) per frame, for the modifier *Mesh Cache*."""

    def __init__(self, path: Path, points: int) -> None:
        self.path, self._points, self._count = path, points, 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self._part = path.with_name(path.name + ".part")
        self._stream = self._part.open("wb")
        self._stream.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, points, 0.0, 1.0, 0))

    def write(self, points: np.ndarray) -> None:
        self._stream.write(np.ascontiguousarray(points, "<f4").tobytes())
        self._count += 1

    def keep(self) -> Path:
        self._stream.seek(28)
        self._stream.write(struct.pack("<i", self._count))
        self._stream.close()
        self._part.replace(self.path)
        return self.path


def save_recording(path: Path, name: str, frames: np.ndarray, triangles: np.ndarray, fps: float, **more) -> None:
    """A clip (f, n, 3) in Blender's axes as a .npz that pliant reads."""
    clip = to_pliant(np.asarray(frames, np.float32))
    path.parent.mkdir(parents=True, exist_ok=True)
    faces = np.asarray(triangles, np.uint32)
    np.savez(path, vertices_seq=clip, faces=faces, fps=float(fps), names=np.array([name]), **more)


class Job:
    """A scene file with its arrays beside."""

    def __init__(self) -> None:
        self._lines = ["format = 1"]
        self._arrays: dict[str, np.ndarray] = {}

    def table(self, header: str, **values) -> None:
        """`[header]` or `[[header]]` and its values; arrays leave for the .npz."""
        self._lines += ["", header]
        for key, value in values.items():
            if isinstance(value, np.ndarray):
                name = f"{header.strip('[]')}.{key}.{len(self._arrays)}"
                self._arrays[name] = value
                self._lines.append(f"{key} = {{ array = {json.dumps(name)} }}")
            elif isinstance(value, tuple):
                self._lines.append(f"{key} = [{', '.join(repr(float(x)) for x in value)}]")
            else:
                self._lines.append(f"{key} = {json.dumps(value)}")

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path.with_suffix(".npz"), **self._arrays)
        path.write_text("\n".join(self._lines) + "\n", encoding="utf-8")
