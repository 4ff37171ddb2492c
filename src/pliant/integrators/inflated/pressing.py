"""Balloons that press each other feel it as whole bodies, as `pass_on` lets one that the ground touches.

The floored skin is softer than the real one by the factor 1 + `more`, so that two balloons would sink into each other,
bounce far too slowly and plough through each other's dents. The contacts of a pair have moved rows by the impulses J_c
at x_c; the pair feels them s times again as one rigid wrench, equal and opposite, so no momentum is made:

    J = sum J_c,  T = sum x_c x J_c,  s = min(more, |J| (1 / m_a + 1 / m_b) / R)

Never more than what stops the two patches, of masses m_a and m_b, that have met: R is how fast the bodies part at the
contact, along J, for a wrench of 1, each as light as if its mass were split among all that press it. A pair is as stiff
as its softer method makes it.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.colliders.between import Touching
from pliant.colliders.touching import EDGE_EDGE
from pliant.integrators.inflated.gas import GIVE
from pliant.kernels import inner, lean
from pliant.kernels.vectors import add, along, cross, dot, get3, get6, norm, put3, put6, scale, sinverse, sub, sv
from pliant.world import State, Volumes, World

MASS, CENTER, TURN, PUSH, TWIST, PAIRS = 0, 1, 4, 10, 13, 16  # columns of Bodies.table


class Bodies(NamedTuple):
    """The balloons of one group of surfaces."""

    start: Array  # (k,) rows of the skins
    stop: Array
    pocket: Array  # (k,) in State.pocket
    number: Array  # (n,) which of the bodies each row belongs to, or -1
    table: Array  # (k, 17) mass [kg], 0: held; centre [m]; inverse inertia; impulse, its moment about the origin; pairs
    first: Array  # (k^2 + 2,) first contact of each pair
    mark: Array  # (n,) rows that the pair at hand has touched


class Pressing:
    """Bound to one group of surfaces."""

    def __init__(self, world: World, touching: Touching) -> None:
        self._touching = touching
        parts = [world.part(name) for name in touching.names if world.part(name).has(Volumes)]
        start = np.array([p.rows.start for p in parts], np.int64)
        stop = start + np.array([len(p.table(Volumes).body) for p in parts], np.int64)
        rows = max((p.rows.stop for p in world.parts.values()), default=0)
        number = np.full(rows, -1, np.int64)
        for k, (first, last) in enumerate(zip(start, stop, strict=True)):
            number[first:last] = k
        count = len(parts)
        self._bodies = Bodies(
            start,
            stop,
            np.array([p.gases.start for p in parts], np.int64),
            number,
            np.zeros((count, 17)),
            np.zeros(count * count + 2, np.int64),
            np.zeros(rows, np.int64),
        )

    def press(self, state: State, h: float) -> None:
        """After velocities are what the positions did."""
        if len(self._bodies.start) > 1 and self._touching.live:
            touches = self._touching.touches
            _press(state.position, state.velocity, state.inverse_mass, state.pocket, h, self._bodies, touches)


@lean
def _press(x, v, w, pocket, h, bodies, touches):
    if _sort_contacts(bodies, touches) == 0:
        return
    _measure(x, w, bodies)
    for i in range(bodies.mark.shape[0]):
        bodies.mark[i] = -1
    count = bodies.start.shape[0]
    for a in range(count):
        for b in range(a + 1, count):
            if bodies.first[a * count + b + 1] > bodies.first[a * count + b]:
                bodies.table[a, PAIRS] += 1.0
                bodies.table[b, PAIRS] += 1.0
    for a in range(count):
        for b in range(a + 1, count):
            pair = a * count + b
            more = min(pocket[bodies.pocket[a], GIVE], pocket[bodies.pocket[b], GIVE])
            held = bodies.table[a, MASS] == 0.0 or bodies.table[b, MASS] == 0.0
            if bodies.first[pair + 1] > bodies.first[pair] and more > 0.0 and not held:
                push, twist, share = _wrench(x, w, bodies, touches, a, b, more)
                _note(bodies, a, share / h, push, twist)
                _note(bodies, b, -share / h, push, twist)
    for b in range(count):
        _kick(x, v, bodies, b)


@inner
def _pair(bodies, touches, c):
    """Number of the pair of bodies that a contact presses, or -1."""
    one, two = bodies.number[touches.corner[c, 0]], bodies.number[touches.corner[c, 3]]
    pressed = touches.impulse[c, 0] != 0.0 or touches.impulse[c, 1] != 0.0 or touches.impulse[c, 2] != 0.0
    if not pressed or one < 0 or two < 0 or one == two:
        return -1
    return min(one, two) * bodies.start.shape[0] + max(one, two)


@lean
def _sort_contacts(bodies, touches):
    """Contacts that press into `order`, pair by pair; their number."""
    first = bodies.first
    for pair in range(first.shape[0]):
        first[pair] = 0
    for n in range(touches.amount[1]):
        pair = _pair(bodies, touches, touches.live[n])
        if pair >= 0:
            first[pair + 2] += 1
    for pair in range(2, first.shape[0]):
        first[pair] += first[pair - 1]
    for n in range(touches.amount[1]):
        pair = _pair(bodies, touches, touches.live[n])
        if pair >= 0:
            touches.order[first[pair + 1]] = touches.live[n]
            first[pair + 1] += 1
    return first[first.shape[0] - 1]


@lean
def _measure(x, w, bodies):
    """Mass, centre and inverse inertia of every body; no impulse yet."""
    for b in range(bodies.start.shape[0]):
        mass, held = 0.0, False
        px, py, pz, xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        first = bodies.start[b]
        ox, oy, oz = x[first, 0], x[first, 1], x[first, 2]
        for i in range(first, bodies.stop[b]):
            held = held or w[i] == 0.0
            m = 1.0 / max(w[i], 1e-300)
            rx, ry, rz = x[i, 0] - ox, x[i, 1] - oy, x[i, 2] - oz
            mx, my, mz = m * rx, m * ry, m * rz
            mass, px, py, pz = mass + m, px + mx, py + my, pz + mz
            xx, xy, xz = xx + mx * rx, xy + mx * ry, xz + mx * rz
            yy, yz, zz = yy + my * ry, yz + my * rz, zz + mz * rz
        bodies.table[b, MASS] = 0.0 if held else mass
        if not held:
            xx, yy, zz = xx - px * px / mass, yy - py * py / mass, zz - pz * pz / mass
            xy, xz, yz = xy - px * py / mass, xz - px * pz / mass, yz - py * pz / mass
            put3(bodies.table, b, CENTER, (ox + px / mass, oy + py / mass, oz + pz / mass))
            put6(bodies.table, b, TURN, sinverse((yy + zz, -xy, -xz, xx + zz, -yz, xx + yy)))
        for k in range(PUSH, PAIRS + 1):
            bodies.table[b, k] = 0.0


@lean
def _wrench(x, w, bodies, touches, a, b, more):
    """(J, T, s) on body a."""
    pair = a * bodies.start.shape[0] + b
    push, twist, middle, total = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    mass_a, mass_b = 0.0, 0.0
    for n in range(bodies.first[pair], bodies.first[pair + 1]):
        c = touches.order[n]
        one = bodies.number[touches.corner[c, 0]]
        own = scale(1.0 if one == a else -1.0, get3(touches.impulse, c, 0))
        point = scale(touches.weight[c, 0], get3(x, touches.corner[c, 0], 0))
        if touches.kind[c] == EDGE_EDGE:
            point = along(point, touches.weight[c, 1], get3(x, touches.corner[c, 1], 0))
        push, twist = add(push, own), add(twist, cross(point, own))
        size = norm(own)
        middle, total = along(middle, size, point), total + size
        for q in range(4):
            i = touches.corner[c, q]
            if touches.weight[c, q] != 0.0 and bodies.mark[i] != pair:
                bodies.mark[i] = pair
                if bodies.number[i] == a:
                    mass_a += 1.0 / w[i]
                else:
                    mass_b += 1.0 / w[i]
    size = norm(push)
    if size == 0.0:
        return push, twist, 0.0
    middle, along_push = scale(1.0 / total, middle), scale(1.0 / size, push)
    one, two = _answer(bodies, a, push, twist, middle), _answer(bodies, b, push, twist, middle)
    parts = dot(along_push, add(scale(bodies.table[a, PAIRS], one), scale(bodies.table[b, PAIRS], two)))
    if parts <= 0.0:
        return push, twist, 0.0
    return push, twist, min(more, size * (1.0 / mass_a + 1.0 / mass_b) / parts)


@lean
def _answer(bodies, b, push, twist, point):
    """Velocity of a body at a point for an impulse and its moment about the origin."""
    c = get3(bodies.table, b, CENTER)
    spin = sv(get6(bodies.table, b, TURN), sub(twist, cross(c, push)))
    return along(cross(spin, sub(point, c)), 1.0 / bodies.table[b, MASS], push)


@lean
def _note(bodies, b, share, push, twist):
    put3(bodies.table, b, PUSH, along(get3(bodies.table, b, PUSH), share, push))
    put3(bodies.table, b, TWIST, along(get3(bodies.table, b, TWIST), share, twist))


@lean
def _kick(x, v, bodies, b):
    """What a body's pairs have noted, as a rigid motion of its rows."""
    push, c = get3(bodies.table, b, PUSH), get3(bodies.table, b, CENTER)
    if push == (0.0, 0.0, 0.0):
        return
    spin = sv(get6(bodies.table, b, TURN), sub(get3(bodies.table, b, TWIST), cross(c, push)))
    drift = scale(1.0 / bodies.table[b, MASS], push)
    for i in range(bodies.start[b], bodies.stop[b]):
        put3(v, i, 0, add(get3(v, i, 0), add(drift, cross(spin, sub(get3(x, i, 0), c)))))
