"""What is in the way, as surfaces: simple solids where they stand or move, meshes, and the ground.

A solid is drawn from the same table that contact uses. Other colliders are drawn if they have points and triangles.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pliant.colliders import BodyCollider
from pliant.colliders import Solid as SolidCollider
from pliant.geometry import rotation, solids
from pliant.geometry.surface import vertex_normals
from pliant.kernels.shapes import BOX, CYLINDER, PLANE
from pliant.sinks.picture.finish import OBSTACLE
from pliant.sinks.picture.surface import Surface, drawn

LEVEL = 1e-6  # a floor whose normal leans less is drawn as the ground


class Obstacle(NamedTuple):
    """A surface and where it is at a time."""

    surface: Surface  # at the start
    at: Callable[[float], Surface] | None  # None: it stays


def obstacles(colliders: tuple[Any, ...]) -> tuple[Obstacle, ...]:
    """All that have a shape, named by their class; a second one of a class is called `sphere2`."""
    found: list[Obstacle] = []
    for collider in colliders:
        if isinstance(collider, BodyCollider):  # the figure is a part and is drawn as one
            continue
        kind = type(collider).__name__.lower()
        same = sum(o.surface.name.rstrip("0123456789") == kind for o in found)
        made = _obstacle(collider, kind if same == 0 else f"{kind}{same + 1}")
        if made is not None:
            found.append(made)
    return tuple(found)


def ground_height(colliders: tuple[Any, ...]) -> float | None:
    """Of the highest level floor."""
    heights = [float(c.shape().center[0, 1]) for c in colliders if _is_plane(c) and _is_level(c)]
    return max(heights) if heights else None


def _is_plane(collider: Any) -> bool:
    return isinstance(collider, SolidCollider) and int(collider.shape().kind[0]) == PLANE


def _is_level(collider: Any) -> bool:
    return bool(collider.shape().axes[0, 1, 1] > 1.0 - LEVEL) and collider.motion is None


def _obstacle(collider: Any, name: str) -> Obstacle | None:
    if not isinstance(collider, SolidCollider):
        mesh = _mesh(collider)
        if mesh is None:
            return None
        if not getattr(collider, "moves", False):
            return Obstacle(drawn(name, mesh, OBSTACLE, still=True, yields=True), None)

        def moved(time: float) -> Surface:
            points = collider.points_at(time)
            now = mesh._replace(points=points, normals=vertex_normals(points, mesh.triangles))
            return drawn(name, now, OBSTACLE, still=False, yields=True)

        return Obstacle(moved(0.0), moved)
    if _is_plane(collider) and _is_level(collider):
        return None
    local = _local(collider)
    if collider.motion is None and not any(collider.spin):
        return Obstacle(_placed(name, local, collider, 0.0, still=True), None)

    def at(time: float) -> Surface:
        return _placed(name, local, collider, time, still=False)

    return Obstacle(at(0.0), at)


def _local(collider: SolidCollider) -> solids.Solid:
    """In the solid's own axes."""
    shape = collider.shape()
    size, rounding = shape.size[0], float(shape.rounding[0])
    if shape.kind[0] == CYLINDER:
        return solids.cylinder(float(size[0]) + rounding, 2.0 * (float(size[1]) + rounding), rounding)
    if shape.kind[0] == BOX:
        return solids.rounded_box(size, rounding, 64 if not size.all() else 24)
    return solids.rounded_box(np.array([3.0, 0.0, 3.0]), 0.0, 4)  # a slope, a piece of it


def _placed(name: str, local: solids.Solid, collider: SolidCollider, time: float, *, still: bool) -> Surface:
    shape = collider.shape()
    center, axes = shape.center[0], shape.axes[0]
    if collider.motion is not None:
        center = center + np.asarray(collider.motion.offset(time))
    turn = rotation.to_matrix(rotation.from_rotation_vector(np.array(collider.spin, float) * time))
    if math.hypot(*collider.spin) > 0.0:
        axes = axes @ turn.T
    whole = solids.Solid(local.points @ axes + center, local.normals @ axes, local.triangles)
    return drawn(name, whole, OBSTACLE, still=still, yields=True)


def _mesh(collider: Any) -> solids.Solid | None:
    points, triangles = (getattr(collider, name, None) for name in ("points", "triangles"))
    if points is None or triangles is None:
        return None
    points, triangles = np.asarray(points, float), np.asarray(triangles, np.uint32)
    if points.ndim != 2 or triangles.ndim != 2 or len(triangles) == 0:
        return None
    return solids.Solid(points, vertex_normals(points, triangles), triangles)
