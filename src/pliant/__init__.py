"""pliant: real-time animation of flexible and articulated things.

scene = pliant.Scene(parts={"flag": pliant.Cloth.sheet(width=1.5, height=1, columns=30, rows=20, pinned="left")})
for frame in pliant.simulate(scene, seconds=4):
    frame["flag"].points
"""

from pliant.colliders import Box, Capsule, Cylinder, Ground, Sphere
from pliant.constraints import KeyMotion, Motion, Spiral
from pliant.errors import FormatError, PliantError, SceneError, UnstableError, UnsupportedError
from pliant.forces import Gravity, Vortex, Wind
from pliant.loop import Session, simulate
from pliant.lowering import build
from pliant.scene import FABRICS, Cloth, Fabric, PinBox, RawFabric, Ribbon, Scene, Sheet, View
from pliant.world import Frame, State, World

__version__ = "0.1.0"

__all__ = [
    "FABRICS",
    "Box",
    "Capsule",
    "Cloth",
    "Cylinder",
    "Fabric",
    "FormatError",
    "Frame",
    "Gravity",
    "Ground",
    "KeyMotion",
    "Motion",
    "PinBox",
    "PliantError",
    "RawFabric",
    "Ribbon",
    "Scene",
    "SceneError",
    "Session",
    "Sheet",
    "Sphere",
    "Spiral",
    "State",
    "UnstableError",
    "UnsupportedError",
    "View",
    "Vortex",
    "Wind",
    "World",
    "build",
    "simulate",
]
