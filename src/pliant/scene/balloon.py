"""Closed skins around gas: any closed mesh, a ball, a flat foil bag."""

from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from pliant.arrays import Array, as_indices, as_points, as_triangles, frozen
from pliant.constants import STAGE_LIMIT
from pliant.description import Description, Vec3, quantity
from pliant.errors import SceneError
from pliant.geometry import closed
from pliant.scene.base import PartDescription
from pliant.scene.gas import GASES, GasFilling
from pliant.scene.pins import PinBox, Pins, box_coordinates, held_points
from pliant.scene.skin import SKINS, SkinMaterial

SMALLEST, LARGEST = 1e-3, 1e3  # [m] extent of a balloon; outside, a file is in other units


class String(Description):
    """A thin string, tied to the nozzle of a balloon."""

    length: float = quantity(0.8, unit="m", above=0.0, high=1e3, slider=(0.1, 3), help="Length of the string")
    segments: int = quantity(12, low=1, high=500, help="Pieces it is cut into")
    density: float = quantity(1.0e-3, unit="kg/m", above=0.0, high=10.0, help="Mass per length")
    end: Vec3 | None = quantity(None, unit="m", help="Where the other end is; none: straight below the knot")
    held: bool = quantity(True, help="Whether the other end is held; a hand or a tie may hold it later")


class Balloon(PartDescription):
    """Any closed triangle mesh around gas: `.from_mesh(...)`, `.sphere(...)`, `.ellipsoid(...)`, `.foil(...)`."""

    skin: SkinMaterial = quantity(SKINS["latex"], help="Material: a preset's name or its numbers")
    gas: GasFilling = quantity(GASES["helium"], help="What is in it: a preset's name or its numbers")
    nozzle: Any = quantity(
        "bottom", help="Where the gas leaves: bottom, top, point indices, a box, or [x, y, z] for the nearest point"
    )
    nozzle_radius: float = quantity(4e-3, unit="m", low=0.0, high=10.0, help="Radius of the opening")
    drag: float = quantity(0.5, low=0.0, high=5.0, help="Drag coefficient of the whole body in the scene's air")
    pinned: Pins = quantity(None, help="Held points: nozzle, borders (bottom, top), indices, a box, a function")
    pinned_until: float | None = quantity(None, unit="s", low=0.0, help="When the held points are let go; none: never")
    self_contact: bool | None = quantity(
        None, help="Whether the skin keeps out of itself; none: where the gas may leave it slack, but not a flat bag"
    )
    traced: Any = quantity(None, help="Points whose paths pictures draw, by their indices")
    string: String | None = quantity(None, help="A string at the nozzle; its points come after the skin's")
    points: Any = quantity(None, unit="m", help="(n, 3) points of the mesh")
    triangles: Any = quantity(None, help="(m, 3) indices into points, facing outward")

    def model_post_init(self, context: Any) -> None:
        if type(self) is not Balloon:
            return
        if self.points is None or self.triangles is None:
            raise SceneError("Balloon: give points and triangles, or use Balloon.from_mesh(...) or Balloon.sphere(...)")
        points = as_points(self.points, name="Balloon.points")
        triangles = as_triangles(self.triangles, count=len(points), name="Balloon.triangles")
        _refuse_bad_surface(points, triangles)
        object.__setattr__(self, "points", frozen(points))
        object.__setattr__(self, "triangles", frozen(triangles))

    def mesh(self) -> tuple[Array, Array]:
        """Points and triangles in the user's own vertex order."""
        return self.points, self.triangles

    def nozzle_rows(self) -> Array:
        """Rows of the patch through which the gas leaves."""
        points, triangles = self.mesh()
        return _patch(self.nozzle, points, triangles)

    def traced_rows(self) -> Array:
        """Rows whose paths are drawn."""
        if self.traced is None:
            return np.empty(0, np.uint32)
        return as_indices(np.asarray(self.traced), count=len(self.mesh()[0]), name="Balloon.traced")

    def may_go_slack(self, rest_volume: float) -> bool:
        """Whether the gas may come to fill less than the skin holds at rest [m^3]."""
        gas, least = self.gas, self.gas.fill * rest_volume if self.gas.volume is None else self.gas.volume
        if gas.target is not None:
            least = min(least, gas.target * (1.0 - gas.breath)) if gas.pump != 0.0 else least
        elif gas.pump < 0.0:
            least = 0.0
        return rest_volume > 0.0 and least < 0.97 * rest_volume

    def held_rows(self, name: str) -> Array:
        points, _ = self.mesh()
        if self.pinned == "nozzle":
            return self.nozzle_rows()
        return held_points(self.pinned, points, box_coordinates(points), name=name)

    def string_points(self) -> Array:
        """(k, 3) points of the string from the knot on, without the knot itself."""
        if self.string is None:
            return np.empty((0, 3))
        knot = self.mesh()[0][self.nozzle_rows()].mean(axis=0)
        end = knot - (0.0, self.string.length, 0.0) if self.string.end is None else np.array(self.string.end)
        if np.linalg.norm(end - knot) > 1.001 * self.string.length:
            raise SceneError(
                f"String.end = {self.string.end} is {np.linalg.norm(end - knot):.3g} m from the knot, "
                f"farther than the string is long ({self.string.length:g} m); lengthen it or move the end"
            )
        share = np.arange(1, self.string.segments + 1)[:, None] / self.string.segments
        return knot + share * (end - knot)

    @classmethod
    def from_mesh(
        cls, points: Any, triangles: Any = None, *, size: float | None = None, repair: bool = False, **options: Any
    ) -> Self:
        """Arrays, a `trimesh.Trimesh`, or a path; the vertex order is kept and nothing is joined.

        Args:
            points: (n, 3), or the mesh, or the path of an OBJ, PLY, STL or GLB file.
            triangles: (m, 3) indices.
            size: Scale the longest extent to this [m], about the middle of the mesh.
            repair: Turn triangles that face the wrong way.
            options: Fields of Balloon; of a file also its `up` axis and its `unit`, as for `Cloth.from_mesh`.
        """
        if isinstance(points, str | Path):
            from pliant.sources.meshes import asked_mesh

            record = asked_mesh(points, options)
            points, triangles = record.points, record.triangles
        elif triangles is None and hasattr(points, "vertices") and hasattr(points, "faces"):
            points, triangles = points.vertices, points.faces
        if triangles is None:
            raise SceneError("Balloon.from_mesh: triangles are missing; give points and triangles, a mesh or a path")
        made = as_points(points, name="Balloon.points")
        faces = as_triangles(triangles, count=len(made), name="Balloon.triangles")
        if size is not None:
            extent, middle = float(np.ptp(made, axis=0).max()), 0.5 * (made.min(axis=0) + made.max(axis=0))
            made = (made - middle) * (size / extent if extent > 0.0 else 1.0) + middle * bool(extent == 0.0)
        if repair:
            faces = closed.oriented(made, faces)
        return cls(points=made, triangles=faces, **options)

    @classmethod
    def sphere(cls, radius: float = 0.15, **options: Any) -> "RoundBalloon":
        """A ball; `detail` 3, 4, 5 gives 642, 2562, 10242 points."""
        return RoundBalloon(radii=(radius, radius, radius), **options)

    @classmethod
    def ellipsoid(cls, radii: Any = (0.15, 0.2, 0.15), **options: Any) -> "RoundBalloon":
        """A ball with three radii; `neck` draws its lower end out into a nozzle."""
        return RoundBalloon(radii=radii, **options)

    @classmethod
    def foil(cls, radius: float = 0.2, **options: Any) -> "FoilBalloon":
        """Two flat sheets of foil sewn at the rim, to be inflated; `outline` round, square, star or heart."""
        return FoilBalloon(radius=radius, **options)


