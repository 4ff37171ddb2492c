"""What acts on a tree from outside within its own solve: hands, strings, floors and walls.

A support is one row: a point of a segment, a direction d, and the value that d . p shall have at the end of the
substep. It adds kappa j j' to the segment's mass matrix, j = (d, lever x d), so hands and floors are solved together
with the joints. Its push is counted in kg m (an impulse times h):

    hand      both ways, an implicit spring kappa = k h^2, at most `cap`
    string    one way: it pulls when the distance would exceed its length
    contact   one way, nearly rigid; the target lets a point that began too deep rise at `RISE`, so nothing is shot out
    friction  two rows across a contact, kappa = min(rigid, mu push / slip): Coulomb's law, lagged by one pass
"""

import math
from typing import NamedTuple

from pliant.arrays import Array
from pliant.integrators.articulated.bodies import GOING, NEAR, NORMAL, PLACE, SPAN
from pliant.integrators.articulated.bodies import MU as PLANE_MU
from pliant.integrators.articulated.columns import (
    CARRIER,
    HELD,
    HERE,
    IMASS,
    LOAD,
    MOVE,
    R0,
    ROW,
    SPIN,
    UP,
    X0,
    P,
    R,
    S,
    X,
)  # fmt: skip
from pliant.integrators.articulated.tree import add_row_mass
from pliant.kernels.jit import inner
from pliant.kernels.shapes import Shapes, signed_distance
from pliant.kernels.vectors import (
    add,
    along,
    cross,
    dot,
    get3,
    get4,
    get9,
    mtv,
    mv,
    norm,
    put3,
    scale,
    sub,
)  # fmt: skip


class Tree(NamedTuple):
    """The tables that every pass over a tree needs: few, because a call copies all their headers."""

    F: Array  # constant numbers
    W: Array  # changing numbers
    J: Array  # integers
    G: Array  # numbers of the supports
    K: Array  # integers of the supports
    L: Array  # joints that close loops
    M: Array  # (l, 2) their slots
    N: Array  # (3 l, 3 LARGEST) how they give


CAPACITY = 240  # rows per tree; further contacts of one substep are left out
RIGID = 50.0  # times the tree's mass: stiffness of a contact
RISE = 0.5  # [m/s] at which a point that is too deep comes out
RESTING = 1e-6  # [m] a point so near at the start of a substep is taken to rest there
HELD_CAP = 10.0 * 9.81  # [N/kg] with which a further held segment pulls: several that cannot all be reached give

# columns of a support's numbers
DIRECTION, POINT, ARM, GOAL, KAPPA, PUSH, ERROR, CAP, MU = 0, 3, 6, 9, 10, 11, 12, 13, 14
NUMBERS = 15
# and of its integers
SLOT, SORT, ON, FIRST, CHANGED = 0, 1, 2, 3, 4
INTEGERS = 5
# SORT
HAND, ONE_WAY, FRICTION = 0, 1, 2
# ON
OFF, ACTING, FULL = 0, 1, 2

# columns of a pull, which the stepper keeps
PULL_AT, PULL_FROM, PULL_TO, PULL_STIFFNESS, PULL_CAP, PULL_LENGTH = 0, 3, 6, 9, 10, 11
PULL_NUMBERS = 12


@inner
def _append(G, K, count, slot, sort):
    """A fresh row; -1 when the table is full."""
    if count[0] >= CAPACITY:
        return -1
    r = count[0]
    count[0] += 1
    K[r, SLOT], K[r, SORT], K[r, ON], K[r, FIRST], K[r, CHANGED] = slot, sort, OFF, -1, 0
    for c in range(NUMBERS):
        G[r, c] = 0.0
    return r


@inner
def _aim(G, r, at, direction, goal, kappa):
    put3(G, r, POINT, at)
    put3(G, r, DIRECTION, direction)
    G[r, GOAL] = goal
    G[r, KAPPA] = kappa


@inner
def _hold_point(b, count, slot, at, goal, kappa, cap):
    """Three rows that pull a point to a place."""
    G, K = b.G, b.K
    for t in range(3):
        r = _append(G, K, count, slot, HAND)
        if r < 0:
            return
        d = (1.0 if t == 0 else 0.0, 1.0 if t == 1 else 0.0, 1.0 if t == 2 else 0.0)
        _aim(G, r, at, d, goal[t], kappa)
        G[r, CAP] = cap
        K[r, ON] = ACTING


