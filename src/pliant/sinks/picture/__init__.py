"""Frames as pictures: a pure function of a frame, its world and a few options."""

from pliant.sinks.picture.camera import Bounds, Camera, fitted
from pliant.sinks.picture.options import Options
from pliant.sinks.picture.painter import Painter, paint
from pliant.sinks.picture.sheet import captioned, columns_for, sheet

__all__ = ["Bounds", "Camera", "Options", "Painter", "captioned", "columns_for", "fitted", "paint", "sheet"]