class RoundBalloon(Balloon):
    """A ball, an ellipsoid, or a party balloon with a neck below."""

    radii: Vec3 = quantity((0.15, 0.15, 0.15), unit="m", help="Radii along x, y, z")
    center: Vec3 = quantity((0.0, 1.0, 0.0), unit="m", help="Where its middle is")
    detail: int = quantity(3, low=1, high=7, help="Times each triangle is cut: 3, 4, 5 gives 642, 2562, 10242 points")
    neck: float = quantity(0.0, low=0.0, high=2.0, slider=(0, 1), help="Length of the neck below, in radii")

    def mesh(self) -> tuple[Array, Array]:
        points, triangles = closed.sphere(self.detail)
        if min(self.radii) <= 0.0:
            raise SceneError(f"RoundBalloon.radii = {self.radii}; each must be > 0 [m]")
        if self.neck > 0.0:
            drawn = np.clip((-points[:, 1] - 0.35) / 0.65, 0.0, 1.0)
            smooth = drawn * drawn * (3.0 - 2.0 * drawn)
            points = points * np.stack([1.0 - 0.55 * smooth, np.ones(len(points)), 1.0 - 0.55 * smooth], axis=1)
            points[:, 1] -= self.neck * smooth
        return points * np.array(self.radii) + np.array(self.center), triangles


class FoilBalloon(Balloon):
    """Two flat sheets of foil, sewn at the rim. It has no volume until gas comes."""

    skin: SkinMaterial = quantity(SKINS["foil"], help="Material: a preset's name or its numbers")
    radius: float = quantity(0.2, unit="m", above=0.0, high=100.0, slider=(0.05, 1), help="Radius of the flat bag")
    outline: Literal["round", "square", "star", "heart"] = quantity("round", help="Outline of the flat bag")
    center: Vec3 = quantity((0.0, 1.0, 0.0), unit="m", help="Where its middle is")
    rings: int = quantity(12, low=2, high=200, help="Rings from the middle to the rim")
    spokes: int = quantity(64, low=8, high=800, help="Points around the rim")

    def mesh(self) -> tuple[Array, Array]:
        angle = 2.0 * np.pi * np.arange(self.spokes) / self.spokes
        points, triangles = closed.bag(self.radius * _outline(self.outline, angle), self.rings)
        return points + np.array(self.center), triangles


