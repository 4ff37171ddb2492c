"""What the user says: frozen descriptions in SI units, no derived arrays."""

from pliant.scene.base import PartDescription
from pliant.scene.cloth import Cloth, Ribbon, Sheet, SheetMesh
from pliant.scene.drive import Drive
from pliant.scene.fabric import FABRICS, Fabric, RawFabric
from pliant.scene.inputs import Input
from pliant.scene.paths import get_path, set_path, settable
from pliant.scene.pins import PinBox, held_points
from pliant.scene.puppet import Joint, Puppet, PuppetString, Segment, grid_of_places
from pliant.scene.scene import Scene, View

__all__ = [
    "FABRICS",
    "Cloth",
    "Drive",
    "Fabric",
    "Input",
    "Joint",
    "PartDescription",
    "PinBox",
    "Puppet",
    "PuppetString",
    "RawFabric",
    "Ribbon",
    "Scene",
    "Segment",
    "Sheet",
    "SheetMesh",
    "View",
    "get_path",
    "grid_of_places",
    "held_points",
    "set_path",
    "settable",
]
