"""The string of a balloon: a chain of points that only pulls, tied to the knot as to a rigid body.

    C = |x_b - x_a| - l <= 0,   dx_a = w_a lambda u,  lambda = C / (w_a + w_b),  w_knot = 1/M + (r x u) . I^-1 (r x u)

The knot's share moves and turns the whole balloon: the skin is far too light and soft to be pulled by one point. A
tether from the knot to a held end (Kim, Chentanez and Müller 2012, "Long range attachments") holds the length
whatever the ratio of masses, so a few sweeps suffice for the shape in between.
"""

import math
from typing import NamedTuple

from pliant.arrays import Array
from pliant.integrators.inflated.rigid import CENTER, MASS, turned
from pliant.kernels import kernel

SWEEPS = 12
DRAG = 1.5  # [1/s] rate at which air takes the string's motion away


class Strand(NamedTuple):
    """A string in the tables of its part."""

    first: int  # row of its first point; its rows go on to the part's end
    rest_length: float  # [m] from point to point
    knot: Array  # (k,) rows of the skin that it is tied to


@kernel
def pull_string(rows, force, h, strand, pinned, start, body):
    """Move the string's own rows, then let it pull; `start` (n, 3) is scratch."""
    x, v, w = rows.position, rows.velocity, rows.inverse_mass
    first, end = strand.first, x.shape[0]
    _fly_free(x, v, w, force, h, first, start)
    kx = ky = kz = 0.0
    for i in strand.knot:
        kx, ky, kz = kx + x[i, 0], ky + x[i, 1], kz + x[i, 2]
    count = strand.knot.shape[0]
    knot = (kx / count, ky / count, kz / count)
    move, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for _ in range(SWEEPS):
        if w[end - 1] == 0.0:
            length = strand.rest_length * (end - first)
            move, turn = _pull_knot(x, w, end - 1, length, knot, move, turn, pinned, body)
        move, turn = _pull_knot(x, w, first, strand.rest_length, knot, move, turn, pinned, body)
        for i in range(first, end - 1):
            _pull_pair(x, w, i, i + 1, strand.rest_length)
        for i in range(end - 2, first - 1, -1):
            _pull_pair(x, w, i, i + 1, strand.rest_length)
    for i in range(first, end):
        if w[i] > 0.0:
            for k in range(3):
                v[i, k] = (x[i, k] - start[i - first, k]) / h
    _carry(x, v, w, first, move, turn, h, body)


@kernel
def _fly_free(x, v, w, force, h, first, start):
    for i in range(first, x.shape[0]):
        for k in range(3):
            if w[i] > 0.0:
                v[i, k] = (v[i, k] + h * w[i] * force[i, k]) / (1.0 + h * DRAG)
            start[i - first, k] = x[i, k]
            x[i, k] += h * v[i, k]


@kernel
def _pull_pair(x, w, i, j, most):
    dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
    length, weight = math.sqrt(dx * dx + dy * dy + dz * dz), w[i] + w[j]
    if length <= most or weight <= 0.0:
        return
    step = (length - most) / (length * weight)
    x[i, 0] += w[i] * step * dx
    x[i, 1] += w[i] * step * dy
    x[i, 2] += w[i] * step * dz
    x[j, 0] -= w[j] * step * dx
    x[j, 1] -= w[j] * step * dy
    x[j, 2] -= w[j] * step * dz


@kernel
def _pull_knot(x, w, j, most, knot, move, turn, pinned, body):
    """Pull point j and the knot together; (move, turn) of the body grow by its share."""
    rx, ry, rz = knot[0] - body[CENTER], knot[1] - body[CENTER + 1], knot[2] - body[CENTER + 2]
    dx = x[j, 0] - knot[0] - move[0] - (turn[1] * rz - turn[2] * ry)
    dy = x[j, 1] - knot[1] - move[1] - (turn[2] * rx - turn[0] * rz)
    dz = x[j, 2] - knot[2] - move[2] - (turn[0] * ry - turn[1] * rx)
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length <= most:
        return move, turn
    dx, dy, dz = dx / length, dy / length, dz / length
    tx, ty, tz = ry * dz - rz * dy, rz * dx - rx * dz, rx * dy - ry * dx
    wx, wy, wz = turned(body, tx, ty, tz)
    own = 0.0 if pinned else 1.0 / body[MASS] + tx * wx + ty * wy + tz * wz
    if own + w[j] <= 0.0:
        return move, turn
    push = (length - most) / (own + w[j])
    x[j, 0] -= w[j] * push * dx
    x[j, 1] -= w[j] * push * dy
    x[j, 2] -= w[j] * push * dz
    if pinned:
        return move, turn
    share = push / body[MASS]
    move = (move[0] + share * dx, move[1] + share * dy, move[2] + share * dz)
    turn = (turn[0] + push * wx, turn[1] + push * wy, turn[2] + push * wz)
    return move, turn


@kernel
def _carry(x, v, w, count, move, turn, h, body):
    """Move the skin's free rows with the body."""
    cx, cy, cz = body[CENTER], body[CENTER + 1], body[CENTER + 2]
    for i in range(count):
        if w[i] > 0.0:
            rx, ry, rz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
            dx = move[0] + turn[1] * rz - turn[2] * ry
            dy = move[1] + turn[2] * rx - turn[0] * rz
            dz = move[2] + turn[0] * ry - turn[1] * rx
            x[i, 0] += dx
            x[i, 1] += dy
            x[i, 2] += dz
            v[i, 0] += dx / h
            v[i, 1] += dy / h
            v[i, 2] += dz / h
