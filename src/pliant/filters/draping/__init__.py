"""Garments that drape in an instant: pose in, wrinkled mesh out, the same answer for the same pose."""

from pliant.filters.draping.draper import Draper
from pliant.filters.draping.methods import Harmonic, Method, Plain, Strain
from pliant.filters.draping.wear import Draped, Wear

__all__ = ["Draped", "Draper", "Harmonic", "Method", "Plain", "Strain", "Wear"]
