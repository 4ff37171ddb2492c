"""Sweeps over a regular sheet, eight columns at once.

Column c of the sheet lies in lane c // J of the vectors j = c % J, so that both neighbours of a column are in the same
lane of the next vectors, and only at the seam (j = J - 1) one lane further. Sweeps go from row to row, alternately up
and down, and within a row in families whose members share no point.

    stretch  C = |x_b - x_a| - l                     a = 1 / (k h^2)     (Macklin et al. 2016, Eq. 17-18)
    bend     C = x_{i-1} - 2 x_i + x_{i+1}           a = 1 / (n k h^2)   in one of n substeps
    twist    C = x_00 - x_10 - x_01 + x_11           likewise
    tether   |x - pin| <= way along the threads      (Kim, Chentanez and Mueller 2012, "Long range attachments")

Bend and twist are linear, the second differences of a plate of rigidity B: k = B b / l^3 across a thread of length l
and breadth b, and 2 B / (l b) for a cell. Multipliers start at zero in each substep, so one sweep needs none.

Rows are shared among threads in blocks fixed by the size of the sheet, so results do not depend on the threads.
"""

from typing import NamedTuple

from pliant.arrays import Array
from pliant.kernels import folded
from pliant.kernels.lanes import LANES, fill, greatest, least, load, root, store

TINY = 1e-12


class Weave(NamedTuple):
    """A regular sheet in vectors; every field of points has rows * J * LANES entries and room for one more vector."""

    x: Array
    y: Array
    z: Array
    old_x: Array  # positions one substep ago
    old_y: Array
    old_z: Array
    fall_x: Array  # [m/s^2] force / mass, of free points
    fall_y: Array
    fall_z: Array
    weight: Array  # [1/kg] inverse mass
    slot: Array  # (n,) where each of the part's rows lies
    next_one: Array  # (J * LANES,) 1 where the next column exists, else 0
    next_two: Array  # and the column after that
    stretch_along: Array  # (rows,) [N/m] stiffness of each row's own edges
    stretch_across: Array  # (J * LANES,) [N/m] of edges to the next row, by column
    bend_along: Array  # (rows,) [N/m]
    bend_across: Array  # (J * LANES,) [N/m]
    rest: Array  # (3,) [m] edge along a row, edge to the next row, diagonal
    uniform: Array  # (3,) shear [N/m], twist [N/m], damping time [s]
    block: Array  # first row of each block, and one past the last
    extra: Array  # rows near lone pins, swept more often
    anchor: Array  # (t, 3, m) where each point's tethers are held
    anchor_row: Array  # (t, n) local row of the pin
    tether: Array  # (t, m) [m] greatest distance
    lent: Array  # (m,) how much longer tethers and edges may be, between pins that are too far apart


@folded
def at(r, j, J):
    """Where the vector of columns j, j + J, … of row r starts; j may be up to 2 J - 1."""
    return (r * J + j) * LANES if j < J else (r * J + j - J) * LANES + 1


@folded
def _pull(g, a, b, rest, slack, active):
    """Project the distance of two vectors of points; `slack` is a = 1 / (k h^2)."""
    wa, wb = load(g.weight, a), load(g.weight, b)
    xa, ya, za = load(g.x, a), load(g.y, a), load(g.z, a)
    xb, yb, zb = load(g.x, b), load(g.y, b), load(g.z, b)
    dx, dy, dz = xb - xa, yb - ya, zb - za
    length = greatest(root(dx * dx + dy * dy + dz * dz), fill(TINY))
    step = active * (length - rest) / ((wa + wb + slack) * length)
    sa, sb = step * wa, step * wb
    store(g.x, b, xb - sb * dx)  # b first: across the seam its last lane is not its own
    store(g.y, b, yb - sb * dy)
    store(g.z, b, zb - sb * dz)
    store(g.x, a, xa + sa * dx)
    store(g.y, a, ya + sa * dy)
    store(g.z, a, za + sa * dz)


@folded
def _straighten(c, a, b, d, wa, wb, wd, share):
    """One coordinate of a bend: a - 2 b + d towards 0."""
    xa, xb, xd = load(c, a), load(c, b), load(c, d)
    pull = share * (xa - xb - xb + xd)
    store(c, d, xd - wd * pull)
    store(c, b, xb + (wb + wb) * pull)
    store(c, a, xa - wa * pull)


