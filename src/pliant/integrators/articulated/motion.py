"""Free motion of one segment over a substep, and the pose that a changed momentum leads to.

Position: x = x0 + h p / m. Rotation: q = q0 exp(h w) with w = I^-1 exp(-h w / 2) l, all in the body axes of the start;
l is the angular momentum there. w is the spin at mid-step, so a free body keeps its angular momentum exactly and
tumbles as it should (the term that rotates I is what makes a thrown book flip).
"""

import math

from pliant.integrators.articulated.columns import (
    HELD,
    IINERTIA,
    IMASS,
    INERTIA,
    KICK,
    LB,
    LB_FREE,
    MASS,
    MOVE,
    OM,
    P_FREE,
    Q0,
    R0,
    ROW,
    SPIN,
    X0,
    P,
    Q,
    R,
    S,
    X,
)  # fmt: skip
from pliant.kernels.jit import inner
from pliant.kernels.vectors import (
    add,
    along,
    cross,
    dot,
    get3,
    get4,
    get9,
    matrix,
    mtv,
    mul,
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
    sine_ratios,
    sub,
)  # fmt: skip


@inner
def gather(F, W, J, rows, low, high):
    """Take poses, momenta and angular momenta from the part's rows."""
    for k in range(low, high):
        i = J[k, ROW]
        v = get3(rows.velocity, i, 0)
        w = get3(rows.spin, i, 0)
        q = get4(rows.rotation_xyzw, i, 0)
        r = matrix(q)
        J[k, HELD] = 1 if rows.inverse_mass[i] == 0.0 else 0
        put3(W, k, X, get3(rows.position, i, 0))
        put4(W, k, Q, q)
        put9(W, k, R, r)
        put3(W, k, SPIN, w)
        put3(W, k, P, scale(F[k, MASS], v))
        put3(W, k, LB, mul(get3(F, k, INERTIA), mtv(r, w)))


@inner
def scatter(F, W, J, rows, low, high):
    """Give poses and velocities back; the velocity and spin of a held segment are its holder's."""
    for k in range(low, high):
        i = J[k, ROW]
        put3(rows.position, i, 0, get3(W, k, X))
        put4(rows.rotation_xyzw, i, 0, get4(W, k, Q))
        if not J[k, HELD]:
            put3(rows.velocity, i, 0, scale(F[k, IMASS], get3(W, k, P)))
            put3(rows.spin, i, 0, mv(get9(W, k, R), mul(get3(F, k, IINERTIA), get3(W, k, LB))))


@inner
def fastest_spin(W, low, high):
    """[rad/s]"""
    most = 0.0
    for k in range(low, high):
        most = max(most, norm(get3(W, k, SPIN)))
    return most


@inner
def begin(F, W, J, low, high, h, keep, kick):
    """Start a substep: poses become start poses, momenta take damping and the outer force's kick."""
    for k in range(low, high):
        x, q, r = get3(W, k, X), get4(W, k, Q), get9(W, k, R)
        put3(W, k, X0, x)
        put4(W, k, Q0, q)
        put9(W, k, R0, r)
        if J[k, HELD]:
            w = get3(W, k, SPIN)
            q = qunit(qmul(qexp(scale(h, w)), q))
            put3(W, k, X, along(x, h * F[k, IMASS], get3(W, k, P)))
            put4(W, k, Q, q)
            put9(W, k, R, matrix(q))
            continue
        lb = scale(keep, get3(W, k, LB))
        p = along(scale(keep, get3(W, k, P)), kick, get3(W, k, KICK))
        om = mul(get3(F, k, IINERTIA), lb)
        put3(W, k, P, p)
        put3(W, k, P_FREE, p)
        put3(W, k, LB, lb)
        put3(W, k, LB_FREE, lb)
        put3(W, k, OM, om)
        put3(W, k, SPIN, mv(r, om))


