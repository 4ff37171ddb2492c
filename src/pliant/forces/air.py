"""The air of a scene: all its winds and vortices added to one local velocity, from which drag is taken once.

Every air field may stand alone in a scene or beside others. The first of them, when it is bound to a part, binds the
whole air; the others then bind to nothing. So two winds blow together, and still air is not twice as thick. What the
medium is (density, coefficients, law) says the first Wind; where there is only a Vortex it is ordinary air.

The local velocity is looked up at every point at the beginning of each frame; drag acts in every substep.
"""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.constants import AIR_DENSITY
from pliant.errors import SceneError
from pliant.forces.base import BoundForce, Force
from pliant.forces.closed_drag import add_closed_drag, point_areas
from pliant.forces.drag import (
    CORRECTED,
    PANELS,
    PAPER,
    add_body_drag,
    add_panel_drag,
    add_vertex_drag,
    panel_vectors,
    point_panels,
)
from pliant.kernels.shapes import Shapes
from pliant.world import Part, Rows, World

TURN_TIME = 1.0 / 240.0  # [s] normals serve for so long; drag slows and never pushes with old ones too
LAWS = {"panels": PANELS, "paper": PAPER, "corrected": CORRECTED}


class Medium(NamedTuple):
    """What is blown."""

    density: float = AIR_DENSITY  # [kg/m^3]
    normal: float = 1.2
    tangential: float = 0.05
    lift: float = 1.2
    law: str = "panels"


class AirField(Force):
    """Something that makes air move."""

    @abstractmethod
    def add_velocity(self, points: Array, time: float, obstacles: Shapes | None, out: Array) -> None:
        """Add this field's velocity [m/s] at each point (n, 3) to `out` (n, 3)."""

    def medium(self) -> Medium | None:
        """Density, coefficients and law, from the fields that say them."""
        return None

    def bind(self, world: World, part: Part) -> BoundForce:
        fields = tuple(field for field in world.fields if isinstance(field, AirField))
        if sum(field is self for field in fields) > 1:
            raise SceneError(f"Scene.fields: one {type(self).__name__} stands there twice; give each its own")
        if not any(field is self for field in fields):
            fields = (self,)
        return _Air(fields, obstacles_of(world), part) if fields[0] is self else _Calm()


def local_air(world: World, points: Array, time: float) -> Array:
    """(n, 3) velocity of the air of a world at any points [m/s]."""
    out = np.zeros((len(points), 3))
    obstacles = obstacles_of(world)
    for field in world.fields:
        if isinstance(field, AirField):
            field.add_velocity(points, time, obstacles, out)
    return out


def medium_of(fields: tuple[Any, ...]) -> Medium:
    """The one medium of several air fields."""
    said = [m for m in (field.medium() for field in fields if isinstance(field, AirField)) if m is not None]
    for other in said[1:]:
        for name, a, b in zip(Medium._fields, said[0], other, strict=True):
            if a != b:
                raise SceneError(
                    f"Wind.{name} = {a} in one wind and {b} in another; the air of a scene is one: give both the same"
                )
    return said[0] if said else Medium()


def obstacles_of(world: World) -> Shapes | None:
    """Solids of the world's simple colliders, for the shelter behind them; they shade from where they start."""
    shapes = [c.shape() for c in world.colliders if hasattr(c, "shape")]
    if not shapes:
        return None
    return Shapes(*(np.concatenate([getattr(s, name) for s in shapes]) for name in Shapes._fields))


class _Calm(BoundForce):
    """An air field whose part another one has taken over."""

    def add(self, rows: Rows, force: Array, h: float) -> None:
        pass


class _Air(BoundForce):
    def __init__(self, fields: tuple[AirField, ...], obstacles: Shapes | None, part: Part) -> None:
        self._fields, self._obstacles, self._part = fields, obstacles, part
        medium = medium_of(fields)
        self._law = LAWS[medium.law]
        closed = part.extra.get("drag")  # a closed skin has its own coefficient, and its far side is in the wake
        self._closed = None if closed is None else _closed_drag(medium, closed)
        second = medium.tangential if self._law == PANELS else medium.lift
        self._drag = 0.5 * medium.density * np.array([medium.normal, second])
        self._air = np.zeros_like(part.rest_position)
        self._start, self._panel = _incident(part.triangles, len(part.mass))
        self._vectors = np.empty((len(part.triangles), 3))
        self._panels = np.empty((len(part.mass) if closed is None else 0, 6))
        self._areas, self._push = (np.empty((0 if closed is None else len(part.mass), 3)) for _ in range(2))
        self._age = np.inf  # of the normals [s]
        self._area = part.extra.get("frontal_area")
        if self._area is None:
            self._area = np.zeros(len(part.mass)) if len(part.triangles) else _frontal_area(part.mass)
        self._look_up(part.rest_position, 0.0)

    def begin_frame(self, rows: Rows, time: float, frame_step: float) -> None:
        self._look_up(rows.position, time + 0.5 * frame_step)
        self._age = np.inf

    def _look_up(self, points: Array, time: float) -> None:
        self._air[:] = 0.0
        for field in self._fields:
            field.add_velocity(points, time, self._obstacles, self._air)

    def add(self, rows: Rows, force: Array, h: float) -> None:
        mass = self._part.mass
        if not len(self._part.triangles):
            add_body_drag(rows.velocity, self._air, mass, self._area, self._drag[0], h, force)
            return
        if self._age >= TURN_TIME:
            self._turn(rows.position)
        self._age += h
        if self._closed is not None:
            body = (rows.velocity, self._air, rows.inverse_mass, self._areas)
            add_closed_drag(*body, self._closed, h, self._push, force)
            return
        if self._law == PANELS:
            add_panel_drag(rows.velocity, self._air, mass, self._panels, self._drag, h, force)
            return
        surface = (rows.velocity, self._air, mass, self._start, self._panel, self._vectors, self._drag)
        add_vertex_drag(*surface, self._law, h, force)

    def _turn(self, points: Array) -> None:
        self._age = 0.0
        if self._closed is not None:
            point_areas(self._part.triangles, points, self._areas)
            return
        panel_vectors(self._part.triangles, points, self._vectors)
        if self._law == PANELS:
            point_panels(self._start, self._panel, self._vectors, self._panels)


def _closed_drag(medium: Medium, coefficient: float) -> Array:
    """rho C / 2 across and along the surface; none across where the scene's air has none."""
    across = coefficient if medium.normal > 0.0 else 0.0
    return 0.5 * medium.density * np.array([across, medium.tangential])


def _incident(triangles: Array, count: int) -> tuple[Array, Array]:
    """Compressed rows: the triangles of each point."""
    corner = triangles.ravel().astype(np.int64)
    order = np.argsort(corner, kind="stable")
    start = np.searchsorted(corner[order], np.arange(count + 1))
    return start.astype(Index), (order // 3).astype(Index)


def _frontal_area(mass: Array) -> Array:
    """(n,) of balls as dense as water [m^2]."""
    return np.pi * (3.0 * mass / (4.0 * np.pi * 1000.0)) ** (2.0 / 3.0)
