"""Frame -> Frame: the same answer for the same frame, whatever came before."""

from pliant.filters.base import BoundFilter, Filter

__all__ = ["BoundFilter", "Filter"]
