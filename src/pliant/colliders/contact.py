"""What every collider does with a row that is too near: push out, then let friction shorten the slide.

A row nearer than its thickness is moved out along the normal by the depth d; its tangential motion within the substep,
relative to the collider's surface, is then shortened by at most mu d (Coulomb at position level, spec of seed 000,
section 12). A row that was already deep when the substep began comes out no faster than `ESCAPE_SPEED`, so that a bad
start is cured within a few frames and does not explode.
"""

import math

from pliant.kernels import inline

ESCAPE_SPEED = 1.0  # [m/s] a deep start leaves a solid no faster; higher throws cloth, lower leaves it inside longer


@inline
def push_out(x, previous, i, depth, nx, ny, nz, friction, sx, sy, sz):
    """Move row i out by `depth` [m] along n; shorten its slide against the surface's own motion s [m]."""
    x[i, 0] += depth * nx
    x[i, 1] += depth * ny
    x[i, 2] += depth * nz
    rx = x[i, 0] - previous[i, 0] - sx
    ry = x[i, 1] - previous[i, 1] - sy
    rz = x[i, 2] - previous[i, 2] - sz
    along = rx * nx + ry * ny + rz * nz
    rx, ry, rz = rx - along * nx, ry - along * ny, rz - along * nz
    slide = math.sqrt(rx * rx + ry * ry + rz * rz)
    if slide > 0.0:
        lost = min(1.0, friction * depth / slide)
        x[i, 0] -= lost * rx
        x[i, 1] -= lost * ry
        x[i, 2] -= lost * rz
