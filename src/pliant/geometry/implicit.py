"""Bodies said as a smooth union of round cones, ellipsoids and tubes of oval section: (n, 3) points -> distance.

The distance is exact for round cones (Quilez, "Round cone") and good to first order near the surface for the others,
which is all that a level set needs. Members join by the cubic smooth minimum
smin(a, b, k) = min(a, b) - k h^3 / 6, h = max(1 - |a - b| / k, 0).
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.kernels import inline, span, sweep

CONE, ELLIPSOID = 0, 1
TUBE_ROWS = 256  # rows a tube's profile is sampled at


class Blend(NamedTuple):
    """The members of one smooth union, in the order in which they join."""

    kind: Array  # (m,) CONE or ELLIPSOID
    start: Array  # (m, 3) [m] of a cone; centre of an ellipsoid
    end: Array  # (m, 3) [m] of a cone; half axes of an ellipsoid
    radius: Array  # (m, 2) [m] of a cone at its start and end
    ball: Array  # (m, 4) [m] middle and radius of a ball around each member
    softness: Array  # (m,) [m] over which a member melts into those before it
    profile: Array  # (r, 4) half width, half depth, x and z of the axis, by height; no rows: no tube
    height: Array  # (2,) [m] of the profile's first and last row
    exponent: float  # of the tube's section: 2 an ellipse, more squarer


class Cone(NamedTuple):
    start: Sequence[float] | Array
    end: Sequence[float] | Array
    radius: tuple[float, float]
    softness: float = 0.03


class Ellipsoid(NamedTuple):
    center: Sequence[float] | Array
    axes: Sequence[float] | Array
    softness: float = 0.03


def blend(members: Sequence[Cone | Ellipsoid], rows: Array | None = None, exponent: float = 2.35) -> Blend:
    """A union of members and, before them, of a tube along y with `rows` (height, half width, half depth, x, z)."""
    from scipy.interpolate import PchipInterpolator

    cones = [m if isinstance(m, Cone) else Cone(m.center, m.axes, (0.0, 0.0), m.softness) for m in members]
    profile, height = np.empty((0, 4)), np.zeros(2)
    if rows is not None:
        height = np.array([rows[0, 0], rows[-1, 0]])
        profile = PchipInterpolator(rows[:, 0], rows[:, 1:])(np.linspace(rows[0, 0], rows[-1, 0], TUBE_ROWS))
    count = len(cones)
    kind = np.array([CONE if isinstance(m, Cone) else ELLIPSOID for m in members], np.uint8)
    start = np.array([c.start for c in cones], float).reshape(count, 3)
    end = np.array([c.end for c in cones], float).reshape(count, 3)
    radius = np.array([c.radius for c in cones], float).reshape(count, 2)
    middle = np.where((kind == CONE)[:, None], 0.5 * (start + end), start)
    half = np.where(kind == CONE, 0.5 * np.linalg.norm(end - start, axis=1) + radius.max(axis=1), end.max(axis=1))
    return Blend(
        kind,
        start,
        end,
        radius,
        np.concatenate([middle, half[:, None]], axis=1),
        np.array([c.softness for c in cones], float),
        np.ascontiguousarray(profile),
        height,
        exponent,
    )


def distance(points: Array, shape: Blend) -> Array:
    """(n,) [m], negative inside."""
    out = np.empty(len(points))
    _distances(np.ascontiguousarray(points, dtype=float), shape, out)
    return out


def projected(points: Array, shape: Blend, steps: int = 2) -> Array:
    """Points brought onto the surface by Newton steps along the gradient."""
    return drawn_to_level(points, lambda p: distance(p, shape), steps)


def drawn_to_level(points: Array, field: Callable[[Array], Array], steps: int = 2, width: float = 1e-4) -> Array:
    """x -= d grad d / |grad d|^2, the gradient by central differences over `width` [m]."""
    points = np.array(points, float)
    for _ in range(steps):
        probes = points[None] + width * np.concatenate([np.eye(3), -np.eye(3)])[:, None]
        value = field(np.concatenate([points, probes.reshape(-1, 3)])).reshape(7, -1)
        gradient = (value[1:4] - value[4:7]).T / (2.0 * width)
        square = np.maximum(np.einsum("ij,ij->i", gradient, gradient), 0.05)
        points -= gradient * (value[0] / square)[:, None]
    return points


@sweep
def _distances(points, shape, out):
    for i in span(points.shape[0]):
        out[i] = _union(shape, points[i, 0], points[i, 1], points[i, 2])


@inline
def _union(s, x, y, z):
    d = 1e9
    if len(s.profile):
        d = _tube(s, x, y, z)
    for m in range(len(s.kind)):
        ux, uy, uz = x - s.ball[m, 0], y - s.ball[m, 1], z - s.ball[m, 2]
        reach = s.ball[m, 3] + s.softness[m] + d
        if reach > 0.0 and ux * ux + uy * uy + uz * uz > reach * reach:
            continue  # too far to matter
        if s.kind[m] == 0:
            e = _cone(s.start[m], s.end[m], s.radius[m, 0], s.radius[m, 1], x, y, z)
        else:
            e = _ellipsoid(s.start[m], s.end[m], x, y, z)
        k = s.softness[m]
        h = max(k - abs(d - e), 0.0) / k
        d = min(d, e) - h * h * h * k / 6.0
    return d


@inline
def _tube(s, x, y, z):
    low, high = s.height[0], s.height[1]
    place = min(max((y - low) / (high - low), 0.0), 1.0) * (len(s.profile) - 1)
    r = min(int(place), len(s.profile) - 2)
    t = place - r
    a = (1.0 - t) * s.profile[r, 0] + t * s.profile[r + 1, 0]
    b = (1.0 - t) * s.profile[r, 1] + t * s.profile[r + 1, 1]
    u = abs(x - (1.0 - t) * s.profile[r, 2] - t * s.profile[r + 1, 2]) / a
    v = abs(z - (1.0 - t) * s.profile[r, 3] - t * s.profile[r + 1, 3]) / b
    d = ((u**s.exponent + v**s.exponent + 1e-12) ** (1.0 / s.exponent) - 1.0) * min(a, b)
    beyond = max(low - y, y - high, 0.0)
    return math.sqrt(max(d, 0.0) ** 2 + beyond * beyond) if beyond > 0.0 else d


@inline
def _ellipsoid(c, r, x, y, z):
    u, v, w = (x - c[0]) / r[0], (y - c[1]) / r[1], (z - c[2]) / r[2]
    near = math.sqrt(u * u + v * v + w * w)
    steep = math.sqrt((u / r[0]) ** 2 + (v / r[1]) ** 2 + (w / r[2]) ** 2)
    return near * (near - 1.0) / max(steep, 1e-9)


@inline
def _cone(a, b, r1, r2, x, y, z):
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    px, py, pz = x - a[0], y - a[1], z - a[2]
    square = ux * ux + uy * uy + uz * uz
    slope = r1 - r2
    narrow = square - slope * slope
    along = px * ux + py * uy + pz * uz
    rest = along - square
    qx, qy, qz = px * square - ux * along, py * square - uy * along, pz * square - uz * along
    across = qx * qx + qy * qy + qz * qz
    y2, z2 = along * along * square, rest * rest * square
    k = math.copysign(1.0, slope) * slope * slope * across if slope != 0.0 else 0.0
    if math.copysign(1.0, rest) * narrow * z2 > k:
        return math.sqrt(across + z2) / square - r2
    if math.copysign(1.0, along) * narrow * y2 < k:
        return math.sqrt(across + y2) / square - r1
    return (math.sqrt(max(across * narrow / square, 0.0)) + along * slope) / square - r1
