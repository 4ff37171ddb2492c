"""Named scenes, one function each: studio, command line, tests, benchmarks and docs take them from here."""

from collections.abc import Callable

from pliant.errors import SceneError, unknown
from pliant.gallery.curtain import curtain
from pliant.gallery.flag import flag
from pliant.gallery.folded_stack import folded_stack
from pliant.gallery.harmonic_net import harmonic_net
from pliant.gallery.parachute import parachute
from pliant.gallery.puppet import puppet
from pliant.gallery.ribbon import ribbon
from pliant.gallery.scarf_in_vortex import scarf_in_vortex
from pliant.gallery.sheet_on_sphere import sheet_on_sphere
from pliant.gallery.tablecloth import tablecloth, tablecloth_soft, tablecloth_stiff
from pliant.scene import Scene

__all__ = [
    "SCENES",
    "curtain",
    "flag",
    "folded_stack",
    "harmonic_net",
    "load",
    "parachute",
    "puppet",
    "ribbon",
    "scarf_in_vortex",
    "sheet_on_sphere",
    "tablecloth",
    "tablecloth_soft",
    "tablecloth_stiff",
]

SCENES: dict[str, Callable[[], Scene]] = {
    scene.__name__: scene
    for scene in (
        curtain,
        flag,
        folded_stack,
        harmonic_net,
        parachute,
        puppet,
        ribbon,
        scarf_in_vortex,
        sheet_on_sphere,
        tablecloth,
        tablecloth_soft,
        tablecloth_stiff,
    )
}


def load(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        raise SceneError(unknown("scene", name, SCENES))
    return SCENES[name]()
