"""Which parts can meet within a frame; the others stand alone, each with its own substeps.

Boxes of whole parts say who cannot; of the rest only rows count that lie within reach of the other part's box, and the
boxes of those are smaller: after a few rounds little is left of a ribbon that waves beside a flag.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.colliders.between import needs_touching
from pliant.colliders.limbs import has_limbs
from pliant.colliders.reach import AGAIN, HASTE
from pliant.colliders.skins import may_touch
from pliant.constants import HAND_SPEED
from pliant.geometry import surface
from pliant.kernels import inner, kernel
from pliant.world import Part, State, World

ROUNDS = 4
STRETCH = 1.2  # of the longest edge, for cloth that is drawn out


class Extent(NamedTuple):
    """What of a part can be met."""

    rows: Array  # (n,) of the State
    radius: Array  # (n,) [m] that it reaches from there
    held: Array  # (n,) whether the scene holds it; what a hand holds moves as fast as the hand


class Islands:
    """Bound once to a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._names = list(world.parts)
        parts = [world.part(name) for name in self._names]
        meets = world.contacts and len(parts) > 1
        self._extents = {k: _extent(p) for k, p in enumerate(parts) if meets and (may_touch(p) or has_limbs(p))}
        self._tied = _tied(world, self._names)
        self._near: list[tuple[int, int]] = []
        most = max((len(e.rows) for e in self._extents.values()), default=0)
        self._chosen = np.zeros((2, most), np.int64)

    def meet(self, state: State, frame_step: float) -> list[list[str]]:
        """Names of the parts of each island."""
        self._near = self._pairs(state, frame_step)
        return [[self._names[k] for k in group] for group in _grouped(range(len(self._names)), self._tied + self._near)]

    def touching_groups(self, names: list[str]) -> list[list[str]]:
        """Which of an island's surfaces can meet: what a string alone joins need not be compared."""
        soft = [k for k, name in enumerate(self._names) if name in names and may_touch(self._world.part(name))]
        pairs = [(a, b) for a, b in self._near if a in soft and b in soft]
        found = [[self._names[k] for k in group] for group in _grouped(soft if self._world.contacts else (), pairs)]
        return [members for members in found if needs_touching(self._world, members)]

    def _pairs(self, state: State, frame_step: float) -> list[tuple[int, int]]:
        """Pairs of parts that can come together within the frame, at the speeds at its start."""
        listed = list(self._extents)
        if len(listed) < 2:
            return []
        boxes = np.empty((len(listed), 7))
        for box, k in zip(boxes, listed, strict=True):
            _bound(state.position, state.velocity, state.inverse_mass, self._extents[k], HASTE * frame_step, box)
        low, high = boxes[:, :3] - boxes[:, 6:], boxes[:, 3:6] + boxes[:, 6:]
        meeting = (low[:, None] <= high[None]).all(axis=2)
        first, second = np.nonzero(np.tril(meeting & meeting.T, -1))
        pairs = [
            (a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True) if self._close(a, b, boxes, state)
        ]
        return [(listed[a], listed[b]) for a, b in pairs]

    def _close(self, a: int, b: int, boxes: Array, state: State) -> bool:
        one, other = (self._extents[list(self._extents)[k]] for k in (a, b))
        return bool(_come_near(state.position, one, other, boxes[a, 6] + boxes[b, 6], self._chosen))


def islands(world: World, state: State, frame_step: float) -> list[list[str]]:
    """Once, for a world at an instant."""
    return Islands(world).meet(state, frame_step)


def _grouped(members: "range | list[int] | tuple[int, ...]", pairs: list[tuple[int, int]]) -> list[list[int]]:
    """The members, joined by pairs."""
    group = {k: k for k in members}
    for a, b in pairs:
        old, new = max(group[a], group[b]), min(group[a], group[b])
        group = {k: new if g == old else g for k, g in group.items()}
    return [[k for k in members if group[k] == g] for g in sorted(set(group.values()))]


def _tied(world: World, names: list[str]) -> list[tuple[int, int]]:
    pairs = (world.ties.names if world.ties is not None else ()) + (
        world.pipes.names if world.pipes is not None else ()
    )
    return [(names.index(a), names.index(b)) for a, b in pairs if a and b and a != b]


def _extent(part: Part) -> Extent:
    if may_touch(part):
        own = np.setdiff1d(part.triangles, part.extra.get("idle", [])).astype(np.int64)
        ends = surface.edges(part.triangles).astype(np.int64)
        longest = np.linalg.norm(part.rest_position[ends[:, 1]] - part.rest_position[ends[:, 0]], axis=1).max()
        radius = np.full(len(own), STRETCH * float(longest) + part.thickness)
    else:
        own = np.arange(len(part.inertia))
        capsules = np.asarray(part.extra["capsules"], float)
        ends = capsules[:, :6].reshape(-1, 2, 3)
        radius = np.linalg.norm(ends, axis=2).max(axis=1) + capsules[:, 6] + part.thickness
    held = np.isin(own, np.asarray(part.held, np.int64))
    return Extent(own + part.rows.start, radius, held)


@kernel
def _bound(x, v, w, extent, time, box):
    """(7,) lowest and highest corner of a part with its radii, and the way [m] it may go."""
    for k in range(3):
        box[k], box[3 + k] = math.inf, -math.inf
    most = 0.0
    for n in range(extent.rows.shape[0]):
        i, r = extent.rows[n], extent.radius[n]
        for k in range(3):
            box[k], box[3 + k] = min(box[k], x[i, k] - r), max(box[3 + k], x[i, k] + r)
        speed = math.sqrt(v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
        most = max(most, max(speed, HAND_SPEED) if w[i] == 0.0 and not extent.held[n] else speed)
    box[6] = time * most + AGAIN


@kernel
def _come_near(x, one, other, way, chosen):
    """Whether rows of both are left that lie within the box of those of the other, grown by `way`."""
    count_a, count_b = one.rows.shape[0], other.rows.shape[0]
    for n in range(count_a):
        chosen[0, n] = n
    for n in range(count_b):
        chosen[1, n] = n
    for _ in range(ROUNDS):
        box = _box_of(x, other, chosen[1], count_b, way)
        count_a = _keep(x, one, chosen[0], count_a, box)
        box = _box_of(x, one, chosen[0], count_a, way)
        count_b = _keep(x, other, chosen[1], count_b, box)
    return count_a > 0 and count_b > 0


@inner
def _box_of(x, extent, chosen, count, way):
    lx = ly = lz = math.inf
    hx = hy = hz = -math.inf
    for n in range(count):
        i, r = extent.rows[chosen[n]], extent.radius[chosen[n]] + way
        lx, ly, lz = min(lx, x[i, 0] - r), min(ly, x[i, 1] - r), min(lz, x[i, 2] - r)
        hx, hy, hz = max(hx, x[i, 0] + r), max(hy, x[i, 1] + r), max(hz, x[i, 2] + r)
    return lx, ly, lz, hx, hy, hz


@inner
def _keep(x, extent, chosen, count, box):
    kept = 0
    for n in range(count):
        i, r = extent.rows[chosen[n]], extent.radius[chosen[n]]
        inside = True
        for k in range(3):
            inside = inside and x[i, k] + r >= box[k] and x[i, k] - r <= box[3 + k]
        if inside:
            chosen[kept] = chosen[n]
            kept += 1
    return kept
