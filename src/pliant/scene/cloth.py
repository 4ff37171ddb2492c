"""Sheets of cloth: a regular sheet, a ribbon, or any triangle mesh."""

from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from pliant.arrays import Array, as_points, as_triangles, frozen
from pliant.constraints import Motion
from pliant.description import Vec3, quantity
from pliant.errors import SceneError
from pliant.geometry import surface
from pliant.scene.base import PartDescription
from pliant.scene.fabric import FABRICS, Material
from pliant.scene.follow import Follow, opened, part_of
from pliant.scene.pins import Pins, box_coordinates, held_points, named_points


class SheetMesh(NamedTuple):
    """The geometry a cloth description stands for."""

    points: Array  # (n, 3) [m]
    triangles: Array  # (m, 3)
    uv: Array  # (n, 2)
    structural: Array  # (s, 2) point pairs along the threads
    shear: Array  # (s, 2) across
    skip: Array  # (s, 2) over a neighbour, for raw bend springs


class Cloth(PartDescription):
    """Any triangle mesh as cloth. `Cloth.sheet(...)` makes a regular one, `Cloth.from_mesh(...)` takes yours."""

    fabric: Material = quantity(FABRICS["cotton"], help="Material: a preset's name or its numbers")
    pinned: Pins = quantity(None, help="Held points: borders (left, top-corners, a+b), indices, a box, a function")
    motion: Motion | None = quantity(None, help="What carries the held points; none: they stay")
    follow: Follow | None = quantity(None, help="Points that go as a recording, bones or painted weights say")
    load: float = quantity(0.0, unit="kg", low=0.0, high=1e6, slider=(0, 5), help="Mass hung on the loaded points")
    loaded: Pins = quantity(None, help="Points that carry the load, as for pinned; none: all share it")
    self_contact: bool = quantity(True, help="Whether the cloth may not pass through itself")
    cuts: tuple[int, ...] = quantity((), help="Triangles that were cut out, with the threads that only they hold")
    points: Any = quantity(None, unit="m", help="(n, 3) points of the mesh")
    triangles: Any = quantity(None, help="(m, 3) indices into points")
    uv: Any = quantity(None, help="(n, 2) texture coordinates, optional")

    def model_post_init(self, context: Any) -> None:
        if type(self) is Cloth:
            self._check_mesh()
        if callable(self.pinned):  # said as indices from here on, so that the scene can be saved
            mesh = self.mesh()
            held = held_points(self.pinned, mesh.points, mesh.uv, name=type(self).__name__)
            object.__setattr__(self, "pinned", tuple(int(i) for i in held))

    def _check_mesh(self) -> None:
        kind = type(self).__name__
        if self.points is None or self.triangles is None:
            raise SceneError(f"{kind}: give points and triangles, or use {kind}.sheet(...) or {kind}.from_mesh(...)")
        points = as_points(self.points, name=f"{kind}.points")
        triangles = as_triangles(self.triangles, count=len(points), name=f"{kind}.triangles")
        object.__setattr__(self, "points", frozen(points))
        object.__setattr__(self, "triangles", frozen(triangles))
        if self.uv is not None:
            object.__setattr__(self, "uv", frozen(_as_uv(self.uv, len(points), f"{kind}.uv")))

    def mesh(self) -> SheetMesh:
        """Points, triangles and spring pairs, in the user's own vertex order."""
        edges = surface.edges(self.triangles)
        across = surface.hinges(self.triangles)[:, 2:]
        across = np.unique(np.sort(across, axis=1), axis=0).astype(np.uint32)
        known = {(int(a), int(b)) for a, b in edges}
        fresh = np.array([(int(a), int(b)) not in known and a != b for a, b in across], bool)
        uv = box_coordinates(self.points) if self.uv is None else self.uv
        return SheetMesh(self.points, self.triangles, uv, edges, across[:0], across[fresh])

    @classmethod
    def sheet(cls, *, width: float, height: float, columns: int, rows: int, **options: Any) -> "Sheet":
        """A regular sheet of columns x rows cells, hanging upright unless told to lie."""
        return Sheet(width=width, height=height, columns=columns, rows=rows, **options)

    @classmethod
    def from_mesh(cls, points: Any, triangles: Any = None, **options: Any) -> Self:
        """Arrays, a `trimesh.Trimesh`, or a path to an OBJ, PLY, STL, glTF or USD file; the vertex order is kept.

        Of a file `up` ("x", "y", "z") and `unit` ("m", "cm", "mm", "in", "ft" or metres) may be said: files that do not
        say them themselves are taken as Y up and in metres.
        Of a file `pinned` may also name a group of points, or numbers painted on them: held where they are above 0.5.
        """
        if isinstance(points, str | Path):
            from pliant.sources.meshes import asked_mesh

            record = asked_mesh(points, options)
            options.setdefault("uv", record.uv)
            options["pinned"] = named_points(options.get("pinned"), record.groups, record.weights)
            points, triangles = record.points, record.triangles
        elif triangles is None and hasattr(points, "vertices") and hasattr(points, "faces"):
            points, triangles = points.vertices, points.faces
        return cls(points=points, triangles=triangles, **options)

    @classmethod
    def from_recording(
        cls, clip: Any, part: str | None = None, *, pinned: Any = None, weights: Any = None, **options: Any
    ) -> Self:
        """An animated mesh as cloth: pinned points go on as recorded, the others are simulated.

        Args:
            clip: A path, a recording or frames: an animated mesh of any format of `load_recording`.
            part: Which part of it; none: the only one.
            pinned: Points that follow exactly, as for `pinned` of a cloth.
            weights: Painted weight of every point instead: 1 follows exactly, 0 not at all.
            options: Of `Cloth`, such as `fabric`.
        """
        frames = opened(clip)
        first = part_of(next(iter(frames)), part)
        points = first.points.astype(float)
        rows = None
        if weights is None:
            rows = held_points(pinned, points, box_coordinates(points), name=first.name)
        follow = Follow.recording(frames, first.name, rows=rows, weights=weights)
        return cls(points=points, triangles=first.triangles, uv=first.uv, follow=follow, **options)


