"""The sweeps of a woven sheet: a substep, the end of a frame, and the way in and out of the vectors.

Blocks of rows are projected side by side and then sewn together; which rows make a block depends on the sheet alone.
"""

from pliant.integrators.weave import (
    at,
    bend_across,
    bend_along,
    damp_across,
    damp_along,
    ratio,
    restrain_across,
    restrain_along,
    sweep_across,
    sweep_along,
    twist_across,
)
from pliant.kernels import folded, kernel, span, sweep
from pliant.kernels.lanes import LANES, fill, greatest, load, root, store


@kernel
def _damp_block(g, b, J, time):
    first, last = g.block[b], g.block[b + 1]
    for r in range(first, last):
        damp_along(g, r, J, time)
        if r + 1 < last:
            damp_across(g, r, J, time)
            if r > first:
                bend_across(g, (g.old_x, g.old_y, g.old_z), r, J, time)


@kernel
def _set_off(g, first, last):
    """From motions to the positions one substep ago."""
    for i in range(first, last):
        g.old_x[i] = g.x[i] - g.old_x[i]
        g.old_y[i] = g.y[i] - g.old_y[i]
        g.old_z[i] = g.z[i] - g.old_z[i]


@folded
def _fall(x, old, fall, first, last, hh):
    """x, old = 2 x - old + h^2 a, x: a substep of free flight."""
    square = fill(hh)
    for i in range(first, last, LANES):
        here = load(x, i)
        store(x, i, here + (here - load(old, i)) + square * load(fall, i))
        store(old, i, here)


@folded
def _hold_back(g, first, last):
    """Bring points that are farther from their pins than the threads allow back to that distance."""
    for t in range(g.tether.shape[0]):
        ax, ay, az, longest = g.anchor[t, 0], g.anchor[t, 1], g.anchor[t, 2], g.tether[t]
        for i in range(first, last, LANES):
            ox, oy, oz = load(ax, i), load(ay, i), load(az, i)
            limit = load(longest, i) * load(g.lent, i)
            dx, dy, dz = load(g.x, i) - ox, load(g.y, i) - oy, load(g.z, i) - oz
            share = limit / greatest(root(dx * dx + dy * dy + dz * dz), limit)
            store(g.x, i, ox + share * dx)
            store(g.y, i, oy + share * dy)
            store(g.z, i, oz + share * dz)


@folded
def _sweep_block(g, b, J, hh, s, every):
    """Free flight of a block's rows, and the projections of what lies inside it."""
    first, last = g.block[b], g.block[b + 1]
    lead, past = first * J * LANES, last * J * LANES
    _fall(g.x, g.old_x, g.fall_x, lead, past, hh)
    _fall(g.y, g.old_y, g.fall_y, lead, past, hh)
    _fall(g.z, g.old_z, g.fall_z, lead, past, hh)
    points, stiff = (g.x, g.y, g.z), every * hh
    for k in range(last - first):
        r = first + k if s % 2 == 0 else last - 1 - k
        if s % every == 0:
            bend_along(g, points, r, J, stiff)
        sweep_along(g, r, J, hh)
        if r + 1 < last:
            if s % every == every // 2:
                twist_across(g, points, r, J, stiff)
                if r > first:
                    bend_across(g, points, r, J, stiff)
            sweep_across(g, r, J, hh)


@folded
def _sweep_extra(g, b, J, hh, s):
    """Rows near lone pins, where a few light points carry the whole sheet."""
    first, last = g.block[b], g.block[b + 1]
    count = g.extra.shape[0]
    for round_ in range(2):
        for k in range(count):
            r = g.extra[k] if (s + round_) % 2 == 1 else g.extra[count - 1 - k]
            if first <= r < last:
                sweep_along(g, r, J, hh)
                if r + 1 < last:
                    sweep_across(g, r, J, hh)


@kernel
def _sew(g, J, hh, s, every):
    """What joins each block to the one before it."""
    for b in range(1, g.block.shape[0] - 1):
        r = g.block[b] - 1
        if s % every == every // 2:
            points, stiff = (g.x, g.y, g.z), every * hh
            twist_across(g, points, r, J, stiff)
            bend_across(g, points, r, J, stiff)
            bend_across(g, points, r + 1, J, stiff)
        sweep_across(g, r, J, hh)


@kernel
def _damp_seams(g, J, time):
    for b in range(1, g.block.shape[0] - 1):
        damp_across(g, g.block[b] - 1, J, time)


@folded
def _follow(g, position_x, position_y, position_z):
    """Anchors go where their pins are."""
    for t in range(g.anchor_row.shape[0]):
        for i in range(g.slot.shape[0]):
            pin = g.slot[g.anchor_row[t, i]]
            g.anchor[t, 0, g.slot[i]] = position_x[pin]
            g.anchor[t, 1, g.slot[i]] = position_y[pin]
            g.anchor[t, 2, g.slot[i]] = position_z[pin]


