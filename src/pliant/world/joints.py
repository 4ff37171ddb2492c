"""What carries what: the joints between the rigid segments of a part."""

from typing import NamedTuple

from pliant.arrays import Array


class Joints(NamedTuple):
    """Pairs of segments that share a point; indices local to the part, angles in radians.

    The neutral frame of a joint is `neutral_xyzw` in the parent's axes. The child's turn relative to it is split into a
    twist about `axis` and a swing of it. `swing` 0 is a hinge about the axis, infinity leaves it free; equal twist
    bounds lock the twist, infinite ones leave it free.
    """

    parent: Array  # (j,) segment
    child: Array  # (j,) segment
    parent_anchor: Array  # (j, 3) [m] from the parent's centre of mass, in its axes
    child_anchor: Array  # (j, 3) [m] from the child's centre of mass, in its axes
    axis: Array  # (j, 3) unit, in the child's axes and in the neutral frame
    neutral_xyzw: Array  # (j, 4)
    swing: Array  # (j,) [rad]
    twist_low: Array  # (j,) [rad]
    twist_high: Array  # (j,) [rad]
