"""Named scenes, one function each: studio, command line, tests, benchmarks and docs take them from here."""

from collections.abc import Callable

from pliant.errors import SceneError, unknown
from pliant.gallery.aloft import balloon_lifts_puppet, catch
from pliant.gallery.balloon import balloon
from pliant.gallery.balloons import balloons
from pliant.gallery.breathing_animal import breathing_animal
from pliant.gallery.breeze import laundry_line, wind_tunnel
from pliant.gallery.curtain import curtain
from pliant.gallery.flag import flag
from pliant.gallery.folded_stack import folded_stack
from pliant.gallery.garments import dance, outfit, pose_jump, sweater, tshirt
from pliant.gallery.hanging_square import hanging_square
from pliant.gallery.harmonic_net import harmonic_net
from pliant.gallery.hot_air import hot_air
from pliant.gallery.mylar import mylar
from pliant.gallery.parachute import parachute
from pliant.gallery.puppets import (
    crowd,
    marionette,
    puppet,
    puppet_damping,
    puppet_fall,
    puppet_resists,
    puppet_walk,
    puppets_holding_hands,
)
from pliant.gallery.ribbon import ribbon, ribbon_dance
from pliant.gallery.scarf_in_vortex import scarf_in_vortex
from pliant.gallery.sheet_on_sphere import sheet_on_sphere
from pliant.gallery.show import show
from pliant.gallery.tablecloth import tablecloth, tablecloth_soft, tablecloth_stiff
from pliant.gallery.theatre import puppet_show
from pliant.gallery.torn_banner import torn_banner
from pliant.gallery.two_balloons import two_balloons
from pliant.scene import Scene

__all__ = [
    "SCENES",
    "balloon",
    "balloon_lifts_puppet",
    "balloons",
    "breathing_animal",
    "catch",
    "crowd",
    "curtain",
    "dance",
    "flag",
    "folded_stack",
    "hanging_square",
    "harmonic_net",
    "hot_air",
    "laundry_line",
    "load",
    "marionette",
    "mylar",
    "outfit",
    "parachute",
    "pose_jump",
    "puppet",
    "puppet_damping",
    "puppet_fall",
    "puppet_resists",
    "puppet_show",
    "puppet_walk",
    "puppets_holding_hands",
    "ribbon",
    "ribbon_dance",
    "scarf_in_vortex",
    "sheet_on_sphere",
    "show",
    "sweater",
    "tablecloth",
    "tablecloth_soft",
    "tablecloth_stiff",
    "torn_banner",
    "tshirt",
    "two_balloons",
    "wind_tunnel",
]

SCENES: dict[str, Callable[[], Scene]] = {
    scene.__name__: scene
    for scene in (
        balloon,
        balloon_lifts_puppet,
        balloons,
        breathing_animal,
        catch,
        crowd,
        curtain,
        dance,
        flag,
        folded_stack,
        hanging_square,
        harmonic_net,
        hot_air,
        laundry_line,
        marionette,
        mylar,
        outfit,
        parachute,
        pose_jump,
        puppet,
        puppet_damping,
        puppet_fall,
        puppet_resists,
        puppet_show,
        puppet_walk,
        puppets_holding_hands,
        ribbon,
        scarf_in_vortex,
        sheet_on_sphere,
        show,
        sweater,
        tablecloth,
        tablecloth_soft,
        tablecloth_stiff,
        torn_banner,
        tshirt,
        two_balloons,
        wind_tunnel,
    )
}


def load(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        raise SceneError(unknown("scene", name, SCENES))
    return SCENES[name]()
