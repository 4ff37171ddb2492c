"""Recordings that can be read back: a clip on disk -> frames, one at a time."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from pliant.errors import FormatError
from pliant.sources.recordings.alembic import open_abc
from pliant.sources.recordings.archives import open_npz, open_zarr
from pliant.sources.recordings.caches import open_mdd, open_pc2
from pliant.sources.recordings.gltf_clip import open_glb
from pliant.sources.recordings.recording import Placed, Recording
from pliant.sources.recordings.sequences import open_sequence
from pliant.sources.recordings.usd import open_usd
from pliant.sources.units import Up, metres, upward

READERS: dict[str, Callable[[Path], Recording]] = {
    ".npz": open_npz,
    ".zarr": open_zarr,
    ".abc": open_abc,
    ".pc2": open_pc2,
    ".mdd": open_mdd,
    ".obj": open_sequence,
    ".ply": open_sequence,
    ".glb": open_glb,
    ".gltf": open_glb,
    ".usd": open_usd,
    ".usda": open_usd,
    ".usdc": open_usd,
    ".usdz": open_usd,
}


def load_recording(path: str | Path, *, clip: str | None = None, up: Up = "y", unit: str | float = "m") -> Recording:
    """Open a clip; frames are read when they are asked for, and may be asked for again.

    `clip` names one of several animations of a glTF file; its notes say which there are. `up` and `unit` are
    the file's, as in `read_mesh`; glTF and USD say theirs.

    clip = load_recording("flag.npz")
    for frame in clip:
        frame["flag"].points
    """
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise FormatError(f"{path}: cannot be read back (has: {', '.join(READERS)})")
    if not path.exists():
        raise FormatError(f"{path}: no such file")
    if clip is not None and reader is not open_glb:
        raise FormatError(f"{path}: clip = {clip!r}; only glTF files hold several clips")
    placed = Placed(up, metres(unit))
    upward(np.empty((0, 3)), up)  # refuses an unknown axis
    if placed != Placed() and reader in (open_glb, open_usd):
        raise FormatError(f"{path}: up = {up!r}, unit = {unit!r}; the file says its own axes and unit")
    found = reader(path) if clip is None else open_glb(path, clip=clip)
    return replace(found, placed=placed)


__all__ = ["READERS", "Recording", "load_recording"]
