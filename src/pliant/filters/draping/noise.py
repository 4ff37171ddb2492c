"""Seeded noise of the published method (eq. 13): folds that differ from each other, the same in every pose.

Around each of some contact points of the rest pose lies a band, between two distances from it over the garment.
Within the band amplitude and phase are changed in half a sine. The sum over bands of
a (1 + alpha b) sin(Psi + gamma b) - a sin Psi is a times the imaginary part of exp(i Psi) times a constant of each
point, so noise costs nothing in a pose. Relative to the amplitude, it is zero where that is zero: at the contacts.
"""

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.net import Net

CENTRES = 24
FIRST, WIDE = (0.05, 0.45), (0.08, 0.25)  # [m] where a band begins and how wide it is
HIGHER, SHIFTED = 0.35, 0.6  # share of the amplitude and phase [rad] at most


def noise_of(net: Net, rest: Array, contact: Array, seed: int, strength: float) -> Array:
    """(n,) complex factor of exp(i Psi); `contact` (n,) bool in the rest pose."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    factor = np.ones(net.size, complex)
    points = np.flatnonzero(contact)
    if strength == 0.0 or len(points) == 0:
        return factor
    random = np.random.default_rng(seed)
    centres = random.choice(points, CENTRES)
    a, b = net.edges.astype(np.int64).T
    graph = coo_array((np.linalg.norm(rest[b] - rest[a], axis=1), (a, b)), shape=(net.size, net.size)).tocsr()
    for far in dijkstra(graph, directed=False, indices=centres):
        first, wide = random.uniform(*FIRST), random.uniform(*WIDE)
        higher, shifted = strength * random.uniform(-1.0, 1.0, 2) * (HIGHER, SHIFTED)
        t = np.where(np.isfinite(far), (far - first) / wide, -1.0)
        band = np.where((t > 0.0) & (t < 1.0), np.sin(np.pi * np.clip(t, 0.0, 1.0)), 0.0)
        factor += (1.0 + higher * band) * np.exp(1j * shifted * band) - 1.0
    return factor
