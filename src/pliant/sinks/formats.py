"""Which sink writes which suffix: found in the room's `__all__`, so that a new sink is known at once."""

from pathlib import Path

from pliant.errors import FormatError, unknown
from pliant.sinks.base import Sink


def formats() -> dict[str, type[Sink]]:
    """Suffix -> sink."""
    import pliant.sinks as room

    kinds = [getattr(room, name) for name in room.__all__]
    sinks = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Sink) and kind is not Sink]
    return {suffix: sink for sink in sinks for suffix in sink.suffixes}


def for_suffix(suffix: str | Path) -> type[Sink]:
    """The sink for `.glb`, or for a path that ends so."""
    word = (Path(suffix).suffix or str(suffix)).lower()
    if word not in formats():
        raise FormatError(unknown("format", word or "(none)", formats()))
    return formats()[word]


def sink_for(target: str | Path) -> type[Sink]:
    """The sink for a target's suffix; a missing or closed folder is said at once."""
    path = Path(target)
    if path.suffix.lower() not in formats():
        raise FormatError(f"{path}: {unknown('format', path.suffix.lower() or '(none)', formats())}")
    folder = path.parent
    if folder.exists() and not folder.is_dir():
        raise FormatError(f"{path}: {folder} is a file, not a folder; choose another place")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".{path.name}.probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise FormatError(f"{path}: cannot be written ({error.strerror or error}); choose another place") from None
    return for_suffix(path)
