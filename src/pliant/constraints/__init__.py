"""Everything that holds."""

from typing import Any

from pliant.constraints.base import BoundConstraint, Constraint
from pliant.constraints.bends import Bends
from pliant.constraints.distances import Distances
from pliant.constraints.lengths import Angles, Lengths
from pliant.constraints.limits import ProvotLimit, StrainLimit
from pliant.constraints.motions import Circuit, KeyMotion, Motion, Sampled, Spiral, Swings
from pliant.constraints.tethers import Tethers
from pliant.constraints.ties import BoundTies
from pliant.world import Hinges, Springs

FOR_TABLE: dict[Any, type[Constraint]] = {Springs: Distances, Hinges: Bends}

__all__ = [
    "FOR_TABLE",
    "Angles",
    "Bends",
    "BoundConstraint",
    "BoundTies",
    "Circuit",
    "Constraint",
    "Distances",
    "KeyMotion",
    "Lengths",
    "Motion",
    "ProvotLimit",
    "Sampled",
    "Spiral",
    "StrainLimit",
    "Swings",
    "Tethers",
]
