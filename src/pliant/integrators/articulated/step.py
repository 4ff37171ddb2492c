"""One frame of a tree: Stoermer-Verlet with exact joints (SHAKE), solved on the tree, in as many substeps as it needs.

A substep predicts every segment's free motion, then finds the joint impulses that close all joints at its end. They
act along the joints' directions at the start of the substep, which makes the step second order and conserves both
momenta; the mass matrix is factored once there and serves every correction. Should that not converge (a violent
pull, a mass ratio of hundreds) the cautious solver projects the poses with directions taken at the iterate: it closes
the joints whatever happens and pays with some energy.
"""

import math

from pliant.integrators.articulated.closing import close_joints, give_no_energy, largest_gap, leaps, pushed_only, strays
from pliant.integrators.articulated.columns import (
    COUNT,
    HELD,
    HIT,
    KICK,
    KIND,
    LOAD,
    MOVE,
    R0,
    RELEASES,
    ROW,
    SWING_LIMIT,
    TWIST_LIMIT,
    R,
)  # fmt: skip
from pliant.integrators.articulated.joints import (
    LEANING,
    SLACK,
    count_pushes,
    forget,
    lasting_rows,
    limit_rows,
    measure_joint,
    release,
    start_joint,
    test_limits,
)  # fmt: skip
from pliant.integrators.articulated.loops import add_pulls, find_pulls, measure_loops, respond
from pliant.integrators.articulated.motion import (
    begin,
    differences,
    fastest_spin,
    finish,
    fly_free,
    gather,
    pose,
    push,
    scatter,
    shift,
    substep_count,
)  # fmt: skip
from pliant.integrators.articulated.supports import (
    Tree,
    add_support_loads,
    add_support_masses,
    count_support_pushes,
    gather_bodies,
    gather_contacts,
    gather_pulls,
    measure_supports,
    place_arms,
)  # fmt: skip
from pliant.integrators.articulated.switching import count_partly, restart_supports, settle_supports, switch_supports
from pliant.integrators.articulated.tree import factor, load_masses, solve
from pliant.kernels.jit import inner, span, sweep, thread_index
from pliant.kernels.vectors import (
    get3,
    norm,
    put3,
    put6,
)  # fmt: skip

PASSES = 40  # of the joint solver before it gives up
CAUTIOUS_PASSES = 16
REFRESH = 6  # passes between new directions of the limits
LARGEST_TURN = 0.5  # [rad] in one cautious pass
# places in Plan.settings
DAMPING, LONGEST_STEP, LARGEST_SUBSTEP_TURN, MOST, TOLERANCE = 0, 1, 2, 3, 4
NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inner
def rows_and_factor(b, first, last, low, high, rotation):
    """Angular rows, masses and the factor at the start pose (R0) or at the iterate (R)."""
    F, W, J = b.F, b.W, b.J
    for k in range(low, high):
        load_masses(F, W, J, k, rotation)
        J[k, COUNT] = 0
        if k != low and not J[k, HELD] and J[k, KIND]:
            lasting_rows(F, W, J, k, rotation)
            limit_rows(F, W, J, k, R)
    if last > first:
        place_arms(b, first, last, rotation)
        add_support_masses(b, first, last)
    factor(W, J, low, high)
    if len(b.M) > 0:
        respond(b, low, high, rotation)


@inner
def clear_limits(W, J, low, high):
    for k in range(low + 1, high):
        for g in range(2):
            J[k, RELEASES + g] = 0
            forget(W, J, k, g)


@inner
def measure(F, W, J, low, high):
    """Largest joint error [m]."""
    worst = 0.0
    for k in range(low + 1, high):
        if not J[k, HELD]:
            e = measure_joint(F, W, J, k)
            if not e <= worst:
                worst = e
    return worst


@inner
def found_outside(F, W, J, low, high, slack):
    """Whether any joint has newly left its limits by more than `slack` [rad]."""
    found = False
    for k in range(low + 1, high):
        if J[k, KIND] & (SWING_LIMIT | TWIST_LIMIT) and not J[k, HELD] and test_limits(F, W, J, k, slack):
            found = True
    return found


