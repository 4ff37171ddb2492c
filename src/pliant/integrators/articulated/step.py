"""One frame of a tree: Stoermer-Verlet with exact joints (SHAKE), solved on the tree, in as many substeps as it needs.

A substep predicts every segment's free motion, then finds the joint impulses that close all joints at its end. They
act along the joints' directions at the start of the substep, which makes the step second order and conserves both
momenta; the mass matrix is factored once there and serves every correction. Should that not converge (a violent
pull, a mass ratio of hundreds) the cautious solver projects the poses with directions taken at the iterate: it closes
the joints whatever happens and pays with some energy.
"""

import math

from pliant.integrators.articulated.columns import (
    COUNT, HELD, HIT, KICK, KIND, LOAD, MOVE, RELEASES, ROW, SWING_LIMIT, TWIST_LIMIT, R, R0, X,
)  # fmt: skip
from pliant.integrators.articulated.joints import (
    count_pushes, forget, gap_of, lasting_rows, limit_rows, measure_joint, release, start_joint, test_limits,
)  # fmt: skip
from pliant.integrators.articulated.motion import (
    begin, differences, fastest_spin, finish, fly_free, gather, pose, push, scatter, shift, substep_count,
)  # fmt: skip
from pliant.integrators.articulated.tree import factor, load_masses, solve
from pliant.kernels.jit import kernel, span, sweep
from pliant.kernels.vectors import get3, norm, put3, put6, sub

PASSES = 24  # of the joint solver before it gives up
CAUTIOUS_PASSES = 16
REFRESH = 6  # passes between new directions of the limits
LARGEST_TURN = 0.5  # [rad] in one cautious pass
# places in Plan.settings
DAMPING, LONGEST_STEP, LARGEST_SUBSTEP_TURN, MOST, TOLERANCE = 0, 1, 2, 3, 4
NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def rows_and_factor(F, W, J, low, high, rotation):
    """Angular rows, masses and the factor at the start pose (R0) or at the iterate (R)."""
    for k in range(low, high):
        load_masses(F, W, J, k, rotation)
        J[k, COUNT] = 0
        if k != low and not J[k, HELD] and J[k, KIND]:
            lasting_rows(F, W, J, k, rotation)
            limit_rows(F, W, J, k, R)
    factor(W, J, low, high)


@kernel
def clear_limits(W, J, low, high):
    for k in range(low + 1, high):
        for g in range(2):
            J[k, RELEASES + g] = 0
            if J[k, HIT + g]:
                forget(W, J, k, g)


@kernel
def measure(F, W, J, low, high):
    """Largest joint error [m]."""
    worst = 0.0
    for k in range(low + 1, high):
        if not J[k, HELD]:
            e = measure_joint(F, W, J, k)
            if not e <= worst:
                worst = e
    return worst


@kernel
def found_outside(F, W, J, low, high):
    """Whether any joint has newly left its limits."""
    found = False
    for k in range(low + 1, high):
        if J[k, KIND] & (SWING_LIMIT | TWIST_LIMIT) and not J[k, HELD] and test_limits(F, W, J, k):
            found = True
    return found


@kernel
def released(W, J, low, high):
    """Whether any limit has let go."""
    any_released = False
    for k in range(low + 1, high):
        if J[k, HIT] + J[k, HIT + 1] > 0 and release(W, J, k):
            any_released = True
    return any_released


@kernel
def correct(F, W, J, low, high, h):
    """Solve, push the momenta, and pose everything anew."""
    for k in range(low, high):
        put6(W, k, LOAD, NOTHING)
    solve(W, J, low, high)
    for k in range(low, high):
        if not J[k, HELD]:
            if J[k, COUNT] > 0:
                count_pushes(W, J, k, h)
            push(F, W, k, h)
    for k in range(low, high):
        if not J[k, HELD]:
            pose(F, W, k, h)


