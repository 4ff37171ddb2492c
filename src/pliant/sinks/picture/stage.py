"""A world and a frame as surfaces to draw: parts, the colliders around them, strings as slim tubes, and a floor."""

from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.geometry import rotation, solids
from pliant.geometry.surface import vertex_normals
from pliant.sinks.picture.camera import Bounds
from pliant.sinks.picture.finish import OBSTACLE, STRING, Finish, finish_of, pattern_coordinates
from pliant.world import Frame, PartFrame, Springs, World, structural

STRING_WIDTH = 0.0022  # radius of a string that has no thickness of its own, of the scene's radius
LARGE = 4.0  # an obstacle this many times larger than the parts is scenery and does not decide the view
NEAR_GROUND = 0.6  # a ground closer below the parts than this share of their size is in the picture


class Surface(NamedTuple):
    """Something to draw."""

    name: str
    points: Array  # (n, 3) float32 [m]
    normals: Array  # (n, 3) float32
    triangles: Array  # (m, 3) uint32
    pattern: Array  # (n, 2) float32, where the finish's pattern is read
    finish: Finish
    still: bool  # the same in every frame


class Stage:
    """What a world looks like, prepared once; `surfaces` adds what moves."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.obstacles = tuple(s for s in map(_obstacle, world.colliders) if s is not None)
        self.ground = _ground(world)  # height [m], None where there is none
        self._patterns: dict[str, Array] = {}

    def surfaces(self, frame: Frame, radius: float) -> list[Surface]:
        """Everything of one frame; `radius` [m] of the scene gives strings their width."""
        drawn = list(self.obstacles)
        for part in frame.values():
            surface = self._meshed(part) if len(part.triangles) else self._string(part, radius)
            if surface is not None:
                drawn.append(surface)
        return drawn

    def bounds(self, frame: Frame) -> Bounds:
        """Of all parts of one frame."""
        total = Bounds.of(np.empty((0, 3)))
        for part in frame.values():
            total = total.joined(Bounds.of(part.points))
        return total

    def framed(self, parts: Bounds) -> Bounds:
        """What a picture of parts with these bounds has to show: them, obstacles near them, the ground under them."""
        if parts.empty:
            parts = Bounds(np.array([-0.5, 0.0, -0.5]), np.array([0.5, 1.0, 0.5]))
        size = 2.0 * parts.radius
        total = parts
        for obstacle in self.obstacles:
            box = Bounds.of(obstacle.points)
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
        return Surface(
            part.name,
            np.ascontiguousarray(part.points, np.float32),
            np.ascontiguousarray(part.normals, np.float32),
            part.triangles,
            self._patterns[part.name],
            finish_of(part.look, part.kind),
            False,
        )

    def _string(self, part: PartFrame, radius: float) -> Surface | None:
        """A part without a surface: a tube along each structural spring."""
        known = self.world.parts.get(part.name)
        if known is None or not known.has(Springs):
            return None
        springs = known.table(Springs)
        ends = springs.ends[structural(springs)]
        if len(ends) == 0 or int(ends.max()) >= len(part.points):
            return None
        width = max(known.thickness, STRING_WIDTH * radius)
        tube = solids.tubes(part.points[ends[:, 0]], part.points[ends[:, 1]], width)
        return _surface(part.name, tube, finish_of(part.look, part.kind), False)


def strings(name: str, starts: Array, ends: Array, radius: float) -> Surface:
    """Slim dark segments, for what ties parts together."""
    return _surface(name, solids.tubes(starts, ends, STRING_WIDTH * radius), Finish(STRING, STRING), False)


def _surface(name: str, solid: solids.Solid, finish: Finish, still: bool) -> Surface:
    points = np.ascontiguousarray(solid.points, np.float32)
    normals = np.ascontiguousarray(solid.normals, np.float32)
    return Surface(name, points, normals, solid.triangles, np.zeros((len(points), 2), np.float32), finish, still)


def _ground(world: World) -> float | None:
    heights = [float(getattr(c, "height", 0.0)) for c in world.colliders if type(c).__name__ == "Ground"]
    return max(heights) if heights else None


def _vector(collider: Any, *names: str) -> Array | None:
    """The first of these fields that the collider has, as an array."""
    for name in names:
        value = getattr(collider, name, None)
        if value is not None:
            return np.asarray(value, float)
    return None


def _obstacle(collider: Any) -> Surface | None:
    """By the collider's class name and fields; what has no shape (the ground, contact) is not drawn."""
    name = type(collider).__name__.lower()
    solid = _SHAPES[name](collider) if name in _SHAPES else _mesh(collider)
    return None if solid is None else _surface(name, solid, OBSTACLE, True)


def _moved(solid: solids.Solid, offset: Array | None, turn: Array | None = None) -> solids.Solid:
    points, normals = solid.points, solid.normals
    if turn is not None:
        points, normals = rotation.rotate(turn, points), rotation.rotate(turn, normals)
    return solids.Solid(points + (0.0 if offset is None else offset), normals, solid.triangles)


def _sphere(collider: Any) -> solids.Solid:
    return _moved(solids.sphere(float(collider.radius)), _vector(collider, "center"))


def _box(collider: Any) -> solids.Solid:
    turn = _vector(collider, "rotation_xyzw", "rotation")
    half = _vector(collider, "half_size", "half_sizes", "half_extents")
    size = _vector(collider, "size") if half is None else None
    half = half if half is not None else 0.5 * (np.ones(3) if size is None else size)
    return _moved(solids.box(half), _vector(collider, "center"), turn if turn is not None and turn.size == 4 else None)


def _capsule(collider: Any) -> solids.Solid:
    a, b = (_vector(collider, *names) for names in (("a", "start"), ("b", "end")))
    if a is None or b is None:
        return _moved(solids.capsule(float(collider.radius), 0.0), _vector(collider, "center"))
    along = b - a
    length = float(np.linalg.norm(along))
    solid = solids.capsule(float(collider.radius), length)
    return _moved(solid, 0.5 * (a + b), _turn_from_up(along / length) if length > 0 else None)


def _turn_from_up(direction: Array) -> Array:
    """The shortest rotation of +y to a unit direction."""
    if direction[1] < -0.999999:
        return np.array([1.0, 0.0, 0.0, 0.0])
    axis = np.cross([0.0, 1.0, 0.0], direction)
    return rotation.normalized(np.append(axis, 1.0 + direction[1]))


def _mesh(collider: Any) -> solids.Solid | None:
    points, triangles = _vector(collider, "points", "vertices"), getattr(collider, "triangles", None)
    if points is None or triangles is None or points.ndim != 2 or len(points) == 0:
        return None
    triangles = np.asarray(triangles, np.uint32)
    return solids.Solid(points, vertex_normals(points, triangles), triangles)


_SHAPES = {"sphere": _sphere, "box": _box, "capsule": _capsule}
