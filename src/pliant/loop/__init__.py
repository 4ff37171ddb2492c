"""World + state -> frames: the step, the lazy loop, the live session."""

from pliant.loop.frames import picture
from pliant.loop.session import Session
from pliant.loop.simulate import ready, simulate
from pliant.loop.stage import Stage

__all__ = ["Session", "Stage", "picture", "ready", "simulate"]
