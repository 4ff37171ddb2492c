"""Closed skins around gas: what `xpbd` and `pbd` mean to a balloon."""

from pliant.integrators.inflated.gas import HOLE, STILL, WARMTH, temperature_of
from pliant.integrators.inflated.methods import InflatedPBD, InflatedXPBD
from pliant.integrators.inflated.pipe import pass_through
from pliant.integrators.inflated.pressing import Pressing
from pliant.integrators.inflated.string import Strand

__all__ = [
    "HOLE",
    "STILL",
    "WARMTH",
    "InflatedPBD",
    "InflatedXPBD",
    "Pressing",
    "Strand",
    "pass_through",
    "temperature_of",
]
