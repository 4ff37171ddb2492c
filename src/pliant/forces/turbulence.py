"""Curl noise: a divergence-free random flow on a periodic grid, carried along by the wind.

White noise is drawn in Fourier space in a shell around one wave number and made divergence-free there by
u = (I - k k^T / k^2) w. The same seed gives the same flow everywhere.
"""

import functools
import math

import numpy as np

from pliant.arrays import Array, frozen
from pliant.kernels import kernel

CELLS = 32  # along each side of the periodic box
EDDIES = 4.0  # eddies along each side


@functools.lru_cache(maxsize=8)
def flow(seed: int) -> Array:
    """(CELLS, CELLS, CELLS, 3) velocities of root mean square 1."""
    k = np.fft.fftfreq(CELLS, 1.0 / CELLS)
    kx, ky, kz = np.meshgrid(k, k, k, indexing="ij")
    wave = np.stack([kx, ky, kz], axis=-1)
    square = np.maximum((wave**2).sum(axis=-1), 1e-9)
    shell = np.exp(-(((np.sqrt(square) - EDDIES) / (0.5 * EDDIES)) ** 2)) * (square > 0.5)
    noise = np.random.default_rng(seed).normal(size=(CELLS, CELLS, CELLS, 3))
    spectrum = np.fft.fftn(noise, axes=(0, 1, 2)) * shell[..., None]
    spectrum -= wave * ((spectrum * wave).sum(axis=-1) / square)[..., None]
    u = np.fft.ifftn(spectrum, axes=(0, 1, 2)).real
    return frozen(u / np.sqrt((u**2).sum(axis=-1).mean()))


@kernel
def add_turbulence(points, shift, eddy, strength, grid, out):
    """out += strength u((points - shift) / (EDDIES eddy)), trilinear on the periodic grid."""
    n = grid.shape[0]
    scale = n / (EDDIES * eddy)
    for i in range(points.shape[0]):
        gx, gy, gz = (
            (points[i, 0] - shift[0]) * scale,
            (points[i, 1] - shift[1]) * scale,
            (points[i, 2] - shift[2]) * scale,
        )
        fx, fy, fz = math.floor(gx), math.floor(gy), math.floor(gz)
        for corner in range(8):
            a, b, c = corner & 1, (corner >> 1) & 1, corner >> 2
            weight = (gx - fx if a else 1.0 - gx + fx) * (gy - fy if b else 1.0 - gy + fy)
            weight *= strength * (gz - fz if c else 1.0 - gz + fz)
            x, y, z = (int(fx) + a) % n, (int(fy) + b) % n, (int(fz) + c) % n
            for q in range(3):
                out[i, q] += weight * grid[x, y, z, q]