@inner
def gather_pulls(plan, b, count, tree, h, part):
    """Hands and strings at a `part` (0..1) of the step, and joints to further held segments."""
    F, W, J = b.F, b.W, b.J
    for k in range(1, len(F)):
        a = J[k, UP]
        if J[k, HELD] and not J[a, HELD]:
            goal = add(get3(W, k, X), mv(get9(W, k, R), get3(F, k, HERE)))
            kappa = 4000.0 * plan.tree_mass[tree] * h * h
            _hold_point(b, count, a, get3(F, k, CARRIER), goal, kappa, HELD_CAP * plan.tree_mass[tree] * h * h)
    for n in range(plan.pull_start[tree], plan.pull_start[tree + 1]):
        slot = plan.pull_slot[n]
        if J[slot, HELD]:
            continue
        pull = plan.pulls
        at = get3(pull, n, PULL_AT)
        begin = get3(pull, n, PULL_FROM)
        goal = along(begin, part, sub(get3(pull, n, PULL_TO), begin))
        if pull[n, PULL_LENGTH] > 0.0:
            _string(b, count, slot, at, goal, pull[n, PULL_LENGTH], plan.tree_mass[tree])
        else:
            kappa = pull[n, PULL_STIFFNESS] * h * h
            _hold_point(b, count, slot, at, goal, kappa, pull[n, PULL_CAP] * h * h)


@inner
def _string(b, count, slot, at, hook, length, mass):
    W = b.W
    p = add(get3(W, slot, X0), mv(get9(W, slot, R0), at))
    d = sub(hook, p)
    distance = norm(d)
    if distance < 0.5 * length:
        return
    r = _append(b.G, b.K, count, slot, ONE_WAY)
    if r >= 0:
        d = scale(1.0 / distance, d)
        _aim(b.G, r, at, d, dot(d, hook) - length, RIGID * mass)


@inner
def _add_contact(b, count, slot, ball, normal, reach, rise, kappa, mu, drift):
    """Normal row and two friction rows; `reach` [m]: distance of the ball now (negative: inside); `drift`
    [m]: how far the obstacle goes in the substep."""
    G, K, W = b.G, b.K, b.W
    if count[0] + 3 > CAPACITY:
        return
    local, radius = (ball[0], ball[1], ball[2]), ball[3]
    r = _append(G, K, count, slot, ONE_WAY)
    r0 = get9(W, slot, R0)
    centre = add(get3(W, slot, X0), mv(r0, local))
    allowed = min(0.0, reach + rise)
    if reach < RESTING:
        K[r, ON] = ACTING
    _aim(G, r, local, normal, dot(normal, centre) - reach + allowed + dot(normal, drift), kappa)
    if mu <= 0.0:
        return
    surface = along(centre, -radius, normal)
    at = mtv(r0, sub(surface, get3(W, slot, X0)))
    first = (0.0, -normal[2], normal[1]) if abs(normal[0]) < 0.7 else (normal[2], 0.0, -normal[0])
    first = scale(1.0 / norm(first), first)
    for t in range(2):
        f = _append(G, K, count, slot, FRICTION)
        d = first if t == 0 else cross(normal, first)
        _aim(G, f, at, d, dot(d, surface) + dot(d, drift), kappa)
        G[f, MU] = mu
        K[f, FIRST] = r


@inner
def _distance(shapes, n, p):
    """Distance and outward normal of a point from one obstacle."""
    distance, x, y, z = signed_distance(shapes, n, p[0], p[1], p[2])
    return distance, (x, y, z)


