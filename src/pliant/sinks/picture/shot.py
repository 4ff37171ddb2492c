"""Everything one picture needs besides its surfaces: camera, lights, floor, theme; the same for every renderer."""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.sinks.picture.camera import Bounds, Camera
from pliant.sinks.picture.lighting import Rig, Theme, rig

SHADOW_SIZE = 1536  # texels of the key light's map
SKY_SIZE = 192  # texels of the map from above
SKY_BLUR = 0.030  # standard deviation of the sky's blur, of its map
FLOOR_SIZE = 256  # texels of the floor's map
FLOOR_BLUR = 2.0 / FLOOR_SIZE  # standard deviation of its blur, of the map
YIELDING = 0.004  # of the scene's radius, farther away than it is, goes what yields to what lies on it
PENUMBRA = 0.0030  # radius, of the key light's map


class Shot(NamedTuple):
    """One picture's constants."""

    camera: Camera
    rig: Rig
    theme: Theme
    view_projection: Array  # (4, 4)
    center: Array  # (3,) [m] of what is shown
    radius: float  # [m]
    floor: float  # [m] height
    grid: float  # [m] between the ground's lines, 0 = none
    dither: float = 1.0  # [1/255]

    @property
    def yielding(self) -> float:
        """[m]"""
        return YIELDING * self.radius

    @property
    def bias(self) -> float:
        """[m] by which a shadow is looked up off the surface, so that it does not shade itself."""
        return 1.6 * self.rig.texel


def shot(camera: Camera, shown: Bounds, floor: float, *, aspect: float, theme: Theme, ruled: bool, turn: float) -> Shot:
    """`turn` is the azimuth the lights were set up for; `ruled` draws the ground's grid."""
    distance = float(np.linalg.norm(camera.eye - shown.center))
    near = max(distance - 3.0 * shown.radius, 0.02 * distance)
    far = distance + 8.0 * shown.radius
    return Shot(
        camera=camera,
        rig=rig(shown, floor, azimuth=turn, resolution=SHADOW_SIZE),
        theme=theme,
        view_projection=camera.projection(aspect, near, far) @ camera.view(),
        center=shown.center,
        radius=shown.radius,
        floor=floor,
        grid=round_step(0.12 * shown.radius) if ruled else 0.0,
    )


def round_step(size: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(size))
    return min((1.0 * power, 2.0 * power, 5.0 * power, 10.0 * power), key=lambda s: abs(math.log(s / size)))
