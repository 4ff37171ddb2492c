"""What the page shows of a frame: the same surfaces, light and camera as the pictures, as meshes of the browser."""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.sinks.picture.camera import Bounds, fitted
from pliant.sinks.picture.stage import Stage
from pliant.sinks.picture.surface import Surface
from pliant.world import Frame, World, edge_strain, rows_of

STRAIN_FULL = 0.05  # strain at which the strain colours are fully red


class StageView:
    """The meshes of one world on one server. `show(frame)` moves them; a slow page skips frames, it never lags."""

    def __init__(self, server: Any, world: World, frame: Frame, *, root: str = "/stage", dark: bool = False) -> None:
        self._server, self._root, self.world = server, root, world
        self._stage = Stage(world)
        self.bounds = self._stage.framed(self._stage.bounds(frame))
        self.meshes: dict[str, Any] = {}
        self._parts = set(frame)
        for surface in self._stage.surfaces(frame, self.bounds.radius):
            self.meshes[surface.name] = self._mesh(surface)
        self._floor(dark)

    def show(self, frame: Frame) -> None:
        """Move every part's mesh to where it is."""
        for surface in self._stage.surfaces(frame, self.bounds.radius):
            mesh = self.meshes.get(surface.name)
            if mesh is None or len(mesh.vertices) != len(surface.points) or len(mesh.faces) != len(surface.triangles):
                self.meshes[surface.name] = self._mesh(surface)
            elif surface.name in self._parts:
                mesh.vertices = surface.points

    def camera(self, aspect: float = 1.6) -> tuple[Array, Array]:
        """(eye, target) from which everything is seen."""
        camera = fitted(self.bounds, aspect)
        return np.asarray(camera.eye), np.asarray(camera.target)

    def remove(self) -> None:
        for mesh in self.meshes.values():
            mesh.remove()
        self.meshes.clear()
        self._ground.remove()

    def _mesh(self, surface: Surface) -> Any:
        return self._server.scene.add_mesh_simple(
            f"{self._root}/{surface.name}",
            vertices=surface.points,
            faces=surface.triangles.astype(np.uint32),
            color=_srgb(surface.finish.front),
            side="double",
            cast_shadow=True,
            receive_shadow=True,
        )

    def _floor(self, dark: bool) -> None:
        size = 40.0 * max(self.bounds.radius, 0.5)
        self._ground = self._server.scene.add_grid(
            f"{self._root}/floor",
            width=size,
            height=size,
            plane="xz",
            cell_size=0.5,
            section_size=2.5,
            cell_color=(60, 64, 72) if dark else (206, 208, 212),
            section_color=(80, 86, 96) if dark else (186, 190, 196),
            plane_color=(28, 30, 36) if dark else (238, 238, 236),
            plane_opacity=1.0,
            fade_distance=6.0 * self.bounds.radius + 6.0,
            shadow_opacity=0.35,
            position=(0.0, self._stage.floor(self.bounds) - 0.002, 0.0),
        )


def strain_colors(world: World, name: str, position: Array) -> Array:
    """(n, 3) uint8: white at rest, red where the edges at a point are stretched, blue where they are shortened."""
    from pliant.world import STRUCTURAL, Springs

    part = world.parts[name]
    springs: Springs = part.table(Springs)
    ends = springs.ends[springs.kind == STRUCTURAL].astype(int)
    strain = np.clip(edge_strain(part, position) / STRAIN_FULL, -1.0, 1.0)
    count = np.bincount(ends.ravel(), minlength=len(position))
    mean = np.bincount(ends.ravel(), np.repeat(strain, 2), minlength=len(position)) / np.maximum(count, 1)
    red, blue = np.clip(mean, 0, 1)[:, None], np.clip(-mean, 0, 1)[:, None]
    white = np.array([235.0, 235.0, 235.0])
    mixed = white * (1 - red - blue) + red * np.array([214.0, 40.0, 40.0]) + blue * np.array([40.0, 90.0, 214.0])
    return mixed.astype(np.uint8)


def _srgb(linear: Any) -> tuple[int, int, int]:
    values = np.clip(np.asarray(linear, float), 0.0, 1.0)
    encoded = np.where(values <= 0.0031308, 12.92 * values, 1.055 * values ** (1 / 2.4) - 0.055)
    red, green, blue = (round(255 * float(v)) for v in encoded)
    return red, green, blue


__all__ = ["Bounds", "StageView", "rows_of", "strain_colors"]
