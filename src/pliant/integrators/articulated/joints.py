"""What a joint forbids: the gap between its two points, the turn of a hinge, and the swing and twist limits.

The child's turn relative to the parent's neutral frame is q = q_swing q_twist about the joint's axis e. With w the real
part of q and d = e . q the cosine of half the swing is sqrt(w^2 + d^2) and the twist is 2 atan2(d, w): two scalar
products tell whether a joint is inside its limits. Directions of turn: across the axis for a hinge,
(ea x eb) / |ea x eb| for the swing and (ea + eb) / (1 + ea . eb) for the twist.

Limits are one-sided: a row comes in when the joint is found outside, and leaves when it would have to pull.
"""

import math

from pliant.integrators.articulated.columns import (
    AXIS_A,
    AXIS_B,
    CARRIER,
    CHILD,
    COSINE2,
    COUNT,
    DUAL,
    HALF_HIGH,
    HALF_LOW,
    HALF_SWING,
    HELD,
    HERE,
    HINGE,
    HIT,
    IMASS,
    KIND,
    LAMBDA,
    NEUTRAL,
    NEUTRAL_E,
    OFFSET,
    PARENT,
    PUSHED,
    R0,
    RELEASES,
    ROW_HIGH,
    ROW_KIND,
    ROW_LOCK,
    ROW_LOW,
    ROW_SIDE_1,
    ROW_SIDE_2,
    ROW_SWING,
    ROWS,
    SIDE_1,
    SIDE_2,
    SPIN,
    SWING,
    SWING_LIMIT,
    TANGENT_HIGH,
    TANGENT_LOW,
    TWIST_LIMIT,
    TWIST_LOCKED,
    UP,
    X0,
    P,
    Q,
    R,
    S,
    X,
)  # fmt: skip
from pliant.integrators.articulated.motion import twist_momentum
from pliant.integrators.articulated.tree import dual_rows, multiplier_torque
from pliant.kernels.jit import inner
from pliant.kernels.vectors import (
    add,
    along,
    cross,
    dot,
    dot4,
    get3,
    get4,
    get9,
    mv,
    norm,
    put3,
    qinv,
    qmul,
    scale,
    sub,
)  # fmt: skip

ANGLE_WEIGHT = 0.05  # [m/rad] a turn counts as much as this length; the lever of a hand
RELEASE_LIMIT = 3  # a limit that has let go so often in one substep stays open
SLACK = 1e-9  # [rad] outside by less is inside
LEANING = 1e-5  # [rad] a joint so near to a limit at the start of a substep is taken to lean on it


@inner
def half_turn(F, W, J, k):
    """(w, d) of the joint's relative turn, w >= 0."""
    q = qmul(qinv(get4(W, J[k, PARENT], Q)), get4(W, J[k, CHILD], Q))
    w, d = dot4(q, get4(F, k, NEUTRAL)), dot4(q, get4(F, k, NEUTRAL_E))
    sign = -1.0 if w < 0.0 else 1.0
    return sign * w, sign * d


@inner
def swing_angle(w, d):
    c = w * w + d * d
    return 2.0 * math.atan2(math.sqrt(max(1.0 - c, 0.0)), math.sqrt(c))


@inner
def _sign(J, k):
    """+1 where the tree is walked from the joint's parent to its child."""
    return 1.0 if J[k, PARENT] == J[k, UP] else -1.0


@inner
def _axes(F, W, J, k, rotation):
    ea = mv(get9(W, J[k, PARENT], rotation), get3(F, k, AXIS_A))
    eb = mv(get9(W, J[k, CHILD], rotation), get3(F, k, AXIS_B))
    return ea, eb


@inner
def _set_row(J, W, k, kind, direction):
    """Append an angular row, seen from the traversal's child."""
    c = J[k, COUNT]
    J[k, ROW_KIND + c] = kind
    put3(W, k, ROWS + 3 * c, scale(_sign(J, k), direction))
    J[k, COUNT] = c + 1