@kernel
def shake(F, W, J, low, high, h, tolerance):
    """One substep after `begin`; False when the joints did not close."""
    clear_limits(W, J, low, high)
    rows_and_factor(F, W, J, low, high, R0)
    for k in range(low + 1, high):
        if not J[k, HELD]:
            start_joint(F, W, J, k, h)
    worst = math.inf
    for turn in range(PASSES):
        correct(F, W, J, low, high, h)
        outside = found_outside(F, W, J, low, high)
        if outside or (turn % REFRESH == REFRESH - 1):
            rows_and_factor(F, W, J, low, high, R0)
        worst = measure(F, W, J, low, high)
        if worst < tolerance and not outside:
            if not released(W, J, low, high):
                return True
            rows_and_factor(F, W, J, low, high, R0)
            for k in range(low, high):
                if not J[k, HELD]:
                    pose(F, W, k, h)
            worst = measure(F, W, J, low, high)
        if not worst < 1e6:
            break
    return False


@kernel
def largest_gap(F, W, J, low, high):
    worst = 0.0
    for k in range(low + 1, high):
        if not J[k, HELD]:
            g = norm(gap_of(F, W, J, k))
            if not g <= worst:
                worst = g
    return worst


@kernel
def _careful_part(W, J, low, high):
    """The part of a correction that turns nothing by more than `LARGEST_TURN`."""
    part = 1.0
    for k in range(low, high):
        turn = norm(get3(W, k, MOVE + 3))
        if turn * part > LARGEST_TURN:
            part = LARGEST_TURN / turn
    return part


@kernel
def close_joints(F, W, J, low, high):
    """Root to leaves: put every segment where its carrier ends."""
    for k in range(low + 1, high):
        if not J[k, HELD]:
            put3(W, k, X, sub(get3(W, k, X), gap_of(F, W, J, k)))


@kernel
def project(F, W, J, low, high, h, tolerance):
    """The cautious solver: directions at the iterate, poses moved, momenta from differences."""
    fly_free(F, W, J, low, high, h)
    for turn in range(CAUTIOUS_PASSES):
        clear_limits(W, J, low, high)
        found_outside(F, W, J, low, high)
        rows_and_factor(F, W, J, low, high, R)
        worst = measure(F, W, J, low, high)
        if turn >= 2 and worst < tolerance:
            break
        for k in range(low, high):
            put6(W, k, LOAD, NOTHING)
        solve(W, J, low, high)
        part = _careful_part(W, J, low, high)
        for k in range(low, high):
            if not J[k, HELD]:
                shift(W, k, part)
    close_joints(F, W, J, low, high)
    differences(F, W, J, low, high, h)


@kernel
def advance_tree(plan, rows, force, h, tree):
    """All substeps of one tree."""
    F, W, J = plan.constants, plan.variables, plan.integers
    low, high = plan.start[tree], plan.start[tree + 1]
    gather(F, W, J, rows, low, high)
    for k in range(low, high):
        put3(W, k, KICK, get3(force, J[k, ROW], 0))
    o = plan.settings
    count = substep_count(fastest_spin(W, low, high), h, o[LONGEST_STEP], o[LARGEST_SUBSTEP_TURN], int(o[MOST]))
    step = h / count
    tolerance = max(min(o[TOLERANCE], o[TOLERANCE] * 3600.0 * step * step), 1e-13)
    for _ in range(count):
        kick = 0.5 * (plan.last_step[tree] + step)
        plan.last_step[tree] = step
        begin(F, W, J, low, high, step, math.exp(-o[DAMPING] * step), kick)
        plan.counts[tree, 0] += 1
        if shake(F, W, J, low, high, step, tolerance):
            finish(F, W, J, low, high, step)
        elif largest_gap(F, W, J, low, high) <= 100.0 * o[TOLERANCE]:
            finish(F, W, J, low, high, step)
        else:
            plan.counts[tree, 1] += 1
            project(F, W, J, low, high, step, 10.0 * o[TOLERANCE])
    scatter(F, W, J, rows, low, high)


@sweep
def advance_trees(position, plan, rows, force, h):
    """Every tree by itself; `position` only tells how many rows there are."""
    for tree in span(len(plan.start) - 1):
        advance_tree(plan, rows, force, h, tree)
