"""Which points and triangles, and which pairs of edges, may touch soon, and what keeps them apart.

A candidate is four corners: a point and a triangle, or two edges. At the beginning of a substep its closest points,
their weights W and the normal n from the second to the first are frozen while the two are certainly apart; then

    n . sum_q W_q x_q  >=  min(gap, distance at the start + recovery)

is a plane that nothing crosses within the substep, however fast (spec of seed 000, section 11, "speculative pairs").
Moved by mass: x_q += w_q W_q lambda n; friction shortens the relative slide by at most mu times the push.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.kernels import inline, inner, kernel, lean
from pliant.kernels.closest import cross, dot, less, on_segments, on_triangle, row

POINT_FACE, EDGE_EDGE = 0, 1


class Touches(NamedTuple):
    """Candidates, and the frozen planes of those that are live in this substep."""

    corner: Array  # (c, 4) rows
    kind: Array  # (c,) POINT_FACE or EDGE_EDGE
    gap: Array  # (c,) [m]
    friction: Array  # (c,)
    live: Array  # (c,) candidates with a plane
    weight: Array  # (c, 4) signed: the first feature's are positive
    normal: Array  # (c, 3)
    goal: Array  # (c,) [m]
    amount: Array  # (2,) candidates, live ones


def touches_for(capacity: int) -> Touches:
    return Touches(
        np.zeros((capacity, 4), np.uint32),
        np.zeros(capacity, np.uint8),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity, np.uint32),
        np.zeros((capacity, 4)),
        np.zeros((capacity, 3)),
        np.zeros(capacity),
        np.zeros(2, np.int64),
    )


@inner
def apart(kind, p, q, r, s):
    """Weights of the closest points of a candidate with these corners and the vector from the second to the first."""
    if kind == POINT_FACE:
        b0, b1, b2 = on_triangle(p, q, r, s)
        w0, w1, w2, w3 = 1.0, -b0, -b1, -b2
    else:
        t, u = on_segments(p, q, r, s)
        w0, w1, w2, w3 = 1.0 - t, t, u - 1.0, -u
    dx = w0 * p[0] + w1 * q[0] + w2 * r[0] + w3 * s[0]
    dy = w0 * p[1] + w1 * q[1] + w2 * r[1] + w3 * s[1]
    dz = w0 * p[2] + w1 * q[2] + w2 * r[2] + w3 * s[2]
    return w0, w1, w2, w3, dx, dy, dz


@inline
def _went(x, after, corner, c, weights):
    """How far the closest points of a candidate have moved against each other [m]."""
    sx, sy, sz = 0.0, 0.0, 0.0
    for q in range(4):
        i, share = corner[c, q], weights[q]
        sx += share * (after[i, 0] - x[i, 0])
        sy += share * (after[i, 1] - x[i, 1])
        sz += share * (after[i, 2] - x[i, 2])
    return math.sqrt(sx * sx + sy * sy + sz * sz)


@lean
def freeze(x, after, touches, reach, recovery):
    """Planes of the candidates that can touch within the substep, from the positions at its start.

    That is what comes within `reach` [m] on twice its way to where the update stroke has led it, `after`.
    """
    live, corner = 0, touches.corner
    for c in range(touches.amount[0]):
        p, q, r, s = row(x, corner[c, 0]), row(x, corner[c, 1]), row(x, corner[c, 2]), row(x, corner[c, 3])
        w0, w1, w2, w3, dx, dy, dz = apart(touches.kind[c], p, q, r, s)
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        if distance < 1e-9 or touches.gap[c] <= 0.0:
            continue
        if distance > touches.gap[c] + reach + 2.0 * _went(x, after, corner, c, (w0, w1, w2, w3)):
            continue
        if touches.kind[c] == EDGE_EDGE and (w0 == 0.0 or w1 == 0.0 or w2 == 0.0 or w3 == 0.0):
            continue  # at an end it is the business of a point and a face
        touches.live[live] = c
        touches.weight[live, 0], touches.weight[live, 1] = w0, w1
        touches.weight[live, 2], touches.weight[live, 3] = w2, w3
        touches.normal[live, 0], touches.normal[live, 1] = dx / distance, dy / distance
        touches.normal[live, 2] = dz / distance
        touches.goal[live] = min(touches.gap[c], distance + recovery)
        live += 1
    touches.amount[1] = live


@lean
def part_touching(x, previous, w, touches):
    """Move what has crossed its plane back, by mass, and rub; returns the farthest push as a share of its gap."""
    worst = 0.0
    for n in range(touches.amount[1]):
        c = touches.live[n]
        level, weight = 0.0, 0.0
        nx, ny, nz = touches.normal[n, 0], touches.normal[n, 1], touches.normal[n, 2]
        for q in range(4):
            i, share = touches.corner[c, q], touches.weight[n, q]
            level += share * (nx * x[i, 0] + ny * x[i, 1] + nz * x[i, 2])
            weight += w[i] * share * share
        push = touches.goal[n] - level
        if push <= 0.0 or weight == 0.0:
            continue
        worst = max(worst, push / touches.gap[c])
        rx, ry, rz = 0.0, 0.0, 0.0
        for q in range(4):
            i, share = touches.corner[c, q], touches.weight[n, q]
            move = w[i] * share * push / weight
            x[i, 0] += move * nx
            x[i, 1] += move * ny
            x[i, 2] += move * nz
            rx += share * (x[i, 0] - previous[i, 0])
            ry += share * (x[i, 1] - previous[i, 1])
            rz += share * (x[i, 2] - previous[i, 2])
        _rub(x, w, touches, c, n, (rx, ry, rz), touches.friction[c] * push, weight)
    return worst


@inline
def _rub(x, w, touches, c, n, slide, most, weight):
    nx, ny, nz = touches.normal[n, 0], touches.normal[n, 1], touches.normal[n, 2]
    along = slide[0] * nx + slide[1] * ny + slide[2] * nz
    tx, ty, tz = slide[0] - along * nx, slide[1] - along * ny, slide[2] - along * nz
    length = math.sqrt(tx * tx + ty * ty + tz * tz)
    if length > 1e-15:
        back = min(1.0, most / length) / weight
        for q in range(4):
            i = touches.corner[c, q]
            move = w[i] * touches.weight[n, q] * back
            x[i, 0] -= move * tx
            x[i, 1] -= move * ty
            x[i, 2] -= move * tz


@kernel
def crossings(x, edges, triangles):
    """How many edges pass through triangles with which they share no corner: for tests, by brute force."""
    count = 0
    for e in range(edges.shape[0]):
        a, b = edges[e, 0], edges[e, 1]
        p, q = row(x, a), row(x, b)
        for t in range(triangles.shape[0]):
            i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            if a == i or a == j or a == k or b == i or b == j or b == k:
                continue
            if pierces(p, q, row(x, i), row(x, j), row(x, k)):
                count += 1
    return count


@kernel
def pierces(p, q, a, b, c):
    """Whether the segment p q passes through the triangle (Möller and Trumbore 1997)."""
    for k in range(3):
        low, high = min(a[k], b[k], c[k]), max(a[k], b[k], c[k])
        if max(p[k], q[k]) < low or min(p[k], q[k]) > high:
            return False
    way, e1, e2 = less(q, p), less(b, a), less(c, a)
    h = cross(way, e2)
    det = dot(e1, h)
    if abs(det) < 1e-18:
        return False
    s = less(p, a)
    u = dot(s, h) / det
    r = cross(s, e1)
    v, t = dot(way, r) / det, dot(e2, r) / det
    return u >= 0.0 and v >= 0.0 and u + v <= 1.0 and 0.0 <= t <= 1.0