@inner
def released(W, J, low, high):
    """Whether any limit has let go."""
    any_released = False
    for k in range(low + 1, high):
        if J[k, HIT] + J[k, HIT + 1] > 0 and release(W, J, k):
            any_released = True
    return any_released


@inner
def load_supports(b, first, last, low, high):
    for k in range(low, high):
        put6(b.W, k, LOAD, NOTHING)
    if last > first:
        add_support_loads(b, first, last)


@inner
def solve_loaded(b, first, last, low, high):
    """Displacements that close the joints and the loops, with the supports' loads."""
    load_supports(b, first, last, low, high)
    solve(b.W, b.J, low, high)
    if len(b.M) > 0:
        find_pulls(b)
        load_supports(b, first, last, low, high)
        add_pulls(b)
        solve(b.W, b.J, low, high)


@inner
def pose_all(F, W, J, low, high, h):
    for k in range(low, high):
        if not J[k, HELD]:
            pose(F, W, k, h)


@inner
def correct(b, first, last, low, high, h):
    """Solve, push the momenta, and pose everything anew."""
    F, W, J = b.F, b.W, b.J
    solve_loaded(b, first, last, low, high)
    if last > first:
        count_support_pushes(b, first, last)
    for k in range(low, high):
        if not J[k, HELD]:
            if J[k, COUNT] > 0:
                count_pushes(W, J, k, h)
            push(F, W, k, h)
    pose_all(F, W, J, low, high, h)


@inner
def changed_rows(b, first, last, low, high, h, turn):
    """Whether limits or supports came or went at the present pose, so that the factor is stale."""
    changed = False
    if last > first:
        measure_supports(b, first, last)
        changed = switch_supports(b, first, last, h, turn)
        if changed:
            pose_all(b.F, b.W, b.J, low, high, h)
    return found_outside(b.F, b.W, b.J, low, high, SLACK) or changed


@inner
def errors(b, first, last, low, high):
    """Largest error of joints and supports [m]."""
    worst = measure(b.F, b.W, b.J, low, high)
    if last > first:
        worst = max(worst, measure_supports(b, first, last))
    if len(b.M) > 0:
        worst = max(worst, measure_loops(b))
    return worst


@inner
def first_guess(b, first, last, low, high, h):
    """Start rows and factor, and the errors that the free motion will leave, to second order in h."""
    F, W, J = b.F, b.W, b.J
    clear_limits(W, J, low, high)
    found_outside(F, W, J, low, high, -LEANING)
    rows_and_factor(b, first, last, low, high, R0)
    for k in range(low + 1, high):
        if not J[k, HELD]:
            start_joint(F, W, J, k, h)
    if last > first or len(b.M) > 0:
        pose_all(F, W, J, low, high, h)
        measure_supports(b, first, last)
        measure_loops(b)


@inner
def shake(b, first, last, low, high, h, tolerance):
    """One substep after `begin`; returns the passes it took, 0 when the joints did not close."""
    W, J = b.W, b.J
    first_guess(b, first, last, low, high, h)
    for turn in range(PASSES):
        correct(b, first, last, low, high, h)
        changed = changed_rows(b, first, last, low, high, h, turn)
        if changed or (turn % REFRESH == REFRESH - 1):
            rows_and_factor(b, first, last, low, high, R0)
        worst = errors(b, first, last, low, high)
        if worst < tolerance and not changed:
            if not released(W, J, low, high):
                return turn + 1
            rows_and_factor(b, first, last, low, high, R0)
            pose_all(b.F, W, J, low, high, h)
            worst = errors(b, first, last, low, high)
        if not worst < 1e6:
            break
    return 0


@inner
def _careful_part(W, J, low, high):
    """The part of a correction that turns nothing by more than `LARGEST_TURN`."""
    part = 1.0
    for k in range(low, high):
        turn = norm(get3(W, k, MOVE + 3))
        if turn * part > LARGEST_TURN:
            part = LARGEST_TURN / turn
    return part


