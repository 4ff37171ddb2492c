"""What the user says: frozen descriptions in SI units, no derived arrays."""

from pliant.scene.actor import METHODS, Actor
from pliant.scene.balloon import Balloon, FoilBalloon, RoundBalloon, String
from pliant.scene.base import PartDescription
from pliant.scene.character import Character, Mannequin
from pliant.scene.cloth import Cloth, Ribbon, Sheet, SheetMesh
from pliant.scene.drive import Drive
from pliant.scene.fabric import FABRICS, Fabric, RawFabric
from pliant.scene.follow import Follow, moving_obstacle
from pliant.scene.garment import Garment
from pliant.scene.gas import GASES, Gas
from pliant.scene.inputs import Input
from pliant.scene.paths import get_path, set_path, settable
from pliant.scene.performance import Performance
from pliant.scene.pins import PinBox, held_points
from pliant.scene.pipe import Pipe
from pliant.scene.puppet import Joint, Puppet, PuppetString, Segment, grid_of_places
from pliant.scene.scene import Scene, View
from pliant.scene.skin import SKINS, Skin
from pliant.scene.tie import Anchor, Tie

__all__ = [
    "FABRICS",
    "GASES",
    "METHODS",
    "SKINS",
    "Actor",
    "Anchor",
    "Balloon",
    "Character",
    "Cloth",
    "Drive",
    "Fabric",
    "FoilBalloon",
    "Follow",
    "Garment",
    "Gas",
    "Input",
    "Joint",
    "Mannequin",
    "PartDescription",
    "Performance",
    "PinBox",
    "Pipe",
    "Puppet",
    "PuppetString",
    "RawFabric",
    "Ribbon",
    "RoundBalloon",
    "Scene",
    "Segment",
    "Sheet",
    "SheetMesh",
    "Skin",
    "String",
    "Tie",
    "View",
    "get_path",
    "grid_of_places",
    "held_points",
    "moving_obstacle",
    "set_path",
    "settable",
]
