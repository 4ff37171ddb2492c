"""The shown mesh out of what lies beneath: every point keeps a margin, and so do the edges between them.

Most fine points need no look: a light corner is known to be far enough. The others walk from the nearest body points
of their corners downhill over the body's mesh, and only those that come close ask its triangles.
"""

import numpy as np

from pliant.filters.draping.beneath import exact_distance
from pliant.kernels import inline, kernel, span, sweep

SAG = 0.003  # [m] by which the body's triangles may leave the tangent plane of the nearest of its points


@inline
def _square(points, v, x, y, z):
    dx, dy, dz = x - points[v, 0], y - points[v, 1], z - points[v, 2]
    return dx * dx + dy * dy + dz * dz


@kernel
def descend(points, start, other, v, x, y, z):
    """The point from which no neighbour is nearer, and its squared distance."""
    best = _square(points, v, x, y, z)
    while True:
        here = v
        for s in range(start[here], start[here + 1]):
            square = _square(points, other[s], x, y, z)
            if square < best:
                best, v = square, np.int64(other[s])
        if v == here:
            return v, best


@kernel
def _found(x, y, z, f, triangles, near, points, start, other):
    """Surface point nearest to (x, y, z), from those of the corners of light triangle f; -1 if none is near."""
    found, best, last = -1, np.inf, -1
    for c in range(3):
        v = near[triangles[f, c]]
        if v < 0 or v == last:
            continue
        last = v
        u, square = descend(points, start, other, np.int64(v), x, y, z)
        if square < best:
            best, found = square, u
    return found


@kernel
def _lift(out, i, f, triangles, near, surface, start, other, margin):
    """Push fine point i out to the margin; two looks, since the first may bring it near another part."""
    points, normals = surface.points, surface.normals
    for _ in range(2):
        x, y, z = out[i, 0], out[i, 1], out[i, 2]
        v = _found(x, y, z, f, triangles, near, points, start, other)
        if v < 0:
            return
        height = (
            (x - points[v, 0]) * normals[v, 0] + (y - points[v, 1]) * normals[v, 1] + (z - points[v, 2]) * normals[v, 2]
        )
        if height > margin + SAG:
            return
        d, nx, ny, nz = exact_distance(surface, v, x, y, z)
        if d >= margin:
            return
        step = margin - d + 1e-7
        out[i, 0], out[i, 1], out[i, 2] = x + step * nx, y + step * ny, z + step * nz


@sweep
def lift(out, owner, triangles, light, clearance, near, surface, start, other, margin):
    """Every fine point that may be nearer than the margin is pushed out to it.

    A point is at least as far from the body as any light corner is, less the way between them.
    """
    for i in span(len(out)):
        f = owner[i]
        safe = False
        for c in range(3):
            j = triangles[f, c]
            dx, dy, dz = out[i, 0] - light[j, 0], out[i, 1] - light[j, 1], out[i, 2] - light[j, 2]
            if clearance[j] - np.sqrt(dx * dx + dy * dy + dz * dz) > margin:
                safe = True
        if not safe:
            _lift(out, i, f, triangles, near, surface, start, other, margin)
