"""Conjugate gradients for (M + h^2 K + h C) u = b, matrix-free, with one 3x3 block per particle as preconditioner.

Each slot of a spring holds its direction u and two numbers: along = h^2 k (1 - t) + h d and across = h^2 k t, with
t = max(0, 1 - l0 / l), so that the matrix is never indefinite; or along = h d, across = h^2 k for the constant one.
Spec of seed 000, section 5b. Sums run over the rows in order, so that they do not depend on the number of threads.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.constants import LENGTH_EPSILON
from pliant.forces import BoundForce
from pliant.integrators.slots import Slots
from pliant.kernels import kernel, span, sweep
from pliant.world import Rows


class System(NamedTuple):
    """The matrix and the scratch memory of one part."""

    line: Array  # (2 s, 3) direction of each slot's spring
    along: Array  # (2 s,) [kg]
    across: Array  # (2 s,) [kg]
    block: Array  # (n, 6) inverse of the diagonal blocks, symmetric
    stiffer: Array  # (n,) [kg] diagonal share of other forces in the preconditioner
    known: Array  # (n, 3) [kg m/s] b
    residual: Array  # (n, 3)
    scaled: Array  # (n, 3) residual times block
    search: Array  # (n, 3)
    image: Array  # (n, 3) matrix times search
    extra: Array  # (n, 3) other forces' part of a product


def system(slots: Slots, count: int) -> System:
    s, n = len(slots.other), count
    vectors = [np.zeros((n, 3)) for _ in range(6)]
    return System(np.zeros((s, 3)), np.zeros(s), np.zeros(s), np.zeros((n, 6)), np.zeros(n), *vectors)


class Multiplier:
    """The matrix of one part: its springs' slots, and the other forces through their stiffness products."""

    def __init__(self, slots: Slots, others: tuple[BoundForce, ...], count: int) -> None:
        self.slots, self.others = slots, others
        self.system = system(slots, count)
        self.damping_time = 0.0  # [s] of the other forces; all of a part's material damps by the same time
        self._h = 0.0

    def refresh(self) -> None:
        """Take over what a live edit changed."""
        for other in self.others:
            other.refresh()
        self._h = 0.0

    def build(self, rows: Rows, position: Array, h: float, *, constant: bool) -> None:
        """Directions and stiffnesses at `position`, and the preconditioner."""
        s = self.system
        _stiffen(position, self.slots, h, constant, s)
        if h != self._h:
            self._h = h
            self.damping_time = max((other.damping_time() for other in self.others), default=0.0)
            s.stiffer[:] = 0.0
            for other in self.others:
                s.stiffer[:] += 2.0 * h * (h + self.damping_time) * other.stiffness_bound(rows)
        _invert_blocks(rows.inverse_mass, self.slots, s)

    def multiply(self, rows: Rows, u: Array, image: Array, h: float) -> None:
        """image = (M + h^2 K + h C) u; held rows of the image are zero."""
        s = self.system
        s.extra[:] = 0.0
        for other in self.others:
            other.add_stiffness_product(rows, u, s.extra)
        _multiply(u, rows.inverse_mass, self.slots, s, h * (h + self.damping_time), image)

    def solve(self, rows: Rows, u: Array, h: float, *, tolerance: float, iterations: int) -> int:
        """Improve u, which holds the first guess and the held rows' values, until the residual has fallen."""
        s = self.system
        self.multiply(rows, u, s.image, h)
        first = product = _begin(s, rows.inverse_mass)
        count = 0
        while count < iterations and product > tolerance * tolerance * first:
            self.multiply(rows, s.search, s.image, h)
            curvature = dot(s.search, s.image)
            if curvature <= 0.0:
                break
            before, product = product, _advance(s, u, product / curvature)
            _turn(s, product / before)
            count += 1
        return count


@sweep
def _stiffen(x, slots, h, constant, system):
    start, other, rest_length = slots.start, slots.other, slots.rest_length
    stiffness, damping = slots.stiffness, slots.damping
    line, along, across = system.line, system.along, system.across
    for i in span(x.shape[0]):
        for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            j = other[s]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            length = max(math.sqrt(dx * dx + dy * dy + dz * dz), LENGTH_EPSILON)
            line[s, 0], line[s, 1], line[s, 2] = dx / length, dy / length, dz / length
            t = 1.0 if constant else max(0.0, 1.0 - rest_length[s] / length)
            across[s] = h * h * stiffness[s] * t
            along[s] = h * h * stiffness[s] * (1.0 - t) + h * damping[s]


