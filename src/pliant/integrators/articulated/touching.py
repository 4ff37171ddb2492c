"""Segments keep out of each other: impulses between capsules, on the velocities before a substep.

A pair nearer than it can close in one substep gets an impulse that lets it close the gap and no more; a pair that is
already too deep is parted at a fifth of its depth per substep. Coulomb friction. Best effort: at four substeps per
frame a fast puppet still sinks in by some millimetres for a moment (spec of seed 003, section 7).
"""

import numpy as np

from pliant.arrays import Array
from pliant.kernels import kernel
from pliant.kernels.vectors import (
    add,
    along,
    cross,
    dot,
    get3,
    get4,
    mul,
    norm,
    put3,
    qinv,
    scale,
    sub,
    turn,
)  # fmt: skip
from pliant.world import Joints, Part, Rows

NEAR = 0.02  # [m] a wider gap is not looked at
PARTING = 0.2  # share of the depth undone per substep
PARTING_SPEED = 0.5  # [m/s] at most
ROUNDS = 4


class Touching:
    """All pairs of segments of a part that do not share a joint and are apart at rest."""

    def __init__(self, part: Part, joints: Joints) -> None:
        self._part, self._capsules = part, part.extra["capsules"]
        self._pairs = _pairs(part, joints)
        self._contacts = np.zeros((len(self._pairs), 12))
        self._numbers = np.array([part.friction, 0.0])

    def push_apart(self, rows: Rows, h: float) -> float:
        """Change velocities and spins; returns the deepest contact found [m]."""
        self._numbers[1] = h
        inverse = 1.0 / self._part.inertia
        return float(_push_apart(rows, inverse, self._capsules, self._pairs, self._contacts, self._numbers))


def _pairs(part: Part, joints: Joints) -> Array:
    count = len(part.inertia)
    a, b = np.triu_indices(count, 1)
    joined = np.zeros((count, count), bool)
    joined[joints.parent, joints.child] = joined[joints.child, joints.parent] = True
    free = ~joined[a, b]
    pairs = np.stack([a[free], b[free]], axis=1).astype(np.int64)
    start = Rows(
        part.rest_position.copy(), np.zeros_like(part.rest_position), np.ones(count),
        part.rest_rotation_xyzw.copy(), np.zeros((count, 3)), np.empty(0),
    )  # fmt: skip
    gaps = np.zeros(len(pairs))
    _gaps(start, part.extra["capsules"], pairs, gaps)
    return pairs[gaps > -1e-3]


@kernel
def nearest_of_segments(p1, q1, p2, q2):
    """Nearest points of two straight segments (Ericson 2005, section 5.1.9)."""
    d1, d2, r = sub(q1, p1), sub(q2, p2), sub(p1, p2)
    a, e, f = dot(d1, d1), dot(d2, d2), dot(d2, r)
    c = dot(d1, r)
    s, t = 0.0, 0.0
    if a > 1e-12 and e > 1e-12:
        b = dot(d1, d2)
        flat = a * e - b * b
        s = min(max((b * f - c * e) / flat, 0.0), 1.0) if flat > 1e-12 * a * e else 0.0
        t = (b * s + f) / e
        if t < 0.0 or t > 1.0:
            t = min(max(t, 0.0), 1.0)
            s = min(max((b * t - c) / a, 0.0), 1.0)
    elif a > 1e-12:
        s = min(max(-c / a, 0.0), 1.0)
    elif e > 1e-12:
        t = min(max(f / e, 0.0), 1.0)
    return along(p1, s, d1), along(p2, t, d2)


@kernel
def _nearest(rows, capsules, a, b):
    qa, qb, xa, xb = (
        get4(rows.rotation_xyzw, a, 0),
        get4(rows.rotation_xyzw, b, 0),
        get3(rows.position, a, 0),
        get3(rows.position, b, 0),
    )
    return nearest_of_segments(
        add(xa, turn(qa, get3(capsules, a, 0))), add(xa, turn(qa, get3(capsules, a, 3))),
        add(xb, turn(qb, get3(capsules, b, 0))), add(xb, turn(qb, get3(capsules, b, 3))),
    )  # fmt: skip


