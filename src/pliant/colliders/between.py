"""Cloth against itself and part against part: the surfaces of one island never pass through each other.

Pairs of near points are found by a hash grid as often as the parts' relative motion asks for, not in every substep;
from them come the point-triangle and edge-edge candidates within a margin, and in every substep the planes of those
that can touch (`touching`). Both sides move, by their masses. Everything is serial or gathers, so the bits do not
depend on the number of threads.
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.colliders.contact import ESCAPE_SPEED
from pliant.colliders.grid import find_near, grid_for, sort_points
from pliant.colliders.limbs import has_limbs
from pliant.colliders.skins import Skins, may_touch, skins_of, touches_itself
from pliant.colliders.touching import freeze, gather, part_touching, touches_for
from pliant.kernels import kernel
from pliant.world import Part, State, World

MOST_SUBSTEPS = 40  # per frame that speed may ask for
SWEEPS = 2  # over the planes per adjust round


class Touching:
    """The surfaces of one island of parts: for a single part only itself."""

    def __init__(self, world: World, names: list[str], skins: Skins | None = None) -> None:
        parts = [world.part(name) for name in names]
        self._skins = skins if skins is not None else skins_of(world)
        rows = [np.arange(p.rows.start, p.rows.stop) for p in parts if may_touch(p)]
        self._active = np.concatenate([np.empty(0, int), *rows]).astype(np.uint32)
        self._edge, self._longest = _edge_lengths(self._skins, self._active)
        self._grid = grid_for(len(self._active))
        self._near = np.zeros((len(self._active), 16), np.uint32)
        self._found = np.zeros(len(self._active), np.int64)
        self._touches = touches_for(4 * len(self._active) + 64)
        self._start = np.zeros_like(self._skins.rest)  # positions at the start of the substep
        self._built = np.zeros_like(self._skins.rest)  # and when the pairs were looked for
        self._margin = -1.0

    def substeps(self, state: State, frame_step: float) -> int:
        """So many that nothing moves farther than 0.4 edges against the rest in one (spec, section 11)."""
        speed = _spread(state.velocity, self._active, np.zeros_like(state.velocity))
        wanted = frame_step * speed / (0.4 * self._edge)
        return int(min(max(math.ceil(wanted), 1), MOST_SUBSTEPS)) if math.isfinite(wanted) else 1

    def begin_frame(self) -> None:
        self._margin = -1.0  # what a frame does depends on its start alone

    def begin(self, state: State, h: float) -> None:
        """Before the update stroke: look for pairs if the old ones may have missed some, and remember where all are."""
        self._start[:] = state.position
        way = h * _spread(state.velocity, self._active, np.zeros_like(state.velocity))
        drift = _spread(state.position, self._active, self._built)
        if 2.0 * (drift + way) > self._margin:
            self._margin = max(0.75 * self._edge, 6.0 * way)
            self._look(state.position)

    def predict(self, state: State, h: float) -> None:
        """After the update stroke: the planes of this substep."""
        way = _spread(state.position, self._active, self._start)
        reach = min(2.0 * way + 0.25 * self._edge, max(self._margin, 0.0))
        freeze(self._start, self._touches, reach, ESCAPE_SPEED * h)

    def project(self, state: State) -> None:
        for _ in range(SWEEPS):
            part_touching(state.position, self._start, state.inverse_mass, self._touches)

    @property
    def live(self) -> int:
        """How many planes the last substep had."""
        return int(self._touches.count[1])

    def _look(self, position: Array) -> None:
        self._built[:] = position
        reach = self._margin + float(self._skins.gap.max()) + self._longest
        sort_points(position, self._active, reach, self._grid)
        while True:
            find_near(self._grid.entry, self._grid, self._skins, reach, self._near, self._found)
            most = int(self._found.max(initial=0))
            if most <= self._near.shape[1]:
                break
            self._near = np.zeros((len(self._active), 2 * most), np.uint32)
        while True:
            gather(position, self._skins, self._grid.entry, self._near, self._found, self._margin, self._touches)
            if self._touches.count[0] <= len(self._touches.kind):
                break
            self._touches = touches_for(2 * int(self._touches.count[0]))


def islands(world: World, state: State, frame_step: float) -> list[list[str]]:
    """Parts that can meet within the frame, by their boxes grown by the way they go; the others stand alone."""
    names = list(world.parts)
    group = list(range(len(names)))
    for a, b in _tied(world, names) + (_near(world, state, frame_step) if world.contacts else []):
        old, new = max(group[a], group[b]), min(group[a], group[b])
        group = [new if g == old else g for g in group]
    return [[names[k] for k in range(len(names)) if group[k] == g] for g in sorted(set(group))]


def _tied(world: World, names: list[str]) -> list[tuple[int, int]]:
    if world.ties is None:
        return []
    return [(names.index(a), names.index(b)) for a, b in world.ties.names if a and b and a != b]


def _near(world: World, state: State, frame_step: float) -> list[tuple[int, int]]:
    """Pairs of parts whose boxes meet."""
    parts = list(world.parts.values())
    boxes = [_box(part, state, frame_step) if may_touch(part) or has_limbs(part) else None for part in parts]
    pairs = []
    for a in range(len(boxes)):
        for b in range(a):
            one, two = boxes[a], boxes[b]
            if has_limbs(parts[a]) and has_limbs(parts[b]):
                continue  # puppets meet only through what is soft between them
            if one is not None and two is not None and not (one[0] > two[1]).any() and not (two[0] > one[1]).any():
                pairs.append((a, b))
    return pairs


def needs_touching(world: World, names: list[str]) -> bool:
    """Whether anything in this island can touch."""
    parts = [world.part(name) for name in names]
    return sum(may_touch(part) for part in parts) > 1 or any(touches_itself(part) for part in parts)


def _box(part: Part, state: State, frame_step: float) -> tuple[Array, Array]:
    position = state.position[part.rows]
    way = 1.5 * frame_step * float(np.linalg.norm(state.velocity[part.rows], axis=1).max()) + part.thickness + 0.01
    if has_limbs(part):
        way += float(np.abs(part.extra["capsules"][:, :6]).max() + part.extra["capsules"][:, 6].max())
    return position.min(axis=0) - way, position.max(axis=0) + way


def _edge_lengths(skins: Skins, active: Array) -> tuple[float, float]:
    """(median, longest) edge at rest of the active points [m]."""
    inside = np.zeros(len(skins.owner), bool)
    inside[active] = True
    ends = skins.edges[inside[skins.edges[:, 0]]]
    length = np.linalg.norm(skins.rest[ends[:, 1]] - skins.rest[ends[:, 0]], axis=1)
    return float(np.median(length)), float(1.3 * length.max())


@kernel
def _spread(x, active, reference):
    """Largest distance of x - reference from its mean, over the active rows."""
    mx, my, mz = 0.0, 0.0, 0.0
    for n in range(active.shape[0]):
        i = active[n]
        mx += x[i, 0] - reference[i, 0]
        my += x[i, 1] - reference[i, 1]
        mz += x[i, 2] - reference[i, 2]
    mx, my, mz = mx / active.shape[0], my / active.shape[0], mz / active.shape[0]
    most = 0.0
    for n in range(active.shape[0]):
        i = active[n]
        dx = x[i, 0] - reference[i, 0] - mx
        dy = x[i, 1] - reference[i, 1] - my
        dz = x[i, 2] - reference[i, 2] - mz
        most = max(most, dx * dx + dy * dy + dz * dz)
    return math.sqrt(most)
