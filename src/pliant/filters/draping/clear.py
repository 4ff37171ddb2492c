"""The shown mesh out of what lies beneath: every point keeps a margin, and so do the edges between them.

Most fine points need no look: a light corner is known to be far enough. The others walk from the nearest body points
of their corners downhill over the body's mesh, and only those that come close ask its triangles.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.beneath import against, descend, exact_distance, square_to
from pliant.geometry.nearest import triangle_weights
from pliant.kernels import inline, kernel, lean, span, sweep


class Cloth(NamedTuple):
    """The light garment without wrinkles."""

    triangles: Array  # (m, 3) uint32
    points: Array  # (n, 3) [m]
    clearance: Array  # (n,) [m] distance from what lies beneath
    foreign: Array  # (n,) uint8 parts of the body that each point is not worn on
    normals: Array  # (n, 3) unit


LOOKS = 4  # at each fine point
TIGHT = 0.0005  # [m] beyond the margin within which edges are looked at, too
DEEP = 0.02  # [m] by which the body may poke through
SAG = 0.002  # [m] by which the body's triangles may leave the tangent plane of the nearest of its points


@lean
def _found(x, y, z, f, cloth, near, surface):
    """Surface point nearest to (x, y, z), from those of the corners of light triangle f; -1 if none is near."""
    found, best = np.int64(-1), np.inf
    for c in range(3):
        v = np.int64(near[cloth.triangles[f, c]])
        if v >= 0:
            square = square_to(surface.points, v, x, y, z)
            if square < best:
                best, found = square, v
    if found >= 0:
        found, _ = descend(surface, found, x, y, z)
        i = np.int64(cloth.triangles[f, 0])
        if surface.part[found] & cloth.foreign[i] and against(surface, found, cloth.normals, i) == 0.0:
            found = np.int64(-1)
    return found


@lean
def _lift(out, i, f, cloth, near, surface, margin):
    """Push fine point i out to the margin; a few looks, since one push may bring it near another part.

    Returns the surface point it is close to, -1 if it is nowhere close.
    """
    points, normals = surface.points, surface.normals
    v = np.int64(-1)
    for _ in range(LOOKS):
        x, y, z = out[i, 0], out[i, 1], out[i, 2]
        v = np.int64(_found(x, y, z, f, cloth, near, surface))
        if v < 0:
            return v
        height = (
            (x - points[v, 0]) * normals[v, 0] + (y - points[v, 1]) * normals[v, 1] + (z - points[v, 2]) * normals[v, 2]
        )
        if height > margin + SAG:
            return np.int64(-1)
        d, nx, ny, nz = _over_neighbours(surface, v, x, y, z)
        if d >= margin:
            return v if d < margin + TIGHT else np.int64(-1)
        step = margin - d + 1e-7
        out[i, 0], out[i, 1], out[i, 2] = x + step * nx, y + step * ny, z + step * nz
    return v


@lean
def _over_neighbours(surface, v, x, y, z):
    """Exact distance over the triangles around v and, if it is small, around its neighbours."""
    start, other = surface.start, surface.other
    d, nx, ny, nz = exact_distance(surface, v, x, y, z)
    if d < SAG:
        for s in range(start[v], start[v + 1]):
            e, ex, ey, ez = exact_distance(surface, np.int64(other[s]), x, y, z)
            if abs(e) < abs(d) - 1e-12:
                d, nx, ny, nz = e, ex, ey, ez
    return d, nx, ny, nz


@sweep
def lift(out, owner, cloth, near, surface, margin, close, stirred):
    """Every stirred fine point that may be nearer than the margin is pushed out to it; `close` gets the point it is
    near.

    A point is at least as far from the body as any light corner is, less the way between them.
    """
    triangles, light, clearance = cloth.triangles, cloth.points, cloth.clearance
    for i in span(len(out)):
        if not stirred[i]:
            continue
        f = owner[i]
        safe = False
        for c in range(3):
            j = triangles[f, c]
            dx, dy, dz = out[i, 0] - light[j, 0], out[i, 1] - light[j, 1], out[i, 2] - light[j, 2]
            if clearance[j] - np.sqrt(dx * dx + dy * dy + dz * dz) > margin:
                safe = True
        close[i] = -1
        if not safe:
            close[i] = _lift(out, i, f, cloth, near, surface, margin)


@kernel
def uncross(out, fine, fan_start, fan, close, surface, margin, stirred):
    """Points of the body that poke through a fine triangle push it out, and edges whose middle is inside their ends.

    Only around fine points that are close to the body, in their order, and where something has been stirred since the
    last look; what moves now is stirred afterwards, and nothing else. Returns how often.
    """
    start, other = surface.start, surface.other
    moved, before = 0, stirred.copy()
    stirred[:] = 0
    for i in range(len(out)):
        v = np.int64(close[i])
        if v < 0:
            continue
        for slot in range(fan_start[i], fan_start[i + 1]):
            f = fan[slot] // 3
            a, b, c = fine[f, 0], fine[f, 1], fine[f, 2]
            if not (before[a] or before[b] or before[c] or stirred[a] or stirred[b] or stirred[c]):
                continue
            poked = _poked(out, fine, f, surface, v, margin)
            for s in range(start[v], start[v + 1]):
                poked += _poked(out, fine, f, surface, np.int64(other[s]), margin)
            j = fine[f, (fan[slot] % 3 + 1) % 3]
            bridged = _bridged(out, i, np.int64(j), surface, v, margin)
            if poked:
                stirred[a] = stirred[b] = stirred[c] = 1
            if bridged:
                stirred[i] = stirred[j] = 1
            moved += poked + bridged
    return moved


@lean
def _poked(out, fine, f, surface, v, margin):
    """Move a triangle so that body point v is at least the margin behind it; 1 if it had to move."""
    a, b, c = fine[f, 0], fine[f, 1], fine[f, 2]
    p, n = surface.points, surface.normals
    s, w = triangle_weights(out, a, b, c, p[v, 0], p[v, 1], p[v, 2])
    r = 1.0 - s - w
    above, square = 0.0, 0.0
    for k in range(3):
        d = r * out[a, k] + s * out[b, k] + w * out[c, k] - p[v, k]
        above += d * n[v, k]
        square += d * d
    if above >= margin or square > DEEP**2 or square - above * above > 0.3 * square:
        return 0
    step = _believed(above, out, a, b) * (margin - above) / (r * r + s * s + w * w)
    for k in range(3):
        out[a, k] += r * step * n[v, k]
        out[b, k] += s * step * n[v, k]
        out[c, k] += w * step * n[v, k]
    return 1


@lean
def _bridged(out, i, j, surface, v, margin):
    """Move an edge so that its middle is outside; 1 if it had to move."""
    x, y, z = 0.5 * (out[i, 0] + out[j, 0]), 0.5 * (out[i, 1] + out[j, 1]), 0.5 * (out[i, 2] + out[j, 2])
    u, _ = descend(surface, v, x, y, z)
    d, nx, ny, nz = exact_distance(surface, u, x, y, z)
    step = _believed(d, out, i, j) * (margin - d)
    if d >= margin or step == 0.0:
        return 0
    for k in (i, j):
        out[k, 0] += step * nx
        out[k, 1] += step * ny
        out[k, 2] += step * nz
    return 1


@inline
def _believed(d, out, i, j):
    """1 for what is less deep than half an edge of the fine mesh, falling to 0 at a whole one: with the ends outside,
    deeper things are other parts of the body."""
    square = 0.0
    for k in range(3):
        square += (out[i, k] - out[j, k]) ** 2
    return min(max(2.0 + 2.0 * d / np.sqrt(max(square, 1e-18)), 0.0), 1.0)
