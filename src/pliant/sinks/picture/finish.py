"""What a part is drawn as: its colours, its pattern and how its surface answers light."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.world import Look

PATTERNS = ("plain", "weave", "stripes", "check", "foil")  # a shader knows them by their place


class Finish(NamedTuple):
    """Numbers of one surface's shading."""

    front: tuple[float, float, float]  # linear RGB
    back: tuple[float, float, float]
    pattern: int = 0
    roughness: float = 0.6
    shine: float = 0.04  # reflectance looking straight on
    sheen: float = 0.0  # light caught by fibres at grazing angles
    thin: float = 0.0  # share of light that comes through from behind
    metal: float = 0.0


# roughness, shine, sheen, thin
_KINDS = {
    "cloth": (0.75, 0.03, 0.30, 0.22),
    "garment": (0.75, 0.03, 0.30, 0.10),
    "ribbon": (0.38, 0.05, 0.22, 0.22),
    "balloon": (0.16, 0.05, 0.00, 0.10),
    "puppet": (0.42, 0.04, 0.00, 0.00),
    "character": (0.50, 0.04, 0.05, 0.00),
}
_OTHER = (0.55, 0.04, 0.05, 0.0)
OBSTACLE = Finish((0.42, 0.44, 0.47), (0.30, 0.31, 0.33), roughness=0.55)
STRING = (0.20, 0.19, 0.18)


def finish_of(look: Look, kind: str) -> Finish:
    """A part's own look, on the surface its kind is made of."""
    roughness, shine, sheen, thin = _KINDS.get(kind, _OTHER)
    front = _rgb(look.color)
    back = _rgb(look.back) if look.back is not None else (0.55 * front[0], 0.55 * front[1], 0.55 * front[2])
    pattern = PATTERNS.index(look.pattern) if look.pattern in PATTERNS else 0
    if look.pattern == "foil":
        return Finish(front, back, pattern, roughness=0.22, shine=0.6, metal=1.0)
    return Finish(front, back, pattern, roughness, shine, sheen, thin)


def _rgb(color: tuple[float, float, float]) -> tuple[float, float, float]:
    r, g, b = np.clip(np.asarray(color, float)[:3], 0.0, 1.0)
    return float(r), float(g), float(b)


def pattern_coordinates(uv: Array | None, points: Array, triangles: Array) -> Array:
    """(n, 2) float32 along the surface, 1 = the part's longest side, so that a pattern is square on any part.

    Without uv, the rest shape is laid on its two longest axes.
    """
    size = np.ptp(points, axis=0) if len(points) else np.ones(3)
    longest = max(float(size.max(initial=0.0)), 1e-9)
    if uv is None or len(triangles) == 0:
        first, second = sorted(np.argsort(-size, kind="stable")[:2])
        return np.ascontiguousarray((points[:, [first, second]] - points.min(axis=0)[[first, second]]) / longest, "f4")
    a, b, c = (triangles[:, k] for k in range(3))
    edge = np.stack([points[b] - points[a], points[c] - points[a]], axis=1)  # (m, 2, 3)
    step = np.stack([uv[b] - uv[a], uv[c] - uv[a]], axis=1).astype(float)  # (m, 2, 2)
    area = step[:, 0, 0] * step[:, 1, 1] - step[:, 0, 1] * step[:, 1, 0]
    good = np.abs(area) > 1e-12
    if not good.any():
        return np.ascontiguousarray(uv, "f4")
    tangents = np.linalg.solve(step[good], edge[good])  # rows dP/du, dP/dv
    scale = np.average(np.linalg.norm(tangents, axis=2), axis=0, weights=np.abs(area[good]))  # [m] per unit u, v
    return np.ascontiguousarray(uv * (scale / max(longest, *(scale * np.ptp(uv, axis=0)))), "f4")