@inner
def gather_contacts(plan, b, count, tree, h):
    """Contacts that may happen in this substep: every point nearer to an obstacle than it can move."""
    F, W, J = b.F, b.W, b.J
    kappa = RIGID * plan.tree_mass[tree]
    shapes = Shapes(plan.shape_kind, plan.shape_center, plan.shape_axes, plan.shape_size, plan.shape_rounding)
    for k in range(len(F)):
        if J[k, HELD]:
            continue
        i = J[k, ROW]
        centre, r0 = get3(W, k, X0), get9(W, k, R0)
        size = plan.segment_size[i]
        travel = h * (F[k, IMASS] * norm(get3(W, k, P)) + size * norm(get3(W, k, SPIN))) * 1.5 + 1e-3
        for n in range(len(plan.obstacle_friction)):
            near, normal = _distance(shapes, n, centre)
            if near > size + travel:
                continue
            for c in range(plan.point_start[i], plan.point_start[i + 1]):
                ball = get4(plan.contact_points, c, 0)
                reach, normal = _distance(shapes, n, add(centre, mv(r0, (ball[0], ball[1], ball[2]))))
                reach -= ball[3]
                if reach < travel:
                    friction = plan.obstacle_friction[n]
                    _add_contact(b, count, k, ball, normal, reach, RISE * h, kappa, friction, (0.0, 0.0, 0.0))


@inner
def gather_bodies(plan, b, count, tree, h, part):
    """The same for meshes, by the planes that stand for them; the substep ends at a `part` (0..1) of the call."""
    F, W, J = b.F, b.W, b.J
    kappa, plane = RIGID * plan.tree_mass[tree], plan.ball_plane
    for k in range(len(F)):
        if J[k, HELD]:
            continue
        i = J[k, ROW]
        centre, r0 = get3(W, k, X0), get9(W, k, R0)
        speed = F[k, IMASS] * norm(get3(W, k, P)) + plan.segment_size[i] * norm(get3(W, k, SPIN))
        for c in range(plan.ball_start[i], plan.ball_start[i + 1]):
            if plane[c, NEAR] == math.inf:
                continue
            ball, normal, going = get4(plan.ball_at, c, 0), get3(plane, c, NORMAL), get3(plane, c, GOING)
            now = along(get3(plane, c, PLACE), part * plane[c, SPAN] - h, going)
            reach = dot(normal, sub(add(centre, mv(r0, (ball[0], ball[1], ball[2]))), now)) - ball[3]
            if reach < 1.5 * h * (speed + norm(going)) + 1e-3:
                drift = scale(h, going)
                _add_contact(b, count, k, ball, normal, reach, RISE * h, kappa, plane[c, PLANE_MU], drift)


@inner
def place_arms(b, first, last, rotation):
    """Levers of all rows from their segments' joints."""
    G, K, W = b.G, b.K, b.W
    for r in range(first, last):
        k = K[r, SLOT]
        put3(G, r, ARM, add(get3(W, k, S), mv(get9(W, k, rotation), get3(G, r, POINT))))


@inner
def add_support_masses(b, first, last):
    G, K = b.G, b.K
    for r in range(first, last):
        if K[r, ON] == ACTING:
            add_row_mass(b.W, K[r, SLOT], get3(G, r, DIRECTION), get3(G, r, ARM), G[r, KAPPA])


@inner
def add_support_loads(b, first, last):
    G, K, W = b.G, b.K, b.W
    for r in range(first, last):
        if K[r, ON] == ACTING:
            k = K[r, SLOT]
            f = scale(-G[r, KAPPA] * G[r, ERROR] - G[r, PUSH], get3(G, r, DIRECTION))
            put3(W, k, LOAD, add(get3(W, k, LOAD), f))
            put3(W, k, LOAD + 3, add(get3(W, k, LOAD + 3), cross(get3(G, r, ARM), f)))


@inner
def count_support_pushes(b, first, last):
    """What each row has pushed, from the displacement just solved for."""
    G, K, W = b.G, b.K, b.W
    for r in range(first, last):
        if K[r, ON] == ACTING:
            k = K[r, SLOT]
            moved = add(get3(W, k, MOVE), cross(get3(W, k, MOVE + 3), get3(G, r, ARM)))
            G[r, PUSH] = -G[r, KAPPA] * (G[r, ERROR] + dot(get3(G, r, DIRECTION), moved))


@inner
def measure_supports(b, first, last):
    """Errors of all rows at the present pose; returns the largest that acts [m]."""
    G, K, W = b.G, b.K, b.W
    worst = 0.0
    for r in range(first, last):
        k = K[r, SLOT]
        p = add(get3(W, k, X), mv(get9(W, k, R), get3(G, r, POINT)))
        G[r, ERROR] = dot(get3(G, r, DIRECTION), p) - G[r, GOAL]
        if K[r, ON] == ACTING:
            worst = max(worst, abs(G[r, ERROR] + G[r, PUSH] / G[r, KAPPA]))
    return worst
