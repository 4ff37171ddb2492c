"""The free part of a garment: contact patches made clean, the loops around what is free, and an order over its faces.

A triangle is free if one of its corners is. The edges of free triangles that no other free triangle shares form closed
loops: hems, cuffs and the rims of contact patches. A loop is kept at the corners, not at the points, since a contact
strip one point wide lies on two of them.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.net import Net
from pliant.kernels import kernel

LEAST = 12  # points of a contact patch or a free pocket; a smaller one is a point and has no limit on a finer mesh
LOOPS = 32  # at most: each costs a right-hand side


class Free(NamedTuple):
    """The free region in one pose."""

    contact: Array  # (n,) bool
    inside: Array  # (m,) bool, free triangles
    loop: Array  # (m, 3) int32 loop of each corner at the rim, -1 elsewhere
    touching: Array  # (loops,) bool, has contact points
    piece: Array  # (m,) int32 connected piece of each free triangle, -1 elsewhere
    piece_of: Array  # (loops,) int32
    order: Array  # (k,) uint32 free triangles, each after the one it is reached from
    came: Array  # (k,) int32 half-edge of that one by which it is reached, -1 for the first of a piece


def free_region(net: Net, near: Array, least: int) -> Free:
    """`near` (n,) bool: closer to what lies beneath than the threshold; patches below `least` points do not count."""
    m = len(net.triangles)
    while True:
        contact = np.empty(net.size, bool)
        clean(net.start, net.other, near, least, contact)
        inside, loop = np.empty(m, bool), np.full((m, 3), -1, np.int32)
        touching, start = np.zeros(LOOPS, bool), np.zeros(LOOPS, np.int64)
        count = trace(net.triangles, net.twin, contact, inside, loop, touching, start)
        if count <= LOOPS:
            break
        least *= 2
    release(net.triangles, inside, loop, contact)
    piece, order, came = np.full(m, -1, np.int32), np.empty(m, np.uint32), np.empty(m, np.int32)
    free = walk(net.twin, inside, piece, order, came)
    return Free(contact, inside, loop, touching[:count], piece, piece[start[:count]], order[:free], came[:free])


@kernel
def clean(start, other, near, least, contact):
    """Close gaps of one ring, then turn patches and pockets below `least` points into what surrounds them."""
    n = len(near)
    wide = np.empty(n, np.bool_)
    for i in range(n):
        wide[i] = near[i] or _some(start, other, near, i, True)
    for i in range(n):
        contact[i] = near[i] or (wide[i] and not _some(start, other, wide, i, False))
    found = np.empty(n, np.int64)
    for what in (True, False):
        seen = np.zeros(n, np.bool_)
        for first in range(n):
            if contact[first] == what and not seen[first]:
                size = _flood(start, other, contact, first, seen, found)
                if size < least:
                    for k in range(size):
                        contact[found[k]] = not what


@kernel
def _some(start, other, values, i, what):
    """Whether a neighbour of point i has that value."""
    for s in range(start[i], start[i + 1]):  # noqa: SIM110  the compiler has no generators
        if values[other[s]] == what:
            return True
    return False


@kernel
def _flood(start, other, contact, first, seen, found):
    what = contact[first]
    found[0], seen[first] = first, True
    here, size = 0, 1
    while here < size:
        i = found[here]
        here += 1
        for s in range(start[i], start[i + 1]):
            j = other[s]
            if contact[j] == what and not seen[j]:
                seen[j] = True
                found[size] = j
                size += 1
    return size


@kernel
def trace(triangles, twin, contact, inside, loop, touching, start):
    """Number of loops. Rotating about the end of each rim edge through free triangles finds the next one."""
    m = len(triangles)
    for f in range(m):
        inside[f] = not (contact[triangles[f, 0]] and contact[triangles[f, 1]] and contact[triangles[f, 2]])
    done = np.zeros(3 * m, np.bool_)
    count = 0
    for first in range(3 * m):
        if done[first] or not _rim(first, twin, inside):
            continue
        if count == len(touching):
            return count + 1
        start[count] = first // 3
        touching[count] = _follow(first, count, triangles, twin, contact, inside, loop, done)
        count += 1
    return count


@kernel
def _rim(h, twin, inside):
    return inside[h // 3] and (twin[h] < 0 or not inside[twin[h] // 3])


@kernel
def _follow(h, count, triangles, twin, contact, inside, loop, done):
    touches = False
    while not done[h]:
        done[h] = True
        h = (h // 3) * 3 + (h % 3 + 1) % 3
        while True:
            loop[h // 3, h % 3] = count
            if _rim(h, twin, inside):
                break
            h = np.int64(twin[h])
            h = (h // 3) * 3 + (h % 3 + 1) % 3
        touches = touches or contact[triangles[h // 3, h % 3]]
    return touches


@kernel
def release(triangles, inside, loop, contact):
    """A contact point strictly inside the free region would be a sink without a loop: it is set free."""
    n = len(contact)
    within, rim = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    for f in range(len(triangles)):
        for k in range(3):
            if inside[f]:
                within[triangles[f, k]] = True
            if loop[f, k] >= 0:
                rim[triangles[f, k]] = True
    for i in range(n):
        if contact[i] and within[i] and not rim[i]:
            contact[i] = False


@kernel
def walk(twin, inside, piece, order, came):
    """Breadth-first over the free triangles of each piece, from its lowest; their number."""
    total, pieces = 0, 0
    for first in range(len(inside)):
        if not inside[first] or piece[first] >= 0:
            continue
        here = total
        piece[first], order[total], came[total] = pieces, first, -1
        total += 1
        while here < total:
            f = np.int64(order[here])
            here += 1
            for k in range(3):
                t = twin[3 * f + k]
                if t < 0:
                    continue
                g = t // 3
                if inside[g] and piece[g] < 0:
                    piece[g], order[total], came[total] = pieces, g, 3 * f + k
                    total += 1
        pieces += 1
    return total
