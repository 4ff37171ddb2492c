"""Putting poses right after the joint solver gave up: gaps closed, limits kept, no energy given.

Root to leaves every segment is turned back into its range and moved onto its joint. What that does to the motion is
undone as far as mechanics tells: a free tree's centre of mass stays where it was, and a tree that only floors, walls
and strings push is no faster afterwards than it was in free motion.
"""

import math

from pliant.integrators.articulated.columns import (
    HELD,
    IINERTIA,
    IMASS,
    KIND,
    LB,
    LB_FREE,
    MASS,
    P_FREE,
    PARENT,
    UP,
    P,
    Q,
    R,
    X,
)  # fmt: skip
from pliant.integrators.articulated.forced import limit_turn
from pliant.integrators.articulated.joints import gap_of
from pliant.integrators.articulated.supports import HAND, SORT
from pliant.kernels.jit import inner
from pliant.kernels.vectors import (
    along,
    dot,
    get3,
    get4,
    matrix,
    mul,
    norm,
    put3,
    put4,
    put9,
    qexp,
    qmul,
    qunit,
    scale,
    sub,
)  # fmt: skip

LEAP = 0.5  # [m/s] that a solution which did not converge may add
LOOSE = 4e-3  # [rad] that a pose may leave a joint outside its limits


@inner
def turn_back(F, W, J, k):
    """Turn a segment about its joint into its range, if it is well outside."""
    v = limit_turn(F, W, J, k)
    if dot(v, v) > LOOSE * LOOSE:
        sign = 1.0 if J[k, PARENT] == J[k, UP] else -1.0
        q = qunit(qmul(qexp(scale(sign, v)), get4(W, k, Q)))
        put4(W, k, Q, q)
        put9(W, k, R, matrix(q))


@inner
def close_joints(F, W, J, low, high):
    """Root to leaves: put every segment where its carrier ends; a free tree's centre of mass stays where it was."""
    mass, drift, free = 0.0, (0.0, 0.0, 0.0), True
    for k in range(low, high):
        mass += F[k, MASS]
        free = free and not J[k, HELD]
        if k > low and not J[k, HELD]:
            if J[k, KIND]:
                turn_back(F, W, J, k)
            gap = gap_of(F, W, J, k)
            put3(W, k, X, sub(get3(W, k, X), gap))
            drift = along(drift, F[k, MASS], gap)
    if free:
        for k in range(low, high):
            put3(W, k, X, along(get3(W, k, X), 1.0 / mass, drift))


@inner
def strays(F, W, J, low, high):
    """Whether any joint stands well outside its limits."""
    found = False
    for k in range(low + 1, high):
        if J[k, KIND] and not J[k, HELD]:
            v = limit_turn(F, W, J, k)
            found = found or dot(v, v) > LOOSE * LOOSE
    return found


@inner
def largest_gap(F, W, J, low, high):
    worst = 0.0
    for k in range(low + 1, high):
        if not J[k, HELD]:
            g = norm(gap_of(F, W, J, k))
            if not g <= worst:
                worst = g
    return worst


@inner
def pushed_only(b, first, last, low, high):
    """Whether floors, walls and strings alone act on the tree: nothing leads it, so nothing gives it energy."""
    for r in range(first, last):
        if b.K[r, SORT] == HAND:
            return False
    for k in range(low, high):
        if b.J[k, HELD]:
            return False
    return last > first


@inner
def _energy(F, W, J, low, high, linear, angular):
    """Twice the kinetic energy [J] of what is not held, of the momenta in two columns."""
    total = 0.0
    for k in range(low, high):
        if J[k, HELD]:
            continue
        p, b = get3(W, k, linear), get3(W, k, angular)
        total += F[k, IMASS] * dot(p, p) + dot(b, mul(get3(F, k, IINERTIA), b))
    return total


@inner
def leaps(F, W, J, low, high):
    """Whether a solution that did not converge is much faster than the free motion: no pose is worth that."""
    mass = 0.0
    for k in range(low, high):
        mass += 0.0 if J[k, HELD] else F[k, MASS]
    return _energy(F, W, J, low, high, P, LB) > 4.0 * _energy(F, W, J, low, high, P_FREE, LB_FREE) + mass * LEAP * LEAP


@inner
def give_no_energy(F, W, J, low, high):
    """A pose put right is no motion: no faster than the free motion was."""
    free, now = _energy(F, W, J, low, high, P_FREE, LB_FREE), _energy(F, W, J, low, high, P, LB)
    if now > free:
        part = math.sqrt(free / now)
        for k in range(low, high):
            put3(W, k, P, scale(part, get3(W, k, P)))
            put3(W, k, LB, scale(part, get3(W, k, LB)))
