"""A part's springs as one particle sees them: columns in the order of the adjacency, for gathers that read straight on.

Every spring stands twice, once for each end. Copies cost memory and save one indirection per spring and pass; a live
edit of the table calls `fill` again.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.world import Springs


class Slots(NamedTuple):
    """Slots start[i] .. start[i + 1] belong to particle i."""

    start: Array  # (n + 1,) uint32
    other: Array  # (2 s,) uint32, the particle at the far end
    row: Array  # (2 s,) uint32, the row of the table
    stiffness: Array  # (2 s,) [N/m]
    rest_length: Array  # (2 s,) [m]
    damping: Array  # (2 s,) [N s/m]


def slots_of(springs: Springs) -> Slots:
    """Room for the columns, filled."""
    start, other, row = springs.adjacency
    slots = Slots(start, other, row, np.empty(len(row)), np.empty(len(row)), np.empty(len(row)))
    fill(slots, springs)
    return slots


def fill(slots: Slots, springs: Springs) -> None:
    """Take over what the table says now."""
    np.take(springs.stiffness, slots.row, out=slots.stiffness)
    np.take(springs.rest_length, slots.row, out=slots.rest_length)
    np.take(springs.damping, slots.row, out=slots.damping)
