"""Key, fill and rim light, and the studio they stand in: one set of numbers for every renderer.

The key light follows the camera's azimuth at the start of a clip and then stands still, so that a scene is lit from
the photographer's upper left whatever way it faces. The sky is a second, very soft light from straight above.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError, unknown
from pliant.sinks.picture.camera import Bounds, facing

KEY_AZIMUTH, KEY_ELEVATION = math.radians(-52.0), math.radians(45.0)  # relative to the camera
RIM_AZIMUTH, RIM_ELEVATION = math.radians(150.0), math.radians(28.0)
LIGHT_SIZE = 0.09  # radius of the key light over its distance: how fast shadows soften
SKY_FADE = 0.40  # of the scene's radius
SKY_MARGIN = 0.35  # of the box around it that the map from above covers, so that its blur fades out inside


class Theme(NamedTuple):
    """Linear colours of the studio."""

    key: tuple[float, float, float]
    sky: tuple[float, float, float]
    bounce: tuple[float, float, float]
    rim: tuple[float, float, float]
    floor: tuple[float, float, float]
    horizon: tuple[float, float, float]
    zenith: tuple[float, float, float]
    line: tuple[float, float, float]  # of the ground's grid


THEMES = {
    "light": Theme(
        key=(1.55, 1.46, 1.33),
        sky=(0.36, 0.40, 0.47),
        bounce=(0.23, 0.21, 0.19),
        rim=(0.55, 0.62, 0.75),
        floor=(0.800, 0.805, 0.812),
        horizon=(0.84, 0.85, 0.86),
        zenith=(0.58, 0.63, 0.70),
        line=(0.50, 0.53, 0.58),
    ),
    "dark": Theme(
        key=(1.50, 1.40, 1.26),
        sky=(0.24, 0.28, 0.36),
        bounce=(0.10, 0.10, 0.11),
        rim=(0.85, 1.00, 1.25),
        floor=(0.034, 0.037, 0.043),
        horizon=(0.026, 0.029, 0.035),
        zenith=(0.006, 0.007, 0.010),
        line=(0.085, 0.095, 0.110),
    ),
}


class Rig(NamedTuple):
    """Directions towards the lights, and the boxes their shadow maps cover."""

    key: Array  # (3,)
    rim: Array  # (3,)
    shadow: Array  # (4, 4) world to the key light's map, clip space
    sky: Array  # (4, 4) world to the map from above, clip space; its depth is 0 at the top and 1 on the floor
    texel: float  # [m] of the key light's map
    spread: float  # penumbra's radius, of the key light's map, per unit of its depth
    sky_fade: float  # height at which a roof hides half the sky it would hide lying close, of the upper map's depth
    floor: tuple[float, float, float, float]  # low x, low z, width, depth of the floor's own map [m]


def theme_named(name: str) -> Theme:
    if name not in THEMES:
        raise FormatError(unknown("theme", name, THEMES))
    return THEMES[name]


def toward(azimuth: float, elevation: float) -> Array:
    """(3,) unit vector; azimuth from +z towards +x."""
    flat = math.cos(elevation)
    return np.array([math.sin(azimuth) * flat, math.sin(elevation), math.cos(azimuth) * flat])


def orthographic(low: Array, high: Array) -> Array:
    """(4, 4) of a box in camera axes; -z forward, so high z is near."""
    size = np.maximum(high - low, 1e-6)
    matrix = np.diag([2.0 / size[0], 2.0 / size[1], -2.0 / size[2], 1.0])
    matrix[:3, 3] = [
        -(high[0] + low[0]) / size[0],
        -(high[1] + low[1]) / size[1],
        (high[2] + low[2]) / size[2],
    ]
    return matrix


def rig(bounds: Bounds, floor: float, *, azimuth: float, resolution: int) -> Rig:
    """Lights for a camera of that azimuth, their maps fitted to the bounds; `floor` is the height of the ground."""
    key = toward(azimuth + KEY_AZIMUTH, KEY_ELEVATION)
    slack = 0.02 * bounds.radius
    turn = facing(key)
    local = bounds.corners @ turn[:3, :3].T
    low, high = local.min(axis=0) - slack, local.max(axis=0) + slack
    reach = SKY_MARGIN * (bounds.high - bounds.low).max() + slack
    above = facing(np.array([0.0, 1.0, 0.0]))
    box = np.array([bounds.low - reach, bounds.high + reach])
    box[0, 1], box[1, 1] = min(floor, bounds.low[1]), bounds.high[1] + slack
    box = box @ above[:3, :3].T
    fall = bounds.corners - key * ((bounds.corners[:, 1:2] - floor) / key[1])  # where shadows land
    landed = np.concatenate([fall, bounds.corners])[:, [0, 2]]
    first = landed.min(axis=0) - reach
    extent = landed.max(axis=0) + reach - first
    return Rig(
        key=key,
        rim=toward(azimuth + RIM_AZIMUTH, RIM_ELEVATION),
        shadow=orthographic(low, high) @ turn,
        sky=orthographic(box.min(axis=0), box.max(axis=0)) @ above,
        texel=float((high - low)[:2].max()) / resolution,
        spread=LIGHT_SIZE * float((high - low)[2]) / float((high - low)[:2].max()),
        sky_fade=SKY_FADE * bounds.radius / float(box[:, 2].max() - box[:, 2].min()),
        floor=(float(first[0]), float(first[1]), float(extent[0]), float(extent[1])),
    )
