"""What parts do to each other and to themselves turns nothing: angular momentum of a free island is put right.

Projecting positions one after the other keeps linear momentum to the last bit but lets a little angular momentum leak
(spec of seed 000, section 7), and surfaces that slide along each other leak more (spec of seed 001, section 8). After
the inner part of adjust, and after more sweeps over contacts, the whole island is given the spin that is missing:

    omega = I^-1 (L_before - L_after),   v_i += omega x (x_i - c),   spin += omega

Only for islands that nothing outside holds; contact with the surroundings comes after it and is not touched.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.kernels import kernel
from pliant.kernels.vectors import add, along, cross, dot, get3, get4, put3, qinv, sinverse, sub, sv, turn
from pliant.world import FIXED, State, World


class _Island(NamedTuple):
    rows: Array  # (n,) rows of State.position
    body_row: Array  # (b,) those of them that are bodies
    body: Array  # (b,) rows of State.rotation_xyzw
    inertia: Array  # (b, 3) [kg m^2]


class AngularMomentum:
    """Keeps the angular momentum of one island through the inner part of adjust."""

    def __init__(self, world: World, names: list[str]) -> None:
        parts = [world.part(name) for name in names]
        bodies = [np.arange(p.bodies.start, p.bodies.stop) for p in parts]
        first = [p.rows.start + np.arange(p.bodies.stop - p.bodies.start) for p in parts]
        self._island = _Island(
            rows=np.concatenate([np.arange(p.rows.start, p.rows.stop) for p in parts]).astype(Index),
            body_row=np.concatenate(first).astype(Index),
            body=np.concatenate(bodies).astype(Index),
            inertia=np.concatenate([p.inertia.reshape(-1, 3) for p in parts]),
        )
        self._outside = any(p.motion is not None for p in parts) or _tied_to_world(world, names)
        self._free = False
        self._before = np.zeros(3)
        self._predicted = np.zeros((0, 3))

    def predict(self, state: State) -> None:
        """After update: what moves from here on will be velocity."""
        rows = self._island.rows
        self._free = not self._outside and bool((state.inverse_mass[rows] > 0.0).all())
        if self._free:
            self._predicted = state.position[rows]

    def begin(self, state: State, h: float) -> None:
        """Before the inner part of adjust: how much there is."""
        if self._free:
            whole = (state.position, state.velocity, state.inverse_mass, state.rotation_xyzw, state.spin)
            _measure(self._island, whole, self._predicted, 1.0 / h, self._before)

    def restore(self, state: State, h: float) -> None:
        """After the inner part of adjust: give back what is missing."""
        if self._free:
            whole = (state.position, state.velocity, state.inverse_mass, state.rotation_xyzw, state.spin)
            _restore(self._island, whole, self._predicted, 1.0 / h, self._before)


def _tied_to_world(world: World, names: list[str]) -> bool:
    if world.ties is None:
        return False
    ends = zip(world.ties.names, world.ties.a.kind, world.ties.b.kind, strict=True)
    return any(FIXED in (a, b) and (one in names or two in names) for (one, two), a, b in ends)


@kernel
def _measure(island, whole, predicted, rate, total):
    """Angular momentum about the origin, with the velocity that the displacement since `predicted` will add."""
    x, v, w, q, spin = whole
    lx, ly, lz = 0.0, 0.0, 0.0
    for n in range(island.rows.shape[0]):
        i = island.rows[n]
        p = get3(x, i, 0)
        moved = along(get3(v, i, 0), rate, sub(p, get3(predicted, n, 0)))
        own = cross(p, moved)
        lx, ly, lz = lx + own[0] / w[i], ly + own[1] / w[i], lz + own[2] / w[i]
    for n in range(island.body.shape[0]):
        turned = _spun(island, n, get4(q, island.body[n], 0), get3(spin, island.body[n], 0))
        lx, ly, lz = lx + turned[0], ly + turned[1], lz + turned[2]
    total[0], total[1], total[2] = lx, ly, lz


@kernel
def _spun(island, n, q, omega):
    """I omega of a body, world axes."""
    own = turn(qinv(q), omega)
    return turn(q, (island.inertia[n, 0] * own[0], island.inertia[n, 1] * own[1], island.inertia[n, 2] * own[2]))


@kernel
def _center(island, x, w):
    mass, c = 0.0, (0.0, 0.0, 0.0)
    for n in range(island.rows.shape[0]):
        i = island.rows[n]
        mass += 1.0 / w[i]
        c = along(c, 1.0 / w[i], get3(x, i, 0))
    return (c[0] / mass, c[1] / mass, c[2] / mass)


@kernel
def _inertia(island, whole, c):
    """Of the whole island about c, symmetric (xx, xy, xz, yy, yz, zz)."""
    x, _, w, q, _ = whole
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(island.rows.shape[0]):
        i = island.rows[n]
        a, m = sub(get3(x, i, 0), c), 1.0 / w[i]
        s = dot(a, a)
        xx, yy, zz = xx + m * (s - a[0] * a[0]), yy + m * (s - a[1] * a[1]), zz + m * (s - a[2] * a[2])
        xy, xz, yz = xy - m * a[0] * a[1], xz - m * a[0] * a[2], yz - m * a[1] * a[2]
    for n in range(island.body.shape[0]):
        b = get4(q, island.body[n], 0)
        ex = _spun(island, n, b, (1.0, 0.0, 0.0))
        ey = _spun(island, n, b, (0.0, 1.0, 0.0))
        ez = _spun(island, n, b, (0.0, 0.0, 1.0))
        xx, xy, xz, yy, yz, zz = xx + ex[0], xy + ey[0], xz + ez[0], yy + ey[1], yz + ez[1], zz + ez[2]
    return (xx, xy, xz, yy, yz, zz)


@kernel
def _restore(island, whole, predicted, rate, before):
    x, v, w, _, spin = whole
    now = np.empty(3)
    _measure(island, whole, predicted, rate, now)
    c = _center(island, x, w)
    missing = (before[0] - now[0], before[1] - now[1], before[2] - now[2])
    omega = sv(sinverse(_inertia(island, whole, c)), missing)
    for n in range(island.rows.shape[0]):
        i = island.rows[n]
        put3(v, i, 0, add(get3(v, i, 0), cross(omega, sub(get3(x, i, 0), c))))
    for n in range(island.body.shape[0]):
        b = island.body[n]
        put3(spin, b, 0, add(get3(spin, b, 0), omega))