@sweep
def stroke(position, velocity, inverse_mass, force, g, J, h, count, every, moving):
    """`count` substeps in h [s]: free flight, projections, tethers; `old` holds the motion before, and after it the
    positions one substep ago.

    The same bend is projected in one of `every` substeps, since bending is slow beside stretching. The way into the
    vectors and out of them is part of it: a call costs as much as a row.
    """
    small = h / count
    for i in span(position.shape[0]):
        _take_row(position, velocity, inverse_mass, force, g, small, i)
    blocks = g.block.shape[0] - 1
    hh, time = small * small, g.uniform[2] * h
    _follow(g, g.x, g.y, g.z)
    if time > 0.0:
        for b in span(blocks):
            _damp_block(g, b, J, time)
        _damp_seams(g, J, time)
    _set_off(g, 0, g.x.shape[0])
    for s in range(count):
        for b in span(blocks):  # one shared loop per substep: threads meet as seldom as can be
            _substep_block(g, b, J, hh, s, every)
        _sew(g, J, hh, s, every)
        if moving:
            _follow(g, g.x, g.y, g.z)
    _hold_back(g, 0, g.block[blocks] * J * LANES)
    for i in span(position.shape[0]):
        k = g.slot[i]
        if inverse_mass[i] > 0.0:
            velocity[i, 0] = (g.x[k] - g.old_x[k]) / small
            velocity[i, 1] = (g.y[k] - g.old_y[k]) / small
            velocity[i, 2] = (g.z[k] - g.old_z[k]) / small
            position[i, 0], position[i, 1], position[i, 2] = g.x[k], g.y[k], g.z[k]
        else:  # went with its holder, at once: many small steps would lose a bit
            for q in range(3):
                position[i, q] += h * velocity[i, q]


@kernel
def _substep_block(g, b, J, hh, s, every):
    """Tethers of the substep before, then free flight and the projections of what lies inside the block."""
    if s % 2 == 1:
        _hold_back(g, g.block[b] * J * LANES, g.block[b + 1] * J * LANES)
    _sweep_block(g, b, J, hh, s, every)
    _sweep_extra(g, b, J, hh, s)


@kernel
def _restrain_block(g, b, J, longest, up):
    first, last = g.block[b], g.block[b + 1]
    for k in range(last - first):
        r = first + k if up else last - 1 - k
        restrain_along(g, r, J, longest)
        if r + 1 < last:
            restrain_across(g, r, J, longest)


@kernel
def greatest_stretch(g, J, scratch):
    """The greatest length over rest length of all edges; `scratch` holds one vector."""
    worst, one = fill(0.0), fill(1.0)
    for r in range(g.stretch_along.shape[0]):
        for j in range(J):
            worst = greatest(
                ratio(g, at(r, j, J), at(r, j + 1, J), fill(g.rest[0]), load(g.next_one, j * LANES)), worst
            )
        if r + 1 < g.stretch_along.shape[0]:
            for j in range(J):
                worst = greatest(ratio(g, at(r, j, J), at(r + 1, j, J), fill(g.rest[1]), one), worst)
    store(scratch, 0, worst)
    return scratch.max()


@sweep
def shorten(position, inverse_mass, g, J, longest, passes, rounds, enough, shares, scratch):
    """Shorten what is longer than `longest` (4,): edges along, across, diagonals (0: any) [m], and the part of an
    excess that one sweep takes.

    `passes` sweeps a round, until nothing is longer than `enough` times its rest or the rounds are spent; then as many
    for each of `shares`, which take less and less. Returns the greatest length over rest length before those.
    """
    for i in span(position.shape[0]):
        _take_place(position, inverse_mass, g, i)
    blocks, worst = g.block.shape[0] - 1, 0.0
    _follow(g, g.x, g.y, g.z)
    for turn in range(rounds + shares.shape[0]):
        longest[3] = 1.0 if turn < rounds else shares[turn - rounds]
        for s in range(passes):
            for b in span(blocks):
                _restrain_block(g, b, J, longest, s % 2 == 1)
            for b in range(1, blocks):
                restrain_across(g, g.block[b] - 1, J, longest)
            if turn < rounds:  # tethers do not share
                _hold_back(g, 0, g.block[blocks] * J * LANES)
        if turn < rounds:
            worst = greatest_stretch(g, J, scratch)
            if worst <= enough:
                break
    for i in span(position.shape[0]):
        k = g.slot[i]
        position[i, 0], position[i, 1], position[i, 2] = g.x[k], g.y[k], g.z[k]
    return worst


@sweep
def stretched(position, inverse_mass, g, J, scratch):
    """The greatest length over rest length."""
    for i in span(position.shape[0]):
        _take_place(position, inverse_mass, g, i)
    return greatest_stretch(g, J, scratch)


# calls of their own: the compiler drops a shared loop that writes only into arrays of a tuple
@folded
def _take_row(position, velocity, inverse_mass, force, g, h, i):
    k, w = g.slot[i], inverse_mass[i]
    g.weight[k] = w
    g.x[k], g.y[k], g.z[k] = position[i, 0], position[i, 1], position[i, 2]
    g.old_x[k], g.old_y[k], g.old_z[k] = h * velocity[i, 0], h * velocity[i, 1], h * velocity[i, 2]
    g.fall_x[k], g.fall_y[k], g.fall_z[k] = w * force[i, 0], w * force[i, 1], w * force[i, 2]


@folded
def _take_place(position, inverse_mass, g, i):
    k = g.slot[i]
    g.weight[k] = inverse_mass[i]
    g.x[k], g.y[k], g.z[k] = position[i, 0], position[i, 1], position[i, 2]
