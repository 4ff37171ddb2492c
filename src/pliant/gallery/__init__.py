"""Named scenes, one function each: studio, command line, tests, benchmarks and docs take them from here."""

from collections.abc import Callable

from pliant.errors import SceneError, unknown
from pliant.gallery.curtain import curtain
from pliant.scene import Scene

SCENES: dict[str, Callable[[], Scene]] = {"curtain": curtain}


def load(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        raise SceneError(unknown("scene", name, SCENES))
    return SCENES[name]()


__all__ = ["SCENES", "curtain", "load"]
