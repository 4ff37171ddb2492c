"""The tree's mass matrix, factored from the leaves to the root and solved back.

Each segment is seen at the joint that carries it: y = (u, w), the displacement of the joint point and the turn.
Its 6 x 6 mass is M = [[A, B], [B', D]]. A joint lets the child differ from the carrier's motion X at that point by a
prescribed jump e and a free turn z:  y = X + e + (0, N z). Eliminating z leaves what the carrier feels,

    M' = M - M_w P M_w',   P = N (N' D N)^-1 N'        and        f' = f - M_w P f_w - M' e.

A ball joint has N = 1, so M' is a 3 x 3 block and nothing else; a hinge has one column. This is the elimination of the
joint's multipliers in the mass metric: the least change of momentum that closes every joint at once.
"""

from pliant.integrators.articulated.columns import (
    AP,
    BP,
    COUNT,
    DP,
    DUAL,
    FREE,
    HELD,
    HERE,
    INERTIA,
    KU,
    LEVER,
    LOAD,
    MASS,
    MOVE,
    OFFSET,
    PW,
    ROWS,
    SENT,
    STEM,
    UP,
    A,
    B,
    D,
    S,
)  # fmt: skip
from pliant.kernels.jit import inner
from pliant.kernels.vectors import (
    add,
    congruence,
    cross,
    dot,
    get3,
    get6,
    get9,
    mtv,
    mv,
    put3,
    put6,
    put9,
    scale,
    sinverse,
    sub,
    sv,
)  # fmt: skip


@inner
def load_masses(F, W, J, k, pose):
    """Own mass at the own joint, lever to the carrier's joint; `pose` is the column of the rotation matrices."""
    r = get9(W, k, pose)
    here = mv(r, get3(F, k, HERE))
    s = scale(-1.0, here)
    put3(W, k, S, s)
    put3(W, k, LEVER, mv(get9(W, J[k, UP], pose), get3(F, k, STEM)))
    m = F[k, MASS]
    d = congruence(r, get3(F, k, INERTIA))
    q = m * dot(s, s)
    put6(W, k, A, (m, 0.0, 0.0, m, 0.0, m))
    put9(W, k, B, (0.0, m * s[2], -m * s[1], -m * s[2], 0.0, m * s[0], m * s[1], -m * s[0], 0.0))
    put6(
        W, k, D,
        (
            d[0] + q - m * s[0] * s[0], d[1] - m * s[0] * s[1], d[2] - m * s[0] * s[2],
            d[3] + q - m * s[1] * s[1], d[4] - m * s[1] * s[2], d[5] + q - m * s[2] * s[2],
        ),
    )  # fmt: skip


@inner
def add_row_mass(W, k, d, lever, kappa):
    """A spring of stiffness kappa along d at `lever` from the joint adds kappa j j', j = (d, lever x d)."""
    g = cross(lever, d)
    kd, kg = scale(kappa, d), scale(kappa, g)
    a, b, e = get6(W, k, A), get9(W, k, B), get6(W, k, D)
    put6(
        W, k, A,
        (a[0] + kd[0] * d[0], a[1] + kd[0] * d[1], a[2] + kd[0] * d[2],
         a[3] + kd[1] * d[1], a[4] + kd[1] * d[2], a[5] + kd[2] * d[2]),
    )  # fmt: skip
    put9(
        W, k, B,
        (b[0] + kd[0] * g[0], b[1] + kd[0] * g[1], b[2] + kd[0] * g[2],
         b[3] + kd[1] * g[0], b[4] + kd[1] * g[1], b[5] + kd[1] * g[2],
         b[6] + kd[2] * g[0], b[7] + kd[2] * g[1], b[8] + kd[2] * g[2]),
    )  # fmt: skip
    put6(
        W, k, D,
        (e[0] + kg[0] * g[0], e[1] + kg[0] * g[1], e[2] + kg[0] * g[2],
         e[3] + kg[1] * g[1], e[4] + kg[1] * g[2], e[5] + kg[2] * g[2]),
    )  # fmt: skip


@inner
def _carry_point(W, a, ap, lever):
    """Add a mass `ap` that follows a point of the carrier `a`."""
    g0 = cross(lever, (ap[0], ap[1], ap[2]))
    g1 = cross(lever, (ap[1], ap[3], ap[4]))
    g2 = cross(lever, (ap[2], ap[4], ap[5]))
    for t in range(6):
        W[a, A + t] += ap[t]
    for t in range(3):
        W[a, B + t] += g0[t]
        W[a, B + 3 + t] += g1[t]
        W[a, B + 6 + t] += g2[t]
    c0 = cross(lever, (g0[0], g1[0], g2[0]))
    c1 = cross(lever, (g0[1], g1[1], g2[1]))
    c2 = cross(lever, (g0[2], g1[2], g2[2]))
    W[a, D] += c0[0]
    W[a, D + 1] += c1[0]
    W[a, D + 2] += c2[0]
    W[a, D + 3] += c1[1]
    W[a, D + 4] += c2[1]
    W[a, D + 5] += c2[2]


