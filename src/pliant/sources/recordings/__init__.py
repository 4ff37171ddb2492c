"""Recordings that can be read back: a clip on disk -> frames, one at a time."""

from collections.abc import Callable
from pathlib import Path

from pliant.errors import FormatError
from pliant.sources.recordings.alembic import open_abc
from pliant.sources.recordings.archives import open_npz, open_zarr
from pliant.sources.recordings.caches import open_mdd, open_pc2
from pliant.sources.recordings.gltf_clip import open_glb
from pliant.sources.recordings.recording import Recording
from pliant.sources.recordings.sequences import open_sequence
from pliant.sources.recordings.usd import open_usd

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


def load_recording(path: str | Path, *, clip: str | None = None) -> Recording:
    """Open a clip; frames are read when they are asked for, and may be asked for again.

    `clip` names one of several animations of a glTF file; its notes say which there are.

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
    if clip is None:
        return reader(path)
    if reader is not open_glb:
        raise FormatError(f"{path}: clip = {clip!r}; only glTF files hold several clips")
    return open_glb(path, clip=clip)


__all__ = ["READERS", "Recording", "load_recording"]
