"""Points that ride on rigid bodies: the drawn meshes of puppets; and bodies between two poses."""

from pliant.kernels.jit import kernel, span, sweep
from pliant.kernels.vectors import add, along, cross, get3, get4, put3, put4, qexp, qinv, qlog, qmul, scale, sub, turn


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


@kernel
def between(before, after, t, position, rotation_xyzw):
    """Rows between two poses, each a tuple of positions and turns; t from 0 to 1, turns by the shorter way."""
    for k in range(len(position)):
        p, a = get3(before[0], k, 0), get4(before[1], k, 0)
        put3(position, k, 0, along(p, t, sub(get3(after[0], k, 0), p)))
        way = qlog(qmul(qinv(a), get4(after[1], k, 0)))
        put4(rotation_xyzw, k, 0, qmul(a, qexp(scale(t, way))))


@kernel
def at_points(position, rotation_xyzw, body, local, place):
    """Where points of bodies are: x + R p; `body` (n,), `local` (n, 3) in its axes."""
    for i in range(len(body)):
        k = body[i]
        put3(place, i, 0, add(get3(position, k, 0), turn(get4(rotation_xyzw, k, 0), get3(local, i, 0))))
