"""Which points of a part are held: by names of borders, indices, boxes, or a function of the points."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from pliant.arrays import Array, as_indices
from pliant.description import Description, Vec3, quantity
from pliant.errors import SceneError, unknown

BORDERS: dict[str, Callable[[Array], Any]] = {  # of (u, v) in 0..1, v = 1 at the top
    "left": lambda uv: uv[:, 0] == 0.0,
    "right": lambda uv: uv[:, 0] == 1.0,
    "bottom": lambda uv: uv[:, 1] == 0.0,
    "top": lambda uv: uv[:, 1] == 1.0,
    "corners": lambda uv: np.isin(uv, (0.0, 1.0)).all(axis=1),
    "top-corners": lambda uv: np.isin(uv[:, 0], (0.0, 1.0)) & (uv[:, 1] == 1.0),
    "left-corners": lambda uv: np.isin(uv[:, 1], (0.0, 1.0)) & (uv[:, 0] == 0.0),
    "top-left": lambda uv: (uv[:, 0] == 0.0) & (uv[:, 1] == 1.0),
    "top-right": lambda uv: (uv[:, 0] == 1.0) & (uv[:, 1] == 1.0),
    "bottom-left": lambda uv: (uv[:, 0] == 0.0) & (uv[:, 1] == 0.0),
    "bottom-right": lambda uv: (uv[:, 0] == 1.0) & (uv[:, 1] == 0.0),
}


class PinBox(Description):
    """Every point inside an axis-aligned box at the start."""

    low: Vec3 = quantity(unit="m", help="Lowest corner of the box")
    high: Vec3 = quantity(unit="m", help="Highest corner of the box")


def _pins(value: Any) -> Any:
    if isinstance(value, dict):
        return PinBox(**value)
    if isinstance(value, np.ndarray | range | set):
        value = list(value)
    if isinstance(value, list | tuple):
        if any(isinstance(i, bool | float | np.floating) for i in value):
            raise SceneError(f"pinned = {list(value)[:8]}; indices are whole numbers")
        return tuple(int(i) for i in value)
    return value


Pins = Annotated[str | tuple[int, ...] | PinBox | Callable[[Any], Any] | None, BeforeValidator(_pins)]


def held_points(pins: Any, points: Array, uv: Array, *, name: str) -> Array:
    """Sorted indices of the points that `pins` names; `a+b` joins borders."""
    if pins is None:
        return np.empty(0, np.uint32)
    if isinstance(pins, str):
        chosen = np.zeros(len(points), bool)
        for border in pins.split("+"):
            if border.strip() not in BORDERS:
                raise SceneError(f"{name}.pinned: {unknown('border', border.strip(), BORDERS)}")
            chosen |= BORDERS[border.strip()](uv)
        return np.flatnonzero(chosen).astype(np.uint32)
    if isinstance(pins, PinBox):
        inside = ((points >= pins.low) & (points <= pins.high)).all(axis=1)
        if not inside.any():
            raise SceneError(f"{name}.pinned: no point lies in the box {pins.low} to {pins.high}; move or enlarge it")
        return np.flatnonzero(inside).astype(np.uint32)
    if callable(pins):
        chosen = np.asarray(pins(points))
        if chosen.dtype == bool and chosen.shape != (len(points),):
            raise SceneError(f"{name}.pinned: the function gave a mask of {chosen.shape}; expected ({len(points)},)")
        pins = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
    return as_indices(pins, count=len(points), name=f"{name}.pinned")


def named_points(pins: Any, groups: Mapping[str, Array], weights: Mapping[str, Array]) -> Any:
    """Pins of a file: names of its groups, and of numbers painted on its points, become indices; others stay."""
    if not isinstance(pins, str):
        return pins
    words = [word.strip() for word in pins.split("+")]
    if not any(word in groups or word in weights for word in words):
        unknown_words = [word for word in words if word not in BORDERS]
        if unknown_words and (groups or weights):
            raise SceneError(f"pinned: {unknown('group or border', unknown_words[0], [*groups, *weights, *BORDERS])}")
        return pins
    rows: set[int] = set()
    for word in words:
        if word not in groups and word not in weights:
            raise SceneError(f"pinned: {unknown('group', word, [*groups, *weights])}")
        rows.update((groups[word] if word in groups else np.flatnonzero(weights[word] > 0.5)).tolist())
    if not rows:
        raise SceneError(f"pinned: {pins!r} holds no point; every painted number is 0.5 or less")
    return tuple(sorted(rows))


def box_coordinates(points: Array) -> Array:
    """(u, v) of free points within their bounding box, for borders of meshes that have no rows and columns.

    u runs along x, v along y, or along -z if the mesh lies flat; the extremes snap to exactly 0 and 1.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    up, sign = (1, 1.0) if high[1] - low[1] >= 1e-3 * (high - low).max() else (2, -1.0)
    across = np.stack([points[:, 0], sign * points[:, up]], axis=1)
    across -= across.min(axis=0)
    across /= np.maximum(across.max(axis=0), 1e-30)
    return np.where(across < 1e-6, 0.0, np.where(across > 1 - 1e-6, 1.0, across))
