"""What the mouse of every visitor does to the stage: grab, pin, push, pinch, freeze, cut.

The page says where a drag began, where it leads and where the eye is; which part's which point that is, is found here,
on the stage's thread. Every visitor has hands of their own; what a visitor held is dropped when they go away.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.loop.brushes import drawn_points
from pliant.scene import Cloth
from pliant.studio.runner import Runner
from pliant.world import Part, Rows, rows_of

TOOLS = {
    "grab": "Drag anything; let go and it flies on",
    "pin": "Hold a point where it is; drag first, and it is pinned where you let go",
    "free": "Free pinned points",
    "push": "Push along the way of the mouse",
    "pinch": "Draw together under the mouse",
    "freeze": "Hold everything under the mouse",
    "cut": "Cut cloth, and the ties and strings that the mouse crosses",
}
BRUSHES = ("free", "push", "pinch", "freeze")  # those that have a size
PATCH = 0.06  # of the part's size: how large a patch of a soft part a hand takes
PUSH = 4.0  # [m/s] given by a stroke over the whole brush
PINCH = 0.35  # [m/s] given by each of a drag's updates
STROKES = 40.0  # per second and visitor, at most


@dataclass(frozen=True)
class Drag:
    """One event of a drag."""

    client: int
    part: str  # the mesh that was hit
    phase: str  # start, update, end
    start: Array  # (3,) [m] where it took hold, moving along
    end: Array  # (3,) [m] where the mouse is, in the plane through that place that faces the eye
    eye: Array  # (3,) [m]


class Held(NamedTuple):
    """What one visitor's drag is doing."""

    tool: str
    handle: int
    part: str
    before: Array  # (3,) [m] where the mouse was


class Hands:
    """The hands of all visitors on one runner; used on the runner's thread but for `drag` and `leave`."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._held: dict[int, Held] = {}
        self.tool = "grab"
        self.size = 0.25  # of the part's size: the brush's radius

    def drag(self, drag: Drag) -> None:
        """One event of a drag, from any thread."""
        if np.isfinite([drag.start, drag.end, drag.eye]).all() and drag.phase in ("start", "update", "end"):
            self._runner.put(lambda runner: getattr(self, f"_{drag.phase}")(drag))

    def leave(self, client: int) -> None:
        """A visitor is gone: whatever they held flies on."""
        self._runner.put(lambda runner: self._release(client))

    @property
    def count(self) -> int:
        return len(self._held)

    def _start(self, drag: Drag) -> None:
        self._release(drag.client)
        part, tool = self._part(drag.part, drag.start), self.tool
        if part is None:
            return
        handle = 0
        if tool in ("grab", "pin"):
            handle = self._runner.grab(part, drag.start, radius=0.0 if tool == "pin" else self._extent(part) * PATCH)
        self._held[drag.client] = Held(tool, handle, part, drag.start)
        self._update(drag)

    def _update(self, drag: Drag) -> None:
        held = self._held.get(drag.client)
        if held is None:
            return
        if held.tool in ("grab", "pin"):
            self._runner.aim(held.handle, drag.end)
        else:
            self._stroke(held, drag)
        self._held[drag.client] = held._replace(before=drag.end)

    def _end(self, drag: Drag) -> None:
        held = self._held.get(drag.client)
        if held is not None and held.tool == "pin" and held.handle in self._runner.session.hands:
            hand = self._runner.session.hands[held.handle]
            row = [int(k) for k in hand.held[:1]]
            self._release(drag.client)
            self._runner.session.pin(held.part, row or [drag.end])
        self._release(drag.client)

    def _release(self, client: int) -> None:
        held = self._held.pop(client, None)
        if held is not None and held.handle:
            self._runner.drop(held.handle)

    def _stroke(self, held: Held, drag: Drag) -> None:
        session = self._runner.session
        part, rows = self._rows(held.part)
        center = struck(drawn_points(part, rows), drag.eye, drag.end, self._extent(held.part))
        if center is None and held.tool != "cut":
            return
        radius = self.size * self._extent(held.part)
        if held.tool == "push":
            way = drag.end - held.before
            depth = float(np.linalg.norm(way))
            ahead = (drag.end - drag.eye) / max(float(np.linalg.norm(drag.end - drag.eye)), 1e-9)
            stroke = PUSH * way / radius if depth > 1e-4 else 0.15 * PUSH * ahead  # a still mouse blows
            session.push(held.part, center, np.clip(stroke, -PUSH, PUSH), radius=radius)
        elif held.tool == "pinch":
            session.pinch(held.part, center, radius=radius, speed=PINCH)
        elif held.tool in ("freeze", "free"):
            session.freeze(held.part, center, radius=radius, held=held.tool == "freeze")
        elif held.tool == "cut":
            self._cut(held, drag)

    def _cut(self, held: Held, drag: Drag) -> None:
        session = self._runner.session
        if isinstance(session.scene.parts.get(held.part), Cloth):
            part, rows = self._rows(held.part)
            gone = crossed(rows.position[part.triangles], drag.eye, held.before, drag.end)
            if len(gone):
                known = set(self._whole(held.part))
                session.cut(held.part, [self._whole(held.part)[k] for k in gone] if known else gone)
        severed = self._ties_crossed(drag, held.before)
        if severed:
            session.cut_ties(severed)

    def _whole(self, part: str) -> list[int]:
        """Numbers, in the cloth's own mesh, of the triangles that are left."""
        cloth = self._runner.session.scene.parts[part]
        assert isinstance(cloth, Cloth)
        gone = set(cloth.cuts)
        left = len(self._runner.session.stage.world.parts[part].triangles)
        return [k for k in range(left + len(gone)) if k not in gone]

    def _ties_crossed(self, drag: Drag, before: Array) -> list[int]:
        session = self._runner.session
        ties, state = session.stage.world.ties, session.state
        if ties is None:
            return []
        known = state.memory.get("ties", np.zeros(len(ties.length)))
        ends = np.stack([_end_places(session, side) for side in (ties.a, ties.b)], axis=1)
        return [k for k in range(len(ends)) if known[k] == 0.0 and _crosses(ends[k], drag.eye, before, drag.end)]

    def _part(self, name: str, place: Array) -> str | None:
        """The part that a mesh belongs to; what filters show follows the part nearest to it."""
        world = self._runner.session.stage.world
        if name in world.parts:
            return name
        first = name.split(" ")[0]  # its strings
        if first in world.parts:
            return first
        shown = self._runner.latest.frame.parts.get(name)
        if not world.parts or shown is None:
            return None
        carrier = shown.quantities.get("carrier")  # the puppet that a figure and its clothes follow
        if carrier in world.parts:
            return str(carrier)
        reach = {n: np.linalg.norm(drawn_points(*self._rows(n)) - place, axis=1).min() for n in world.parts}
        return min(reach, key=lambda n: float(reach[n]))

    def _rows(self, name: str) -> tuple[Part, Rows]:
        part = self._runner.session.stage.world.part(name)
        return part, rows_of(self._runner.session.state, part)

    def _extent(self, name: str) -> float:
        part = self._runner.session.stage.world.part(name)
        drawn = drawn_points(part, rows_of(self._runner.session.stage.world.initial_state(), part))
        return float(np.ptp(drawn, axis=0).max())


