"""Something to draw: a mesh with smooth normals and a finish."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.geometry.solids import Solid
from pliant.sinks.picture.finish import Finish


class Surface(NamedTuple):
    """One mesh at one instant."""

    name: str
    points: Array  # (n, 3) float32 [m]
    normals: Array  # (n, 3) float32
    triangles: Array  # (m, 3) uint32
    pattern: Array  # (n, 2) float32, where the finish's pattern is read
    finish: Finish
    still: bool  # the same in every frame
    tint: Array | None = None  # (n, 3) float32 that multiplies the finish's colours; none: 1
    yields: bool = False  # to what lies on it: an edge or a bump does not show through the straight faces of a cloth


def drawn(name: str, solid: Solid, finish: Finish, *, still: bool, yields: bool = False) -> Surface:
    """A solid as a surface without a pattern."""
    points = np.ascontiguousarray(solid.points, np.float32)
    normals = np.ascontiguousarray(solid.normals, np.float32)
    pattern = np.zeros((len(points), 2), np.float32)
    return Surface(name, points, normals, solid.triangles, pattern, finish, still, yields=yields)
