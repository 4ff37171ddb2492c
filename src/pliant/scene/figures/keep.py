"""What takes seconds to make and never changes is kept on disk, in the user's cache folder.

The key holds the text of the code that makes it, so that a changed recipe makes it anew. `PLIANT_CACHE` names another
folder; an empty one keeps nothing.
"""

import hashlib
import os
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import numpy as np

from pliant.arrays import Array

Arrays = dict[str, Array]


def folder() -> Path | None:
    """Where things are kept, None if nowhere."""
    said = os.environ.get("PLIANT_CACHE")
    if said is not None:
        return Path(said) if said else None
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "pliant"


def recipe(*modules: ModuleType) -> bytes:
    """A digest of what makes it."""
    digest = hashlib.sha256()
    for module in modules:
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.digest()


def key_of(*pieces: bytes | Array | str) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        if isinstance(piece, np.ndarray):
            digest.update(str((piece.shape, piece.dtype)).encode() + np.ascontiguousarray(piece).tobytes())
        else:
            digest.update(piece.encode() if isinstance(piece, str) else piece)
    return digest.hexdigest()[:24]


def kept(name: str, key: str, make: Callable[[], Arrays], wanted: Iterable[str]) -> Arrays:
    """The arrays of that key: from disk, or made and kept. A folder that cannot be written is no error."""
    place = folder()
    path = None if place is None else place / f"{name}-{key}.npz"
    if path is not None:
        try:
            with np.load(path, allow_pickle=False) as archive:
                return {n: archive[n] for n in wanted}
        except (OSError, KeyError, ValueError, zipfile.BadZipFile):
            pass
    made = make()
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_name(f"{path.name}.{os.getpid()}.part")
            with beside.open("wb") as stream:
                np.savez(stream, allow_pickle=False, **made)
            beside.replace(path)
        except OSError:
            pass
    return made