@inner
def pose(F, W, k, h):
    """Pose at the end of the substep from the momenta."""
    put3(W, k, X, along(get3(W, k, X0), h * F[k, IMASS], get3(W, k, P)))
    lb, inverse, om = get3(W, k, LB), get3(F, k, IINERTIA), get3(W, k, OM)
    for _ in range(2):
        half = scale(0.5 * h, om)
        s, c = sine_ratios(dot(half, half))
        t = cross(half, lb)
        om = mul(inverse, add(along(lb, -s, t), scale(c, cross(half, t))))
    put3(W, k, OM, om)
    half = scale(0.5 * h, om)
    x = dot(half, half)
    s, c = sine_ratios(x)
    q = qmul(get4(W, k, Q0), (s * half[0], s * half[1], s * half[2], 1.0 - c * x))
    put4(W, k, Q, q)
    put9(W, k, R, matrix(q))


@inner
def fly_free(F, W, J, low, high, h):
    """Back to the free motion, as if no joint had acted."""
    for k in range(low, high):
        if not J[k, HELD]:
            lb = get3(W, k, LB_FREE)
            put3(W, k, P, get3(W, k, P_FREE))
            put3(W, k, LB, lb)
            put3(W, k, OM, mul(get3(F, k, IINERTIA), lb))
            pose(F, W, k, h)


@inner
def push(F, W, k, h):
    """Add to the momenta what moves the segment by MOVE in this substep."""
    w = get3(W, k, MOVE + 3)
    d = add(get3(W, k, MOVE), cross(w, get3(W, k, S)))
    put3(W, k, P, along(get3(W, k, P), F[k, MASS] / h, d))
    put3(W, k, LB, along(get3(W, k, LB), 1.0 / h, mul(get3(F, k, INERTIA), mtv(get9(W, k, R0), w))))


@inner
def twist_momentum(W, k, v):
    """Add an angular impulse v, world axes."""
    put3(W, k, LB, add(get3(W, k, LB), mtv(get9(W, k, R0), v)))


@inner
def finish(F, W, J, low, high, h):
    """Angular momenta from the start's body axes to the end's; quaternions back to length one."""
    for k in range(low, high):
        if J[k, HELD]:
            continue
        turned = scale(h, get3(W, k, OM))
        x = dot(turned, turned)
        s, c = sine_ratios(x)
        lb = get3(W, k, LB)
        t = cross(turned, lb)
        put3(W, k, LB, add(along(lb, -s, t), scale(c, cross(turned, t))))
        put4(W, k, Q, qunit(get4(W, k, Q)))


@inner
def shift(W, k, scaled):
    """Move the pose itself by a part of MOVE (the cautious solver works on poses)."""
    w = get3(W, k, MOVE + 3)
    d = add(get3(W, k, MOVE), cross(w, get3(W, k, S)))
    put3(W, k, X, along(get3(W, k, X), scaled, d))
    q = qunit(qmul(qexp(scale(scaled, w)), get4(W, k, Q)))
    put4(W, k, Q, q)
    put9(W, k, R, matrix(q))


@inner
def differences(F, W, J, low, high, h):
    """Momenta from what the poses really did: the mid-step spin, carried to the end of the substep."""
    for k in range(low, high):
        if J[k, HELD]:
            continue
        put3(W, k, P, scale(F[k, MASS] / h, sub(get3(W, k, X), get3(W, k, X0))))
        om = scale(1.0 / h, qlog(qmul(qinv(get4(W, k, Q0)), get4(W, k, Q))))
        put3(W, k, OM, om)
        half = scale(0.5 * h, om)
        s, c = sine_ratios(dot(half, half))
        lb = mul(get3(F, k, INERTIA), om)
        t = cross(half, lb)
        put3(W, k, LB, add(along(lb, -s, t), scale(c, cross(half, t))))


@inner
def substep_count(fastest, h, longest, turn, most):
    """So many that no substep is longer than `longest` [s] nor turns anything by more than `turn` [rad]."""
    return min(max(math.ceil(h / longest - 1e-9), math.ceil(fastest * h / turn), 1), most)
