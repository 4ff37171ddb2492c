"""Lines as slim tubes: springs that belong to no triangle, strings that hold puppets, ties between parts.

A slack string hangs through as a parabola of its own length: over a chord d the length is d + 8 s^2 / (3 d), with the
sag s (the first terms of the arc length's series).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.geometry import rotation, solids
from pliant.sinks.picture.finish import STRING, Finish, finish_of
from pliant.sinks.picture.surface import Surface, drawn
from pliant.world import BODY, FIXED, Ends, Frame, Part, PartFrame, Springs, Ties, World, structural

WIDTH = 0.0022  # radius of a string that has no thickness of its own, of the scene's radius
PIECES = 12  # that one string is drawn in
HUNG = 1.5  # a puppet's strings are no thicker than in a scene of this radius, in sizes of the puppet
SHORT = 1e-3  # [m] a tie this short is a knot and not drawn

Line = Callable[[Frame, float], Surface | None]  # frame, radius of the scene [m]


class Span(NamedTuple):
    """Strings at one instant."""

    starts: Array  # (k, 3) [m]
    ends: Array  # (k, 3) [m]
    lengths: Array  # (k,) [m]


def lines(world: World) -> tuple[Line, ...]:
    """Everything of a world that is drawn as lines."""
    found: list[Line] = []
    for part in world.parts.values():
        loose = _loose(part)
        if len(loose):
            found.append(_threads(part, loose))
        elif part.extra.get("strand") is not None:
            found.append(_strand(part))
        puppet = part.extra.get("puppet")
        if puppet is not None and puppet.strings:
            found.append(_hung(part))
    if world.ties is not None and isinstance(world.ties, Ties):
        shown = np.flatnonzero(world.ties.length > SHORT)
        if len(shown):
            found.append(_tied(world, world.ties, shown))
    return tuple(found)


def strings(name: str, spans: Span, radius: float) -> Surface:
    """Slim dark strings, hanging through where they are slack."""
    t = np.linspace(0.0, 1.0, PIECES + 1)[None, :, None]
    places = spans.starts[:, None] + t * (spans.ends - spans.starts)[:, None]
    chord = np.linalg.norm(spans.ends - spans.starts, axis=1)
    sag = np.sqrt(0.375 * chord * np.maximum(spans.lengths - chord, 0.0))
    places[:, :, 1] -= 4.0 * sag[:, None] * (t * (1.0 - t))[:, :, 0]
    tube = solids.tubes(places[:, :-1].reshape(-1, 3), places[:, 1:].reshape(-1, 3), WIDTH * radius)
    return drawn(name, tube, Finish(STRING, STRING), still=False)


def _loose(part: Part) -> Array:
    """(k, 2) structural springs that hold a point of no triangle."""
    if not part.has(Springs):
        return np.empty((0, 2), np.uint32)
    springs = part.table(Springs)
    ends = springs.ends[structural(springs)]
    in_skin = np.zeros(len(part.rest_position), bool)
    in_skin[part.triangles.ravel()] = True
    return np.asarray(ends[~in_skin[ends].all(axis=1)])


def _threads(part: Part, ends: Array) -> Line:
    name = part.name if len(part.triangles) == 0 else f"{part.name} string"
    finish = finish_of(part.look, part.kind) if len(part.triangles) == 0 else Finish(STRING, STRING)

    def line(frame: Frame, radius: float) -> Surface | None:
        points = frame[part.name].points
        if int(ends.max()) >= len(points):
            return None
        width = max(part.thickness, WIDTH * radius) if len(part.triangles) == 0 else WIDTH * radius
        return drawn(name, solids.tubes(points[ends[:, 0]], points[ends[:, 1]], width), finish, still=False)

    return line


def _strand(part: Part) -> Line:
    """The string that hangs from a part with a surface of its own, as a balloon's."""
    strand = part.extra["strand"]

    def line(frame: Frame, radius: float) -> Surface | None:
        points = frame[part.name].points
        ends = np.concatenate([points[strand.knot].mean(axis=0, keepdims=True), points[strand.first :]])
        tube = solids.tubes(ends[:-1], ends[1:], WIDTH * radius)
        return drawn(f"{part.name} string", tube, Finish(STRING, STRING), still=False)

    return line


def _hung(part: Part) -> Line:
    """A puppet's strings, from its segments up to their hooks."""
    puppet = part.extra["puppet"]
    count = len(puppet.segments)
    rows, local, hooks, lengths = [], [], [], []
    carried: dict[int, tuple[Any, list[int]]] = {}  # strings by the motion that carries their upper ends
    for copy, place in enumerate(puppet.places):
        for string in puppet.strings:
            row = copy * count + puppet.index(string.segment)
            at, hook = np.array(string.at), np.array(string.hook) + np.array(place)
            rows.append(row)
            local.append(rotation.rotate(rotation.inverse(part.rest_rotation_xyzw[row]), at))
            hooks.append(hook)
            lengths.append(string.length or float(np.linalg.norm(hook - part.rest_position[row] - at)))
            motion = string.motion or puppet.motion
            if motion is not None:
                carried.setdefault(id(motion), (motion, []))[1].append(len(rows) - 1)
    size = np.ptp(part.rest_position[:count], axis=0).max() + 2.0 * part.extra["capsules"][:count, 6].max()

    def line(frame: Frame, radius: float) -> Surface | None:
        poses = frame[part.name].quantities["poses"]
        turn = np.asarray(poses.rotation_xyzw, float)[rows]
        starts = poses.position[rows] + rotation.rotate(turn, np.array(local))
        ends = np.array(hooks)
        for motion, chosen in carried.values():
            ends[chosen] += motion.offset(frame.time)
        return strings(f"{part.name} strings", Span(starts, ends, np.array(lengths)), min(radius, HUNG * size))

    return line


def _tied(world: World, ties: Ties, shown: Array) -> Line:
    def line(frame: Frame, radius: float) -> Surface | None:
        ends = [
            np.stack([_end(world, frame, side, int(t), ties.names[t][k]) for t in shown])
            for k, side in enumerate((ties.a, ties.b))
        ]
        cut = ties.until[shown] <= frame.time  # a string that is cut shrinks to its first end: the same mesh throughout
        ends[1] = np.where(cut[:, None], ends[0], ends[1])
        return strings("strings", Span(ends[0], ends[1], np.where(cut, 0.0, ties.length[shown])), radius)

    return line


def _end(world: World, frame: Frame, side: Ends, t: int, name: str) -> Array:
    """(3,) where one end of a tie is."""
    kind = int(side.kind[t])
    if kind == FIXED:
        return np.asarray(side.at[t])
    part, seen = world.part(name), frame[name]
    if kind == BODY:
        return _on_body(seen, int(side.body[t]) - part.bodies.start, side.at[t])
    corners = side.corners[t].astype(np.int64) - part.rows.start
    return np.asarray(side.weights[t] @ seen.points[corners].astype(float))


def _on_body(part: PartFrame, row: int, local: Array) -> Array:
    pose = part.quantities["poses"][row]
    return np.asarray(pose.position + rotation.rotate(np.asarray(pose.rotation_xyzw, float), local))
