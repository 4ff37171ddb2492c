"""A world and a frame as surfaces to draw: parts, what is in their way, strings as slim tubes, and a floor."""

import numpy as np

from pliant.arrays import Array
from pliant.sinks.picture.camera import Bounds
from pliant.sinks.picture.finish import finish_of, pattern_coordinates
from pliant.sinks.picture.obstacles import ground_height, obstacles
from pliant.sinks.picture.strings import lines
from pliant.sinks.picture.surface import Surface
from pliant.world import Frame, Look, PartFrame, World

LARGE = 4.0  # an obstacle this many times larger than the parts is scenery and does not decide the view
NEAR_GROUND = 0.6  # a ground closer below the parts than this share of their size is in the picture
WORN = ("character",)  # kinds of parts that wear others
WHITE = Look((1.0, 1.0, 1.0))
DEFAULT = Bounds(np.array([-0.5, 0.0, -0.5]), np.array([0.5, 1.0, 0.5]))  # where nothing has a place


class Stage:
    """What a world looks like, prepared once; `surfaces` adds what moves."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.obstacles = obstacles(world.colliders)
        self.ground = ground_height(world.colliders)  # [m], None where there is none
        self._lines = lines(world)
        self._patterns: dict[str, Array] = {}

    def surfaces(self, frame: Frame, radius: float) -> list[Surface]:
        """Everything of one frame; `radius` [m] of the scene gives strings their width."""
        shown = [o.surface if o.at is None else o.at(frame.time) for o in self.obstacles]
        for part in frame.values():
            if len(part.triangles):
                shown.append(self._meshed(part.opened()))
        return shown + [surface for line in self._lines if (surface := line(frame, radius)) is not None]

    def bounds(self, frame: Frame) -> Bounds:
        """Of all parts of one frame."""
        total = Bounds.of(np.empty((0, 3)))
        for part in frame.values():
            total = total.joined(Bounds.of(part.points))
        return total

    def framed(self, parts: Bounds) -> Bounds:
        """What a picture of parts with these bounds has to show: them, obstacles near them, the ground under them."""
        total = parts = DEFAULT if parts.empty else parts
        size = 2.0 * parts.radius
        for obstacle in self.obstacles:
            box = Bounds.of(obstacle.surface.points)
            if 2.0 * box.radius < LARGE * size:
                total = total.joined(box)
        if self.ground is not None and 0.0 < total.low[1] - self.ground < NEAR_GROUND * size:
            total = total.joined(Bounds(np.where([False, True, False], self.ground, total.low), total.high))
        return total

    def floor(self, shown: Bounds) -> float:
        """Height of the plane that catches the shadows: the ground, or a studio floor just below everything."""
        return self.ground if self.ground is not None else float(shown.low[1]) - 0.06 * shown.radius

    def _meshed(self, part: PartFrame) -> Surface:
        if part.name not in self._patterns:
            known = self.world.parts.get(part.name)
            same = known is not None and len(known.rest_position) == len(part.points)
            rest = known.rest_position if known is not None and same else part.points
            self._patterns[part.name] = pattern_coordinates(part.uv, rest, part.triangles)
        points, normals, triangles = part.points, part.normals, part.triangles
        lost = np.logical_not(np.isfinite(points).all(axis=1))
        if lost.any():  # a run that diverged: what is left of it
            triangles = triangles[~lost[triangles].any(axis=1)]
            points, normals = np.where(lost[:, None], 0.0, points), np.nan_to_num(normals)
        tint = _tint(part)
        return Surface(
            part.name,
            np.ascontiguousarray(points, np.float32),
            np.ascontiguousarray(normals, np.float32),
            triangles,
            self._patterns[part.name],
            finish_of(part.look if tint is None else WHITE, part.kind),
            False,
            tint,
            part.kind in WORN,
        )


def _tint(part: PartFrame) -> Array | None:
    """A part's own colour at each point, where it has one: `quantities["colors"]` (n, 3), linear."""
    colors = part.quantities.get("colors")
    if colors is None or np.shape(colors) != part.points.shape:
        return None
    return np.ascontiguousarray(np.clip(colors, 0.0, 1.0), np.float32)