@folded
def _bend(g, of, a, b, d, slack, active):
    """Project a bend of the points `of` = (x, y, z), or of their motions, to damp it.

    Where b and one neighbour are held the sheet is clamped: it bends over half a cell only, so twice as stiffly.
    """
    wa, wb, wd = load(g.weight, a), load(g.weight, b), load(g.weight, d)
    loose = (wa + wb) * (wb + wd)
    slack = slack * (fill(0.5) + fill(0.5) * loose / (loose + fill(TINY)))
    share = active / (wa + fill(4.0) * wb + wd + slack)
    _straighten(of[0], a, b, d, wa, wb, wd, share)
    _straighten(of[1], a, b, d, wa, wb, wd, share)
    _straighten(of[2], a, b, d, wa, wb, wd, share)


@folded
def _flatten(c, a, b, d, e, w, share):
    xa, xb, xd, xe = load(c, a), load(c, b), load(c, d), load(c, e)
    pull = share * (xa - xb - xd + xe)
    store(c, b, xb + w[1] * pull)
    store(c, e, xe - w[3] * pull)
    store(c, a, xa - w[0] * pull)
    store(c, d, xd + w[2] * pull)


@folded
def _untwist(g, of, r, j, J, slack, active):
    a, b, d, e = at(r, j, J), at(r, j + 1, J), at(r + 1, j, J), at(r + 1, j + 1, J)
    w = (load(g.weight, a), load(g.weight, b), load(g.weight, d), load(g.weight, e))
    share = active / (w[0] + w[1] + w[2] + w[3] + slack)
    _flatten(of[0], a, b, d, e, w, share)
    _flatten(of[1], a, b, d, e, w, share)
    _flatten(of[2], a, b, d, e, w, share)


@folded
def sweep_along(g, r, J, hh):
    """The edges of a row."""
    rest, slack = fill(g.rest[0]), fill(1.0 / (hh * g.stretch_along[r]))
    for phase in range(2):
        for j in range(phase, J, 2):
            _pull(g, at(r, j, J), at(r, j + 1, J), rest, slack, load(g.next_one, j * LANES))


@folded
def sweep_across(g, r, J, hh):
    """The edges and diagonals from row r to the next."""
    one, square = fill(1.0), fill(hh)
    for j in range(J):
        slack = one / (square * load(g.stretch_across, j * LANES))
        _pull(g, at(r, j, J), at(r + 1, j, J), fill(g.rest[1]), slack, one)
    if g.uniform[0] > 0.0:
        rest, slack = fill(g.rest[2]), fill(1.0 / (hh * g.uniform[0]))
        for j in range(J):
            _pull(g, at(r, j, J), at(r + 1, j + 1, J), rest, slack, load(g.next_one, j * LANES))
        for j in range(J):
            _pull(g, at(r + 1, j, J), at(r, j + 1, J), rest, slack, load(g.next_one, j * LANES))


@folded
def bend_along(g, of, r, J, factor):
    """The bends of a row; `factor` times the stiffness is what they weigh against inertia."""
    if g.bend_along[r] > 0.0:
        slack = fill(1.0 / (factor * g.bend_along[r]))
        for phase in range(3):
            for j in range(phase, J, 3):
                _bend(g, of, at(r, j, J), at(r, j + 1, J), at(r, j + 2, J), slack, load(g.next_two, j * LANES))


@folded
def twist_across(g, of, r, J, factor):
    if g.uniform[1] > 0.0:
        slack = fill(1.0 / (factor * g.uniform[1]))
        for phase in range(2):
            for j in range(phase, J, 2):
                _untwist(g, of, r, j, J, slack, load(g.next_one, j * LANES))


@folded
def bend_across(g, of, r, J, factor):
    """The bends of rows r - 1, r, r + 1."""
    if g.bend_along[r] > 0.0:
        one = fill(1.0)
        for j in range(J):
            slack = one / (fill(factor) * load(g.bend_across, j * LANES))
            _bend(g, of, at(r - 1, j, J), at(r, j, J), at(r + 1, j, J), slack, one)


