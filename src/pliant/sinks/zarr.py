"""Zarr store of a recording (the extra `zarr`): the same arrays as `.npz`, in chunks of a few frames.

For clips larger than memory: PyTorch or Dask read the frames they need. Axes are as in the npz sink.
"""

import shutil
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError, UnsupportedError
from pliant.sinks.base import Sink
from pliant.sinks.beside import told
from pliant.sinks.conventions import convention
from pliant.sinks.npz import SEQUENCES, constants, same_parts, sequences
from pliant.world import Frame, PartFrame, World

_CHUNK = 16  # frames


class Zarr(Sink):
    """A folder `clip.zarr/`, put in place when whole."""

    suffixes = (".zarr",)
    summary = "Zarr store in chunks of frames (extra: zarr)"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._axes = convention(target_app)
        self._part = self.target.with_name(self.target.name + ".part")
        if self.target.exists() and not (self.target / ".zgroup").exists():
            raise FormatError(f"{self.target}: is there and is no Zarr store; choose another name")
        with told(self.target):
            shutil.rmtree(self._part, ignore_errors=True)
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self._group = _zarr().open_group(str(self._part), mode="w", zarr_format=2)
        self._first: list[PartFrame] = []
        self._times: list[float] = []
        self._waiting: dict[str, list[Array]] = {name: [] for name in SEQUENCES}

    def write(self, frame: Frame) -> None:
        parts = [part.opened() for part in frame.values()]
        self._first = self._first or parts
        same_parts(parts, self._first, frame)
        self._times.append(frame.time)
        for name, blocks in sequences(parts, self._axes).items():
            self._waiting[name].append(np.concatenate([np.empty((0, SEQUENCES[name]), np.float32), *blocks]))
        if len(self._times) % _CHUNK == 0:
            self._flush()

    def close(self) -> None:
        self._flush()
        about = {"times": np.array(self._times)}
        found = constants(self._first, self._axes)
        with told(self.target):
            for name, array in (found | about).items():
                if array.dtype.kind != "U":
                    self._group.create_array(name, data=array)
            words = {name: array.tolist() for name, array in found.items() if array.dtype.kind == "U"}
            self._group.attrs.update({"fps": float(self.fps)} | words)
            if self.target.exists():
                shutil.rmtree(self.target)
            self._part.replace(self.target)

    def abandon(self) -> None:
        shutil.rmtree(self._part, ignore_errors=True)

    def _flush(self) -> None:
        """Append what waits, so that memory holds a chunk and no more."""
        with told(self.target):
            for name, waiting in self._waiting.items():
                if waiting:
                    self._append(name, np.stack(waiting))
                    waiting.clear()

    def _append(self, name: str, block: Array) -> None:
        if name not in self._group:
            chunks = (_CHUNK, max(block.shape[1], 1), block.shape[2])
            self._group.create_array(name, shape=(0, *block.shape[1:]), chunks=chunks, dtype="float32")
        self._group[name].append(block)


def _zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise UnsupportedError("Zarr needs its library: pip install 'pliant[zarr]'; .npz needs nothing") from None
    return zarr
