"""Harmonic potentials of the free region: K Phi = g by control volumes, which are the cotangent weights.

The flux of the linear interpolant through the median-dual segments of a triangle equals the finite-element entry, so
half cotangents are all that is needed. Values at contact points belong to corners: each loop may carry its own.
"""

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.free import Free
from pliant.kernels import kernel, span, sweep

SHARPEST = 200.0  # half cotangent; more only a triangle without area has


@sweep
def stiffness(triangles, x, half, normal, area):
    """Half cotangents of the corners, unit normal and area of each triangle."""
    for f in span(len(triangles)):
        i, j, k = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        ax, ay, az = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        bx, by, bz = x[k, 0] - x[i, 0], x[k, 1] - x[i, 1], x[k, 2] - x[i, 2]
        nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        twice = max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-300)
        normal[f, 0], normal[f, 1], normal[f, 2] = nx / twice, ny / twice, nz / twice
        area[f] = 0.5 * twice
        aa, bb, ab = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, ax * bx + ay * by + az * bz
        half[f, 0] = min(max(0.5 * ab / twice, -SHARPEST), SHARPEST)
        half[f, 1] = min(max(0.5 * (aa - ab) / twice, -SHARPEST), SHARPEST)
        half[f, 2] = min(max(0.5 * (bb - ab) / twice, -SHARPEST), SHARPEST)


@sweep
def gather_weights(weights, sides, half):
    """w = half the sum of the cotangents across each edge; `sides` (e, 2) its half-edges, -1 if there is but one."""
    for e in span(len(weights)):
        w = 0.0
        for side in range(2):
            h = sides[e, side]
            if h >= 0:
                w += half[h // 3, (h % 3 + 2) % 3]
        weights[e] = w


@sweep
def gather_diagonal(diagonal, start, row, weights):
    for i in span(len(diagonal)):
        total = 0.0
        for s in range(start[i], start[i + 1]):
            total += weights[row[s]]
        diagonal[i] = total


@kernel
def hem_flux(triangles, x, normal, rims, contact, least, out):
    """g: half of length times max(outward conormal . gravity, least) of each open edge, to either end."""
    out[:] = 0.0
    for s in range(len(rims)):
        f, k = rims[s] // 3, rims[s] % 3
        i, j = triangles[f, k], triangles[f, (k + 1) % 3]
        ex, ez = x[j, 0] - x[i, 0], x[j, 2] - x[i, 2]
        ey = x[j, 1] - x[i, 1]
        down = -(ez * normal[f, 0] - ex * normal[f, 2])  # y of e x n, downward
        flux = 0.5 * max(down, least * np.sqrt(ex * ex + ey * ey + ez * ez))
        if not contact[i]:
            out[i] += flux
        if not contact[j]:
            out[j] += flux


@kernel
def right_hand_sides(triangles, region, half, g, weight, columns, out):
    """Columns: the flux of each loop without contact, the other flux, one unit potential per touching loop, weight.

    `columns` (loops,) int32: the column of each loop.
    """
    inside, loop, contact, touching = region.inside, region.loop, region.contact, region.touching
    other = len(columns)
    out[:] = 0.0
    for i in range(len(g)):
        out[i, other] = g[i]
        out[i, other + 1] = weight[i]
    for f in range(len(triangles)):
        if not inside[f]:
            continue
        for k in range(3):
            v, where = triangles[f, k], loop[f, k]
            if where < 0:
                continue
            if not touching[where]:
                out[v, columns[where]], out[v, other] = g[v], 0.0
            elif contact[v]:
                for c in range(1, 3):
                    u = triangles[f, (k + c) % 3]
                    if not contact[u]:
                        out[u, columns[where]] += half[f, (k + 3 - c) % 3]


@kernel
def loop_fluxes(triangles, region, half, columns, solved, out):
    """out[l, c]: flux of solution c through loop l, the sum of the residuals of K over the loop's corners."""
    inside, loop, contact, touching = region.inside, region.loop, region.contact, region.touching
    out[:] = 0.0
    value = np.empty((3, solved.shape[1]))
    for f in range(len(triangles)):
        if not inside[f] or (loop[f, 0] < 0 and loop[f, 1] < 0 and loop[f, 2] < 0):
            continue
        for k in range(3):
            _corner(f, k, triangles, loop, contact, columns, touching, solved, value[k])
        for k in range(3):
            if loop[f, k] < 0:
                continue
            p, q = (k + 1) % 3, (k + 2) % 3
            for c in range(solved.shape[1]):
                flux = half[f, q] * (value[k, c] - value[p, c]) + half[f, p] * (value[k, c] - value[q, c])
                out[loop[f, k], c] += flux


@kernel
def _corner(f, k, triangles, loop, contact, columns, touching, solved, value):
    """Values of all solutions at one corner."""
    v = triangles[f, k]
    if not contact[v]:
        for c in range(len(value)):
            value[c] = solved[v, c]
        return
    for c in range(len(value)):
        value[c] = 0.0
    where = loop[f, k]
    if where >= 0 and touching[where]:
        value[columns[where]] = 1.0


@sweep
def corner_values(triangles, loop, contact, values, at_loops, out):
    """Potential at each corner: of its point, or of its loop where the point touches."""
    for f in span(len(triangles)):
        for k in range(3):
            v = triangles[f, k]
            if not contact[v]:
                out[f, k] = values[v]
            else:
                out[f, k] = at_loops[loop[f, k]] if loop[f, k] >= 0 else 0.0


def whole_numbers(flux: Array, region: Free) -> Array:
    """Waves through each loop: rounded, and repaired so that those of each piece sum to zero.

    `flux` in waves. The repair takes the loop, touching if there is one, that regrets its rounding least.
    """
    n = np.round(flux)
    for piece in np.unique(region.piece_of):
        own = np.flatnonzero(region.piece_of == piece)
        pool = own[region.touching[own]] if region.touching[own].any() else own
        excess = int(n[own].sum())
        while excess:
            step = np.sign(excess)
            k = pool[np.argmin(np.abs(n[pool] - step - flux[pool]))]
            n[k] -= step
            excess -= int(step)
    return n
