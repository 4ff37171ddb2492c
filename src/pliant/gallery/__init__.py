"""Named scenes, one function each: studio, command line, tests, benchmarks and docs take them from here."""

from collections.abc import Callable

from pliant.errors import SceneError, unknown
from pliant.gallery.curtain import curtain
from pliant.gallery.harmonic_net import harmonic_net
from pliant.gallery.puppets import crowd, marionette, puppet, puppet_fall, puppet_resists, puppets_holding_hands
from pliant.scene import Scene

__all__ = [
    "SCENES",
    "crowd",
    "curtain",
    "harmonic_net",
    "load",
    "marionette",
    "puppet",
    "puppet_fall",
    "puppet_resists",
    "puppets_holding_hands",
]

SCENES: dict[str, Callable[[], Scene]] = {
    scene.__name__: scene
    for scene in (
        curtain,
        harmonic_net,
        puppet,
        puppet_resists,
        puppet_fall,
        marionette,
        puppets_holding_hands,
        crowd,
    )
}


def load(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        raise SceneError(unknown("scene", name, SCENES))
    return SCENES[name]()
