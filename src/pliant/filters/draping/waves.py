"""Height of the wrinkles on the fine mesh, from amplitude, phase and wave vector at the light garment's points.

Each corner of a light triangle carries a plane wave; a fine point blends those of its three corners:
w = sum_c W_c a_c cos(theta_c + kappa_c . (x - x_c)),  W_c = b_c^2 (3 - 2 b_c), normalised. No cut is needed where the
phase goes round, and less than two edges to a wave are enough. The normal is tilted by the same formula.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.kernels import inline, span, sweep

CREASED = 0.5  # length of the mean of three unit normals below which it says less and less where outside is
TURN, QUARTER = 2.0 * np.pi, 0.5 * np.pi


class Folds(NamedTuple):
    """Wrinkles of one garment in one pose; height a cos(theta)."""

    amplitude: Array  # (n,) [m]
    phase: Array  # (n,) [rad]
    wave: Array  # (n, 3) [rad/m]


@inline
def cosine(x):
    """Cosine to 2e-8: the angle brought into half a turn and a series in its square."""
    x -= TURN * np.floor(x / TURN + 0.5)
    y = x * x
    return 1.0 + y * (
        -0.5
        + y
        * (
            1.0 / 24
            + y
            * (
                -1.0 / 720
                + y
                * (
                    1.0 / 40320
                    + y * (-1.0 / 3628800 + y * (1.0 / 479001600 + y * (-1.0 / 87178291200 + y / 20922789888000)))
                )
            )
        )
    )


@sweep
def raise_folds(y, owner, corner, triangles, x, normals, amplitude, phase, wave, out, height):
    """out = y + w N; N is blended from the light garment's normals."""
    for v in span(len(y)):
        f = owner[v]
        total, w, nx, ny, nz = 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(3):
            b = corner[v, c]
            i = triangles[f, c]
            nx += b * normals[i, 0]
            ny += b * normals[i, 1]
            nz += b * normals[i, 2]
            b = b * b * (3.0 - 2.0 * b)
            total += b
            if b == 0.0 or amplitude[i] == 0.0:
                continue
            angle = phase[i]
            for k in range(3):
                angle += wave[i, k] * (y[v, k] - x[i, k])
            w += b * amplitude[i] * cosine(angle)
        w /= total
        height[v] = w
        w /= max(np.sqrt(nx * nx + ny * ny + nz * nz), CREASED)
        out[v, 0], out[v, 1], out[v, 2] = y[v, 0] + w * nx, y[v, 1] + w * ny, y[v, 2] + w * nz


@sweep
def raise_to(y, owner, corner, triangles, normals, height, out):
    """out = y + w N for heights that are given."""
    for v in span(len(y)):
        f = owner[v]
        nx, ny, nz = 0.0, 0.0, 0.0
        for c in range(3):
            b, i = corner[v, c], triangles[f, c]
            nx += b * normals[i, 0]
            ny += b * normals[i, 1]
            nz += b * normals[i, 2]
        w = height[v] / max(np.sqrt(nx * nx + ny * ny + nz * nz), CREASED)
        out[v, 0], out[v, 1], out[v, 2] = y[v, 0] + w * nx, y[v, 1] + w * ny, y[v, 2] + w * nz
