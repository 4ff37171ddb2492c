"""Everything that pushes."""

from typing import Any

from pliant.forces.air import AirField, Medium, local_air, medium_of
from pliant.forces.base import BoundForce, Force
from pliant.forces.gravity import Gravity
from pliant.forces.hinges import HingeForce
from pliant.forces.springs import SpringForce
from pliant.forces.vortex import Vortex
from pliant.forces.wind import Wind
from pliant.world import Hinges, Springs

FOR_TABLE: dict[Any, type[Force]] = {Springs: SpringForce, Hinges: HingeForce}

__all__ = [
    "FOR_TABLE",
    "AirField",
    "BoundForce",
    "Force",
    "Gravity",
    "HingeForce",
    "Medium",
    "SpringForce",
    "Vortex",
    "Wind",
    "local_air",
    "medium_of",
]
