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
from pliant.kernels import inline, inner, kernel, lean, span, sweep
from pliant.kernels.closest import cross, dot, less, on_segments, on_triangle, row

POINT_FACE, EDGE_EDGE, POINT_PLANE = 0, 1, 2  # a plane: of a face whose skin is flat around it
BESIDE = 0.1  # of a face's height that a point may stand beside it and still be kept out of its plane
BLOCKS = 8  # of rows or candidates, each for one thread; results do not depend on the number


class Draft(NamedTuple):
    """Candidates as they are found."""

    corner: Array  # (c, 4) rows
    kind: Array  # (c,) POINT_FACE, EDGE_EDGE or POINT_PLANE
    gap: Array  # (c,) [m]
    friction: Array  # (c,)


class Touches(NamedTuple):
    """Candidates, and the frozen planes of those that are live in this substep."""

    corner: Array  # (c, 4) rows
    kind: Array  # (c,) POINT_FACE, EDGE_EDGE or POINT_PLANE
    gap: Array  # (c,) [m]
    friction: Array  # (c,)
    weight: Array  # (c, 4) signed: the first feature's are positive
    normal: Array  # (c, 3)
    goal: Array  # (c,) [m], not above zero: no plane
    impulse: Array  # (c, 3) [kg m] that has pushed and rubbed the first feature in this substep, less so the second
    live: Array  # (c,) candidates with a plane
    order: Array  # (c,) scratch for who asks which of them press
    amount: Array  # (2,) candidates, live ones


def draft_for(capacity: int) -> Draft:
    return Draft(
        np.zeros((capacity, 4), np.uint32), np.zeros(capacity, np.uint8), np.zeros(capacity), np.zeros(capacity)
    )


def touches_for(capacity: int) -> Touches:
    return Touches(
        *draft_for(capacity),
        np.zeros((capacity, 4)),
        np.zeros((capacity, 3)),
        np.zeros(capacity),
        np.zeros((capacity, 3)),
        np.zeros(capacity, np.uint32),
        np.zeros(capacity, np.uint32),
        np.zeros(2, np.int64),
    )


@inner
def apart(kind, p, q, r, s):
    """Weights of the closest points of a candidate with these corners and the vector from the second to the first."""
    if kind == EDGE_EDGE:
        t, u = on_segments(p, q, r, s)
        w0, w1, w2, w3 = 1.0 - t, t, u - 1.0, -u
    else:
        b0, b1, b2 = on_triangle(p, q, r, s)
        w0, w1, w2, w3 = 1.0, -b0, -b1, -b2
    dx = w0 * p[0] + w1 * q[0] + w2 * r[0] + w3 * s[0]
    dy = w0 * p[1] + w1 * q[1] + w2 * r[1] + w3 * s[1]
    dz = w0 * p[2] + w1 * q[2] + w2 * r[2] + w3 * s[2]
    return w0, w1, w2, w3, dx, dy, dz


@lean
def over_plane(p, q, r, s):
    """The same weights for a point and its foot on the plane of an outward face, the unit normal there, the height."""
    e, f, g = less(r, q), less(s, q), less(p, q)
    n = cross(e, f)
    square = dot(n, n)
    if square <= 0.0:
        return 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0
    b1, b2, size = dot(cross(g, f), n) / square, dot(cross(e, g), n) / square, math.sqrt(square)
    return 1.0, b1 + b2 - 1.0, -b1, -b2, n[0] / size, n[1] / size, n[2] / size, dot(n, g) / size


def freeze(start: Array, x: Array, touches: Touches, reach: float, recovery: float) -> None:
    """Planes of the candidates that can touch within the substep, from the positions at its `start`; those of smooth
    skins from where the update stroke led."""
    _freeze(touches.kind[: touches.amount[0]], start, x, touches, reach, recovery)
    _list_live(touches)


@sweep
def _freeze(kinds, start, x, touches, reach, recovery):
    for b in span(BLOCKS):
        first, last = kinds.shape[0] * b // BLOCKS, kinds.shape[0] * (b + 1) // BLOCKS
        _freeze_some(start, x, touches, reach, recovery, first, last)