@inner
def project(b, first, last, low, high, h, tolerance):
    """The cautious solver: directions at the iterate, poses moved, momenta from differences."""
    F, W, J = b.F, b.W, b.J
    fly_free(F, W, J, low, high, h)
    restart_supports(b, first, last)
    for turn in range(CAUTIOUS_PASSES):
        clear_limits(W, J, low, high)
        found_outside(F, W, J, low, high, SLACK)
        measure_supports(b, first, last)
        settle_supports(b, first, last)
        rows_and_factor(b, first, last, low, high, R)
        worst = errors(b, first, last, low, high)
        if turn >= 2 and worst < tolerance:
            break
        solve_loaded(b, first, last, low, high)
        part = _careful_part(W, J, low, high)
        count_partly(b, first, last, part)
        for k in range(low, high):
            if not J[k, HELD]:
                shift(W, k, part)
    close_joints(F, W, J, low, high)
    differences(F, W, J, low, high, h)
    if pushed_only(b, first, last, low, high):
        give_no_energy(F, W, J, low, high)


@inner
def gather_supports(plan, b, count, tree, h, part):
    """Everything that may touch the tree in this substep; returns the number of rows."""
    count[0] = 0
    gather_pulls(plan, b, count, tree, h, part)
    if len(plan.obstacle_friction) > 0:
        gather_contacts(plan, b, count, tree, h)
    if len(plan.ball_plane) > 0:
        gather_bodies(plan, b, count, tree, h, part)
    return count[0]


@inner
def tables_of(plan, tree, thread):
    """The tree's own rows and its thread's scratch."""
    low, high = plan.start[tree], plan.start[tree + 1]
    c0, c1 = plan.loop_start[tree], plan.loop_start[tree + 1]
    return Tree(
        plan.constants[low:high], plan.variables[thread], plan.integers[low:high],
        plan.support_numbers[thread], plan.support_integers[thread],
        plan.loops[c0:c1], plan.loop_slots[c0:c1], plan.loop_matrix[3 * c0 : 3 * c1],
    )  # fmt: skip


@inner
def advance_tree(plan, rows, force, h, tree, thread):
    """All substeps of one tree."""
    b, o = tables_of(plan, tree, thread), plan.settings
    F, W, J, supports = b.F, b.W, b.J, plan.support_count[thread]
    n = len(F)
    gather(F, W, J, rows, 0, n)
    for k in range(n):
        put3(W, k, KICK, get3(force, J[k, ROW], 0))
    count = substep_count(fastest_spin(W, 0, n), h, o[LONGEST_STEP], o[LARGEST_SUBSTEP_TURN], int(o[MOST]))
    step = h / count
    # drift must stay below what one step can bend: a fixed tolerance would hide it and let it go as kicks
    tolerance = max(min(o[TOLERANCE], o[TOLERANCE] * 3600.0 * step * step), 1e-13)
    for s in range(count):
        kick = 0.5 * (plan.last_step[tree] + step)
        plan.last_step[tree] = step
        begin(F, W, J, 0, n, step, math.exp(-o[DAMPING] * step), kick)
        last = gather_supports(plan, b, supports, tree, step, (s + 1.0) / count)
        passes = shake(b, 0, last, 0, n, step, tolerance)
        plan.counts[tree, 0] += 1
        plan.counts[tree, 2] += passes
        nearly = passes > 0 or largest_gap(F, W, J, 0, n) <= 100.0 * o[TOLERANCE]
        if nearly and (passes > 0 or not (strays(F, W, J, 0, n) or leaps(F, W, J, 0, n))):
            finish(F, W, J, 0, n, step)
        else:
            plan.counts[tree, 1] += 1
            project(b, 0, last, 0, n, step, 10.0 * o[TOLERANCE])
    scatter(F, W, J, rows, 0, n)


@sweep
def advance_trees(position, plan, rows, force, h):
    """Every tree by itself; `position` only tells how many rows there are."""
    for tree in span(len(plan.start) - 1):
        advance_tree(plan, rows, force, h, tree, thread_index())
