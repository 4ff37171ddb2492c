"""Ties between any two parts, in the one adjust loop, weighted by mass so that both sides feel them.

    C = |p_b - p_a| - length,   d = C / (W_a + W_b + compliance / h^2)

with the generalised inverse masses W = w of a particle, sum b_i^2 w_i of a point with barycentric weights b_i in a
triangle, 1/m + (r x n) I^-1 (r x n) of a point of something rigid. The impulse d n / h goes to both ends with opposite
signs along the line between them, to a triangle's corners by their weights, so linear and angular momentum are kept
exactly.

A particle, a triangle, and a cloud moved as one (a balloon), take their share as a displacement; what the loop feeds
back makes it velocity. A segment takes it as velocity and spin alone: its joints answer in the next substep's exact
solve, and the gap it leaves meanwhile closes with it. With beta = W_b / (W_a + W_b) gap and relative velocity shrink
by sqrt(beta) < 1 per substep, whatever the masses. Where both ends are segments half the gap is asked for, since
neither moves at once.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.kernels import kernel
from pliant.kernels.vectors import along, cross, dot, get3, get4, norm, put3, qexp, qinv, sinverse, sub, sv, turn
from pliant.world import BODY, CLUSTER, FACE, FIXED, POINT, State, Ties

CLOSE = 0.5  # share of the gap between two segments closed per substep; above 1 they would swing
KNOT = 1e-3  # [m] a tie this short holds its ends at one place
WHOLE = 10  # numbers kept of a cloud: centre (3), inverse mass, inverse inertia (6)


def knotted(table: Ties, rows: Array) -> Array:
    """Those of some rows that hold their ends at one place."""
    return rows[(table.compliance[rows] == 0.0) & (table.length[rows] < KNOT)]


class Whole(NamedTuple):
    """The arrays of a State that a tie reads and writes."""

    x: Array
    v: Array
    w: Array
    q: Array
    spin: Array


class BoundTies:
    """Some ties of a world. `state.memory["ties"]` says which are broken."""

    def __init__(self, table: Ties, rows: Array) -> None:
        self._table, self._rows = table, rows
        self._cloud = np.zeros((2, WHOLE))
        soft = np.isin(table.a.kind[rows], (POINT, FACE)) | np.isin(table.b.kind[rows], (POINT, FACE))
        self._mended = knotted(table, rows[soft])

    def begin(self, state: State, time: float) -> None:
        """Cut what is due."""
        broken = state.memory.setdefault("ties", np.zeros(len(self._table.length)))
        broken[self._rows] = np.maximum(broken[self._rows], time >= self._table.until[self._rows])

    def project(self, state: State, h: float) -> None:
        whole = Whole(state.position, state.velocity, state.inverse_mass, state.rotation_xyzw, state.spin)
        _project(self._rows, self._table[:-1], whole, state.memory["ties"], self._cloud, h)

    def mend(self, state: State, frame_step: float) -> None:
        """Once per frame: knots of cloth, which a limit of strain may draw away; strings leave the limit alone."""
        whole = Whole(state.position, state.velocity, state.inverse_mass, state.rotation_xyzw, state.spin)
        _project(self._mended, self._table[:-1], whole, state.memory["ties"], self._cloud, frame_step)


@kernel
def _project(rows, table, whole, broken, cloud, h):
    a, b, length, compliance, slack, breaks, _ = table
    for k in range(rows.shape[0]):
        t = rows[k]
        if broken[t] > 0.0:
            continue
        pa, pb = _place(a, t, whole), _place(b, t, whole)
        way = sub(pb, pa)
        apart = norm(way)
        gap = apart - length[t]
        if apart < 1e-12 or (gap <= 0.0 and slack[t]):
            continue
        n = (way[0] / apart, way[1] / apart, way[2] / apart)
        weight = _mobility(a, t, whole, pa, n, cloud[0]) + _mobility(b, t, whole, pb, n, cloud[1])
        soft = compliance[t] / (h * h)
        if weight + soft <= 0.0:
            continue
        if a.kind[t] == BODY and b.kind[t] == BODY:
            closing = dot(n, sub(_speed(b, t, whole, pb), _speed(a, t, whole, pa)))
            push = max((CLOSE * gap + h * closing) / (weight + soft), 0.0 if slack[t] else -1e30)
        else:
            push = gap / (weight + soft)
        if push > breaks[t] * h * h:
            broken[t] = 1.0
            continue
        _push(a, t, whole, pa, (push * n[0], push * n[1], push * n[2]), h, cloud[0])
        _push(b, t, whole, pb, (-push * n[0], -push * n[1], -push * n[2]), h, cloud[1])


@kernel
def _place(end, t, whole):
    """Where an end is."""
    if end.kind[t] == FIXED:
        return get3(end.at, t, 0)
    if end.kind[t] == BODY:
        arm = turn(get4(whole.q, end.body[t], 0), get3(end.at, t, 0))
        return along(get3(whole.x, end.row[t], 0), 1.0, arm)
    if end.kind[t] == POINT:
        return get3(whole.x, end.row[t], 0)
    p = (0.0, 0.0, 0.0)
    for k in range(3):
        p = along(p, end.weights[t, k], get3(whole.x, end.corners[t, k], 0))
    return p


@kernel
def _speed(end, t, whole, p):
    """Velocity of a body's point."""
    arm = sub(p, get3(whole.x, end.row[t], 0))
    return along(get3(whole.v, end.row[t], 0), 1.0, cross(get3(whole.spin, end.body[t], 0), arm))