@inner
def _carry_turn(W, a, bp, dp, lever):
    """Add the parts of a mass that follow the carrier's turn."""
    for t in range(9):
        W[a, B + t] += bp[t]
    for t in range(6):
        W[a, D + t] += dp[t]
    # T' B' + B'' T with T v = v x lever: column j of T' B' is lever x column j
    h0 = cross(lever, (bp[0], bp[3], bp[6]))
    h1 = cross(lever, (bp[1], bp[4], bp[7]))
    h2 = cross(lever, (bp[2], bp[5], bp[8]))
    W[a, D] += 2.0 * h0[0]
    W[a, D + 1] += h1[0] + h0[1]
    W[a, D + 2] += h2[0] + h0[2]
    W[a, D + 3] += 2.0 * h1[1]
    W[a, D + 4] += h2[1] + h1[2]
    W[a, D + 5] += 2.0 * h2[2]


@inner
def _close_ball(W, k):
    """P = D^-1, A' = A - B D^-1 B'."""
    b, p = get9(W, k, B), sinverse(get6(W, k, D))
    k0 = sv(p, (b[0], b[1], b[2]))
    k1 = sv(p, (b[3], b[4], b[5]))
    k2 = sv(p, (b[6], b[7], b[8]))
    a = get6(W, k, A)
    put6(W, k, PW, p)
    put9(W, k, KU, (k0[0], k0[1], k0[2], k1[0], k1[1], k1[2], k2[0], k2[1], k2[2]))
    ap = (
        a[0] - dot(k0, (b[0], b[1], b[2])), a[1] - dot(k0, (b[3], b[4], b[5])), a[2] - dot(k0, (b[6], b[7], b[8])),
        a[3] - dot(k1, (b[3], b[4], b[5])), a[4] - dot(k1, (b[6], b[7], b[8])), a[5] - dot(k2, (b[6], b[7], b[8])),
    )  # fmt: skip
    put6(W, k, AP, ap)
    return ap


@inner
def _freedom(W, k, count):
    """P of a joint with `count` angular rows."""
    d, g = get6(W, k, D), get3(W, k, ROWS)
    if count == 1:
        p = sinverse(d)
        c = sv(p, g)
        r = 1.0 / dot(g, c)
        return (
            p[0] - r * c[0] * c[0], p[1] - r * c[0] * c[1], p[2] - r * c[0] * c[2],
            p[3] - r * c[1] * c[1], p[4] - r * c[1] * c[2], p[5] - r * c[2] * c[2],
        )  # fmt: skip
    if count == 2:
        n = cross(g, get3(W, k, ROWS + 3))
        r = 1.0 / dot(n, sv(d, n))
        return (r * n[0] * n[0], r * n[0] * n[1], r * n[0] * n[2], r * n[1] * n[1], r * n[1] * n[2], r * n[2] * n[2])
    return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inner
def _close_rows(W, k, count):
    """M' = M - M_w P M_w' with the rows' P; returns its three blocks."""
    p, a, b, d = _freedom(W, k, count), get6(W, k, A), get9(W, k, B), get6(W, k, D)
    b0, b1, b2 = (b[0], b[1], b[2]), (b[3], b[4], b[5]), (b[6], b[7], b[8])
    d0, d1, d2 = (d[0], d[1], d[2]), (d[1], d[3], d[4]), (d[2], d[4], d[5])
    k0, k1, k2 = sv(p, b0), sv(p, b1), sv(p, b2)
    w0, w1, w2 = sv(p, d0), sv(p, d1), sv(p, d2)
    ap = (
        a[0] - dot(k0, b0), a[1] - dot(k0, b1), a[2] - dot(k0, b2),
        a[3] - dot(k1, b1), a[4] - dot(k1, b2), a[5] - dot(k2, b2),
    )  # fmt: skip
    bp = (
        b[0] - dot(k0, d0), b[1] - dot(k0, d1), b[2] - dot(k0, d2),
        b[3] - dot(k1, d0), b[4] - dot(k1, d1), b[5] - dot(k1, d2),
        b[6] - dot(k2, d0), b[7] - dot(k2, d1), b[8] - dot(k2, d2),
    )  # fmt: skip
    dp = (
        d[0] - dot(w0, d0), d[1] - dot(w0, d1), d[2] - dot(w0, d2),
        d[3] - dot(w1, d1), d[4] - dot(w1, d2), d[5] - dot(w2, d2),
    )  # fmt: skip
    put6(W, k, PW, p)
    put6(W, k, AP, ap)
    put9(W, k, BP, bp)
    put6(W, k, DP, dp)
    return ap, bp, dp


