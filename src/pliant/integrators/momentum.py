"""Gives a free part the momentum it must have, after a method whose solve does not keep it.

The velocities of a rigid motion are added before the rows move (spec of seed 000, section 5d):

    v_i += (P - sum m v) / sum m,   then   v_i += omega x r_i,   I omega = L - sum m r x v,

with r from the centroid before the step, so that x += h v keeps the angular momentum exactly. P and L are those of the
start of the step and what the external forces add to them. A part that is held anywhere has no momentum of its own.
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.kernels import kernel
from pliant.world import Rows


class Momentum:
    """Linear and angular momentum of one part, noted before a solve and given back after it."""

    def __init__(self, *, kept: bool) -> None:
        self._kept = kept
        self._noted = np.zeros(10)  # mass, centroid, P, L

    def note(self, rows: Rows, force: Array, h: float) -> bool:
        """Remember what the part's momentum will be at the end of the step; False if it has none of its own."""
        if not self._kept or any_held(rows.inverse_mass):
            return False
        _note(rows.position, rows.velocity, rows.inverse_mass, force, h, self._noted)
        return True

    def restore(self, rows: Rows) -> None:
        """Add the rigid motion that is missing; positions must still be those of `note`."""
        _restore(rows.position, rows.velocity, rows.inverse_mass, self._noted)

    def restore_moved(self, rows: Rows) -> None:
        """The same after the rows have moved: about where their centroid is now."""
        mass = 1.0 / rows.inverse_mass
        self._noted[1:4] = mass @ rows.position / mass.sum()
        self.restore(rows)


@kernel
def any_held(w):
    held = 0
    for i in range(w.shape[0]):
        held += w[i] == 0.0
    return held > 0


@kernel
def _note(x, v, w, f, h, noted):
    noted[:] = 0.0
    for i in range(x.shape[0]):
        noted[0] += 1.0 / w[i]
        for k in range(3):
            noted[1 + k] += x[i, k] / w[i]
    for k in range(3):
        noted[1 + k] /= noted[0]
    for i in range(x.shape[0]):
        rx, ry, rz = x[i, 0] - noted[1], x[i, 1] - noted[2], x[i, 2] - noted[3]
        px, py, pz = v[i, 0] / w[i] + h * f[i, 0], v[i, 1] / w[i] + h * f[i, 1], v[i, 2] / w[i] + h * f[i, 2]
        noted[4] += px
        noted[5] += py
        noted[6] += pz
        noted[7] += ry * pz - rz * py
        noted[8] += rz * px - rx * pz
        noted[9] += rx * py - ry * px


@kernel
def _restore(x, v, w, noted):
    lost = noted[4:10].copy()
    xx = yy = zz = xy = yz = zx = 0.0
    for i in range(x.shape[0]):
        m = 1.0 / w[i]
        rx, ry, rz = x[i, 0] - noted[1], x[i, 1] - noted[2], x[i, 2] - noted[3]
        px, py, pz = m * v[i, 0], m * v[i, 1], m * v[i, 2]
        lost[0] -= px
        lost[1] -= py
        lost[2] -= pz
        lost[3] -= ry * pz - rz * py
        lost[4] -= rz * px - rx * pz
        lost[5] -= rx * py - ry * px
        xx, yy, zz = xx + m * rx * rx, yy + m * ry * ry, zz + m * rz * rz
        xy, yz, zx = xy + m * rx * ry, yz + m * ry * rz, zx + m * rz * rx
    turn = _solve((yy + zz, zz + xx, xx + yy), (-xy, -yz, -zx), lost[3:])
    for i in range(x.shape[0]):
        rx, ry, rz = x[i, 0] - noted[1], x[i, 1] - noted[2], x[i, 2] - noted[3]
        v[i, 0] += lost[0] / noted[0] + turn[1] * rz - turn[2] * ry
        v[i, 1] += lost[1] / noted[0] + turn[2] * rx - turn[0] * rz
        v[i, 2] += lost[2] / noted[0] + turn[0] * ry - turn[1] * rx


@kernel
def _solve(diagonal, off, b):
    """omega of I omega = b for a symmetric I; zero for a part on one line, which has no inertia about it."""
    a, d, f = diagonal
    e01, e12, e20 = off
    c00, c01, c02 = d * f - e12 * e12, e12 * e20 - e01 * f, e01 * e12 - d * e20
    c11, c12, c22 = a * f - e20 * e20, e01 * e20 - a * e12, a * d - e01 * e01
    determinant = a * c00 + e01 * c01 + e20 * c02
    size = (a + d + f) / 3.0
    if math.fabs(determinant) <= 1e-12 * size * size * size:
        return 0.0, 0.0, 0.0
    return (
        (c00 * b[0] + c01 * b[1] + c02 * b[2]) / determinant,
        (c01 * b[0] + c11 * b[1] + c12 * b[2]) / determinant,
        (c02 * b[0] + c12 * b[1] + c22 * b[2]) / determinant,
    )
