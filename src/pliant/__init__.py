"""pliant: real-time animation of flexible and articulated things.

scene = pliant.Scene(parts={"flag": pliant.Cloth.sheet(width=1.5, height=1, columns=30, rows=20, pinned="left")})
for frame in pliant.simulate(scene, seconds=4):
    frame["flag"].points
"""

import importlib
from typing import Any

from pliant.colliders import Box, Capsule, Cylinder, Ground, MeshCollider, Sphere
from pliant.constraints import Circuit, KeyMotion, Motion, Sampled, Spiral, Swings
from pliant.errors import FormatError, PliantError, SceneError, UnstableError, UnsupportedError
from pliant.forces import Gravity, Vortex, Wind
from pliant.loop import Session, simulate
from pliant.lowering import build, drape, garment_cloth
from pliant.scene import (
    FABRICS,
    GASES,
    METHODS,
    SKINS,
    Actor,
    Anchor,
    Balloon,
    Character,
    Cloth,
    Drive,
    Fabric,
    Follow,
    Garment,
    Gas,
    Joint,
    Performance,
    PinBox,
    Pipe,
    Puppet,
    PuppetString,
    RawFabric,
    Ribbon,
    Scene,
    Segment,
    Sheet,
    Skin,
    String,
    Tie,
    View,
    grid_of_places,
    moving_obstacle,
)
from pliant.world import Frame, PointTrack, State, World

__version__ = "0.1.0"

_LATE = {  # what only some programs need is loaded when they ask for it
    "save": "pliant.sinks.save",
    "gallery": "pliant.gallery",
    "show": "pliant.studio",
    "load_recording": "pliant.sources.recordings",
    "convert": "pliant.sinks.convert",
    "read_mesh": "pliant.sources",
    "read_bvh": "pliant.sources",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'pliant' has no attribute {name!r}")
    module = importlib.import_module(_LATE[name])
    return module if _LATE[name] == f"pliant.{name}" else getattr(module, name)


__all__ = [
    "FABRICS",
    "GASES",
    "METHODS",
    "SKINS",
    "Actor",
    "Anchor",
    "Balloon",
    "Box",
    "Capsule",
    "Character",
    "Circuit",
    "Cloth",
    "Cylinder",
    "Drive",
    "Fabric",
    "Follow",
    "FormatError",
    "Frame",
    "Garment",
    "Gas",
    "Gravity",
    "Ground",
    "Joint",
    "KeyMotion",
    "MeshCollider",
    "Motion",
    "Performance",
    "PinBox",
    "Pipe",
    "PliantError",
    "PointTrack",
    "Puppet",
    "PuppetString",
    "RawFabric",
    "Ribbon",
    "Sampled",
    "Scene",
    "SceneError",
    "Segment",
    "Session",
    "Sheet",
    "Skin",
    "Sphere",
    "Spiral",
    "State",
    "String",
    "Swings",
    "Tie",
    "UnstableError",
    "UnsupportedError",
    "View",
    "Vortex",
    "Wind",
    "World",
    "build",
    "convert",
    "drape",
    "gallery",
    "garment_cloth",
    "grid_of_places",
    "load_recording",
    "moving_obstacle",
    "read_bvh",
    "read_mesh",
    "save",
    "show",
    "simulate",
]
