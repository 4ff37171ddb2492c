"""What the page shows of a frame: the same surfaces, light and camera as the pictures, as meshes of the browser.

A mesh's points are followed by the values that colour it, three to a row, where a quantity is shown: no triangle uses
those rows, so a page that does not know them draws the plain mesh.
"""

from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.sinks.picture.camera import FIELD_OF_VIEW, Bounds, fitted
from pliant.sinks.picture.stage import Stage
from pliant.sinks.picture.surface import Surface
from pliant.studio.served import Served
from pliant.world import Frame, Springs, World

DIVERGING, RISING = 1, 2  # colour maps of the page: blue, white, red around 0; dark to yellow from 0 to 1


class Shade(NamedTuple):
    """Values that colour a part: one per point, scaled to -1..1 or 0..1."""

    map: int
    values: Array  # (n,) float32


class StageView:
    """The meshes of one world on one server. `show(frame)` moves them; a slow page skips frames, it never lags."""

    generation = 0

    def __init__(self, server: Any, served: Served, world: World, frame: Frame, *, offset: float = 0.0) -> None:
        StageView.generation += 1
        self.number = StageView.generation
        self._server, self.world = server, world
        self.root = f"/stage{StageView.generation}"
        self._frame = server.scene.add_frame(self.root, show_axes=False, position=(offset, 0.0, 0.0))
        self._stage = Stage(world)
        self._counts: dict[str, tuple[int, int]] = {}
        self.offset = offset
        self.bounds = self._stage.framed(self._stage.bounds(frame).joined(hanging(world, frame)))
        self.meshes: dict[str, Any] = {}
        self.parts = set(frame)
        surfaces = self._stage.surfaces(frame, self.bounds.radius)
        served.dress(StageView.generation, surfaces)
        for surface in surfaces:
            self._mesh(surface, surface.points)

    def show(self, frame: Frame, shades: dict[str, Shade] | None = None) -> bool:
        """Move everything to where it is; True if a mesh was made anew."""
        fresh = False
        for surface in self._stage.surfaces(frame, self.bounds.radius):
            if surface.still and surface.name in self.meshes:
                continue
            points = _shaded(surface.points, (shades or {}).get(surface.name))
            if self._counts.get(surface.name) != (len(surface.points), len(surface.triangles)):
                self._mesh(surface, points)
                fresh = True
            else:
                self.meshes[surface.name].vertices = points
        return fresh

    def floor(self) -> float:
        return self._stage.floor(self.bounds)

    def camera(self, aspect: float = 1.2) -> tuple[Array, Array]:
        """(eye, target) from which everything is seen in what the panel leaves free."""
        camera = fitted(self.bounds, aspect)
        return np.asarray(camera.eye), np.asarray(camera.target)

    def remove(self) -> None:
        for mesh in self.meshes.values():
            mesh.remove()
        self.meshes.clear()
        self._frame.remove()

    def _mesh(self, surface: Surface, points: Array) -> None:
        if surface.name in self.meshes:
            self.meshes[surface.name].remove()
        self._counts[surface.name] = (len(surface.points), len(surface.triangles))
        tint = surface.finish.front if surface.tint is None else surface.tint.mean(axis=0)
        self.meshes[surface.name] = self._server.scene.add_mesh_simple(
            f"{self.root}/{surface.name}",
            vertices=points,
            faces=surface.triangles.astype(np.uint32),
            color=srgb(tint),
            side="double",
            cast_shadow=True,
            receive_shadow=True,
        )


def hanging(world: World, frame: Frame) -> Bounds:
    """Where cloth will hang that starts flat on its pins."""
    room = Bounds.of(np.empty((0, 3)))
    for name, part in world.parts.items():
        if name not in frame.parts or len(part.held) == 0 or len(part.inertia) or not part.has(Springs):
            continue
        points = np.asarray(part.rest_position, float)
        pins = points[part.held.astype(int)]
        length = float(np.linalg.norm(points[:, None] - pins[None, :8], axis=2).min(axis=1).max())
        low, high = points.min(axis=0), points.max(axis=0)
        low[1] = min(low[1], float(pins[:, 1].max()) - length)
        room = room.joined(Bounds(low, high))
    return room


def _shaded(points: Array, shade: Shade | None) -> Array:
    """The points, and behind them the map and the values."""
    if shade is None or len(shade.values) != len(points):
        return points
    tail = np.zeros((1 + -(-len(points) // 3), 3), np.float32)
    tail[0, 0] = shade.map
    tail[1:].ravel()[: len(points)] = shade.values
    return np.concatenate([points, tail])


def srgb(linear: Any) -> tuple[int, int, int]:
    """A linear colour as the page wants it."""
    values = np.clip(np.asarray(linear, float), 0.0, 1.0)
    encoded = np.where(values <= 0.0031308, 12.92 * values, 1.055 * values ** (1 / 2.4) - 0.055)
    red, green, blue = (round(255 * float(v)) for v in encoded)
    return red, green, blue


__all__ = ["DIVERGING", "FIELD_OF_VIEW", "RISING", "Bounds", "Shade", "StageView", "srgb"]