@inner
def factor(W, J, low, high):
    """Leaves to root; the root itself is a ball joint that nothing carries."""
    for s in range(high - low):
        k = high - 1 - s
        if J[k, HELD]:
            continue
        a, count = J[k, UP], J[k, COUNT]
        lever = get3(W, k, LEVER)
        if count == 0:
            ap = _close_ball(W, k)
            if k != low and not J[a, HELD]:
                _carry_point(W, a, ap, lever)
        else:
            ap, bp, dp = _close_rows(W, k, count)
            if k != low and not J[a, HELD]:
                _carry_point(W, a, ap, lever)
                _carry_turn(W, a, bp, dp, lever)


@inner
def dual_rows(W, J, k):
    """The dual basis of the angular rows, so that a jump and a multiplier can be read off."""
    count = J[k, COUNT]
    g0 = get3(W, k, ROWS)
    if count == 1:
        put3(W, k, DUAL, scale(1.0 / dot(g0, g0), g0))
    else:
        g1 = get3(W, k, ROWS + 3)
        n = cross(g0, g1)
        if count == 2:
            r = 1.0 / dot(n, n)
            put3(W, k, DUAL, scale(r, cross(g1, n)))
            put3(W, k, DUAL + 3, scale(r, cross(n, g0)))
        else:
            g2 = get3(W, k, ROWS + 6)
            r = 1.0 / dot(n, g2)
            put3(W, k, DUAL, scale(r, cross(g1, g2)))
            put3(W, k, DUAL + 3, scale(r, cross(g2, g0)))
            put3(W, k, DUAL + 6, scale(r, n))


@inner
def _send(W, k, count):
    """The load that the carrier feels, at this joint."""
    fu, fw = get3(W, k, LOAD), get3(W, k, LOAD + 3)
    free = sv(get6(W, k, PW), fw)
    put3(W, k, FREE, free)
    eu = get3(W, k, OFFSET)
    gu, gw = fu, (0.0, 0.0, 0.0)
    if count == 0:
        gu = sub(sub(fu, mv(get9(W, k, KU), fw)), sv(get6(W, k, AP), eu))
    else:
        ew = get3(W, k, OFFSET + 3)
        bp = get9(W, k, BP)
        gu = sub(sub(fu, mv(get9(W, k, B), free)), add(sv(get6(W, k, AP), eu), mv(bp, ew)))
        gw = sub(sub(fw, sv(get6(W, k, D), free)), add(mtv(bp, eu), sv(get6(W, k, DP), ew)))
        put3(W, k, SENT, gu)
        put3(W, k, SENT + 3, gw)
    return gu, gw


@inner
def _follow(W, k, count, xu, xw):
    """Displacement of segment k when its carrier moves by (xu, xw) at the joint."""
    u = add(xu, get3(W, k, OFFSET))
    put3(W, k, MOVE, u)
    if count == 0:
        put3(W, k, MOVE + 3, sub(get3(W, k, FREE), mtv(get9(W, k, KU), u)))
    else:
        w = add(xw, get3(W, k, OFFSET + 3))
        torque = add(mtv(get9(W, k, B), u), sv(get6(W, k, D), w))
        put3(W, k, MOVE + 3, add(w, sub(get3(W, k, FREE), sv(get6(W, k, PW), torque))))


@inner
def solve(W, J, low, high):
    """Displacements MOVE from LOAD and OFFSET, by the factor that stands in W."""
    for s in range(high - low - 1):
        k = high - 1 - s
        if J[k, HELD]:
            continue
        gu, gw = _send(W, k, J[k, COUNT])
        a = J[k, UP]
        put3(W, a, LOAD, add(get3(W, a, LOAD), gu))
        put3(W, a, LOAD + 3, add(get3(W, a, LOAD + 3), add(gw, cross(get3(W, k, LEVER), gu))))
    zero = (0.0, 0.0, 0.0)
    if J[low, HELD]:
        put3(W, low, MOVE, zero)
        put3(W, low, MOVE + 3, zero)
    else:
        fw = get3(W, low, LOAD + 3)
        ku = get9(W, low, KU)
        u = sv(sinverse(get6(W, low, AP)), sub(get3(W, low, LOAD), mv(ku, fw)))
        put3(W, low, MOVE, u)
        put3(W, low, MOVE + 3, sub(sv(get6(W, low, PW), fw), mtv(ku, u)))
    for k in range(low + 1, high):
        if J[k, HELD]:
            put3(W, k, MOVE, zero)
            put3(W, k, MOVE + 3, zero)
            continue
        a = J[k, UP]
        xw = get3(W, a, MOVE + 3)
        _follow(W, k, J[k, COUNT], add(get3(W, a, MOVE), cross(xw, get3(W, k, LEVER))), xw)


@inner
def multiplier_torque(W, J, k):
    """Torque on segment k by its angular rows, from the last solve (in units of turn: divide by h for an impulse)."""
    a = J[k, UP]
    xw = get3(W, a, MOVE + 3)
    xu = add(get3(W, a, MOVE), cross(xw, get3(W, k, LEVER)))
    felt = add(mtv(get9(W, k, BP), xu), sv(get6(W, k, DP), xw))
    return sub(felt, get3(W, k, SENT + 3))
