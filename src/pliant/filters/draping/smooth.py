"""Implicit smoothing of fields on a mesh: (M + s^2/2 L) u' = M u, factored once."""

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.ldl import Factor
from pliant.filters.draping.net import Net, edge_weights
from pliant.geometry.surface import vertex_areas


class Smoother:
    """Spreads a field over about `length` [m]; keeps constants and the integral."""

    def __init__(self, net: Net, rest: Array, length: float) -> None:
        weights = np.empty(len(net.edges))
        weights[net.row] = 0.5 * length**2 * np.maximum(edge_weights(net, rest), 0.0)
        self.mass = vertex_areas(rest, net.triangles)
        diagonal = self.mass.copy()
        for end in (0, 1):
            diagonal += np.bincount(net.edges[:, end], weights, minlength=net.size)
        self._factor = Factor(net, rest)
        self._factor.make(diagonal, weights, np.zeros(net.size, bool))

    def __call__(self, field: Array) -> Array:
        """(n, r) smoothed copy of (n, r)."""
        return self._factor.solve(self.mass[:, None] * field)