def _outline(name: str, angle: Array) -> Array:
    """Radius over angle, at most 1."""
    if name == "square":
        return np.sqrt(0.5) / np.maximum(np.abs(np.cos(angle)), np.abs(np.sin(angle)))
    if name == "star":
        return 0.72 + 0.28 * np.cos(5.0 * (angle - 0.5 * np.pi))
    if name == "heart":
        t = np.linspace(0.0, 2.0 * np.pi, 2000)
        x = 16.0 * np.sin(t) ** 3
        y = 13.0 * np.cos(t) - 5.0 * np.cos(2 * t) - 2.0 * np.cos(3 * t) - np.cos(4 * t)
        return np.interp(angle, np.mod(np.arctan2(y, x), 2 * np.pi), np.hypot(x, y) / 17.0, period=2 * np.pi)
    return np.ones_like(angle)


def _patch(nozzle: Any, points: Array, triangles: Array) -> Array:
    """A point and its neighbours, or exactly the rows that were named."""
    if isinstance(nozzle, PinBox | dict):
        return held_points(PinBox(**nozzle) if isinstance(nozzle, dict) else nozzle, points, points, name="nozzle")
    if isinstance(nozzle, str):
        if nozzle not in ("bottom", "top"):
            raise SceneError(f"Balloon.nozzle = {nozzle!r}; use bottom, top, point indices, a box, or [x, y, z]")
        middle = points.mean(axis=0)
        off = np.linalg.norm((points - middle)[:, [0, 2]], axis=1)
        height = points[:, 1] if nozzle == "top" else -points[:, 1]
        center = int(np.argmax(height - 1e-3 * off))
    else:
        place = np.asarray(nozzle)
        if place.dtype.kind in "iu":
            return as_indices(place, count=len(points), name="Balloon.nozzle")
        if place.shape != (3,) or not np.isfinite(place.astype(float)).all():
            raise SceneError(f"Balloon.nozzle = {nozzle!r}; use bottom, top, point indices, a box, or [x, y, z]")
        center = int(np.argmin(np.linalg.norm(points - place.astype(float), axis=1)))
    around = triangles[(triangles == center).any(axis=1)]
    return np.unique(np.append(around.ravel(), center)).astype(np.uint32)


def _refuse_bad_surface(points: Array, triangles: Array) -> None:
    """One line for everything that cannot hold gas."""
    found = closed.closure(points, triangles)
    extent = float(np.ptp(points, axis=0).max())
    used = np.zeros(len(points), bool)
    used[triangles.ravel()] = True
    if len(found.border):
        listed = ", ".join(f"{a}-{b}" for a, b in found.border[:3]) + (", …" if len(found.border) > 3 else "")
        raise SceneError(
            f"Balloon.triangles: the surface is open along {len(found.border)} edges ({listed}); "
            f"close the holes, or join the seams (`pliant check FILE --fix OUT`)"
        )
    if len(found.crowded):
        a, b = found.crowded[0]
        raise SceneError(
            f"Balloon.triangles: {len(found.crowded)} edges belong to more than two triangles (first {a}-{b}); "
            f"remove inner walls"
        )
    if not used.all():
        raise SceneError(f"Balloon.points: point {np.flatnonzero(~used)[0]} belongs to no triangle; remove it")
    if found.shells > 1:
        raise SceneError(f"Balloon.triangles: {found.shells} separate shells; make one Balloon of each")
    if len(found.against):
        a, b = found.against[0]
        raise SceneError(
            f"Balloon.triangles: wound inconsistently at {len(found.against)} edges (first {a}-{b}); "
            f"use Balloon.from_mesh(..., repair=True)"
        )
    if found.volume < 0.0 and not found.flat:
        raise SceneError(
            f"Balloon.triangles enclose {found.volume:.3g} m^3: they face inward; "
            f"use Balloon.from_mesh(..., repair=True)"
        )
    if not SMALLEST <= extent <= LARGEST:
        raise SceneError(
            f"Balloon.points: the extent is {extent:.3g} m; expected {SMALLEST:g} to {LARGEST:g} m, "
            f"so scale it with Balloon.from_mesh(..., size=0.3)"
        )
    if np.abs(points).max() > 0.5 * STAGE_LIMIT:
        raise SceneError(f"Balloon.points reach {np.abs(points).max():.3g} m from the origin; bring it near the origin")
    _refuse_degenerate(points, triangles)


def _refuse_degenerate(points: Array, triangles: Array) -> None:
    sides = points[triangles] - points[np.roll(triangles, -1, axis=1)]
    shortest = np.linalg.norm(sides, axis=2).min(axis=1)
    t = int(np.argmin(shortest))
    if shortest[t] <= 1e-7 * float(np.ptp(points, axis=0).max()):
        raise SceneError(
            f"Balloon.triangles: row {t} has an edge of {shortest[t]:.3g} m; "
            f"join its points (`pliant check FILE --fix OUT`)"
        )
