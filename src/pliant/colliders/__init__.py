"""Everything that is in the way."""

from pliant.colliders.base import BoundCollider, Collider
from pliant.colliders.ground import Ground
from pliant.colliders.sphere import Sphere

__all__ = ["BoundCollider", "Collider", "Ground", "Sphere"]
