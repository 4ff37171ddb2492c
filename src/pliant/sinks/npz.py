"""NumPy archive of a recording, with the names common in cloth data sets.

`vertices_seq` (F, N, 3) and `velocities_seq` hold all parts one after the other, `faces` (M, 3) counts through them;
part k owns vertices `part_starts[k]:part_starts[k + 1]` and faces `face_starts[k]:face_starts[k + 1]` and is called
`names[k]`, of the kind `kinds[k]`. `uv` (N, 2) is NaN where a part has none. `times` (F,) [s], `fps`.
Bodies (a puppet's segments) stand in `centres_seq` (F, B, 3) and `rotations_seq` (F, B, 4), xyzw, in our axes whatever
the program; `body_starts` counts them, `body_names` names them.
"""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside, Spool
from pliant.sinks.conventions import Convention, convention
from pliant.sinks.rig import body_names, centres_of
from pliant.world import Frame, PartFrame, World

SEQUENCES = {"vertices_seq": 3, "velocities_seq": 3, "rotations_seq": 4, "centres_seq": 3}


class Npz(Sink):
    """One .npz with every part, read back by `load_recording`."""

    suffixes = (".npz",)
    summary = "NumPy archive: vertices_seq, faces, fps, times, names"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._axes = convention(target_app)
        self._file = Beside(self.target)
        self._spools = {name: Spool(self.target) for name in SEQUENCES}
        self._times: list[float] = []
        self._first: list[PartFrame] = []

    def write(self, frame: Frame) -> None:
        parts = [part.opened() for part in frame.values()]
        self._first = self._first or parts
        same_parts(parts, self._first, frame)
        self._times.append(frame.time)
        for name, blocks in sequences(parts, self._axes).items():
            for block in blocks:
                self._spools[name].write(block.tobytes())

    def close(self) -> None:
        about = {"fps": np.array(float(self.fps)), "times": np.array(self._times)}
        with zipfile.ZipFile(_Writer(self._file), "w") as archive:  # type: ignore[call-overload]
            for name, array in (constants(self._first, self._axes) | about).items():
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), _npy(array))
            for name, width in SEQUENCES.items():
                self._sequence(archive, name, width)
        self._file.keep()
        self._release()

    def abandon(self) -> None:
        self._file.discard()
        self._release()

    def _release(self) -> None:
        for spool in self._spools.values():
            spool.close()

    def _sequence(self, archive: zipfile.ZipFile, name: str, width: int) -> None:
        spool, frames = self._spools[name], len(self._times)
        rows = spool.size // (4 * width * frames) if frames else 0
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "<f4", "fortran_order": False, "shape": (frames, rows, width)}
        )
        with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
            entry.write(header.getvalue())
            for chunk in spool.chunks():
                entry.write(chunk)


def sequences(parts: list[PartFrame], axes: Convention) -> dict[str, list[Array]]:
    """What changes from frame to frame: a float32 block per part."""
    return {
        "vertices_seq": [axes.points(part.points) for part in parts],
        "velocities_seq": [axes.points(part.velocities) for part in parts],
        "rotations_seq": [np.asarray(part.rotations_xyzw, np.float32) for part in parts],
        "centres_seq": [centres_of(part) for part in parts],
    }


def constants(parts: list[PartFrame], axes: Convention) -> dict[str, Array]:
    """What a recording's frames share, in the file's axes."""
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    faces = [axes.triangles(part.triangles) + start for part, start in zip(parts, starts[:-1], strict=True)]
    uv = [part.uv if part.uv is not None else np.full((len(part.points), 2), np.nan) for part in parts]
    return {
        "names": np.array([part.name for part in parts]),
        "kinds": np.array([part.kind for part in parts]),
        "part_starts": starts,
        "face_starts": np.cumsum([0, *(len(part.triangles) for part in parts)]),
        "body_starts": np.cumsum([0, *(len(part.rotations_xyzw) for part in parts)]),
        "body_names": np.array([name for part in parts for name in body_names(part)], np.str_),
        "faces": np.concatenate([np.empty((0, 3)), *faces]).astype(np.uint32),
        "uv": np.concatenate([np.empty((0, 2)), *uv]).astype(np.float32),
        "colors": np.array([part.look.color for part in parts], np.float32).reshape(-1, 3),
    }


def same_parts(parts: list[PartFrame], first: list[PartFrame], frame: Frame) -> None:
    """Refuses a frame whose parts or points are not the first one's."""
    sizes = [(part.name, len(part.points), len(part.triangles)) for part in parts]
    if sizes != [(part.name, len(part.points), len(part.triangles)) for part in first]:
        raise FormatError(f"frame {frame.index}: has the parts {sizes}; a recording keeps its parts and points")


def _npy(array: Array) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=False)
    return buffer.getvalue()


class _Writer:
    """The little of a file that `zipfile` needs to write straight through."""

    def __init__(self, file: Beside) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        self._file.write(data)
        return len(data)

    def flush(self) -> None:
        """Nothing waits here."""
