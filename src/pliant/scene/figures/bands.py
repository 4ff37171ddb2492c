"""What of a garment stays with the skin: waistbands, collars, the cuffs of trousers."""

import numpy as np

from pliant.arrays import Array
from pliant.geometry.surface import boundary_edges
from pliant.scene.figures.measures import Measures


def band_of(m: Measures, points: Array, triangles: Array, kind: str) -> Array:
    """Points of the band that stays with the skin: 3 cm of the waist, 1.2 cm of the collar, trousers' cuffs."""
    rim = np.unique(boundary_edges(triangles))
    x, y, z, radius = m.neck
    if kind == "trousers":  # cuffs that slid down would hang over the feet
        start, width = rim, 0.03
    elif kind == "skirt":
        start, width = rim[points[rim, 1] > m.waist - 0.03 * m.unit], 0.03
    else:
        from_axis = np.hypot(points[rim, 0] - x, points[rim, 2] - z)
        near_neck = (points[rim, 1] > y - 0.13 * m.unit) & (from_axis < 2.4 * radius)
        if kind in ("tshirt", "sweater", "dress"):  # all of the collar, however wide it had to be cut
            near_neck = np.isin(_loops(triangles, rim), _loops(triangles, rim)[near_neck])
        if kind == "mesh":
            near_neck |= _waistbands(points, triangles, rim, near_neck, 0.02 * m.unit)
        start = rim[near_neck]
        width = 0.05 if kind == "cape" else 0.012
    if not len(start):
        return np.empty(0, np.uint32)
    from scipy.spatial import cKDTree

    near = cKDTree(points[start]).query(points)[0]
    return np.flatnonzero(near <= width * m.unit).astype(np.uint32)


def _waistbands(points: Array, triangles: Array, rim: Array, collar: Array, wide: float) -> Array:
    """(k,) bool, points of the rim at the top of each loose piece that has no collar: it would slide down."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = np.asarray(triangles, np.int64)[:, [0, 1]].ravel(), np.asarray(triangles, np.int64)[:, [1, 2]].ravel()
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(points), len(points)))
    piece = connected_components(graph, directed=False)[1]
    found = np.zeros(len(rim), bool)
    for k in np.setdiff1d(piece[rim], piece[rim[collar]]):
        of = piece[rim] == k
        found |= of & (points[rim, 1] > points[rim[of], 1].max() - wide)
    return found


def _loops(triangles: Array, rim: Array) -> Array:
    """(k,) number of the border line that each point of the rim belongs to."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = np.searchsorted(rim, boundary_edges(triangles).astype(rim.dtype)).T
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(rim), len(rim)))
    return np.asarray(connected_components(graph, directed=False)[1])
