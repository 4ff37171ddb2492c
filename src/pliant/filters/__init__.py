"""Frame -> Frame: the same answer for the same frame, whatever came before."""

from pliant.filters.base import BoundFilter, Filter
from pliant.filters.dressed import Dressed
from pliant.filters.square import HangingSquare

__all__ = ["BoundFilter", "Dressed", "Filter", "HangingSquare"]
