"""Joints that close a loop in a tree: two hands on one bar, a ring of puppets.

The tree is solved without them; what a unit pull across each of them moves at all of them gives a small matrix K, and
K^-1 times the gaps the pulls that close them exactly. Three rows per joint; K is made once per factor.
"""

import math

from pliant.integrators.articulated.columns import HELD, LOAD, MOVE, OFFSET, R, S, X
from pliant.integrators.articulated.tree import solve
from pliant.kernels.jit import inner
from pliant.kernels.vectors import add, cross, get3, get9, mv, put3, put6, sub

LARGEST = 8  # loops per tree

# columns of a closing joint: its two points in their segments, their levers from the own joints, the gap, the pull
POINT_A, POINT_B, ARM_A, ARM_B, GAP, PULL = 0, 3, 6, 9, 12, 15
NUMBERS = 18


@inner
def _moved(b, n):
    """Displacement of the joint's second point against its first, by the last solve."""
    W, k, a = b.W, b.M[n, 1], b.M[n, 0]
    mine = add(get3(W, k, MOVE), cross(get3(W, k, MOVE + 3), get3(b.L, n, ARM_B)))
    return sub(mine, add(get3(W, a, MOVE), cross(get3(W, a, MOVE + 3), get3(b.L, n, ARM_A))))


@inner
def _load(b, n, f):
    """Pull the second point by f and the first by -f."""
    W = b.W
    for side in range(2):
        k = b.M[n, side]
        if b.J[k, HELD]:
            continue
        g = f if side == 1 else (-f[0], -f[1], -f[2])
        put3(W, k, LOAD, add(get3(W, k, LOAD), g))
        arm = get3(b.L, n, ARM_B if side == 1 else ARM_A)
        put3(W, k, LOAD + 3, add(get3(W, k, LOAD + 3), cross(arm, g)))


@inner
def measure_loops(b):
    """Gaps of all closing joints at the present pose; returns the largest [m]."""
    worst = 0.0
    for n in range(len(b.M)):
        a, k = b.M[n, 0], b.M[n, 1]
        mine = add(get3(b.W, k, X), mv(get9(b.W, k, R), get3(b.L, n, POINT_B)))
        gap = sub(mine, add(get3(b.W, a, X), mv(get9(b.W, a, R), get3(b.L, n, POINT_A))))
        put3(b.L, n, GAP, gap)
        for t in range(3):
            worst = max(worst, abs(gap[t]))
    return worst


@inner
def respond(b, low, high, rotation):
    """K and its Cholesky factor, from one solve per row. Leaves OFFSET zero: measure the joints afterwards."""
    W, rows = b.W, 3 * len(b.M)
    nothing = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for n in range(len(b.M)):
        for side in range(2):
            k = b.M[n, side]
            arm = add(get3(W, k, S), mv(get9(W, k, rotation), get3(b.L, n, POINT_B if side == 1 else POINT_A)))
            put3(b.L, n, ARM_B if side == 1 else ARM_A, arm)
    for r in range(rows):
        for k in range(low, high):
            put6(W, k, LOAD, nothing)
            put6(W, k, OFFSET, nothing)
        t = r % 3
        _load(b, r // 3, (1.0 if t == 0 else 0.0, 1.0 if t == 1 else 0.0, 1.0 if t == 2 else 0.0))
        solve(W, b.J, low, high)
        for n in range(len(b.M)):
            d = _moved(b, n)
            for c in range(3):
                b.N[3 * n + c, r] = d[c]
    _cholesky(b.N, rows)


@inner
def _cholesky(N, rows):
    """In place; a row that cannot move is made stiff, so that it takes no pull."""
    most = 0.0
    for i in range(rows):
        most = max(most, N[i, i])
    for i in range(rows):
        N[i, i] += 1e-9 * most + 1e-300
        for j in range(i + 1):
            s = N[i, j]
            for k in range(j):
                s -= N[i, k] * N[j, k]
            N[i, j] = math.sqrt(max(s, 1e-12 * most + 1e-300)) if i == j else s / N[j, j]


@inner
def find_pulls(b):
    """Pulls that close the gaps left by the last solve."""
    rows = 3 * len(b.M)
    for n in range(len(b.M)):
        d = _moved(b, n)
        for t in range(3):
            b.L[n, PULL + t] = -(b.L[n, GAP + t] + d[t])
    for i in range(rows):
        s = b.L[i // 3, PULL + i % 3]
        for k in range(i):
            s -= b.N[i, k] * b.L[k // 3, PULL + k % 3]
        b.L[i // 3, PULL + i % 3] = s / b.N[i, i]
    for r in range(rows):
        i = rows - 1 - r
        s = b.L[i // 3, PULL + i % 3]
        for k in range(i + 1, rows):
            s -= b.N[k, i] * b.L[k // 3, PULL + k % 3]
        b.L[i // 3, PULL + i % 3] = s / b.N[i, i]


@inner
def add_pulls(b):
    for n in range(len(b.M)):
        _load(b, n, get3(b.L, n, PULL))
