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
from pliant.kernels import inline, inner, kernel
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


@inline
def _square(x, i, j):
    d = less(row(x, i), row(x, j))
    return dot(d, d)


@inline
def _joined(skins, i, j):
    """Whether an edge leads from i to j."""
    for slot in range(skins.edge_start[i], skins.edge_start[i + 1]):
        e = skins.edge_of[slot]
        if skins.edges[e, 0] == j or skins.edges[e, 1] == j:
            return True
    return False


@inner
def apart(x, corner, c, kind):
    """Weights of the closest points of candidate c and the vector from the second to the first."""
    i, j, k, m = corner[c, 0], corner[c, 1], corner[c, 2], corner[c, 3]
    p, q, r, s = row(x, i), row(x, j), row(x, k), row(x, m)
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


@inner
def _add(motion, skins, kind, corner, touches):
    """Take a candidate in if it is near, or comes near fast; count it in any case, so that the room can grow."""
    x, v, gate = motion
    c = touches.amount[0]
    if c >= touches.kind.shape[0]:
        touches.amount[0] += 1
        return
    for q in range(4):
        touches.corner[c, q] = corner[q]
    w0, w1, w2, w3, dx, dy, dz = apart(x, touches.corner, c, kind)
    i, j = corner[0], corner[2]
    gap = 0.5 * (skins.gap[i] + skins.gap[j])
    square = dx * dx + dy * dy + dz * dz
    if square > gate[0] * gate[0]:
        return
    speed = _speed(v, corner, w0, w1, w2, w3)
    if square > (gate[1] + gate[2] * speed) ** 2:
        return
    if skins.owner[i] == skins.owner[j] and _neighbours(skins, kind, corner):
        _, _, _, _, rx, ry, rz = apart(skins.rest, touches.corner, c, kind)
        gap = min(gap, 0.9 * math.sqrt(rx * rx + ry * ry + rz * rz))
    touches.kind[c], touches.gap[c] = kind, gap
    touches.friction[c] = math.sqrt(skins.friction[i] * skins.friction[j])
    touches.amount[0] += 1


@inline
def _speed(v, corner, w0, w1, w2, w3):
    """At which the closest points of a candidate move against each other [m/s]."""
    p, q, r, s = row(v, corner[0]), row(v, corner[1]), row(v, corner[2]), row(v, corner[3])
    x = w0 * p[0] + w1 * q[0] + w2 * r[0] + w3 * s[0]
    y = w0 * p[1] + w1 * q[1] + w2 * r[1] + w3 * s[1]
    z = w0 * p[2] + w1 * q[2] + w2 * r[2] + w3 * s[2]
    return math.sqrt(x * x + y * y + z * z)


@inline
def _neighbours(skins, kind, corner):
    """Whether an edge joins the two features."""
    i, j, k, m = corner
    if _joined(skins, i, k) or _joined(skins, i, m):
        return True
    if kind == POINT_FACE:
        return _joined(skins, i, j)
    return _joined(skins, j, k) or _joined(skins, j, m)


@inner
def _point_faces(motion, skins, i, j, touches):
    """Point i and the triangles of which j is the corner nearest to it.

    Over the inside of a triangle that corner is at most 0.58 of the longest side away.
    """
    x, reach = motion[0], motion[2][0]
    own = _square(x, i, j)
    for slot in range(skins.triangle_start[j], skins.triangle_start[j + 1]):
        t = skins.triangle_of[slot]
        a, b, c = skins.triangles[t, 0], skins.triangles[t, 1], skins.triangles[t, 2]
        if i == a or i == b or i == c:
            continue
        if _before(x, i, a, own, j) or _before(x, i, b, own, j) or _before(x, i, c, own, j):
            continue
        side = max(_square(x, a, b), _square(x, b, c), _square(x, c, a))
        if own <= (reach + 0.58 * math.sqrt(side)) ** 2:
            _add(motion, skins, POINT_FACE, (i, a, b, c), touches)


@inline
def _before(x, i, a, own, j):
    """Whether corner a is nearer to i than j is, ties by number."""
    d = _square(x, i, a)
    return d < own or (d == own and a < j)


@inner
def _edge_edges(motion, skins, i, j, touches):
    """Edges of i and edges of j of whose ends i and j are the nearest.

    Those of crossing edges are at most half the hypotenuse of both lengths apart.
    """
    x, reach = motion[0], motion[2][0]
    own = _square(x, i, j)
    for slot in range(skins.edge_start[i], skins.edge_start[i + 1]):
        e = skins.edge_of[slot]
        a = skins.edges[e, 0] if skins.edges[e, 1] == i else skins.edges[e, 1]
        if a == j or _before(x, j, a, own, i):
            continue
        length = _square(x, i, a)
        for other in range(skins.edge_start[j], skins.edge_start[j + 1]):
            f = skins.edge_of[other]
            b = skins.edges[f, 0] if skins.edges[f, 1] == j else skins.edges[f, 1]
            if b == i or b == a or own > (reach + 0.5 * math.sqrt(length + _square(x, j, b))) ** 2:
                continue
            if not (_before(x, i, b, own, j) or _square(x, a, b) < own):
                _add(motion, skins, EDGE_EDGE, (i, a, j, b), touches)


@kernel
def gather(motion, skins, entry, near, found, touches):
    """Fill the candidates from pairs of near points. `motion`: positions, velocities, and a gate as of `find_near`."""
    touches.amount[0] = 0
    for q in range(entry.shape[0]):
        i = entry[q]
        for n in range(found[q]):
            j = near[q, n]
            _point_faces(motion, skins, i, j, touches)
            _point_faces(motion, skins, j, i, touches)
            _edge_edges(motion, skins, i, j, touches)


@kernel
def freeze(x, touches, reach, recovery):
    """Planes of the candidates that can touch within the substep, from the positions at its start."""
    live = 0
    for c in range(touches.amount[0]):
        w0, w1, w2, w3, dx, dy, dz = apart(x, touches.corner, c, touches.kind[c])
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        if distance > touches.gap[c] + reach or distance < 1e-9 or touches.gap[c] <= 0.0:
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


@kernel
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
