"""Frame -> Frame: the same answer for the same frame, whatever came before."""

from pliant.filters.base import BoundFilter, Filter
from pliant.filters.dressed import Dressed

__all__ = ["BoundFilter", "Dressed", "Filter"]
