"""A tree of boxes over triangles that is refitted when they move, and the closest point of a surface to a point.

The tree is a heap: leaves hold `LEAF` triangles each in the order of a space-filling curve, so it is built once and
refitted in one backward sweep. Inside or outside is told by the angle-weighted pseudonormal of the closest feature
(Bærentzen and Aanæs 2005, "Signed distance computation using the angle weighted pseudonormal").
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.kernels.closest import cross, dot, less, on_triangle, row
from pliant.kernels.jit import inline, kernel, lean

LEAF = 4  # triangles


class Tree(NamedTuple):
    """A closed surface, ready to be asked."""

    points: Array  # (n, 3) [m], of the present
    triangles: Array  # (m, 3) in the order of the leaves
    across: Array  # (m, 3) neighbour over the edge that starts at corner k; itself at a border
    box: Array  # (2 l - 1, 6) low and high corner of each node; l leaves, a power of two
    face_normal: Array  # (m, 3) unit
    point_normal: Array  # (n, 3) angle-weighted, any length


def tree_of(points: Array, triangles: Array) -> Tree:
    """Build once for a mesh; `refit` after its points have moved."""
    middle = points[triangles].mean(axis=1)
    low = middle.min(axis=0)
    cells = ((middle - low) / max(float(np.ptp(middle, axis=0).max()), 1e-12) * 1023).astype(np.uint64)
    ordered = np.ascontiguousarray(triangles[np.argsort(_interleaved(cells), kind="stable")])
    leaves = 1 << max(0, (-(-len(ordered) // LEAF) - 1).bit_length())
    tree = Tree(
        np.array(points, float),
        ordered.astype(Index),
        _across(ordered, len(points)),
        np.empty((2 * leaves - 1, 6)),
        np.empty((len(ordered), 3)),
        np.empty((len(points), 3)),
    )
    refit(tree)
    return tree


def _interleaved(cells: Array) -> Array:
    """Morton order of (m, 3) cells of ten bits."""
    code = np.zeros(len(cells), np.uint64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cells[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return code


def _across(triangles: Array, count: int) -> Array:
    """(m, 3) the triangle that has the same edge in the other direction."""
    t = triangles.astype(np.int64)
    start, end = t.ravel(), t[:, [1, 2, 0]].ravel()
    order = np.argsort(start * count + end, kind="stable")
    keys = (start * count + end)[order]
    wanted = end * count + start
    slot = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found = keys[slot] == wanted
    own = np.repeat(np.arange(len(t)), 3)
    return np.where(found, order[slot] // 3, own).reshape(-1, 3).astype(Index)


@kernel
def refit(tree):
    """Boxes and normals of the present points."""
    leaves = (tree.box.shape[0] + 1) // 2
    tree.point_normal[:] = 0.0
    for leaf in range(leaves):
        node = leaves - 1 + leaf
        for k in range(3):
            tree.box[node, k], tree.box[node, 3 + k] = math.inf, -math.inf
        for t in range(leaf * LEAF, min((leaf + 1) * LEAF, tree.triangles.shape[0])):
            _take_in(tree, node, t)
    for back in range(leaves - 1):
        node = leaves - 2 - back
        for k in range(3):
            tree.box[node, k] = min(tree.box[2 * node + 1, k], tree.box[2 * node + 2, k])
            tree.box[node, 3 + k] = max(tree.box[2 * node + 1, 3 + k], tree.box[2 * node + 2, 3 + k])


@inline
def _angle(a, b, c):
    """At corner a [rad]."""
    p, q = less(b, a), less(c, a)
    n = cross(p, q)
    return math.atan2(math.sqrt(dot(n, n)), dot(p, q))


@lean
def _take_in(tree, node, t):
    i, j, k = tree.triangles[t, 0], tree.triangles[t, 1], tree.triangles[t, 2]
    a, b, c = row(tree.points, i), row(tree.points, j), row(tree.points, k)
    for m in range(3):
        tree.box[node, m] = min(tree.box[node, m], a[m], b[m], c[m])
        tree.box[node, 3 + m] = max(tree.box[node, 3 + m], a[m], b[m], c[m])
    n = cross(less(b, a), less(c, a))
    length = max(math.sqrt(dot(n, n)), 1e-30)
    angles = (_angle(a, b, c), _angle(b, c, a), _angle(c, a, b))
    for m in range(3):
        unit = n[m] / length
        tree.face_normal[t, m] = unit
        tree.point_normal[i, m] += angles[0] * unit
        tree.point_normal[j, m] += angles[1] * unit
        tree.point_normal[k, m] += angles[2] * unit


@inline
def _box_square(tree, node, p):
    square = 0.0
    for k in range(3):
        d = max(tree.box[node, k] - p[k], p[k] - tree.box[node, 3 + k], 0.0)
        square += d * d
    return square


@lean
def closest(tree, p, within, stack):
    """(signed distance, triangle, weights a, b, c) of the closest point to the tuple p; distance inf beyond `within`.

    `stack`: scratch of 64 numbers.
    """
    inner = (tree.box.shape[0] + 1) // 2 - 1
    best, found, weights = within * within, -1, (0.0, 0.0, 0.0)
    top = 1
    stack[0] = 0
    while top > 0:
        top -= 1
        node = int(stack[top])
        if _box_square(tree, node, p) >= best:
            continue
        if node < inner:
            one, two = 2 * node + 1, 2 * node + 2
            if _box_square(tree, one, p) < _box_square(tree, two, p):
                one, two = two, one
            stack[top], stack[top + 1] = one, two  # the nearer is looked at first
            top += 2
        else:
            best, found, weights = _in_leaf(tree, node - inner, p, best, found, weights)
    if found < 0:
        return math.inf, found, weights
    return math.copysign(math.sqrt(best), _side(tree, p, found, weights)), found, weights


@lean
def _in_leaf(tree, leaf, p, best, found, weights):
    for t in range(leaf * LEAF, min((leaf + 1) * LEAF, tree.triangles.shape[0])):
        a, b, c = (
            row(tree.points, tree.triangles[t, 0]),
            row(tree.points, tree.triangles[t, 1]),
            row(tree.points, tree.triangles[t, 2]),
        )
        w = on_triangle(p, a, b, c)
        dx = p[0] - w[0] * a[0] - w[1] * b[0] - w[2] * c[0]
        dy = p[1] - w[0] * a[1] - w[1] * b[1] - w[2] * c[1]
        dz = p[2] - w[0] * a[2] - w[1] * b[2] - w[2] * c[2]
        square = dx * dx + dy * dy + dz * dz
        if square < best:
            best, found, weights = square, t, w
    return best, found, weights


@lean
def surface_normal(tree, t, w):
    """Pseudonormal of the feature on which the point of weights w lies."""
    zero = (w[0] <= 0.0) + (w[1] <= 0.0) + (w[2] <= 0.0)
    if zero == 2:
        k = 0 if w[0] > 0.0 else (1 if w[1] > 0.0 else 2)
        return row(tree.point_normal, tree.triangles[t, k])
    n = row(tree.face_normal, t)
    if zero == 1:
        k = 1 if w[0] <= 0.0 else (2 if w[1] <= 0.0 else 0)  # the edge lies against corner k - 1
        other = row(tree.face_normal, tree.across[t, k])
        return n[0] + other[0], n[1] + other[1], n[2] + other[2]
    return n


@lean
def _side(tree, p, t, w):
    n = surface_normal(tree, t, w)
    a, b, c = (
        row(tree.points, tree.triangles[t, 0]),
        row(tree.points, tree.triangles[t, 1]),
        row(tree.points, tree.triangles[t, 2]),
    )
    dx = p[0] - w[0] * a[0] - w[1] * b[0] - w[2] * c[0]
    dy = p[1] - w[0] * a[1] - w[1] * b[1] - w[2] * c[1]
    dz = p[2] - w[0] * a[2] - w[1] * b[2] - w[2] * c[2]
    return 1.0 if dx * n[0] + dy * n[1] + dz * n[2] >= 0.0 else -1.0
