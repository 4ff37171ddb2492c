"""Named scenes, one function each: studio, command line, tests, benchmarks and docs take them from here."""

from collections.abc import Callable

from pliant.errors import SceneError, unknown
from pliant.gallery.curtain import curtain
from pliant.gallery.harmonic_net import harmonic_net
from pliant.gallery.puppet import puppet
from pliant.scene import Scene

__all__ = ["SCENES", "curtain", "harmonic_net", "load", "puppet"]

SCENES: dict[str, Callable[[], Scene]] = {
    scene.__name__: scene
    for scene in (
        curtain,
        harmonic_net,
        puppet,
    )
}


def load(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        raise SceneError(unknown("scene", name, SCENES))
    return SCENES[name]()
