"""The conjugate of a harmonic potential, without cuts.

The exact discrete conjugate lives on triangles: across the edge from i to j, from the triangle on its left to that on
its right, it falls by w_ij (Phi_j - Phi_i). Around a free point these steps sum to zero and around a loop to a
whole number of turns, so any way over the mesh gives the same phase up to turns. grad Psi = n x grad Phi.
"""

import numpy as np

from pliant.filters.draping.waves import QUARTER, cosine
from pliant.kernels import kernel, span, sweep


@kernel
def along(order, came, twin, half, corner, scale, psi):
    """Phase of each free triangle from that of the one it is reached from."""
    for s in range(len(order)):
        h = came[s]
        if h < 0:
            psi[order[s]] = 0.0
            continue
        f, k = h // 3, h % 3
        t = twin[h]
        w = half[f, (k + 2) % 3] + half[t // 3, (t % 3 + 2) % 3]
        psi[order[s]] = psi[f] - scale * w * (corner[f, (k + 1) % 3] - corner[f, k])


@kernel
def closure(twin, inside, half, corner, scale, psi):
    """Largest distance of a step between free triangles from what it should be, up to whole turns [rad]."""
    worst = 0.0
    for h in range(len(twin)):
        t = twin[h]
        f, k = h // 3, h % 3
        if t < 0 or not inside[f] or not inside[t // 3]:
            continue
        w = half[f, (k + 2) % 3] + half[t // 3, (t % 3 + 2) % 3]
        step = (psi[t // 3] - psi[f] + scale * w * (corner[f, (k + 1) % 3] - corner[f, k])) / (2.0 * np.pi)
        worst = max(worst, abs(step - np.round(step)) * 2.0 * np.pi)
    return worst


@sweep
def gradients(triangles, x, area, inside, corner, scale, omega):
    """scale n x grad Phi = -scale / (2 A) sum_k Phi_k e_k, e_k the edge opposite corner k."""
    for f in span(len(triangles)):
        s = -scale / (2.0 * area[f]) if inside[f] else 0.0
        i, j, k = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        a, b, c = corner[f, 0], corner[f, 1], corner[f, 2]
        for d in range(3):
            omega[f, d] = s * (a * (x[k, d] - x[j, d]) + b * (x[i, d] - x[k, d]) + c * (x[j, d] - x[i, d]))


@sweep
def at_points(wave, fan_start, fan, triangles, x, half, area, inside, psi, omega, circle):
    """Area-weighted mean of wave vector and of the phase's point on the circle, over the free triangles at a point.

    The phase of a triangle is that at its circumcentre, where the perpendicular bisectors that the steps cross meet;
    its weights are cot_k (cot_i + cot_j) / 2.
    """
    for v in span(len(wave)):
        total, p, q = 0.0, 0.0, 0.0
        gx, gy, gz = 0.0, 0.0, 0.0
        for slot in range(fan_start[v], fan_start[v + 1]):
            f = fan[slot] // 3
            if not inside[f]:
                continue
            a, b, c = triangles[f, 0], triangles[f, 1], triangles[f, 2]
            p0, p1 = 2.0 * half[f, 0] * (half[f, 1] + half[f, 2]), 2.0 * half[f, 1] * (half[f, 0] + half[f, 2])
            p2 = 2.0 * half[f, 2] * (half[f, 0] + half[f, 1])
            angle = psi[f]
            for d in range(3):
                angle += omega[f, d] * (x[v, d] - p0 * x[a, d] - p1 * x[b, d] - p2 * x[c, d])
            p += area[f] * cosine(angle)
            q += area[f] * cosine(angle - QUARTER)
            gx += area[f] * omega[f, 0]
            gy += area[f] * omega[f, 1]
            gz += area[f] * omega[f, 2]
            total += area[f]
        total = max(total, 1e-300)
        wave[v, 0], wave[v, 1], wave[v, 2] = gx / total, gy / total, gz / total
        circle[v, 0], circle[v, 1] = p, q