def struck(points: Array, eye: Array, through: Array, extent: float) -> Array | None:
    """The point nearest to the eye of those near the ray from it; None if the ray misses them all."""
    ahead = (through - eye) / max(float(np.linalg.norm(through - eye)), 1e-9)
    away = points - eye
    depth = away @ ahead
    aside = np.linalg.norm(away - depth[:, None] * ahead, axis=1)
    near = np.flatnonzero((aside < 0.05 * extent) & (depth > 0.0))
    if len(near) == 0:
        return None
    return np.asarray(points[near[np.argmin(depth[near])]])


def crossed(corners: Array, eye: Array, before: Array, now: Array) -> Array:
    """Triangles (m, 3, 3) that the knife meets on its way: the plane of the eye and two places of the mouse."""
    local = _knife(eye, before, now)
    if local is None:
        return np.empty(0, np.int64)
    shifted = (corners - eye) @ local.T  # x along the way, y across it, z ahead
    depth = np.maximum(shifted[..., 2], 1e-9)
    across = shifted[..., 1] / depth
    along = shifted[..., 0] / depth
    first, last = sorted([0.0, float((now - eye) @ local[0] / max(float((now - eye) @ local[2]), 1e-9))])
    straddles = (across.min(axis=1) <= 0.0) & (across.max(axis=1) >= 0.0) & (shifted[..., 2] > 0.0).all(axis=1)
    within = (along.max(axis=1) >= first) & (along.min(axis=1) <= last)
    return np.flatnonzero(straddles & within)


def _knife(eye: Array, before: Array, now: Array) -> Array | None:
    """(3, 3) axes: along the way, across it, ahead; None if the mouse stands still."""
    ahead = before - eye
    length = float(np.linalg.norm(ahead))
    way = now - before
    if length < 1e-9:
        return None
    ahead = ahead / length
    way = way - (way @ ahead) * ahead
    size = float(np.linalg.norm(way))
    if size < 1e-6 * length:
        return None
    way = way / size
    return np.stack([way, np.cross(ahead, way), ahead])


def _crosses(ends: Array, eye: Array, before: Array, now: Array) -> bool:
    """Whether the knife passes between two places."""
    return len(crossed(np.stack([ends[0], ends[1], ends[1]])[None], eye, before, now)) > 0


def _end_places(session: Any, side: Any) -> Array:
    """(t, 3) [m] where the ends of ties are."""
    from pliant.geometry import rotation
    from pliant.world import BODY, FIXED

    state = session.state
    places = np.einsum("tk,tkj->tj", side.weights, state.position[side.corners.astype(np.int64)])
    for t in np.flatnonzero(side.kind == BODY):
        arm = rotation.rotate(state.rotation_xyzw[int(side.body[t])], side.at[t])
        places[t] = state.position[int(side.row[t])] + arm
    fixed = side.kind == FIXED
    places[fixed] = side.at[fixed]
    return np.asarray(places)
