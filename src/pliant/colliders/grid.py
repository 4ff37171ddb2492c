"""Pairs of points that are near each other, by a hash grid and a counting sort; nothing is allocated per step.

Points are sorted by the hash of their cell (Teschner et al. 2003, "Optimized spatial hashing", for the hash); a cell is
as large as the search radius, so a point looks into its own and, since each pair is met once, into 13 of the 26 around.
Each entry keeps its own cell, so that strangers in a bucket are passed over.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.kernels import inline, kernel, span, sweep


class Grid(NamedTuple):
    """Scratch of one search."""

    start: Array  # (b + 1,) first entry of each bucket; b is a power of two
    slot: Array  # (k,) bucket of each active point
    cell: Array  # (k,) int64 packed cell of each entry
    entry: Array  # (k,) active points, sorted by bucket
    place: Array  # (k, 3) their positions, in that order


class Motion(NamedTuple):
    """Where rows are, where they go, and how near they have to be to be looked at."""

    position: Array  # (n, 3) [m]
    velocity: Array  # (n, 3) [m/s]
    unrest: Array  # (n,) [m] that a row may stray from its straight way until the next look
    gate: Array  # (3,) nearest [m] that is looked at, nearest that always counts [m], time until the next look [s]


def grid_for(count: int) -> Grid:
    """Room for `count` points."""
    buckets = 1 << max(6, (2 * count - 1).bit_length())
    return Grid(
        np.zeros(buckets + 1, np.uint32),
        np.zeros(count, np.uint32),
        np.zeros(count, np.int64),
        np.zeros(count, np.uint32),
        np.zeros((count, 3)),
    )


@inline
def packed(ix, iy, iz):
    return ((ix & 0x1FFFFF) << 42) | ((iy & 0x1FFFFF) << 21) | (iz & 0x1FFFFF)


@inline
def bucket(ix, iy, iz, mask):
    return ((ix * 73856093) ^ (iy * 19349663) ^ (iz * 83492791)) & mask


@kernel
def sort_points(x, active, cell, grid):
    """Sort the active points into buckets of side `cell` [m]."""
    count, mask = active.shape[0], grid.start.shape[0] - 2
    grid.start[:] = 0
    for n in range(count):
        i = active[n]
        ix, iy, iz = (
            int(math.floor(x[i, 0] / cell)),
            int(math.floor(x[i, 1] / cell)),
            int(math.floor(x[i, 2] / cell)),
        )
        b = bucket(ix, iy, iz, mask)
        grid.slot[n] = b
        grid.start[b] += 1
    total = 0
    for b in range(mask + 1):
        total += grid.start[b]
        grid.start[b] = total
    grid.start[mask + 1] = total
    for back in range(count):
        n = count - 1 - back
        i = active[n]
        b = grid.slot[n]
        grid.start[b] -= 1
        q = grid.start[b]
        grid.entry[q] = i
        for k in range(3):
            grid.place[q, k] = x[i, k]
        grid.cell[q] = packed(
            int(math.floor(x[i, 0] / cell)), int(math.floor(x[i, 1] / cell)), int(math.floor(x[i, 2] / cell))
        )


@sweep
def find_near(entry, grid, skins, motion, near, found):
    """near (k, m), found (k,): for each sorted entry those points that may touch it, each pair once.

    They have to be nearer than gate[0], and than gate[1] + gate[2] |v_i - v_j| and what they may stray.
    """
    reach = motion.gate[0]
    mask = grid.start.shape[0] - 2
    for q in span(entry.shape[0]):
        ix = int(math.floor(grid.place[q, 0] / reach))
        iy = int(math.floor(grid.place[q, 1] / reach))
        iz = int(math.floor(grid.place[q, 2] / reach))
        count = 0
        for neighbour in range(13, 27):
            a, b, c = ix + neighbour % 3 - 1, iy + (neighbour // 3) % 3 - 1, iz + neighbour // 9 - 1
            count = _look_into(grid, bucket(a, b, c, mask), packed(a, b, c), neighbour, q, skins, motion, near, count)
        found[q] = count


@inline
def _look_into(grid, which, cell, neighbour, q, skins, motion, near, count):
    gate = motion.gate
    i = grid.entry[q]
    for s in range(grid.start[which], grid.start[which + 1]):
        j = grid.entry[s]
        if grid.cell[s] != cell or (neighbour == 13 and s <= q):
            continue
        dx = grid.place[s, 0] - grid.place[q, 0]
        dy = grid.place[s, 1] - grid.place[q, 1]
        dz = grid.place[s, 2] - grid.place[q, 2]
        d2 = dx * dx + dy * dy + dz * dz
        if d2 < gate[0] * gate[0] and _may_touch(skins, i, j, d2) and _may_meet(motion, i, j, d2):
            if count < near.shape[1]:
                near[q, count] = j
            count += 1
    return count


@inline
def _may_meet(motion, i, j, d2):
    """Whether two points can come together in time, by the speed at which they move against each other."""
    v, gate = motion.velocity, motion.gate
    vx, vy, vz = v[i, 0] - v[j, 0], v[i, 1] - v[j, 1], v[i, 2] - v[j, 2]
    near = gate[1] + gate[2] * math.sqrt(vx * vx + vy * vy + vz * vz) + motion.unrest[i] + motion.unrest[j]
    return d2 < near * near


@inline
def _may_touch(skins, i, j, d2):
    """Points of one skin touch only where it is folded: nearer than 0.8 of their distance at rest."""
    if skins.owner[i] != skins.owner[j]:
        return True
    if skins.alone[i] != 1:
        return skins.alone[i] == 2
    rx = skins.rest[i, 0] - skins.rest[j, 0]
    ry = skins.rest[i, 1] - skins.rest[j, 1]
    rz = skins.rest[i, 2] - skins.rest[j, 2]
    return d2 < 0.64 * (rx * rx + ry * ry + rz * rz)