@sweep
def _invert_blocks(w, slots, system):
    start, line, along, across = slots.start, system.line, system.along, system.across
    stiffer, block = system.stiffer, system.block
    for i in span(w.shape[0]):
        if w[i] == 0.0:
            block[i] = 0.0
            continue
        m = 1.0 / w[i] + stiffer[i]
        a, d, f, b, c, e = m, m, m, 0.0, 0.0, 0.0
        for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            ux, uy, uz = line[s, 0], line[s, 1], line[s, 2]
            n, t = along[s], across[s]
            a, d, f = a + t + n * ux * ux, d + t + n * uy * uy, f + t + n * uz * uz
            b, c, e = b + n * ux * uy, c + n * ux * uz, e + n * uy * uz
        p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
        scale = 1.0 / (a * p + b * q + c * r)
        block[i, 0], block[i, 1], block[i, 2] = p * scale, q * scale, r * scale
        block[i, 3], block[i, 4] = (a * f - c * c) * scale, (b * c - a * e) * scale
        block[i, 5] = (a * d - b * b) * scale


@sweep
def _multiply(u, w, slots, system, scale, image):
    start, other, extra = slots.start, slots.other, system.extra
    line, along, across = system.line, system.along, system.across
    for i in span(u.shape[0]):
        if w[i] == 0.0:
            image[i, 0] = image[i, 1] = image[i, 2] = 0.0
            continue
        m = 1.0 / w[i]
        px = m * u[i, 0] + scale * extra[i, 0]
        py = m * u[i, 1] + scale * extra[i, 1]
        pz = m * u[i, 2] + scale * extra[i, 2]
        for s in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            j = other[s]
            dx, dy, dz = u[i, 0] - u[j, 0], u[i, 1] - u[j, 1], u[i, 2] - u[j, 2]
            ux, uy, uz = line[s, 0], line[s, 1], line[s, 2]
            n, t = along[s] * (ux * dx + uy * dy + uz * dz), across[s]
            px += t * dx + n * ux
            py += t * dy + n * uy
            pz += t * dz + n * uz
        image[i, 0], image[i, 1], image[i, 2] = px, py, pz


@kernel
def dot(a, b):
    """Sum of products, in the order of the rows."""
    x = y = z = 0.0
    for i in range(a.shape[0]):
        x += a[i, 0] * b[i, 0]
        y += a[i, 1] * b[i, 1]
        z += a[i, 2] * b[i, 2]
    return x + y + z


@kernel
def _precondition(block, r, z, i):
    z[i, 0] = block[i, 0] * r[i, 0] + block[i, 1] * r[i, 1] + block[i, 2] * r[i, 2]
    z[i, 1] = block[i, 1] * r[i, 0] + block[i, 3] * r[i, 1] + block[i, 4] * r[i, 2]
    z[i, 2] = block[i, 2] * r[i, 0] + block[i, 4] * r[i, 1] + block[i, 5] * r[i, 2]


@kernel
def _begin(system, w):
    """r = b - A u for free rows, z = B r, p = z; returns r z."""
    r, z = system.residual, system.scaled
    for i in range(w.shape[0]):
        for k in range(3):
            r[i, k] = system.known[i, k] - system.image[i, k] if w[i] > 0.0 else 0.0
        _precondition(system.block, r, z, i)
        for k in range(3):
            system.search[i, k] = z[i, k]
    return dot(r, z)


@kernel
def _advance(system, u, step):
    """u += step p, r -= step A p, z = B r; returns r z."""
    r, z = system.residual, system.scaled
    for i in range(u.shape[0]):
        for k in range(3):
            u[i, k] += step * system.search[i, k]
            r[i, k] -= step * system.image[i, k]
        _precondition(system.block, r, z, i)
    return dot(r, z)


@kernel
def _turn(system, beta):
    """p = z + beta p."""
    for i in range(system.search.shape[0]):
        for k in range(3):
            system.search[i, k] = system.scaled[i, k] + beta * system.search[i, k]
