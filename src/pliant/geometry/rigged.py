"""A mesh that bones carry: linear blend skinning, a compiled sweep over the points."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.kernels import span, sweep


class Coarse(NamedTuple):
    """The coarse mesh on whose flat triangles the points of a finer one lie, in every pose."""

    points: Array  # (c, 3) [m]
    bones: Array  # (c, 4) uint32
    weights: Array  # (c, 4)
    corners: Array  # (n, 3) uint32 coarse points around each fine one
    shares: Array  # (n, 3), rows sum to 1


class Rigged(NamedTuple):
    """A mesh bound to bones, in the pose it was bound in."""

    points: Array  # (n, 3) [m] rest (bind) pose
    triangles: Array  # (m, 3) uint32, counter-clockwise from outside
    uv: Array | None  # (n, 2)
    bones: Array  # (n, 4) uint32, the bones that carry each point
    weights: Array  # (n, 4) float64, rows sum to 1
    coarse: Coarse | None = None  # what carries the points in place of the bones


def skinned(mesh: Rigged, matrices: Array, out: Array | None = None) -> Array:
    """(n, 3) the points where the bones carry them: X_i = sum_b w_ib M_b x_i.

    `matrices` (b, 3, 4) float64 lead from the rest pose to the pose, one per bone.
    """
    out = np.empty_like(mesh.points) if out is None else out
    matrices = np.ascontiguousarray(matrices, dtype=float)
    if mesh.coarse is None:
        _blend(mesh.points, mesh.bones, mesh.weights, matrices, out)
        return out
    points, bones, weights, corners, shares = mesh.coarse
    carried = np.empty_like(points)
    _blend(points, bones, weights, matrices, carried)
    _flat(corners, shares, carried, out)
    return out


@sweep
def _flat(corners, shares, x, out):
    for i in span(corners.shape[0]):
        for d in range(3):
            total = 0.0
            for k in range(3):
                total += shares[i, k] * x[corners[i, k], d]
            out[i, d] = total


@sweep
def _blend(x, bones, weights, m, out):
    for i in span(x.shape[0]):
        a, b, c = x[i, 0], x[i, 1], x[i, 2]
        p, q, r = 0.0, 0.0, 0.0
        for k in range(bones.shape[1]):
            w = weights[i, k]
            if w == 0.0:
                continue
            j = bones[i, k]
            p += w * (m[j, 0, 0] * a + m[j, 0, 1] * b + m[j, 0, 2] * c + m[j, 0, 3])
            q += w * (m[j, 1, 0] * a + m[j, 1, 1] * b + m[j, 1, 2] * c + m[j, 1, 3])
            r += w * (m[j, 2, 0] * a + m[j, 2, 1] * b + m[j, 2, 2] * c + m[j, 2, 3])
        out[i, 0], out[i, 1], out[i, 2] = p, q, r