@kernel
def _mobility(end, t, whole, p, n, cloud):
    """Generalised inverse mass [1/kg] of an end along n."""
    if end.kind[t] == FIXED:
        return 0.0
    if end.kind[t] == POINT:
        return whole.w[end.row[t]]
    if end.kind[t] == FACE:
        total = 0.0
        for k in range(3):
            total += end.weights[t, k] * end.weights[t, k] * whole.w[end.corners[t, k]]
        return total
    if end.kind[t] == BODY:
        if whole.w[end.row[t]] == 0.0:
            return 0.0
        lever = cross(sub(p, get3(whole.x, end.row[t], 0)), n)
        return whole.w[end.row[t]] + dot(lever, turned(end, t, whole, lever))
    _gather(end.row[t], end.stop[t], whole, cloud)
    lever = cross(sub(p, (cloud[0], cloud[1], cloud[2])), n)
    return cloud[3] + dot(lever, _by_cloud(cloud, lever))


@kernel
def turned(end, t, whole, lever):
    """I^-1 lever of a body, world axes."""
    q = get4(whole.q, end.body[t], 0)
    own = turn(qinv(q), lever)
    return turn(q, (own[0] / end.inertia[t, 0], own[1] / end.inertia[t, 1], own[2] / end.inertia[t, 2]))


@kernel
def _by_cloud(cloud, lever):
    return sv((cloud[4], cloud[5], cloud[6], cloud[7], cloud[8], cloud[9]), lever)


@kernel
def _gather(first, stop, whole, cloud):
    """Centre of mass, inverse mass and inverse inertia of a cloud of particles; immovable if any is held."""
    x, w = whole.x, whole.w
    mass, cx, cy, cz = 0.0, 0.0, 0.0, 0.0
    for i in range(first, stop):
        if w[i] == 0.0:
            cloud[:] = 0.0
            return
        mass += 1.0 / w[i]
        cx += x[i, 0] / w[i]
        cy += x[i, 1] / w[i]
        cz += x[i, 2] / w[i]
    cx, cy, cz = cx / mass, cy / mass, cz / mass
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(first, stop):
        dx, dy, dz, m = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz, 1.0 / w[i]
        xx += m * (dy * dy + dz * dz)
        yy += m * (dx * dx + dz * dz)
        zz += m * (dx * dx + dy * dy)
        xy -= m * dx * dy
        xz -= m * dx * dz
        yz -= m * dy * dz
    s = sinverse((xx, xy, xz, yy, yz, zz))
    cloud[0], cloud[1], cloud[2], cloud[3] = cx, cy, cz, 1.0 / mass
    for k in range(6):
        cloud[4 + k] = s[k]


@kernel
def _push(end, t, whole, p, d, h, cloud):
    """Give an end the impulse d / h, d in kg m."""
    if end.kind[t] == POINT:
        i = end.row[t]
        put3(whole.x, i, 0, along(get3(whole.x, i, 0), whole.w[i], d))
    elif end.kind[t] == FACE:
        for k in range(3):
            i = end.corners[t, k]
            put3(whole.x, i, 0, along(get3(whole.x, i, 0), end.weights[t, k] * whole.w[i], d))
    elif end.kind[t] == BODY:
        push_body(end, t, whole, p, d, h)
    elif end.kind[t] == CLUSTER:
        _move_cloud(end.row[t], end.stop[t], whole, cloud, p, d)


@kernel
def push_body(end, t, whole, p, d, h):
    i, b = end.row[t], end.body[t]
    if whole.w[i] > 0.0:
        lever = cross(sub(p, get3(whole.x, i, 0)), d)
        put3(whole.v, i, 0, along(get3(whole.v, i, 0), whole.w[i] / h, d))
        put3(whole.spin, b, 0, along(get3(whole.spin, b, 0), 1.0 / h, turned(end, t, whole, lever)))


@kernel
def _move_cloud(first, stop, whole, cloud, p, d):
    """Shift and turn a cloud as one."""
    center = (cloud[0], cloud[1], cloud[2])
    angle = _by_cloud(cloud, cross(sub(p, center), d))
    q = qexp(angle)
    for i in range(first, stop):
        arm = turn(q, sub(get3(whole.x, i, 0), center))
        put3(whole.x, i, 0, along(along(center, 1.0, arm), cloud[3], d))
