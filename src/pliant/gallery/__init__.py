"""Named scenes, one function each: studio, command line, tests, benchmarks and docs take them from here."""

from collections.abc import Callable

from pliant.errors import SceneError, unknown
from pliant.gallery.curtain import curtain
from pliant.gallery.harmonic_net import harmonic_net
from pliant.scene import Scene

SCENES: dict[str, Callable[[], Scene]] = {"curtain": curtain, "harmonic_net": harmonic_net}


def load(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        raise SceneError(unknown("scene", name, SCENES))
    return SCENES[name]()


__all__ = ["SCENES", "curtain", "harmonic_net", "load"]
