"""Everything that is in the way."""

from pliant.colliders.base import BoundCollider, Collider
from pliant.colliders.mesh import BodyCollider, MeshCollider
from pliant.colliders.solid import Solid
from pliant.colliders.solids import Box, Capsule, Cylinder, Ground, Sphere

__all__ = [
    "BodyCollider",
    "BoundCollider",
    "Box",
    "Capsule",
    "Collider",
    "Cylinder",
    "Ground",
    "MeshCollider",
    "Solid",
    "Sphere",
]
