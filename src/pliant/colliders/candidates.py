"""From pairs of near points to the points and triangles, and the pairs of edges, that may touch soon.

Each candidate is found once, by the pair of its corners that are nearest to each other. Loops here hold their arrays
as plain names: the compiler counts references each time an array is taken from a tuple or handed on within a loop,
which cost ten times the arithmetic.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.colliders.flatness import FLAT, ROUGH
from pliant.colliders.skins import Skins
from pliant.colliders.touching import BLOCKS, EDGE_EDGE, POINT_FACE, POINT_PLANE, Touches, apart, draft_for, touches_for
from pliant.kernels import inline, inner, lean, span, sweep
from pliant.kernels.closest import row


class Near(NamedTuple):
    """Pairs of near points as `find_near` leaves them."""

    entry: Array  # (k,) rows
    other: Array  # (k, m) rows near each entry
    found: Array  # (k,) how many of those count
    even: Array  # (n,) how even the skin is around each row, see `flatness`


class Candidates:
    """Room that grows: `raw` holds corners before they are measured, `draft` what is taken of them, by blocks."""

    def __init__(self, count: int) -> None:
        self.touches: Touches = touches_for(4 * count + 64)
        self._counts = np.zeros((BLOCKS, 3), np.int64)  # raw faces, raw faces and edges, taken
        self._make_room(2 * count + 64, 64)

    def gather(self, motion: tuple[Array, Array, Array], skins: Skins, near: Near) -> None:
        """Fill the touches. `motion`: positions, velocities, and a gate as of `find_near`."""
        while True:
            _meet(near.entry, *motion, skins, near, self._raw, self._draft, self._counts)
            raw, taken = int(self._counts[:, 1].max()), int(self._counts[:, 2].max())
            if raw <= len(self._raw) // BLOCKS and taken <= len(self._draft.kind) // BLOCKS:
                break
            self._make_room(2 * raw, max(2 * taken, len(self._draft.kind) // BLOCKS))
        total = int(self._counts[:, 2].sum())
        if total > len(self.touches.kind):
            self.touches = touches_for(2 * total)
        _pack(self._draft, self._counts, self.touches)

    def _make_room(self, raw: int, taken: int) -> None:
        self._raw = np.zeros((BLOCKS * raw, 4), np.uint32)
        self._draft = draft_for(BLOCKS * taken)


@sweep
def _meet(entry, x, v, gate, skins, near, raw, draft, counts):
    """Candidates among each block's entries."""
    room = raw.shape[0] // BLOCKS
    for b in span(BLOCKS):
        block = (entry.shape[0] * b // BLOCKS, entry.shape[0] * (b + 1) // BLOCKS)
        stretch = (b * room, (b + 1) * room)
        faces = _meet_faces(x, near, block, skins, gate[0], raw, stretch)
        count = _meet_edges(x, near, block, skins, gate[0], raw, stretch, faces)
        counts[b, 0], counts[b, 1] = faces, count
        faces, count = min(faces, room), min(count, room)
        counts[b, 2] = _sift((x, v, gate), skins, near.even, raw, stretch, faces, count, draft, b)


@lean
def _pack(draft, counts, touches):
    """The blocks' candidates one after the other, points and faces before pairs of edges: sweeps take them in turn."""
    room, total = draft.kind.shape[0] // BLOCKS, 0
    for edges in range(2):
        for b in range(BLOCKS):
            for n in range(b * room, b * room + counts[b, 2]):
                if (draft.kind[n] == EDGE_EDGE) != (edges == 1):
                    continue
                for q in range(4):
                    touches.corner[total, q] = draft.corner[n, q]
                touches.kind[total], touches.gap[total] = draft.kind[n], draft.gap[n]
                touches.friction[total] = draft.friction[n]
                total += 1
    touches.amount[0] = total


@inner
def _square(p, q):
    x, y, z = p[0] - q[0], p[1] - q[1], p[2] - q[2]
    return x * x + y * y + z * z


@inner
def _before(d, a, own, j):
    """Whether corner a, at the square d, is nearer than j at `own`, ties by number."""
    return d < own or (d == own and a < j)


@inner
def _keep(raw, stretch, count, i, j, k, m):
    at = stretch[0] + count
    if at < stretch[1]:
        raw[at, 0], raw[at, 1], raw[at, 2], raw[at, 3] = i, j, k, m
    return count + 1


@lean
def _meet_faces(x, pairs, block, skins, reach, raw, stretch):
    """Points i and the triangles of which j is the corner nearest to them, for each pair both ways.

    Over the inside of a triangle that corner is at most 0.58 of the longest side away.
    """
    entry, near, found = pairs.entry, pairs.other, pairs.found
    start, of, triangles = skins.triangle_start, skins.triangle_of, skins.triangles
    count = 0
    for q in range(block[0], block[1]):
        for n in range(2 * found[q]):
            i, j = entry[q], near[q, n >> 1]
            if n & 1:
                i, j = j, i
            p = row(x, i)
            own = _square(p, row(x, j))
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
                    count = _keep(raw, stretch, count, i, a, b, c)
    return count


@lean
def _meet_edges(x, pairs, block, skins, reach, raw, stretch, count):
    """Edges of i and edges of j of whose ends i and j are the nearest, but where two skins are flat.

    Those of crossing edges are at most half the hypotenuse of both lengths apart.
    """
    entry, near, found, even = pairs
    owner, start, of, edges = skins.owner, skins.edge_start, skins.edge_of, skins.edges
    for q in range(block[0], block[1]):
        i = entry[q]
        pi = row(x, i)
        for n in range(found[q]):
            j = near[q, n]
            if even[i] == FLAT and even[j] == FLAT and owner[i] != owner[j]:
                continue
            pj = row(x, j)
            own = _square(pi, pj)
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
                        count = _keep(raw, stretch, count, i, a, j, b)
    return count


@lean
def _sift(motion, skins, even, raw, stretch, faces, count, draft, block):
    """Take in what is near, or comes near fast; returns how many those are, so that the room can grow."""
    x, v, gate = motion
    near, always, time = gate[0], gate[1], gate[2]
    owner, gaps, friction, rest = skins.owner, skins.gap, skins.friction, skins.rest
    start, of, edges = skins.edge_start, skins.edge_of, skins.edges
    corner, kinds, gap_of, friction_of = draft.corner, draft.kind, draft.gap, draft.friction
    room, taken = kinds.shape[0] // BLOCKS, 0
    for c in range(count):
        kind, n = POINT_FACE if c < faces else EDGE_EDGE, stretch[0] + c
        i, j, k, m = raw[n, 0], raw[n, 1], raw[n, 2], raw[n, 3]
        w0, w1, w2, w3, dx, dy, dz = apart(kind, row(x, i), row(x, j), row(x, k), row(x, m))
        square = dx * dx + dy * dy + dz * dz
        if square > near * near:
            continue
        if square > (always + time * _speed(row(v, i), row(v, j), row(v, k), row(v, m), (w0, w1, w2, w3))) ** 2:
            continue
        if taken < room:
            at = block * room + taken
            gap = 0.5 * (gaps[i] + gaps[k])
            if owner[i] == owner[k] and _neighbours(start, of, edges, kind, i, j, k, m):
                _, _, _, _, rx, ry, rz = apart(kind, row(rest, i), row(rest, j), row(rest, k), row(rest, m))
                gap = min(gap, 0.9 * math.sqrt(rx * rx + ry * ry + rz * rz))
            elif kind == POINT_FACE and even[j] != ROUGH and even[k] != ROUGH and even[m] != ROUGH:
                kind = POINT_PLANE
            for q in range(4):
                corner[at, q] = raw[n, q]
            kinds[at], gap_of[at] = kind, gap
            friction_of[at] = math.sqrt(friction[i] * friction[k])
        taken += 1
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