class Sheet(Cloth):
    """A rectangle of cells. u runs along the columns, v up the rows; row 0 of points is the bottom border."""

    width: float = quantity(1.0, unit="m", above=0.0, high=1e3, slider=(0.1, 5), help="Size along the columns")
    height: float = quantity(1.0, unit="m", above=0.0, high=1e3, slider=(0.1, 5), help="Size along the rows")
    columns: int = quantity(32, low=1, high=4096, slider=(4, 128), help="Cells along the width")
    rows: int = quantity(32, low=1, high=4096, slider=(4, 128), help="Cells along the height")
    center: Vec3 = quantity((0.0, 1.0, 0.0), unit="m", help="Where the middle of the sheet is")
    lies: Literal["upright", "flat"] = quantity("upright", help="Upright in the xy plane, or flat in the xz plane")
    turn: float = quantity(0.0, unit="deg", low=-360.0, high=360.0, help="Turn about the vertical axis")

    def mesh(self) -> SheetMesh:
        uv, triangles = surface.grid(self.columns, self.rows)
        a = (uv[:, 0] - 0.5) * self.width
        b = (uv[:, 1] - 0.5) * self.height
        flat = np.stack([a, np.zeros_like(a), -b] if self.lies == "flat" else [a, b, np.zeros_like(a)], axis=1)
        cosine, sine = np.cos(np.deg2rad(self.turn)), np.sin(np.deg2rad(self.turn))
        points = flat @ np.array([[cosine, 0, -sine], [0, 1, 0], [sine, 0, cosine]]) + np.array(self.center)
        structural, shear, skip = surface.grid_springs(self.columns, self.rows)
        return SheetMesh(points, triangles, uv, structural, shear, skip)


class Ribbon(Sheet):
    """A long narrow sheet; `width` is its length and `height` its breadth, so that `left` is the end one holds."""

    width: float = quantity(6.0, unit="m", above=0.0, high=1e3, slider=(0.2, 10), help="Length of the ribbon")
    height: float = quantity(0.05, unit="m", above=0.0, high=10.0, slider=(0.01, 0.3), help="Breadth of the ribbon")
    columns: int = quantity(160, low=1, high=4096, slider=(8, 400), help="Cells along the length")
    rows: int = quantity(2, low=1, high=64, slider=(1, 8), help="Cells along the breadth")
    fabric: Material = quantity(FABRICS["silk"], help="Material: a preset's name or its numbers")
    pinned: Pins = quantity("left", help="Held points: borders (left, top-corners, a+b), indices, a box, a function")


def _as_uv(value: Any, count: int, name: str) -> Array:
    uv = np.array(value, dtype=float)
    if uv.shape != (count, 2) or not np.isfinite(uv).all():
        raise SceneError(f"{name}: shape is {uv.shape}; expected ({count}, 2) finite numbers")
    return uv
