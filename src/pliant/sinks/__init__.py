"""Everything that receives frames: files, pictures, pages, numbers."""

from pliant.sinks.base import Sink

__all__ = ["Sink"]
