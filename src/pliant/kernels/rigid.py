"""Points that ride on rigid bodies: the drawn meshes of puppets."""

from pliant.kernels.jit import span, sweep
from pliant.kernels.vectors import add, cross, get3, get4, put3, turn


@sweep
def ride(points, body, position, velocity, rotation_xyzw, spin, place, speed):
    """Where every point is and how fast: x + R p and v + w x R p, into `place` and `speed`.

    `points` (n, 3) are in the axes of their `body` (n,), from its centre.
    """
    for i in span(len(points)):
        k = body[i]
        arm = turn(get4(rotation_xyzw, k, 0), get3(points, i, 0))
        put3(place, i, 0, add(get3(position, k, 0), arm))
        put3(speed, i, 0, add(get3(velocity, k, 0), cross(get3(spin, k, 0), arm)))