@inner
def _twist_direction(ea, eb):
    return scale(1.0 / max(1.0 + dot(ea, eb), 0.05), add(ea, eb))


@inner
def lasting_rows(F, W, J, k, rotation):
    """Rows that never leave: a hinge's two and a locked twist."""
    J[k, COUNT] = 0
    kind = J[k, KIND]
    if kind & HINGE:
        parent = get9(W, J[k, PARENT], rotation)
        _set_row(J, W, k, ROW_SIDE_1, mv(parent, get3(F, k, SIDE_1)))
        _set_row(J, W, k, ROW_SIDE_2, mv(parent, get3(F, k, SIDE_2)))
    if kind & TWIST_LOCKED:
        ea, eb = _axes(F, W, J, k, rotation)
        _set_row(J, W, k, ROW_LOCK, _twist_direction(ea, eb))
    if J[k, COUNT] > 0:
        dual_rows(W, J, k)


@inner
def limit_rows(F, W, J, k, rotation):
    """Rows of the limits that were hit."""
    swung, twisted = J[k, HIT] != 0, J[k, HIT + 1] != 0
    if swung or twisted:
        ea, eb = _axes(F, W, J, k, rotation)
        c = cross(ea, eb)
        n = norm(c)
        if swung and n > 1e-9:
            _set_row(J, W, k, ROW_SWING, scale(1.0 / n, c))
        if twisted:
            _set_row(J, W, k, ROW_HIGH if J[k, HIT + 1] == 1 else ROW_LOW, _twist_direction(ea, eb))
        dual_rows(W, J, k)


@inner
def start_joint(F, W, J, k, h):
    """First guess of the jump across a joint: gap and drift at the start, to second order in h."""
    a = J[k, UP]
    here = scale(-1.0, get3(W, k, S))
    arm = mv(get9(W, a, R0), get3(F, k, CARRIER))
    wa, wb = get3(W, a, SPIN), get3(W, k, SPIN)
    va, vb = cross(wa, arm), cross(wb, here)
    gap = sub(add(get3(W, k, X0), here), add(get3(W, a, X0), arm))
    drift = sub(along(vb, F[k, IMASS], get3(W, k, P)), along(va, F[a, IMASS], get3(W, a, P)))
    bend = sub(cross(wb, vb), cross(wa, va))
    put3(W, k, OFFSET, scale(-1.0, along(along(gap, h, drift), 0.5 * h * h, bend)))
    count = J[k, COUNT]
    if count > 0:
        e = (0.0, 0.0, 0.0)
        spin = sub(wb, wa)
        w, d = half_turn(F, W, J, k)
        for t in range(count):
            c = row_error(F, W, J, k, J[k, ROW_KIND + t], R0, w, d) + h * dot(spin, get3(W, k, ROWS + 3 * t))
            e = along(e, -c, get3(W, k, DUAL + 3 * t))
        put3(W, k, OFFSET + 3, e)


@inner
def twice_angle(s, c):
    """2 atan(s / c), without the library's function where it is small; c > 0 there."""
    t = s / c
    if -0.05 < t < 0.05:
        u = t * t
        return 2.0 * t * (1.0 - u * (1.0 / 3.0 - u * (0.2 - u / 7.0)))
    return 2.0 * math.atan2(s, c)


@inner
def row_error(F, W, J, k, kind, rotation, w, d):
    """Angle [rad] by which an angular row is not held; (w, d) is the joint's half turn."""
    # one way out: a second one makes the compiler count references to the tables, which costs more than the angle
    error = 0.0
    if kind <= ROW_SIDE_2:
        eb = mv(get9(W, J[k, CHILD], rotation), get3(F, k, AXIS_B))
        other = SIDE_2 if kind == ROW_SIDE_1 else SIDE_1
        error = dot(eb, mv(get9(W, J[k, PARENT], rotation), get3(F, k, other)))
        if kind == ROW_SIDE_1:
            error = -error
    else:
        at = HALF_LOW if kind == ROW_LOW else HALF_HIGH
        if kind == ROW_SWING:
            square = w * w + d * d
            w, d = math.sqrt(square), math.sqrt(max(1.0 - square, 0.0))
            at = HALF_SWING
        # the angle beyond the limit by the difference of two tangents
        s, c = F[k, at], F[k, at + 1]
        error = twice_angle(d * c - w * s, w * c + d * s)
    return error


