"""The one-way pass of seed 003: every segment is turned and moved onto its joint, from the held ones outwards.

A segment whose joint point r (from its centre) must move by s is first turned by theta about r x s, then moved by what
is left (forced rotation and forced translation, figures 3 to 5). Three answers to how far it turns:

    literal      theta = phi exp(-h / (|r| |s|)), h = 2 m / (I dt^2), phi the angle between r and s      (equation 4)
    normalised   theta = psi exp(-I / (2 m |r| |s|)), psi the angle from r to r + s
    minimal      the turn of the least change in the mass metric:  K p = s,  K = 1 / m - [r] I^-1 [r],  I^-1 (r x p)

`literal` has a unit left over and never turns anything in SI; `minimal` is what the others aim at. m is the mass of all
that the segment carries. Where two held groups meet, the joint goes to the mass-weighted point between its two ends.
"""

import math

from pliant.integrators.articulated.columns import (
    AXIS_B,
    CARRIER,
    CHILD,
    HELD,
    HERE,
    HIGH,
    HINGE,
    IINERTIA,
    INERTIA,
    KIND,
    LOW,
    NEUTRAL,
    PARENT,
    SWING,
    SWING_LIMIT,
    TWIST_LIMIT,
    TWIST_LOCKED,
    UP,
    Q,
    R,
    X,
)  # fmt: skip
from pliant.integrators.articulated.joints import half_turn, swing_angle
from pliant.kernels.jit import inner, kernel
from pliant.kernels.vectors import (
    add,
    along,
    congruence,
    cross,
    dot,
    get3,
    get4,
    get9,
    matrix,
    mv,
    norm,
    put3,
    put4,
    put9,
    qexp,
    qinv,
    qlog,
    qmul,
    qunit,
    scale,
    sinverse,
    sub,
    sv,
    turn,
)  # fmt: skip

LITERAL, NORMALISED, MINIMAL = 0, 1, 2


@kernel
def forced_turn(variant, r, s, mass, inertia, inverse, h):
    """Rotation vector of the forced rotation; `inertia` and its `inverse` are symmetric, world axes."""
    lr, ls = norm(r), norm(s)
    if lr < 1e-12 or ls < 1e-12:
        return (0.0, 0.0, 0.0)
    if variant == MINIMAL:
        return _least_turn(r, s, mass, inverse)
    a = cross(r, s)
    la = norm(a)
    if la < 1e-14:
        return (0.0, 0.0, 0.0)
    a = scale(1.0 / la, a)
    about = dot(a, sv(inertia, a))
    if variant == LITERAL:
        theta = math.atan2(la, dot(r, s)) * math.exp(-2.0 * mass / (about * h * h) / (lr * ls))
    else:
        t = add(r, s)
        theta = math.atan2(norm(cross(r, t)), dot(r, t)) * math.exp(-about / (2.0 * mass * lr * ls))
    return scale(theta, a)


@inner
def _least_turn(r, s, mass, inverse):
    # [r] I^-1 [r] e = r x I^-1 (r x e), so K e = e / m - r x I^-1 (r x e)
    c0 = cross(r, sv(inverse, cross(r, (1.0, 0.0, 0.0))))
    c1 = cross(r, sv(inverse, cross(r, (0.0, 1.0, 0.0))))
    c2 = cross(r, sv(inverse, cross(r, (0.0, 0.0, 1.0))))
    m = 1.0 / mass
    p = sv(sinverse((m - c0[0], -c1[0], -c2[0], m - c1[1], -c2[1], m - c2[2])), s)
    return sv(inverse, cross(r, p))


@inner
def _move_joint(F, W, k, r, s, theta):
    """Turn segment k by theta about its centre, then carry its joint point by s in all."""
    dq = qexp(theta)
    put3(W, k, X, add(get3(W, k, X), add(s, sub(r, turn(dq, r)))))
    q = qunit(qmul(dq, get4(W, k, Q)))
    put4(W, k, Q, q)
    put9(W, k, R, matrix(q))


@inner
def force_onto(F, W, k, r, s, mass, variant, h):
    """Forced rotation and translation of one segment: its point at r moves by s."""
    rotation = get9(W, k, R)
    inertia = congruence(rotation, get3(F, k, INERTIA))
    inverse = congruence(rotation, get3(F, k, IINERTIA))
    _move_joint(F, W, k, r, s, forced_turn(variant, r, s, mass, inertia, inverse, h))


@inner
def limit_turn(F, W, J, k):
    """World rotation vector that brings the joint's child back into its range, against its parent."""
    parent, child, e = get4(W, J[k, PARENT], Q), get4(W, J[k, CHILD], Q), get3(F, k, AXIS_B)
    frame = qmul(parent, get4(F, k, NEUTRAL))
    q = qmul(qinv(frame), child)
    w, d = half_turn(F, W, J, k)
    kind = J[k, KIND]
    twist = 2.0 * math.atan2(d, w)
    wanted = twist
    if kind & (TWIST_LIMIT | TWIST_LOCKED):
        wanted = min(max(twist, F[k, LOW]), F[k, HIGH])
    swung = swing_angle(w, d)
    most = 0.0 if kind & HINGE else (F[k, SWING] if kind & SWING_LIMIT else 10.0)
    if swung <= most and wanted == twist:
        return (0.0, 0.0, 0.0)
    swing = qlog(qmul(q, qexp(scale(-twist, e))))
    if swung > most:
        swing = scale(most / max(swung, 1e-12), swing)
    goal = qmul(qexp(swing), qexp(scale(wanted, e)))
    return turn(frame, qlog(qmul(goal, qinv(q))))


@inner
def apply_limit(F, W, J, k):
    """All of the correction goes to the traversal's child, about the joint point."""
    v = limit_turn(F, W, J, k)
    if v[0] == 0.0 and v[1] == 0.0 and v[2] == 0.0:
        return
    sign = 1.0 if J[k, PARENT] == J[k, UP] else -1.0
    r = mv(get9(W, k, R), get3(F, k, HERE))
    _move_joint(F, W, k, r, (0.0, 0.0, 0.0), scale(sign, v))


@inner
def sweep_outwards(F, W, J, group_mass, low, high, variant, h):
    """Root to leaves: each segment onto its carrier, then into its range."""
    for k in range(low + 1, high):
        if J[k, HELD]:
            continue
        a = J[k, UP]
        r = mv(get9(W, k, R), get3(F, k, HERE))
        goal = add(get3(W, a, X), mv(get9(W, a, R), get3(F, k, CARRIER)))
        s = sub(goal, add(get3(W, k, X), r))
        force_onto(F, W, k, r, s, group_mass[k], variant, h)
        if J[k, KIND]:
            apply_limit(F, W, J, k)


@inner
def meet(F, W, J, group_mass, pair, at, variant, h):
    """A joint between two groups: both ends go to the mass-weighted point between them."""
    a, b = pair
    ra, rb = mv(get9(W, a, R), (at[0], at[1], at[2])), mv(get9(W, b, R), (at[3], at[4], at[5]))
    ca, cb = add(get3(W, a, X), ra), add(get3(W, b, X), rb)
    wa = 0.0 if J[a, HELD] else 1.0 / group_mass[a]
    wb = 0.0 if J[b, HELD] else 1.0 / group_mass[b]
    if wa + wb == 0.0:
        return
    c = along(ca, wa / (wa + wb), sub(cb, ca))
    if wa > 0.0:
        force_onto(F, W, a, ra, sub(c, ca), group_mass[a], variant, h)
    if wb > 0.0:
        force_onto(F, W, b, rb, sub(c, cb), group_mass[b], variant, h)
