"""How many substeps a frame needs: the criteria worth having (spec of seed 000, section 8).

    inertia   h <= sqrt(s / (1 - s) m / K),  s = sqrt(1 - eta): a damped implicit method keeps the part eta of a motion
    contact   h v <= c d:                    no row travels farther than the part c of its thickness d in one substep

Steps are whole fractions of the frame, so that frames come when they should. An error estimate from the change of
velocity was measured to gain nothing over the same number of equal steps, and is not offered.
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.constants import SUBSTEP_LIMIT
from pliant.world import Part, Rows


def inertia_substeps(stiffness: Array | float, rows: Rows, frame_step: float, kept: float) -> int:
    """Substeps after which the stiffest row still moves with the part `kept` (0 to 1) of its acceleration."""
    if kept <= 0.0:
        return 1
    s = math.sqrt(1.0 - kept)
    square = float(np.max(stiffness * rows.inverse_mass, initial=0.0))
    longest = math.sqrt(s / (1.0 - s) / square) if square > 0.0 else math.inf
    return int(min(max(1, math.ceil(frame_step / longest)), SUBSTEP_LIMIT))


def contact_substeps(part: Part, rows: Rows, frame_step: float, fraction: float) -> int:
    """Substeps within which the fastest row travels no farther than `fraction` of the part's thickness."""
    if fraction <= 0.0 or part.thickness <= 0.0:
        return 1
    fastest = math.sqrt(float(np.max(np.einsum("ij,ij->i", rows.velocity, rows.velocity), initial=0.0)))
    return int(min(max(1, math.ceil(frame_step * fastest / (fraction * part.thickness))), SUBSTEP_LIMIT))