@inner
def gap_of(F, W, J, k):
    """Gap [m] between the two points of a joint."""
    a = J[k, UP]
    mine = add(get3(W, k, X), mv(get9(W, k, R), get3(F, k, HERE)))
    return sub(mine, add(get3(W, a, X), mv(get9(W, a, R), get3(F, k, CARRIER))))


@inner
def measure_joint(F, W, J, k):
    """Set the jump that closes a joint; returns the largest error [m]."""
    gap = gap_of(F, W, J, k)
    put3(W, k, OFFSET, scale(-1.0, gap))
    worst = max(abs(gap[0]), abs(gap[1]), abs(gap[2]))
    count = J[k, COUNT]
    if count > 0:
        e = (0.0, 0.0, 0.0)
        w, d = half_turn(F, W, J, k)
        for t in range(count):
            c = row_error(F, W, J, k, J[k, ROW_KIND + t], R, w, d)
            worst = max(worst, ANGLE_WEIGHT * abs(c))
            e = along(e, -c, get3(W, k, DUAL + 3 * t))
        put3(W, k, OFFSET + 3, e)
    return worst


@inner
def test_limits(F, W, J, k, slack):
    """Whether a joint is found outside a limit by more than `slack` and not yet held; marks it as hit."""
    kind = J[k, KIND]
    w, d = half_turn(F, W, J, k)
    found = False
    may_swing = kind & SWING_LIMIT and J[k, HIT] == 0 and J[k, RELEASES] < RELEASE_LIMIT
    if may_swing and w * w + d * d < F[k, COSINE2] + 1e-4 and swing_angle(w, d) > F[k, SWING] + slack:
        J[k, HIT] = 1
        found = True
    if kind & TWIST_LIMIT and J[k, HIT + 1] == 0 and J[k, RELEASES + 1] < RELEASE_LIMIT:
        if d > w * F[k, TANGENT_HIGH] + slack:
            J[k, HIT + 1] = 1
            found = True
        elif d < w * F[k, TANGENT_LOW] - slack:
            J[k, HIT + 1] = 2
            found = True
    return found


@inner
def count_pushes(W, J, k, h):
    """Add to the record what the limit rows of a joint have pushed in the last solve."""
    if J[k, HIT] != 0 or J[k, HIT + 1] != 0:
        torque = multiplier_torque(W, J, k)
        for t in range(J[k, COUNT]):
            kind = J[k, ROW_KIND + t]
            if kind >= ROW_SWING:
                g = 0 if kind == ROW_SWING else 1
                push = dot(get3(W, k, DUAL + 3 * t), torque) / h
                W[k, LAMBDA + g] += push
                at = PUSHED + 3 * g
                put3(W, k, at, along(get3(W, k, at), push, get3(W, k, ROWS + 3 * t)))


@inner
def release(W, J, k):
    """Let go of limits that pull, and take back what they did; returns whether any was."""
    let_go = False
    for g in range(2):
        hit = J[k, HIT + g]
        if hit == 0:
            continue
        push = -W[k, LAMBDA + g] if (g == 1 and hit == 2) else W[k, LAMBDA + g]
        if push > 0.0:
            v = get3(W, k, PUSHED + 3 * g)
            if not J[k, HELD]:
                twist_momentum(W, k, scale(-1.0, v))
            if not J[J[k, UP], HELD]:
                twist_momentum(W, J[k, UP], v)
            forget(W, J, k, g)
            J[k, RELEASES + g] += 1
            let_go = True
    return let_go


@inner
def forget(W, J, k, g):
    """Clear the record of one limit."""
    J[k, HIT + g] = 0
    W[k, LAMBDA + g] = 0.0
    put3(W, k, PUSHED + 3 * g, (0.0, 0.0, 0.0))
