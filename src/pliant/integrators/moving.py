"""The last lines that several methods share: velocities from forces, positions from velocities.

Held rows (inverse mass 0) keep the velocity their holder gave them and are moved by it.
"""

import math

from pliant.kernels import kernel, span, sweep


@sweep
def kick_and_drift(x, v, w, f, h):
    """v += h w f;  x += h v."""
    for i in span(x.shape[0]):
        for k in range(3):
            v[i, k] += h * w[i] * f[i, k]
            x[i, k] += h * v[i, k]


@sweep
def kick(v, w, f, h):
    """v += h w f."""
    for i in span(v.shape[0]):
        for k in range(3):
            v[i, k] += h * w[i] * f[i, k]


@sweep
def drift_on(x, v, h):
    """x += h v."""
    for i in span(x.shape[0]):
        for k in range(3):
            x[i, k] += h * v[i, k]


@sweep
def drift_and_kick(x, v, w, f, h):
    """x += h v;  v += h w f: forward Euler."""
    for i in span(x.shape[0]):
        for k in range(3):
            x[i, k] += h * v[i, k]
            v[i, k] += h * w[i] * f[i, k]


@sweep
def add_and_drift(x, v, w, dv, h):
    """v += dv for free rows;  x += h v for all."""
    for i in span(x.shape[0]):
        for k in range(3):
            if w[i] > 0.0:
                v[i, k] += dv[i, k]
            x[i, k] += h * v[i, k]


@kernel
def magnitude(columns):
    """The Euclidean norm of all entries; one order of summation, whatever the threads."""
    total = 0.0
    for i in range(columns.shape[0]):
        total += columns[i, 0] * columns[i, 0] + columns[i, 1] * columns[i, 1] + columns[i, 2] * columns[i, 2]
    return math.sqrt(total)


@kernel
def take_velocities(x, start, v, w, h):
    """v = (x - start) / h of free rows."""
    for i in range(x.shape[0]):
        if w[i] > 0.0:
            for k in range(3):
                v[i, k] = (x[i, k] - start[i, k]) / h
