"""Clips as pages: a hand-written WebGL 2 viewer with the pictures' own shaders, and the data inlined."""

from pliant.sinks.replay.sink import Replay

__all__ = ["Replay"]
