"""Named scenes, one function each: studio, command line, tests, benchmarks and docs take them from here."""

from collections.abc import Callable

from pliant.errors import SceneError, unknown
from pliant.gallery.balloon import balloon
from pliant.gallery.balloons import balloons
from pliant.gallery.breathing_animal import breathing_animal
from pliant.gallery.curtain import curtain
from pliant.gallery.harmonic_net import harmonic_net
from pliant.gallery.hot_air import hot_air
from pliant.gallery.mylar import mylar
from pliant.gallery.puppets import crowd, marionette, puppet, puppet_fall, puppet_resists, puppets_holding_hands
from pliant.scene import Scene

__all__ = [
    "SCENES",
    "balloon",
    "balloons",
    "breathing_animal",
    "crowd",
    "curtain",
    "harmonic_net",
    "hot_air",
    "load",
    "marionette",
    "mylar",
    "puppet",
    "puppet_fall",
    "puppet_resists",
    "puppets_holding_hands",
]

SCENES: dict[str, Callable[[], Scene]] = {
    scene.__name__: scene
    for scene in (
        balloon,
        balloons,
        breathing_animal,
        crowd,
        curtain,
        harmonic_net,
        hot_air,
        marionette,
        mylar,
        puppet,
        puppet_fall,
        puppet_resists,
        puppets_holding_hands,
    )
}


def load(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        raise SceneError(unknown("scene", name, SCENES))
    return SCENES[name]()
