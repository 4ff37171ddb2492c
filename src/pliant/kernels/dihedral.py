"""The angle between two triangles that share an edge, and its gradient.

With edge E = x1 - x0, opposite corners x2, x3 and N2 = (x2 - x0) x (x2 - x1), N3 = (x3 - x1) x (x3 - x0):
angle = atan2((N2 x N3) . E / |E|, N2 . N3), zero when flat. Gradient after Bridson, Marino and Fedkiw 2003,
"Simulation of clothing with folds and wrinkles", section 4.
"""

import math

from pliant.kernels.jit import inline, kernel

DEGENERATE = 1e-24  # [m^4] a triangle with a smaller squared normal has no angle


@inline
def _cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def dihedral(x, corners, row):
    """Angle of one hinge [rad], NaN where there is none; and its gradient as (m2, m3, shares).

    The gradient at corner c is shares[c][0] m2 + shares[c][1] m3 [1/m].
    """
    p, q, r, s = corners[row, 0], corners[row, 1], corners[row, 2], corners[row, 3]
    ex, ey, ez = x[q, 0] - x[p, 0], x[q, 1] - x[p, 1], x[q, 2] - x[p, 2]
    ax, ay, az = x[r, 0] - x[p, 0], x[r, 1] - x[p, 1], x[r, 2] - x[p, 2]
    bx, by, bz = x[s, 0] - x[p, 0], x[s, 1] - x[p, 1], x[s, 2] - x[p, 2]
    n2x, n2y, n2z = _cross(ax, ay, az, ax - ex, ay - ey, az - ez)
    n3x, n3y, n3z = _cross(bx - ex, by - ey, bz - ez, bx, by, bz)
    ee = ex * ex + ey * ey + ez * ez
    n2n2 = n2x * n2x + n2y * n2y + n2z * n2z
    n3n3 = n3x * n3x + n3y * n3y + n3z * n3z
    angle, edge, u2, u3, along2, along3 = math.nan, 0.0, 0.0, 0.0, 0.0, 0.0
    if n2n2 > DEGENERATE and n3n3 > DEGENERATE and ee > 1e-18:
        edge = math.sqrt(ee)
        cx, cy, cz = _cross(n2x, n2y, n2z, n3x, n3y, n3z)
        angle = math.atan2((cx * ex + cy * ey + cz * ez) / edge, n2x * n3x + n2y * n3y + n2z * n3z)
        u2, u3 = 1.0 / n2n2, 1.0 / n3n3
        along2 = (ax * ex + ay * ey + az * ez) / edge  # of the opposite corners, from the edge's start
        along3 = (bx * ex + by * ey + bz * ez) / edge
    m2 = (n2x * u2, n2y * u2, n2z * u2)
    m3 = (n3x * u3, n3y * u3, n3z * u3)
    shares = ((edge - along2, edge - along3), (along2, along3), (-edge, 0.0), (0.0, -edge))
    return angle, m2, m3, shares
