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
from pliant.colliders.grid import Motion, find_near, grid_for, sort_points
from pliant.colliders.limbs import has_limbs
from pliant.colliders.skins import Skins, may_touch, skins_of, touches_itself
from pliant.colliders.touching import freeze, part_touching
from pliant.kernels import kernel
from pliant.world import Part, State, World

MOST_SUBSTEPS = 40  # per frame that speed may ask for
MOST_SWEEPS = 12  # over the planes per adjust round; fast impacts need several, rest needs one
TOLERANCE = 0.1  # of the gap that a last sweep may still have pushed
MOST_MARGIN = 4.0  # median edges a margin may be: things that burst apart would pair everything with everything
SLIP = 0.4  # median edges that anything may go against the rest in a substep; more costs no less and stretches cloth
SLACK = 0.25  # median edges that a pair may come nearer than its velocities and its unrest say
AHEAD = 3.2  # ways of a substep that a margin holds
UNREST = 1.0  # times what a point strayed from its straight way in the substep before, it may stray in the next
CALM = 0.5  # of its unrest that a point keeps from one substep to the next
CROWD = 2  # near pairs per point beyond which the margin is kept tight


class Touching:
    """The surfaces of one island of parts: for a single part only itself."""

    def __init__(self, world: World, names: list[str], skins: Skins | None = None) -> None:
        parts = [world.part(name) for name in names]
        self._skins = skins if skins is not None else skins_of(world)
        # a string's own points have no surface, and a cut sheet's spare ones are nowhere
        used = [np.setdiff1d(p.triangles, p.extra.get("idle", [])).astype(np.int64) for p in parts if may_touch(p)]
        first = [p.rows.start for p in parts if may_touch(p)]
        rows = [start + own for start, own in zip(first, used, strict=True)]
        self._active = np.concatenate([np.empty(0, int), *rows]).astype(np.uint32)
        self._sample = self._active[:: max(1, len(self._active) // 256)]
        self._edges, self._edge = _edges_of(self._skins, self._active)
        self._most_across = 2.0 * _longest(self._skins.rest, self._edges)
        self._grid = grid_for(len(self._active))
        self._near = np.zeros((len(self._active), 16), np.uint32)
        self._found = np.zeros(len(self._active), np.int64)
        self._candidates = Candidates(len(self._active))
        self._start = np.zeros_like(self._skins.rest)  # positions at the start of the substep
        self._velocity = np.zeros_like(self._skins.rest)  # and velocities
        self._unrest = np.zeros(len(self._skins.rest))  # [m] that rows stray from their straight ways in a substep
        self._allowed = np.zeros(len(self._skins.rest))  # and until the next look
        self._fresh = True  # whether this is the first substep of a frame
        self._margin = -1.0  # how much nearer two things may have come since they were looked for [m]
        self._used = 0.0
        self._sweeps = 0
        self._way = 0.0  # that any of them goes in a substep

    def substeps(self, state: State, frame_step: float) -> int:
        """So many that nothing moves farther than SLIP edges against the rest in one (spec, section 11)."""
        wanted = frame_step * _slip(state, self._active, self._sample) / (SLIP * self._edge)
        return int(min(max(math.ceil(wanted), 1), MOST_SUBSTEPS)) if math.isfinite(wanted) else 1

    def begin_frame(self) -> None:
        self._margin = -1.0  # what a frame does depends on its start alone
        self._fresh = True

    def begin(self, state: State, h: float) -> None:
        """Before the update stroke: look for pairs if the old ones may have missed some, and remember where all are."""
        if not self._fresh:
            _stray(state.position, self._start, self._velocity, h, self._active, self._unrest)
        self._start[:] = state.position
        self._velocity[:] = state.velocity
        self._way = h * _slip(state, self._active, self._sample)  # of the substep before, and of this one
        if self._fresh:
            self._unrest[self._active] = 0.25 * self._way
            self._fresh = False
        self._used += self._way
        if 2.0 * (self._used + 1.5 * self._way) > self._margin:
            self._used = 0.0
            self._look(state.position, state.velocity, h)

    def predict(self, state: State, h: float) -> None:
        """After the update stroke: the planes of this substep."""
        self._sweeps = 0
        freeze(self._start, state.position, self._candidates.touches, 0.25 * self._edge, ESCAPE_SPEED * h)

    def project(self, state: State) -> bool:
        """One sweep over the planes; True if it is worth another."""
        worst = part_touching(state.position, self._start, state.inverse_mass, self._candidates.touches)
        self._sweeps += 1
        return bool(worst > TOLERANCE) and self._sweeps % MOST_SWEEPS != 0

    @property
    def live(self) -> int:
        """How many planes the last substep had."""
        return int(self._candidates.touches.amount[1])

    def _look(self, position: Array, velocity: Array, h: float) -> None:
        """Find what may touch before the next look: as near as that, and coming nearer fast enough."""
        self._margin = min(max(0.75 * self._edge, AHEAD * self._way), MOST_MARGIN * self._edge)
        # the nearest ends of two edges that cross are at most 0.71 edges apart, of a point and a triangle less
        across = min(0.8 * _longest(position, self._edges), self._most_across)
        gap = float(self._skins.gap[self._active].max())
        reach = self._margin + gap + across
        count = max(1.0, 0.5 * self._margin / max(self._way, 1e-12) - 0.5)  # substeps until the next look
        self._allowed[:] = UNREST * count * self._unrest
        while_valid = 1.25 * h * count  # [s]
        sort_points(position, self._active, reach, self._grid)
        while True:
            gate = np.array([reach, gap + across + SLACK * self._edge, while_valid])
            near = Motion(position, velocity, self._allowed, gate)
            find_near(self._grid.entry, self._grid, self._skins, near, self._near, self._found)
            most = int(self._found.max(initial=0))
            if most <= self._near.shape[1]:
                break
            self._near = np.zeros((len(self._active), 2 * most), np.uint32)
        if int(self._found.sum()) > CROWD * len(self._active):  # where much lies on each other, few candidates pay
            self._margin = min(self._margin, max(gap, 8.0 * self._way))
        gate = np.array([self._margin + gap, gap + SLACK * self._edge, while_valid])
        pairs = Near(self._grid.entry, self._near, self._found)
        self._candidates.gather(Motion(position, velocity, self._allowed, gate), self._skins, pairs)


def islands(world: World, state: State, frame_step: float) -> list[list[str]]:
    """Parts that can meet within the frame, by their boxes grown by the way they go; the others stand alone."""
    names = list(world.parts)
    group = list(range(len(names)))
    for a, b in _tied(world, names) + (_near(world, state, frame_step) if world.contacts else []):
        old, new = max(group[a], group[b]), min(group[a], group[b])
        group = [new if g == old else g for g in group]
    return [[names[k] for k in range(len(names)) if group[k] == g] for g in sorted(set(group))]


def touching_groups(world: World, names: list[str], state: State, frame_step: float) -> list[list[str]]:
    """Which of the named parts' surfaces can meet within the frame: what a string alone joins need not be compared."""
    soft = [name for name in names if may_touch(world.part(name))] if world.contacts else []
    every, group = list(world.parts), {name: k for k, name in enumerate(soft)}
    for a, b in _near(world, state, frame_step) if len(soft) > 1 else []:
        if every[a] in group and every[b] in group:
            old, new = sorted((group[every[a]], group[every[b]]), reverse=True)
            group = {name: new if g == old else g for name, g in group.items()}
    found = [[name for name in soft if group[name] == g] for g in sorted(set(group.values()))]
    return [members for members in found if needs_touching(world, members)]


def _tied(world: World, names: list[str]) -> list[tuple[int, int]]:
    pairs = (world.ties.names if world.ties is not None else ()) + (
        world.pipes.names if world.pipes is not None else ()
    )
    return [(names.index(a), names.index(b)) for a, b in pairs if a and b and a != b]


def _near(world: World, state: State, frame_step: float) -> list[tuple[int, int]]:
    """Pairs of parts whose boxes meet."""
    parts = list(world.parts.values())
    meets = [k for k, part in enumerate(parts) if may_touch(part) or has_limbs(part)]
    if len(meets) < 2:
        return []
    boxes = np.stack([_box(parts[k], state, frame_step) for k in meets])
    low, high = boxes[:, :3], boxes[:, 3:]
    meeting = (low[:, None] <= high[None]).all(axis=2)
    first, second = np.nonzero(np.tril(meeting & meeting.T, -1))
    return [(meets[a], meets[b]) for a, b in zip(first, second, strict=True)]


def needs_touching(world: World, names: list[str]) -> bool:
    """Whether anything in this island can touch."""
    parts = [world.part(name) for name in names]
    return sum(may_touch(part) for part in parts) > 1 or any(touches_itself(part) for part in parts)


def _box(part: Part, state: State, frame_step: float) -> Array:
    """(6,) lowest and highest corner that a part may reach within the frame."""
    found = np.empty(7)
    _reach(state.position[part.rows], state.velocity[part.rows], found)
    way = 1.5 * frame_step * float(found[6]) + part.thickness + 0.01
    if has_limbs(part):
        way += float(np.abs(part.extra["capsules"][:, :6]).max() + part.extra["capsules"][:, 6].max())
    found[:3] -= way
    found[3:6] += way
    return found[:6]


@kernel
def _reach(x, v, found):
    """Lowest and highest coordinates and the greatest speed."""
    lx = ly = lz = math.inf
    hx = hy = hz = -math.inf
    most = 0.0
    for i in range(x.shape[0]):
        lx, ly, lz = min(lx, x[i, 0]), min(ly, x[i, 1]), min(lz, x[i, 2])
        hx, hy, hz = max(hx, x[i, 0]), max(hy, x[i, 1]), max(hz, x[i, 2])
        most = max(most, v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
    found[0], found[1], found[2], found[3], found[4], found[5] = lx, ly, lz, hx, hy, hz
    found[6] = math.sqrt(most)


def _edges_of(skins: Skins, active: Array) -> tuple[Array, float]:
    """Edges of the active points, and their median length at rest [m]."""
    inside = np.zeros(len(skins.owner), bool)
    inside[active] = True
    ends = skins.edges[inside[skins.edges[:, 0]]]
    return ends, float(np.median(np.linalg.norm(skins.rest[ends[:, 1]] - skins.rest[ends[:, 0]], axis=1)))


def _slip(state: State, active: Array, sample: Array) -> float:
    """Largest speed of an active row against a rigid motion of all, fitted to a sample of them [m/s].

    A rigid motion brings nothing nearer to anything, and any of them bounds the rest.
    """
    x, v = state.position[sample], state.velocity[sample]
    center, mean = x.mean(axis=0), v.mean(axis=0)
    arm = x - center
    square = (arm * arm).sum()
    inertia = square * np.eye(3) - arm.T @ arm + 1e-9 * (square + 1e-12) * np.eye(3)
    turn = np.linalg.solve(inertia, np.cross(arm, v - mean).sum(axis=0))
    return math.sqrt(_fastest(state.position, state.velocity, active, center, mean, turn))


@kernel
def _fastest(x, v, active, center, mean, turn):
    most = 0.0
    for n in range(active.shape[0]):
        i = active[n]
        rx, ry, rz = x[i, 0] - center[0], x[i, 1] - center[1], x[i, 2] - center[2]
        dx = v[i, 0] - mean[0] - turn[1] * rz + turn[2] * ry
        dy = v[i, 1] - mean[1] - turn[2] * rx + turn[0] * rz
        dz = v[i, 2] - mean[2] - turn[0] * ry + turn[1] * rx
        most = max(most, dx * dx + dy * dy + dz * dz)
    return most


@kernel
def _stray(x, start, velocity, h, active, unrest):
    """Unrest of rows: how far they are from where their velocities led; of what it was, some is kept."""
    for n in range(active.shape[0]):
        i = active[n]
        dx = x[i, 0] - start[i, 0] - h * velocity[i, 0]
        dy = x[i, 1] - start[i, 1] - h * velocity[i, 1]
        dz = x[i, 2] - start[i, 2] - h * velocity[i, 2]
        unrest[i] = max(CALM * unrest[i], math.sqrt(dx * dx + dy * dy + dz * dz))


@kernel
def _longest(x, edges):
    most = 0.0
    for e in range(edges.shape[0]):
        i, j = edges[e, 0], edges[e, 1]
        dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
        most = max(most, dx * dx + dy * dy + dz * dz)
    return math.sqrt(most)
