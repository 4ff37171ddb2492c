"""What every collider does with a row that is too near: push out, then let friction shorten the slide.

A row nearer than its thickness is moved out along the normal by the depth d; its tangential motion within the substep,
relative to the collider, is then shortened by at most mu d (Coulomb at position level, spec of seed 000, section 12).
"""

import math

from pliant.kernels import kernel


@kernel
def push_out(x, previous, i, depth, normal, friction):
    """Move row i out by `depth` [m] along `normal` and shorten its slide since `previous`."""
    for k in range(3):
        x[i, k] += depth * normal[k]
    along = 0.0
    for k in range(3):
        along += (x[i, k] - previous[i, k]) * normal[k]
    slide = 0.0
    for k in range(3):
        slide += (x[i, k] - previous[i, k] - along * normal[k]) ** 2
    slide = math.sqrt(slide)
    if slide <= 0.0:
        return
    kept = max(0.0, 1.0 - friction * depth / slide)
    for k in range(3):
        tangential = x[i, k] - previous[i, k] - along * normal[k]
        x[i, k] -= (1.0 - kept) * tangential
