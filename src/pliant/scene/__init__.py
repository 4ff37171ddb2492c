"""What the user says: frozen descriptions in SI units, no derived arrays."""

from pliant.scene.balloon import Balloon, FoilBalloon, RoundBalloon
from pliant.scene.base import PartDescription
from pliant.scene.cloth import Cloth, Ribbon, Sheet, SheetMesh
from pliant.scene.fabric import FABRICS, Fabric, RawFabric
from pliant.scene.gas import GASES, Gas
from pliant.scene.inputs import Input
from pliant.scene.paths import get_path, set_path, settable
from pliant.scene.pins import PinBox, held_points
from pliant.scene.scene import Scene, View
from pliant.scene.skin import SKINS, Skin

__all__ = [
    "FABRICS",
    "GASES",
    "SKINS",
    "Balloon",
    "Cloth",
    "Fabric",
    "FoilBalloon",
    "Gas",
    "Input",
    "PartDescription",
    "PinBox",
    "RawFabric",
    "Ribbon",
    "RoundBalloon",
    "Scene",
    "Sheet",
    "SheetMesh",
    "Skin",
    "View",
    "get_path",
    "held_points",
    "set_path",
    "settable",
]
