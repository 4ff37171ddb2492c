"""Cloth against itself and part against part: the surfaces of one island never pass through each other.

Pairs of near points are found by a hash grid as often as the parts' relative motion asks for, not in every substep;
from them come the point-triangle and edge-edge candidates within a margin, and in every substep the planes of those
that can touch (`touching`). Both sides move, by their masses. Everything is serial or gathers, so the bits do not
depend on the number of threads.
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.colliders.candidates import Candidates, Near
from pliant.colliders.contact import ESCAPE_SPEED
from pliant.colliders.flatness import OF_EDGES, look_around
from pliant.colliders.grid import find_near, grid_for, sort_points
from pliant.colliders.reach import Reach
from pliant.colliders.skins import Skins, may_touch, skins_of, touches_itself
from pliant.colliders.touching import Touches, freeze, mark_touching, part_touching
from pliant.kernels import kernel
from pliant.kernels.vectors import add, cross, dot, get3, scale, sinverse, sub, sv
from pliant.world import State, World

MOST_SUBSTEPS = 40  # per frame that speed may ask for
MOST_SWEEPS = 12  # over the planes per adjust round; fast impacts need several, rest needs one
TOLERANCE = 0.1  # of the gap that a last sweep may still have pushed
MOST_MARGIN = 2.0  # median edges a margin may be: things that burst apart would pair everything with everything
SLACK = 0.5  # median edges that a pair may come nearer than its present closing speed says
SWING = 0.5  # median edges that a point can go against its neighbours, whatever its speed
CROWD = 2  # near pairs per point beyond which the margin is kept tight


class Touching:
    """The surfaces of one island of parts: for a single part only itself."""

    def __init__(self, world: World, names: list[str], skins: Skins | None = None) -> None:
        self.names = tuple(names)
        parts = [world.part(name) for name in names]
        self._skins = skins if skins is not None else skins_of(world)
        # a string's own points have no surface, and a cut sheet's spare ones are nowhere
        used = [np.setdiff1d(p.triangles, p.extra.get("idle", [])).astype(np.int64) for p in parts if may_touch(p)]
        first = [p.rows.start for p in parts if may_touch(p)]
        rows = [start + own for start, own in zip(first, used, strict=True)]
        self._every = np.concatenate([np.empty(0, int), *rows]).astype(np.uint32)
        self._edges, self._edge = _edges_of(self._skins, self._every)
        self._most_across = 2.0 * _longest(self._skins.rest, self._edges)
        self._gap = float(self._skins.gap[self._every].max())
        self._reach = Reach(self._every, len(self._skins.owner), parts)
        self._active = self._sample = self._every  # those that can touch anything within the frame
        self._grid = grid_for(len(self._every))
        self._even = np.zeros(len(self._skins.owner), np.uint8)
        self._size = np.zeros(len(self._skins.owner))  # see `flatness`
        self._near = np.zeros((len(self._every), 16), np.uint32)
        self._found = np.zeros(len(self._every), np.int64)
        self._candidates = Candidates(len(self._every))
        self._start = np.zeros_like(self._skins.rest)  # positions at the start of the substep
        self._margin = -1.0  # how much nearer two things may have come since they were looked for [m]
        self._used = 0.0
        self._sweeps = 0
        self._time_left = 0.0  # [s] of the frame
        self._way = 0.0  # that any of them goes in a substep, with the points around it
        self._swing = 0.0  # and that one goes against those

    def meet(self, state: State, frame_step: float) -> bool:
        """Before a frame, which depends on its start alone: what can touch anything in it; whether there is any."""
        self._margin, self._time_left = -1.0, frame_step
        self._active = self._reach.within_frame(state, self._skins, frame_step, self._most_across + self._gap)
        self._sample = self._active[:: max(1, len(self._active) // 256)]
        return len(self._active) > 0

    def substeps(self, state: State, frame_step: float) -> int:
        """So many that nothing moves farther than 0.4 edges against the rest in one (spec, section 11)."""
        wanted = frame_step * self._slip(state)[0] / (0.4 * self._edge)
        return int(min(max(math.ceil(wanted), 1), MOST_SUBSTEPS)) if math.isfinite(wanted) else 1

    def begin(self, state: State, h: float) -> None:
        """Before the update stroke: look for pairs if the old ones may have missed some, and remember where all are."""
        self._start[:] = state.position
        slip, fastest = self._slip(state)
        self._way, self._swing = (
            h * slip,
            min(h * fastest, SWING * self._edge),
        )  # of the substep before, and of this one
        self._used += self._way
        if 2.0 * (self._used + 1.5 * self._way) > self._margin:
            self._used = 0.0
            self._look(state.position, state.velocity, h)
        self._time_left -= h

    def predict(self, state: State, h: float) -> None:
        """After the update stroke: the planes of this substep."""
        self._sweeps = 0
        freeze(
            self._start,
            state.position,
            self._candidates.touches,
            min(3.0 * self._way + max(0.25 * self._edge, self._swing), self._margin),
            ESCAPE_SPEED * h,
        )

    def project(self, state: State) -> bool:
        """One sweep over the planes; True if it is worth another."""
        worst = part_touching(state.position, self._start, state.inverse_mass, self._candidates.touches)
        self._sweeps += 1
        return bool(worst > TOLERANCE) and self._sweeps % MOST_SWEEPS != 0

    def mark(self, position: Array, touched: Array) -> None:
        """Set what lies on something in `touched` (n,)."""
        mark_touching(position, self._candidates.touches, touched)

    @property
    def touches(self) -> Touches:
        """Candidates and planes, with what they did in the last substep."""
        return self._candidates.touches

    @property
    def live(self) -> int:
        """How many planes the last substep had."""
        return int(self._candidates.touches.amount[1])

    def _slip(self, state: State) -> tuple[float, float]:
        """Largest speeds of an active row against a rigid motion of all, fitted to a sample of them [m/s]: with the
        points around it, and its own.

        A rigid motion brings nothing nearer to anything, and any of them bounds the rest. A point that swings against
        its neighbours, as those beside a pin under tension do, gets nowhere: it is the patch that meets something.
        """
        around = (self._skins.edge_start, self._skins.edge_of, self._skins.edges)
        slip, fastest = _fastest(state.position, state.velocity, self._active, self._sample, around)
        return float(slip), float(fastest)

    def _look(self, position: Array, velocity: Array, h: float) -> None:
        """Find what may touch before the next look: as near as that, and coming nearer fast enough."""
        self._margin = self._margin_for(h)
        gap = self._gap
        slack = max(SLACK * self._edge, self._swing) + self._way  # what a pair may come nearer beyond its closing speed
        while_valid = 1.25 * h * max(1.0, 0.5 * self._margin / max(self._way, 1e-12))  # [s] until the next look
        across = min(OF_EDGES * _longest(position, self._edges), self._most_across)
        gate = np.array([self._margin + gap, gap + slack, while_valid, self._margin + gap + across])
        near = self._pairs(position, velocity, gate)
        if int(near.found.sum()) > CROWD * len(near.entry):  # where much lies on each other, few candidates pay
            self._margin = min(self._margin, max(gap, 8.0 * self._way))
        gate[0] = self._margin + gap
        self._candidates.gather((position, velocity, gate), self._skins, near)

    def _margin_for(self, h: float) -> float:
        """As wide as the rest of the frame will use; wider would pair more than can meet."""
        left = max(self._time_left / h, 1.0)
        usual = max(0.75 * self._edge, 6.0 * self._way)
        enough = max(0.4 * self._edge, 2.5 * (left + 1.5) * self._way)
        return min(usual, enough, MOST_MARGIN * self._edge)

    def _pairs(self, position: Array, velocity: Array, gate: Array) -> Near:
        """Near points; `gate` as of `find_near`."""
        chosen = self._reach.now(position, self._active, self._skins, float(gate[3]))
        grid, found = self._grid.of(len(chosen)), self._found[: len(chosen)]
        look_around(chosen, position, self._skins, self._even, self._size)
        gate[3] = min(gate[3], gate[0] + float(self._size[chosen].max(initial=0.0)))
        sort_points(position, chosen, gate[3], grid)
        while True:
            find_near(grid.entry, grid, self._skins, gate, velocity, self._size, self._near, found)
            most = int(found.max(initial=0))
            if most <= self._near.shape[1]:
                return Near(grid.entry, self._near, found, self._even)
            self._near = np.zeros((len(self._every), 2 * most), np.uint32)


def needs_touching(world: World, names: list[str]) -> bool:
    """Whether anything in this island can touch."""
    parts = [world.part(name) for name in names]
    return sum(may_touch(part) for part in parts) > 1 or any(touches_itself(part) for part in parts)


def _edges_of(skins: Skins, active: Array) -> tuple[Array, float]:
    """Edges of the active points, and their median length at rest [m]."""
    inside = np.zeros(len(skins.owner), bool)
    inside[active] = True
    ends = skins.edges[inside[skins.edges[:, 0]]]
    return ends, float(np.median(np.linalg.norm(skins.rest[ends[:, 1]] - skins.rest[ends[:, 0]], axis=1)))


@kernel
def _mean(x, rows):
    total = (0.0, 0.0, 0.0)
    for n in range(rows.shape[0]):
        total = add(total, get3(x, rows[n], 0))
    return scale(1.0 / max(rows.shape[0], 1), total)


@kernel
def _fastest(x, v, active, sample, around):
    start, of, edges = around
    center, mean = _mean(x, sample), _mean(v, sample)
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    square, whole = 0.0, (0.0, 0.0, 0.0)
    for n in range(sample.shape[0]):
        a = sub(get3(x, sample[n], 0), center)
        square += dot(a, a)
        xx, xy, xz = xx - a[0] * a[0], xy - a[0] * a[1], xz - a[0] * a[2]
        yy, yz, zz = yy - a[1] * a[1], yz - a[1] * a[2], zz - a[2] * a[2]
        whole = add(whole, cross(a, sub(get3(v, sample[n], 0), mean)))
    extent = square + 1e-9 * (square + 1e-12)
    turn = sv(sinverse((xx + extent, xy, xz, yy + extent, yz, zz + extent)), whole)
    most, own = 0.0, 0.0
    for n in range(active.shape[0]):
        i = active[n]
        rigid = add(mean, cross(turn, sub(get3(x, i, 0), center)))
        patch = get3(v, i, 0)
        apart = sub(patch, rigid)
        own = max(own, dot(apart, apart))
        for slot in range(start[i], start[i + 1]):
            e = of[slot]
            patch = add(patch, get3(v, edges[e, 0] if edges[e, 1] == i else edges[e, 1], 0))
        apart = sub(scale(1.0 / (1 + start[i + 1] - start[i]), patch), rigid)
        most = max(most, dot(apart, apart))
    return math.sqrt(most), math.sqrt(own)


@kernel
def _longest(x, edges):
    most = 0.0
    for e in range(edges.shape[0]):
        i, j = edges[e, 0], edges[e, 1]
        dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
        most = max(most, dx * dx + dy * dy + dz * dz)
    return math.sqrt(most)
