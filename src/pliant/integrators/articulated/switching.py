"""Which supports act: contacts and strings come and go, friction sticks or slides, hands yield.

While the joint solver runs, a row that was overrun comes in and a row that would have to pull leaves, its push taken
back. Where pushes are so large that taking one back would throw its segment away (the many points of one foot, nearly
rigid, push and pull against each other), the substep is solved anew from the free motion with the rows that are left.
"""

import math

from pliant.integrators.articulated.columns import LAMBDA, LB, MASS, MOVE, PUSHED, R0, P, S
from pliant.integrators.articulated.motion import fly_free
from pliant.integrators.articulated.supports import (
    ACTING,
    ARM,
    CAP,
    CHANGED,
    DIRECTION,
    ERROR,
    FIRST,
    FRICTION,
    FULL,
    HAND,
    KAPPA,
    MU,
    OFF,
    ON,
    ONE_WAY,
    PUSH,
    SLOT,
    SORT,
)  # fmt: skip
from pliant.kernels.jit import inner
from pliant.kernels.vectors import add, cross, dot, get3, get9, mtv, put3, put6, scale, sub

JOLT = 2e-3  # [m] by which taking back a push may move a segment
CHANGES = 3  # a row that has come and gone so often in one substep stays as it is
FRICTION_PASSES = 10  # friction is adjusted in so many passes
TOUCHING = 1e-7  # [m] deeper counts as touching


@inner
def _take_back(b, r, amount, h):
    """Undo a part of a row's push."""
    G, K, W = b.G, b.K, b.W
    k = K[r, SLOT]
    f = scale(-amount / h, get3(G, r, DIRECTION))
    put3(W, k, P, add(get3(W, k, P), f))
    arm = sub(get3(G, r, ARM), get3(W, k, S))
    put3(W, k, LB, add(get3(W, k, LB), mtv(get9(W, k, R0), cross(arm, f))))
    G[r, PUSH] -= amount


@inner
def _switch_one_way(b, r, h):
    """A one-way row comes in when it is overrun and leaves when it would pull."""
    G, K = b.G, b.K
    if K[r, ON] == OFF:
        if G[r, ERROR] < -TOUCHING and K[r, CHANGED] <= CHANGES:
            K[r, ON] = ACTING
            K[r, CHANGED] += 1
            return True
    elif G[r, PUSH] < 0.0:
        _take_back(b, r, G[r, PUSH], h)
        K[r, ON] = OFF
        return True
    return False


@inner
def _switch_friction(b, r, h, turn):
    """Stick while the contact pushes hard enough, else slide."""
    G, K = b.G, b.K
    normal = K[r, FIRST]
    push = G[normal, PUSH] if K[normal, ON] == ACTING else 0.0
    if push <= 0.0:
        if K[r, ON] != OFF:
            _take_back(b, r, G[r, PUSH], h)
            K[r, ON] = OFF
            return True
        return False
    if turn > FRICTION_PASSES:
        return False
    other = r + 1 if r == normal + 1 else r - 1
    slip = math.sqrt(G[r, ERROR] ** 2 + G[other, ERROR] ** 2)
    kappa = min(G[normal, KAPPA], G[r, MU] * push / max(slip, 1e-12))
    if K[r, ON] == OFF or abs(kappa - G[r, KAPPA]) > 0.02 * G[r, KAPPA]:
        G[r, KAPPA] = kappa
        K[r, ON] = ACTING
        return True
    return False


@inner
def _jolts(b, first, last):
    """Whether a row that would have to pull pulls so hard that taking it back would throw its segment away.

    The many points of one foot do that: nearly rigid rows that push and pull against each other.
    """
    G, K = b.G, b.K
    found = False
    for r in range(first, last):
        if K[r, SORT] == ONE_WAY and K[r, ON] == ACTING and -G[r, PUSH] > JOLT * b.F[K[r, SLOT], MASS]:
            found = True
    return found


@inner
def _begin_anew(b, first, last, h):
    """Let go of rows that pull and solve from the free motion again, with those that are left."""
    G, K, W, J = b.G, b.K, b.W, b.J
    for r in range(first, last):
        if K[r, SORT] != HAND and K[r, ON] == ACTING and (K[r, SORT] == FRICTION or G[r, PUSH] < 0.0):
            K[r, ON] = OFF
        G[r, PUSH] = 0.0
    for k in range(len(b.F)):
        W[k, LAMBDA] = W[k, LAMBDA + 1] = 0.0
        put6(W, k, PUSHED, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    fly_free(b.F, W, J, 0, len(b.F), h)


@inner
def switch_supports(b, first, last, h, turn):
    """Let rows come and go; returns whether the masses changed."""
    G, K = b.G, b.K
    changed = False
    if _jolts(b, first, last):
        _begin_anew(b, first, last, h)
        return True
    for r in range(first, last):
        sort = K[r, SORT]
        if sort == ONE_WAY:
            changed = _switch_one_way(b, r, h) or changed
        elif sort == FRICTION:
            changed = _switch_friction(b, r, h, turn) or changed
        elif K[r, ON] == ACTING and abs(G[r, PUSH]) > G[r, CAP]:
            _take_back(b, r, G[r, PUSH] - math.copysign(G[r, CAP], G[r, PUSH]), h)
            K[r, ON] = FULL
            changed = True
    return changed


@inner
def restart_supports(b, first, last):
    """For the cautious solver, which starts from the free motion and knows no impulses yet."""
    G, K = b.G, b.K
    for r in range(first, last):
        G[r, PUSH] = 0.0
        K[r, ON] = ACTING if K[r, SORT] == HAND else OFF


@inner
def settle_supports(b, first, last):
    """The cautious solver's switches: a hand yields beyond its cap, a one-way row acts while overrun or pushing."""
    G, K = b.G, b.K
    for r in range(first, last):
        sort = K[r, SORT]
        if sort == HAND:
            G[r, KAPPA] = min(G[r, KAPPA], G[r, CAP] / max(abs(G[r, ERROR]), 1e-12))
        elif sort == ONE_WAY:
            K[r, ON] = ACTING if G[r, ERROR] < 0.0 or G[r, PUSH] > 0.0 else OFF
        else:
            normal = K[r, FIRST]
            other = r + 1 if r == normal + 1 else r - 1
            slip = math.sqrt(G[r, ERROR] ** 2 + G[other, ERROR] ** 2)
            push = G[normal, PUSH]
            K[r, ON] = ACTING if push > 0.0 else OFF
            if push > 0.0:
                G[r, KAPPA] = min(G[normal, KAPPA], G[r, MU] * push / max(slip, 1e-12))


@inner
def count_partly(b, first, last, part):
    """Pushes of a pass that moved the poses by only a `part` of the solution."""
    G, K, W = b.G, b.K, b.W
    for r in range(first, last):
        if K[r, ON] == ACTING:
            k = K[r, SLOT]
            moved = add(get3(W, k, MOVE), cross(get3(W, k, MOVE + 3), get3(G, r, ARM)))
            push = -G[r, KAPPA] * (G[r, ERROR] + dot(get3(G, r, DIRECTION), moved))
            push = G[r, PUSH] + part * (push - G[r, PUSH])
            G[r, PUSH] = max(push, 0.0) if K[r, SORT] == ONE_WAY else push
