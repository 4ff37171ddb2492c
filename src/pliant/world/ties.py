"""What couples parts, as columns; rows are those of the whole State."""

from typing import NamedTuple

from pliant.arrays import Array

POINT, BODY, CLUSTER, FIXED, FACE = 0, 1, 2, 3, 4  # Ends.kind


class Ends(NamedTuple):
    """One end of each tie."""

    kind: Array  # (t,) uint8: a particle, a point of a rigid body, of a cloud moved as one, of the world, of a triangle
    row: Array  # (t,) row in State.position: the particle, the body's centre, or the cloud's first particle
    stop: Array  # (t,) one past the cloud's last particle
    body: Array  # (t,) row in State.rotation_xyzw
    at: Array  # (t, 3) [m] in the body's axes; the world's place
    corners: Array  # (t, 3) rows of the triangle that a cloud or a surface is tied in; thrice the same: at that row
    weights: Array  # (t, 3) barycentric, of the corners
    inertia: Array  # (t, 3) [kg m^2] principal, of a body


class Ties(NamedTuple):
    """Pairs of ends that stay within a length of each other."""

    a: Ends
    b: Ends
    length: Array  # (t,) [m]
    compliance: Array  # (t,) [m/N]
    slack: Array  # (t,) bool: pulls only
    breaks: Array  # (t,) [N], inf: never
    until: Array  # (t,) [s], inf: never
    names: tuple[tuple[str, str], ...]  # (t,) parts of the two ends; "" is the world
