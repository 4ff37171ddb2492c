"""From pairs of near points to the points and triangles, and the pairs of edges, that may touch soon.

Each candidate is found once, by the pair of its corners that are nearest to each other. Loops here hold their arrays
as plain names: the compiler counts references each time an array is taken from a tuple or handed on within a loop,
which cost ten times the arithmetic.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.colliders.grid import Motion
from pliant.colliders.skins import Skins
from pliant.colliders.touching import EDGE_EDGE, POINT_FACE, Touches, apart, touches_for
from pliant.kernels import inline, inner, lean
from pliant.kernels.closest import row


class Near(NamedTuple):
    """Pairs of near points as `find_near` leaves them."""

    entry: Array  # (k,) rows
    other: Array  # (k, m) rows near each entry
    found: Array  # (k,) how many of those count


class Candidates:
    """Room that grows: `raw` holds corners before they are measured."""

    def __init__(self, count: int) -> None:
        self.raw = np.zeros((16 * count + 64, 4), np.uint32)
        self.touches: Touches = touches_for(4 * count + 64)

    def gather(self, motion: Motion, skins: Skins, near: Near) -> None:
        """Fill the touches."""
        while True:
            faces = _meet_faces(motion, *near, skins.triangle_start, skins.triangle_of, skins.triangles, self.raw)
            count = _meet_edges(motion, *near, skins.edge_start, skins.edge_of, skins.edges, self.raw, faces)
            if count <= len(self.raw):
                break
            self.raw = np.zeros((2 * count, 4), np.uint32)
        taken = _sift(motion, skins, self.raw, faces, count, self.touches)
        if taken > len(self.touches.kind):
            self.touches = touches_for(2 * taken)
            _sift(motion, skins, self.raw, faces, count, self.touches)


@inner
def _square(p, q):
    x, y, z = p[0] - q[0], p[1] - q[1], p[2] - q[2]
    return x * x + y * y + z * z


@inner
def _before(d, a, own, j):
    """Whether corner a, at the square d, is nearer than j at `own`, ties by number."""
    return d < own or (d == own and a < j)


@inner
def _keep(raw, count, i, j, k, m):
    if count < raw.shape[0]:
        raw[count, 0], raw[count, 1], raw[count, 2], raw[count, 3] = i, j, k, m
    return count + 1


@lean
def _meet_faces(motion, entry, near, found, start, of, triangles, raw):
    """Points i and the triangles of which j is the corner nearest to them, for each pair both ways.

    Over the inside of a triangle that corner is at most 0.58 of the longest side away.
    """
    x, v, unrest, gate = motion
    far, always, time = gate[0], gate[1], gate[2]
    count = 0
    for q in range(entry.shape[0]):
        for n in range(2 * found[q]):
            i, j = entry[q], near[q, n >> 1]
            if n & 1:
                i, j = j, i
            p = row(x, i)
            own = _square(p, row(x, j))
            reach = min(far, always + time * math.sqrt(_square(row(v, i), row(v, j))) + unrest[i] + unrest[j])
            for slot in range(start[j], start[j + 1]):
                t = of[slot]
                a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
                if i == a or i == b or i == c:
                    continue
                pa, pb, pc = row(x, a), row(x, b), row(x, c)
                if (
                    _before(_square(p, pa), a, own, j)
                    or _before(_square(p, pb), b, own, j)
                    or _before(_square(p, pc), c, own, j)
                ):
                    continue
                side = max(_square(pa, pb), _square(pb, pc), _square(pc, pa))
                if own <= (reach + 0.58 * math.sqrt(side)) ** 2:
                    count = _keep(raw, count, i, a, b, c)
    return count


@lean
def _meet_edges(motion, entry, near, found, start, of, edges, raw, count):
    """Edges of i and edges of j of whose ends i and j are the nearest.

    Those of crossing edges are at most half the hypotenuse of both lengths apart.
    """
    x, v, unrest, gate = motion
    far, always, time = gate[0], gate[1], gate[2]
    for q in range(entry.shape[0]):
        i = entry[q]
        pi, vi = row(x, i), row(v, i)
        for n in range(found[q]):
            j = near[q, n]
            pj = row(x, j)
            own = _square(pi, pj)
            reach = min(far, always + time * math.sqrt(_square(vi, row(v, j))) + unrest[i] + unrest[j])
            for slot in range(start[i], start[i + 1]):
                e = of[slot]
                a = edges[e, 0] if edges[e, 1] == i else edges[e, 1]
                pa = row(x, a)
                if a == j or _before(_square(pj, pa), a, own, i):
                    continue
                length = _square(pi, pa)
                for other in range(start[j], start[j + 1]):
                    f = of[other]
                    b = edges[f, 0] if edges[f, 1] == j else edges[f, 1]
                    pb = row(x, b)
                    if b == i or b == a or _before(_square(pi, pb), b, own, j) or _square(pa, pb) < own:
                        continue
                    if own <= (reach + 0.5 * math.sqrt(length + _square(pj, pb))) ** 2:
                        count = _keep(raw, count, i, a, j, b)
    return count


@lean
def _sift(motion, skins, raw, faces, count, touches):
    """Take in what is near, or comes near fast; returns how many those are, so that the room can grow."""
    x, v, unrest, gate = motion
    near, always, time = gate[0], gate[1], gate[2]
    owner, gaps, friction, rest = skins.owner, skins.gap, skins.friction, skins.rest
    start, of, edges = skins.edge_start, skins.edge_of, skins.edges
    corner, kinds, gap_of, friction_of = touches.corner, touches.kind, touches.gap, touches.friction
    taken = 0
    for c in range(count):
        kind = POINT_FACE if c < faces else EDGE_EDGE
        i, j, k, m = raw[c, 0], raw[c, 1], raw[c, 2], raw[c, 3]
        w0, w1, w2, w3, dx, dy, dz = apart(kind, row(x, i), row(x, j), row(x, k), row(x, m))
        square = dx * dx + dy * dy + dz * dz
        if square > near * near:
            continue
        stray = abs(w0) * unrest[i] + abs(w1) * unrest[j] + abs(w2) * unrest[k] + abs(w3) * unrest[m]
        speed = _speed(row(v, i), row(v, j), row(v, k), row(v, m), (w0, w1, w2, w3))
        if square > (always + time * speed + stray) ** 2:
            continue
        if taken < kinds.shape[0]:
            gap = 0.5 * (gaps[i] + gaps[k])
            if owner[i] == owner[k] and _neighbours(start, of, edges, kind, i, j, k, m):
                _, _, _, _, rx, ry, rz = apart(kind, row(rest, i), row(rest, j), row(rest, k), row(rest, m))
                gap = min(gap, 0.9 * math.sqrt(rx * rx + ry * ry + rz * rz))
            for q in range(4):
                corner[taken, q] = raw[c, q]
            kinds[taken], gap_of[taken] = kind, gap
            friction_of[taken] = math.sqrt(friction[i] * friction[k])
        taken += 1
    touches.amount[0] = taken
    return taken


@inner
def _speed(p, q, r, s, w):
    """At which the closest points of a candidate move against each other [m/s]."""
    x = w[0] * p[0] + w[1] * q[0] + w[2] * r[0] + w[3] * s[0]
    y = w[0] * p[1] + w[1] * q[1] + w[2] * r[1] + w[3] * s[1]
    z = w[0] * p[2] + w[1] * q[2] + w[2] * r[2] + w[3] * s[2]
    return math.sqrt(x * x + y * y + z * z)


@inline
def _joined(start, of, edges, i, j):
    """Whether an edge leads from i to j."""
    for slot in range(start[i], start[i + 1]):
        e = of[slot]
        if edges[e, 0] == j or edges[e, 1] == j:
            return True
    return False


@lean
def _neighbours(start, of, edges, kind, i, j, k, m):
    """Whether an edge joins the two features."""
    if _joined(start, of, edges, i, k) or _joined(start, of, edges, i, m):
        return True
    if kind == POINT_FACE:
        return _joined(start, of, edges, i, j)
    return _joined(start, of, edges, j, k) or _joined(start, of, edges, j, m)
