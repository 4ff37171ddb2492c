"""Ground, ball, capsule, box and cylinder."""

import numpy as np

from pliant.colliders.solid import Solid, one_shape
from pliant.description import Vec3, quantity
from pliant.errors import SceneError
from pliant.kernels.shapes import BOX, CYLINDER, PLANE, Shapes

STRAIGHT = (0.0, 0.0, 0.0)


class Ground(Solid):
    """A floor without end; turn it for a slope."""

    height: float = quantity(0.0, unit="m", slider=(-2, 2), help="Height of the floor at the origin")
    turn: Vec3 = quantity(STRAIGHT, unit="deg", slider=(-90, 90), help="Turn about x, then y, then z")
    friction: float = quantity(0.5, low=0.0, high=10.0, slider=(0, 2), help="Coulomb friction of the floor")

    def shape(self) -> Shapes:
        return one_shape(PLANE, (0.0, self.height, 0.0), self.turn, (0, 0, 0), 0.0)


class Sphere(Solid):
    """A ball."""

    center: Vec3 = quantity((0.0, 0.5, 0.0), unit="m", slider=(-2, 2), help="Centre of the ball")
    radius: float = quantity(0.5, unit="m", above=0.0, high=1000.0, slider=(0.05, 2), help="Radius of the ball")
    friction: float = quantity(0.3, low=0.0, high=10.0, slider=(0, 2), help="Coulomb friction of the ball")

    def shape(self) -> Shapes:
        return one_shape(BOX, self.center, STRAIGHT, (0, 0, 0), self.radius)


class Capsule(Solid):
    """A rod with round ends, from a to b."""

    a: Vec3 = quantity((-0.5, 0.5, 0.0), unit="m", slider=(-2, 2), help="One end of its axis")
    b: Vec3 = quantity((0.5, 0.5, 0.0), unit="m", slider=(-2, 2), help="The other end")
    radius: float = quantity(0.1, unit="m", above=0.0, high=1000.0, slider=(0.01, 1), help="Radius of the rod")

    def model_post_init(self, context: object) -> None:
        if np.linalg.norm(np.subtract(self.b, self.a)) < 1e-9:
            raise SceneError(f"Capsule.a = Capsule.b = {self.a}; move one end, or use a Sphere")

    def shape(self) -> Shapes:
        axis = np.subtract(self.b, self.a)
        length = float(np.linalg.norm(axis))
        middle = 0.5 * np.add(self.a, self.b)
        row = one_shape(BOX, tuple(middle), STRAIGHT, (0.0, 0.5 * length, 0.0), self.radius)
        row.axes[0] = _frame(axis / length)
        return row


class Box(Solid):
    """A box, its edges rounded by a little so that cloth does not hang on them."""

    center: Vec3 = quantity((0.0, 0.5, 0.0), unit="m", slider=(-2, 2), help="Centre of the box")
    size: Vec3 = quantity((1.0, 1.0, 1.0), unit="m", slider=(0.05, 3), help="Full size along x, y, z")
    turn: Vec3 = quantity(STRAIGHT, unit="deg", slider=(-90, 90), help="Turn about x, then y, then z")
    rounding: float = quantity(0.01, unit="m", low=0.0, high=100.0, slider=(0, 0.1), help="Radius of its edges")

    def model_post_init(self, context: object) -> None:
        _positive("Box", self.size, self.rounding)

    def shape(self) -> Shapes:
        x, y, z = self.size
        half = (0.5 * x - self.rounding, 0.5 * y - self.rounding, 0.5 * z - self.rounding)
        return one_shape(BOX, self.center, self.turn, half, self.rounding)


class Cylinder(Solid):
    """An upright cylinder, a round table for instance."""

    center: Vec3 = quantity((0.0, 0.5, 0.0), unit="m", slider=(-2, 2), help="Centre of the cylinder")
    radius: float = quantity(0.5, unit="m", above=0.0, high=1000.0, slider=(0.05, 2), help="Radius")
    height: float = quantity(1.0, unit="m", above=0.0, high=1000.0, slider=(0.01, 3), help="Height")
    turn: Vec3 = quantity(STRAIGHT, unit="deg", slider=(-90, 90), help="Turn about x, then y, then z")
    rounding: float = quantity(0.01, unit="m", low=0.0, high=100.0, slider=(0, 0.1), help="Radius of its edges")

    def model_post_init(self, context: object) -> None:
        _positive("Cylinder", (2.0 * self.radius, self.height), self.rounding)

    def shape(self) -> Shapes:
        size = (self.radius - self.rounding, 0.5 * self.height - self.rounding, 0.0)
        return one_shape(CYLINDER, self.center, self.turn, size, self.rounding)


def _positive(kind: str, size: tuple[float, ...], rounding: float) -> None:
    if min(size) <= 0.0:
        raise SceneError(f"{kind}.size = {size}; every side must be > 0 [m]")
    if 2.0 * rounding > min(size):
        raise SceneError(f"{kind}.rounding = {rounding}; must be at most half the smallest side, {0.5 * min(size):g} m")


def _frame(up: np.ndarray) -> np.ndarray:
    """(3, 3) rows: local axes with y along `up`."""
    side = np.eye(3)[int(np.argmin(np.abs(up)))]
    x = np.cross(up, side)
    x /= np.linalg.norm(x)
    return np.stack([x, up, np.cross(x, up)])