@kernel
def _gaps(rows, capsules, pairs, gaps):
    for n in range(len(pairs)):
        a, b = pairs[n, 0], pairs[n, 1]
        ca, cb = _nearest(rows, capsules, a, b)
        gaps[n] = norm(sub(cb, ca)) - capsules[a, 6] - capsules[b, 6]


@kernel
def inverse_inertia_times(rows, inverse, i, v):
    """I^-1 v in world axes."""
    q = get4(rows.rotation_xyzw, i, 0)
    return turn(q, mul(get3(inverse, i, 0), turn(qinv(q), v)))


@kernel
def inverse_mass_at(rows, inverse, i, arm, direction):
    """1 / m + (r x n) . I^-1 (r x n) of a point of a segment along a direction; 0 when it is held."""
    if rows.inverse_mass[i] == 0.0:
        return 0.0
    c = cross(arm, direction)
    return rows.inverse_mass[i] + dot(c, inverse_inertia_times(rows, inverse, i, c))


@kernel
def velocity_at(rows, i, arm):
    return add(get3(rows.velocity, i, 0), cross(get3(rows.spin, i, 0), arm))


@kernel
def apply_impulse(rows, inverse, i, arm, impulse):
    """Change velocity and spin of a free segment by an impulse [N s] at `arm` from its centre."""
    if rows.inverse_mass[i] > 0.0:
        put3(rows.velocity, i, 0, along(get3(rows.velocity, i, 0), rows.inverse_mass[i], impulse))
        turned = inverse_inertia_times(rows, inverse, i, cross(arm, impulse))
        put3(rows.spin, i, 0, add(get3(rows.spin, i, 0), turned))


@kernel
def _push_apart(rows, inverse, capsules, pairs, contacts, numbers):
    friction, h = numbers[0], numbers[1]
    found, deepest = 0, 0.0
    for n in range(len(pairs)):
        a, b = pairs[n, 0], pairs[n, 1]
        ca, cb = _nearest(rows, capsules, a, b)
        d = sub(cb, ca)
        size = norm(d)
        gap = size - capsules[a, 6] - capsules[b, 6]
        if gap > NEAR or size < 1e-9:
            continue
        deepest = max(deepest, -gap)
        d = scale(1.0 / size, d)
        put3(contacts, found, 0, d)
        put3(contacts, found, 3, sub(along(ca, capsules[a, 6], d), get3(rows.position, a, 0)))
        put3(contacts, found, 6, sub(along(cb, -capsules[b, 6], d), get3(rows.position, b, 0)))
        contacts[found, 9] = -gap / h if gap > 0.0 else min(-gap * PARTING / h, PARTING_SPEED)
        contacts[found, 10] = 0.0
        contacts[found, 11] = n
        found += 1
    for _ in range(ROUNDS):
        for m in range(found):
            _strike(rows, inverse, pairs, contacts, m, friction)
    return deepest


@kernel
def _strike(rows, inverse, pairs, contacts, m, friction):
    """One contact's impulse."""
    n = int(contacts[m, 11])
    a, b = pairs[n, 0], pairs[n, 1]
    d, ra, rb = get3(contacts, m, 0), get3(contacts, m, 3), get3(contacts, m, 6)
    w = inverse_mass_at(rows, inverse, a, ra, d) + inverse_mass_at(rows, inverse, b, rb, d)
    if w == 0.0:
        return
    relative = sub(velocity_at(rows, b, rb), velocity_at(rows, a, ra))
    closing = dot(relative, d)
    total = max(contacts[m, 10] + (contacts[m, 9] - closing) / w, 0.0)
    push = total - contacts[m, 10]
    contacts[m, 10] = total
    impulse = scale(push, d)
    slide = along(relative, -closing, d)
    speed = norm(slide)
    if speed > 1e-9 and push > 0.0:
        impulse = along(impulse, -min(friction * push, speed / w) / speed, slide)
    apply_impulse(rows, inverse, b, rb, impulse)
    apply_impulse(rows, inverse, a, ra, scale(-1.0, impulse))