@lean
def _freeze_some(start, x, touches, reach, recovery, first, last):
    corner, kinds, gap, weight = touches.corner, touches.kind, touches.gap, touches.weight
    normal, goal, impulse = touches.normal, touches.goal, touches.impulse
    for c in range(first, last):
        i, j, k, m = corner[c, 0], corner[c, 1], corner[c, 2], corner[c, 3]
        p, q, r, s = row(start, i), row(start, j), row(start, k), row(start, m)
        w0, w1, w2, w3, dx, dy, dz = apart(kinds[c], p, q, r, s)
        distance, size = math.sqrt(dx * dx + dy * dy + dz * dz), 1.0
        goal[c] = 0.0
        if not 1e-9 <= distance <= gap[c] + reach or gap[c] <= 0.0:
            continue
        if kinds[c] == EDGE_EDGE and (w0 == 0.0 or w1 == 0.0 or w2 == 0.0 or w3 == 0.0):
            continue  # at an end it is the business of a point and a face
        if kinds[c] == POINT_PLANE:
            # the way to a corner beside the point leans and would stop its slide; so does the plane of a face it left
            _, _, _, _, _, _, _, height = over_plane(p, q, r, s)
            w0, w1, w2, w3, dx, dy, dz, _ = over_plane(row(x, i), row(x, j), row(x, k), row(x, m))
            if max(w1, w2, w3) > BESIDE or height < -0.5 * gap[c]:
                continue
        else:
            size = distance
        weight[c, 0], weight[c, 1], weight[c, 2], weight[c, 3] = w0, w1, w2, w3
        normal[c, 0], normal[c, 1], normal[c, 2] = dx / size, dy / size, dz / size
        goal[c] = min(gap[c], distance + recovery)
        impulse[c, 0], impulse[c, 1], impulse[c, 2] = 0.0, 0.0, 0.0


@lean
def _list_live(touches):
    live = 0
    for c in range(touches.amount[0]):
        if touches.goal[c] > 0.0:
            touches.live[live] = c
            live += 1
    touches.amount[1] = live


@lean
def part_touching(x, previous, w, touches):
    """Move what has crossed its plane back, by mass, and rub; returns the farthest push as a share of its gap."""
    worst = 0.0
    for n in range(touches.amount[1]):
        c = touches.live[n]
        level, weight = 0.0, 0.0
        nx, ny, nz = touches.normal[c, 0], touches.normal[c, 1], touches.normal[c, 2]
        for q in range(4):
            i, share = touches.corner[c, q], touches.weight[c, q]
            level += share * (nx * x[i, 0] + ny * x[i, 1] + nz * x[i, 2])
            weight += w[i] * share * share
        push = touches.goal[c] - level
        if push <= 0.0 or weight == 0.0:
            continue
        worst = max(worst, push / touches.gap[c])
        touches.impulse[c, 0] += push * nx / weight
        touches.impulse[c, 1] += push * ny / weight
        touches.impulse[c, 2] += push * nz / weight
        rx, ry, rz = 0.0, 0.0, 0.0
        for q in range(4):
            i, share = touches.corner[c, q], touches.weight[c, q]
            move = w[i] * share * push / weight
            x[i, 0] += move * nx
            x[i, 1] += move * ny
            x[i, 2] += move * nz
            rx += share * (x[i, 0] - previous[i, 0])
            ry += share * (x[i, 1] - previous[i, 1])
            rz += share * (x[i, 2] - previous[i, 2])
        _rub(x, w, touches, c, (rx, ry, rz), touches.friction[c] * push, weight)
    return worst


@lean
def mark_touching(x, touches, touched):
    """Set the corners of what lies within a tenth of its gap on its plane."""
    for n in range(touches.amount[1]):
        c = touches.live[n]
        level = 0.0
        for q in range(4):
            i = touches.corner[c, q]
            nx, ny, nz = touches.normal[c, 0], touches.normal[c, 1], touches.normal[c, 2]
            level += touches.weight[c, q] * (nx * x[i, 0] + ny * x[i, 1] + nz * x[i, 2])
        if level < touches.goal[c] + 0.1 * touches.gap[c]:
            for q in range(4):
                touched[touches.corner[c, q]] = True


@inline
def _rub(x, w, touches, c, slide, most, weight):
    nx, ny, nz = touches.normal[c, 0], touches.normal[c, 1], touches.normal[c, 2]
    along = slide[0] * nx + slide[1] * ny + slide[2] * nz
    tx, ty, tz = slide[0] - along * nx, slide[1] - along * ny, slide[2] - along * nz
    length = math.sqrt(tx * tx + ty * ty + tz * tz)
    if length > 1e-15:
        back = min(1.0, most / length) / weight
        touches.impulse[c, 0] -= back * tx
        touches.impulse[c, 1] -= back * ty
        touches.impulse[c, 2] -= back * tz
        for q in range(4):
            i = touches.corner[c, q]
            move = w[i] * touches.weight[c, q] * back
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
