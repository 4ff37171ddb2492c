"""How far the structural edges of a part are stretched: (length - rest) / rest."""

import math

import numpy as np

from pliant.arrays import Array
from pliant.kernels import kernel
from pliant.world.part import Part
from pliant.world.tables import STRUCTURAL, Springs


def structural_strain(part: Part, position: Array) -> tuple[float, float]:
    """(greatest, mean) strain of a part's structural edges; (0, 0) for a part without springs."""
    if not part.has(Springs):
        return 0.0, 0.0
    springs: Springs = part.table(Springs)
    greatest, mean = _strain(position, springs.ends, springs.rest_length, springs.kind, STRUCTURAL)
    return float(greatest), float(mean)


def edge_strain(part: Part, position: Array) -> Array:
    """(s,) strain of each structural edge, in the table's order."""
    springs: Springs = part.table(Springs)
    ends = springs.ends[springs.kind == STRUCTURAL]
    rest = springs.rest_length[springs.kind == STRUCTURAL]
    return np.linalg.norm(position[ends[:, 1]] - position[ends[:, 0]], axis=1) / rest - 1.0


@kernel
def _strain(x, ends, rest, kind, wanted):
    greatest, total, count = 0.0, 0.0, 0
    for s in range(ends.shape[0]):
        if kind[s] != wanted or rest[s] <= 0.0:
            continue
        i, j = ends[s, 0], ends[s, 1]
        square = (x[j, 0] - x[i, 0]) ** 2 + (x[j, 1] - x[i, 1]) ** 2 + (x[j, 2] - x[i, 2]) ** 2
        strain = math.sqrt(square) / rest[s] - 1.0
        greatest = max(greatest, strain)
        total += strain
        count += 1
    return greatest, total / max(count, 1)
