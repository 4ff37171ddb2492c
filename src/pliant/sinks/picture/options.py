"""What can be asked of a picture, checked before the first frame; values may come as words from a command line."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from pliant.errors import FormatError, unknown
from pliant.sinks.picture.camera import Camera
from pliant.sinks.picture.lighting import THEMES

RENDERERS = ("auto", "gl", "software")
SMALLEST, LARGEST = 16, 8192  # [px]


class Options(NamedTuple):
    """How pictures are taken."""

    size: tuple[int, int] = (1280, 720)  # [px] width, height
    theme: str = "light"
    wire: bool = False  # the mesh's edges on top
    renderer: str = "auto"  # gl, software; auto: gl where there is one
    view: Camera | None = None  # none: it finds its own place

    @classmethod
    def of(cls, options: Mapping[str, Any], *, size: tuple[int, int] = (1280, 720), also: tuple[str, ...] = ()) -> Self:
        """From a sink's keywords; `also` names those the sink reads itself."""
        known = (*cls._fields, *also)
        for name in options:
            if name not in known:
                raise FormatError(unknown("picture option", name, known))
        return cls(
            size=as_size(options.get("size", size)),
            theme=one_of("theme", options.get("theme", "light"), tuple(THEMES)),
            wire=as_switch("wire", options.get("wire", False)),
            renderer=one_of("renderer", options.get("renderer", "auto"), RENDERERS),
            view=_as_camera(options.get("view")),
        )


def as_size(value: Any) -> tuple[int, int]:
    """(width, height) or "1280x720"."""
    try:
        width, height = (int(v) for v in (value.lower().split("x") if isinstance(value, str) else value))
    except (TypeError, ValueError):
        raise FormatError(f'size = {value!r}; expected width and height in pixels, such as "1280x720"') from None
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise FormatError(f"size = {width}x{height}; each side must be {SMALLEST} to {LARGEST} pixels")
    return width, height


def as_count(name: str, value: Any, *, low: int, high: int) -> int:
    """A whole number within bounds."""
    try:
        count = int(value)
    except (TypeError, ValueError):
        raise FormatError(f"{name} = {value!r}; expected a whole number") from None
    if not low <= count <= high:
        raise FormatError(f"{name} = {count}; must be {low} to {high}")
    return count


def as_switch(name: str, value: Any) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    word = str(value).lower()
    if word not in words:
        raise FormatError(f"{name} = {value!r}; expected true or false")
    return words[word]


def one_of(name: str, value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        raise FormatError(unknown(name, str(value), known))
    return str(value)


def _as_camera(view: Any) -> Camera | None:
    """A Camera, a scene's View, which steps back when something would leave it, or (eye, target), which stays."""
    if view is None or isinstance(view, Camera):
        return view
    pair = (view.eye, view.target) if hasattr(view, "eye") else view
    try:
        eye, target = (np.array(v, float) for v in pair)
    except (TypeError, ValueError):
        raise FormatError(f"view = {view!r}; expected eye and target, three numbers each") from None
    if eye.shape != (3,) or target.shape != (3,) or not np.isfinite([eye, target]).all():
        raise FormatError(f"view = {view!r}; expected eye and target, three finite numbers each")
    if np.linalg.norm(eye - target) < 1e-9:
        raise FormatError(f"view = {view!r}; the eye is where it looks at")
    return Camera(eye, target, roams=hasattr(view, "eye"))
