"""A square hung by two corners, as a part of every frame: the published draping method without a body."""

from typing import Any

import numpy as np

from pliant.description import Vec3, quantity
from pliant.filters.base import BoundFilter, Filter
from pliant.filters.draping.methods import Harmonic
from pliant.filters.draping.square import hanging_square
from pliant.world import Frame, Look, PartFrame, World, still


class HangingSquare(Filter):
    """Shows the square with isolines of amplitude (blue) and phase (red)."""

    name: str = quantity("square", help="Name of the part")
    method: Any = quantity(Harmonic(refine=3), help="Constants of the method")
    cells: int = quantity(57, low=8, high=200, help="Cells along a side")
    patch: float = quantity(0.035, unit="m", above=0.0, high=0.3, slider=(0.02, 0.1), help="Radius held at each corner")
    at: Vec3 = quantity((0.0, 0.0, 0.0), unit="m", help="Middle of the hem")

    @classmethod
    def example(cls) -> "HangingSquare":
        return cls(method=Harmonic(refine=1), cells=24, patch=0.1)

    def bind(self, world: World) -> BoundFilter:
        return _Hung(self)


class _Hung(BoundFilter):
    def __init__(self, of: HangingSquare) -> None:
        square = hanging_square(of.method, cells=of.cells, patch=of.patch)
        points = still(square.points + np.array(of.at))
        self._part = PartFrame(
            name=of.name,
            kind="cloth",
            points=points,
            triangles=square.triangles,
            velocities=still(np.zeros_like(points)),
            rotations_xyzw=np.empty((0, 4), np.float32),
            look=Look(),
            uv=None,
            quantities={"colors": still(square.colors)},
        )
        self._name = of.name

    def apply(self, frame: Frame) -> Frame:
        return Frame(frame.index, frame.time, {**frame.parts, self._name: self._part})
