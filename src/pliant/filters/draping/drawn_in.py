"""Area compensation (eq. 8): folds take up cloth, so the surface that carries them is drawn in.

The mean of grad w (x) grad w / 2 over a wave is T = a^2 kappa kappa' / 4 + grad a grad a' / 4. The surface whose
gradient is (1 - T) times the present one is found by one solve per coordinate, K u = -div T, held at the contacts.
"""

import numpy as np

from pliant.kernels import kernel, span, sweep

MOST = 0.45  # of a length that may be drawn in


@kernel
def drawn_in(triangles, x, normal, area, inside, amplitude, omega, load):
    """load_k -= A T grad N_k for each corner k; grad N_k = n x e_k / 2 A."""
    e, g, slope = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for f in range(len(triangles)):
        if not inside[f]:
            continue
        mean = 0.0
        for k in range(3):
            i, j = triangles[f, (k + 1) % 3], triangles[f, (k + 2) % 3]
            mean += amplitude[triangles[f, k]] / 3.0
            for d in range(3):
                e[k, d] = x[j, d] - x[i, d]
        for k in range(3):
            for d in range(3):
                p, q = (d + 1) % 3, (d + 2) % 3
                g[k, d] = 0.5 * (normal[f, p] * e[k, q] - normal[f, q] * e[k, p])
        trace = 0.0
        for d in range(3):
            slope[d] = 0.0
            for k in range(3):
                slope[d] += amplitude[triangles[f, k]] * g[k, d] / area[f]
            trace += 0.25 * (mean * mean * omega[f, d] * omega[f, d] + slope[d] * slope[d])
        share = 0.25 * min(1.0, MOST / max(trace, 1e-12))
        _spread(f, triangles, share, mean * mean, omega[f], slope, g, load)


@kernel
def _spread(f, triangles, share, square, omega, slope, g, load):
    for k in range(3):
        p, q = 0.0, 0.0
        for d in range(3):
            p += omega[d] * g[k, d]
            q += slope[d] * g[k, d]
        for d in range(3):
            load[triangles[f, k], d] -= share * (square * p * omega[d] + q * slope[d])


@sweep
def move(x, normals, shift, amplitude, distance, gap):
    """x += shift, its part towards the body at most what is free; `distance` becomes what is left at least."""
    for i in span(len(x)):
        inward = 0.0
        for d in range(3):
            inward -= shift[i, d] * normals[i, d]
        over = max(inward - max(distance[i] - gap - abs(amplitude[i]), 0.0), 0.0)
        size = 0.0
        for d in range(3):
            step = shift[i, d] + over * normals[i, d]
            x[i, d] += step
            size += step * step
        distance[i] -= np.sqrt(size)
