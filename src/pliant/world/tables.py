"""Element tables: columns in SI units, indices local to the part, neutral between the families of integrators.

A force-family integrator reads a table through its force, a position-family one through its constraint
(compliance = 1 / stiffness). Tables are named tuples because kernels take them whole.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.kernels import Adjacency
from pliant.world.joints import Joints

STRUCTURAL, SHEAR, BEND = 0, 1, 2  # Springs.kind


class Springs(NamedTuple):
    """Pairs of particles that resist a change of length."""

    ends: Array  # (s, 2) particle indices, ends[:, 0] < ends[:, 1], sorted
    rest_length: Array  # (s,) [m]
    stiffness: Array  # (s,) [N/m]
    damping: Array  # (s,) [N s/m]
    kind: Array  # (s,) uint8, STRUCTURAL, SHEAR or BEND
    adjacency: Adjacency  # each particle's own springs


class Hinges(NamedTuple):
    """Pairs of triangles that resist a change of the angle between them."""

    corners: Array  # (h, 4) edge start, edge end, opposite vertex of either triangle
    rest_angle: Array  # (h,) [rad], 0 = flat
    stiffness: Array  # (h,) [N m], energy = stiffness (angle - rest)^2 / 2
    damping: Array  # (h,) [N m s]


Table = Springs | Hinges | Joints


def structural(springs: Springs) -> Array:
    """Rows of the structural edges, over which strain is reported."""
    return np.flatnonzero(springs.kind == STRUCTURAL)