@folded
def _brake(g, a, b, strength, active):
    """Damp the closing speed of two vectors of points; `old` holds h v."""
    wa, wb = load(g.weight, a), load(g.weight, b)
    ax, ay, az = load(g.old_x, a), load(g.old_y, a), load(g.old_z, a)
    bx, by, bz = load(g.old_x, b), load(g.old_y, b), load(g.old_z, b)
    dx, dy, dz = load(g.x, b) - load(g.x, a), load(g.y, b) - load(g.y, a), load(g.z, b) - load(g.z, a)
    square = greatest(dx * dx + dy * dy + dz * dz, fill(TINY * TINY))
    closing = ((bx - ax) * dx + (by - ay) * dy + (bz - az) * dz) / square
    share = active * strength * closing / (fill(1.0) + strength * (wa + wb))
    sa, sb = share * wa, share * wb
    store(g.old_x, b, bx - sb * dx)
    store(g.old_y, b, by - sb * dy)
    store(g.old_z, b, bz - sb * dz)
    store(g.old_x, a, ax + sa * dx)
    store(g.old_y, a, ay + sa * dy)
    store(g.old_z, a, az + sa * dz)


@folded
def damp_along(g, r, J, time):
    strength = fill(time * g.stretch_along[r])
    for phase in range(2):
        for j in range(phase, J, 2):
            _brake(g, at(r, j, J), at(r, j + 1, J), strength, load(g.next_one, j * LANES))
    bend_along(g, (g.old_x, g.old_y, g.old_z), r, J, time)


@folded
def damp_across(g, r, J, time):
    one = fill(1.0)
    for j in range(J):
        _brake(g, at(r, j, J), at(r + 1, j, J), fill(time) * load(g.stretch_across, j * LANES), one)
    strength = fill(time * g.uniform[0])
    for j in range(J):
        _brake(g, at(r, j, J), at(r + 1, j + 1, J), strength, load(g.next_one, j * LANES))
    for j in range(J):
        _brake(g, at(r + 1, j, J), at(r, j + 1, J), strength, load(g.next_one, j * LANES))
    twist_across(g, (g.old_x, g.old_y, g.old_z), r, J, time)


@folded
def _restrain(g, a, b, longest, active):
    """Shorten the distance of two vectors of points to `longest`, and what pins lend it.

    `active`: how much of the way there, 0 where there is no edge.
    """
    wa, wb = load(g.weight, a), load(g.weight, b)
    xa, ya, za = load(g.x, a), load(g.y, a), load(g.z, a)
    xb, yb, zb = load(g.x, b), load(g.y, b), load(g.z, b)
    dx, dy, dz = xb - xa, yb - ya, zb - za
    length = greatest(root(dx * dx + dy * dy + dz * dz), fill(TINY))
    most = longest * least(load(g.lent, a), load(g.lent, b))
    step = active * greatest(length - most, fill(0.0)) / ((wa + wb + fill(TINY)) * length)
    sa, sb = step * wa, step * wb
    store(g.x, b, xb - sb * dx)
    store(g.y, b, yb - sb * dy)
    store(g.z, b, zb - sb * dz)
    store(g.x, a, xa + sa * dx)
    store(g.y, a, ya + sa * dy)
    store(g.z, a, za + sa * dz)


@folded
def restrain_along(g, r, J, longest):
    share = fill(longest[3])
    for phase in range(2):
        for j in range(phase, J, 2):
            _restrain(g, at(r, j, J), at(r, j + 1, J), fill(longest[0]), share * load(g.next_one, j * LANES))


@folded
def restrain_across(g, r, J, longest):
    share = fill(longest[3])
    for j in range(J):
        _restrain(g, at(r, j, J), at(r + 1, j, J), fill(longest[1]), share)
    if longest[2] > 0.0:
        for j in range(J):
            _restrain(g, at(r, j, J), at(r + 1, j + 1, J), fill(longest[2]), share * load(g.next_one, j * LANES))
        for j in range(J):
            _restrain(g, at(r + 1, j, J), at(r, j + 1, J), fill(longest[2]), share * load(g.next_one, j * LANES))


@folded
def ratio(g, a, b, rest, active):
    """Length over rest length of two vectors of points as far as pins leave it a choice, 0 where there is no edge."""
    dx, dy, dz = load(g.x, b) - load(g.x, a), load(g.y, b) - load(g.y, a), load(g.z, b) - load(g.z, a)
    return active * root(dx * dx + dy * dy + dz * dz) / (rest * least(load(g.lent, a), load(g.lent, b)))
