"""Where a picture is taken from: a three-quarter view fitted to the bounds of what it shows.

Matrices are OpenGL's: column vectors, clip space -1..1, the camera looks along -z. Arrays are row-major here; whoever
uploads them transposes.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from pliant.arrays import Array

AZIMUTH, ELEVATION = math.radians(32.0), math.radians(14.0)  # of the eye as seen from the target, from +z towards +x
FIELD_OF_VIEW = math.radians(28.0)  # vertical; a long lens keeps proportions honest
MARGIN = 0.12  # of the picture's half height left free
RIM = 0.03  # of the half height and width; what comes nearer to the picture's edge is leaving it
FARTHEST = 1.5  # times its distance that a camera steps back at most


class Bounds(NamedTuple):
    """An axis-aligned box, and how far a given camera must step back to see what is in it."""

    low: Array  # (3,) [m]
    high: Array  # (3,) [m]
    step: float = 0.0  # [m]

    @classmethod
    def of(cls, points: Array) -> Self:
        """Of the finite rows; empty (low > high) where there are none."""
        finite = points[np.isfinite(points).all(axis=1)] if len(points) else points
        if len(finite) == 0:
            return cls(np.full(3, np.inf), np.full(3, -np.inf))
        return cls(finite.min(axis=0).astype(float), finite.max(axis=0).astype(float))

    def joined(self, other: "Bounds") -> "Bounds":
        return Bounds(np.minimum(self.low, other.low), np.maximum(self.high, other.high), max(self.step, other.step))

    def towards(self, other: "Bounds", share: float) -> "Bounds":
        low, high = self.low + share * (other.low - self.low), self.high + share * (other.high - self.high)
        return Bounds(low, high, self.step + share * (other.step - self.step))

    @property
    def empty(self) -> bool:
        return bool((self.low > self.high).any())

    @property
    def center(self) -> Array:
        return 0.5 * (self.low + self.high)

    @property
    def radius(self) -> float:
        return max(0.5 * float(np.linalg.norm(self.high - self.low)), 1e-3)

    @property
    def corners(self) -> Array:
        """(8, 3)."""
        pick = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)], bool)
        return np.where(pick, self.high, self.low)


class Camera(NamedTuple):
    """An eye and what it looks at."""

    eye: Array  # (3,) [m]
    target: Array  # (3,) [m]
    field_of_view: float = FIELD_OF_VIEW  # [rad], vertical
    roams: bool = False  # steps back when something would leave the picture; else it stands

    def view(self) -> Array:
        """(4, 4) world to camera."""
        return looking(self.eye, self.target)

    def projection(self, aspect: float, near: float, far: float) -> Array:
        """(4, 4) camera to clip space."""
        f = 1.0 / math.tan(0.5 * self.field_of_view)
        depth = near - far
        return np.array(
            [
                [f / aspect, 0.0, 0.0, 0.0],
                [0.0, f, 0.0, 0.0],
                [0.0, 0.0, (far + near) / depth, 2.0 * far * near / depth],
                [0.0, 0.0, -1.0, 0.0],
            ]
        )

    def lacking(self, points: Array, aspect: float) -> float:
        """[m] to step back until all points are in the picture; below 0 where there is room."""
        local = points[np.isfinite(points).all(axis=1)] @ self.view()[:3, :3].T - self.view()[:3, :3] @ self.eye
        if not len(local):
            return -np.inf
        half = math.tan(0.5 * self.field_of_view) * (1.0 - RIM)
        needed = np.maximum(abs(local[:, 0]) / (half * aspect), abs(local[:, 1]) / half)
        return float((needed + local[:, 2]).max())  # it looks along -z, so depth is -z

    def back(self, step: float) -> "Camera":
        """The same look from farther away, within reason."""
        away = self.eye - self.target
        distance = float(np.linalg.norm(away))
        return self._replace(eye=self.eye + min(step / distance, FARTHEST) * away)

    @property
    def azimuth(self) -> float:
        """[rad] of the eye about the target, from +z towards +x."""
        away = self.eye - self.target
        return math.atan2(away[0], away[2])


def looking(eye: Array, target: Array) -> Array:
    """(4, 4) rigid motion that puts `eye` at the origin and `target` on -z."""
    matrix = facing(eye - target)
    matrix[:3, 3] = -matrix[:3, :3] @ eye
    return matrix


def facing(back: Array) -> Array:
    """(4, 4) turn that brings the direction `back` to +z, y up where it can be."""
    back = back / np.linalg.norm(back)
    up = np.array([0.0, 1.0, 0.0]) if abs(back[1]) < 0.999 else np.array([0.0, 0.0, -1.0])
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[:3, :3] = [right, np.cross(back, right), back]
    return matrix


def fitted(bounds: Bounds, aspect: float, *, azimuth: float = AZIMUTH, elevation: float = ELEVATION) -> Camera:
    """The nearest camera of that direction and the usual lens that sees the whole box, centred in the picture."""
    away = np.array(
        [
            math.sin(azimuth) * math.cos(elevation),
            math.sin(elevation),
            math.cos(azimuth) * math.cos(elevation),
        ]
    )
    turn = facing(away)[:3, :3]
    corners = (bounds.corners - bounds.center) @ turn.T  # camera axes, the eye on +z
    half_y = math.tan(0.5 * FIELD_OF_VIEW) * (1.0 - MARGIN)
    half_x = half_y * aspect
    shift = np.zeros(3)
    distance = bounds.radius
    for _ in range(8):  # centring moves the box in the picture, which changes the distance it needs, and so on
        local = corners - shift
        distance = max(
            float(np.max(local[:, 2] + np.maximum(abs(local[:, 0]) / half_x, abs(local[:, 1]) / half_y))), 0.1
        )
        depth = distance - local[:, 2]
        x, y = local[:, 0] / depth, local[:, 1] / depth
        shift[:2] += 0.5 * distance * np.array([x.min() + x.max(), y.min() + y.max()])
    target = bounds.center + turn.T @ shift
    return Camera(target + distance * away, target)
