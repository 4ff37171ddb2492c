"""Garments: cut on any character by a named pattern, or brought by the user and bound automatically."""

import functools
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from pliant.arrays import as_points, as_triangles, frozen
from pliant.description import Description, Vec3, quantity
from pliant.errors import SceneError
from pliant.filters.draping.wear import Wear
from pliant.geometry import corners, implicit, isosurface, remesh
from pliant.geometry.rigged import Rigged
from pliant.scene.character import Character
from pliant.scene.figures import bands, binding, cutting, flat, keep, measures
from pliant.scene.figures.cutting import STYLES, Pattern, Size
from pliant.scene.figures.fine import finely
from pliant.scene.figures.measures import Measures, measured
from pliant.sources.meshes import read_mesh
from pliant.sources.mhclo import SUFFIX, fitted, read_mhclo

COLORS: dict[str, tuple[float, float, float]] = {
    "tshirt": (0.16, 0.32, 0.62),
    "sweater": (0.55, 0.12, 0.10),
    "trousers": (0.10, 0.14, 0.26),
    "skirt": (0.36, 0.14, 0.38),
    "dress": (0.05, 0.34, 0.30),
    "cape": (0.42, 0.05, 0.07),
    "mesh": (0.50, 0.45, 0.40),
}
FEWEST, MOST = 400, 60000
LONGEST = 0.025  # [m] edge of the body that garments are draped on


class Garment(Description):
    """One piece of clothing. It fits itself to the character that wears it."""

    kind: Literal["tshirt", "sweater", "trousers", "skirt", "dress", "cape", "mesh"] = quantity(
        "tshirt", help="Its cut; mesh: a surface of your own"
    )
    name: str = quantity("", help="What its part of a frame is called; none: its kind")
    size: Size = quantity("M", help="XS to XL: 18 mm of width and 2 % of length from one to the next")
    ease: float = quantity(0.0, low=-0.2, high=1.0, slider=(0, 0.3), help="Wider than the cut by this fraction")
    count: int = quantity(0, low=0, high=MOST, help="Triangles of the light mesh; 0: the cut's own")
    layer: int | None = quantity(None, low=0, high=20, help="0 is worn innermost; none: as usual for its kind")
    wavelength: float | None = quantity(None, unit="m", above=0.0, high=2.0, help="From fold to fold; none: its kind's")
    radial: bool | None = quantity(None, help="Whether it stands off all around like a skirt; none: as its kind does")
    color: Vec3 | None = quantity(None, help="Colour of the front, linear RGB 0..1; none: its kind's")
    pattern: str = quantity("plain", help="Pattern of the surface: plain, weave, stripes, check, foil")
    points: Any = quantity(None, unit="m", help="(n, 3) of a mesh of your own, as the character wears it at rest")
    triangles: Any = quantity(None, help="(m, 3) indices into points, facing outward")
    uv: Any = quantity(None, help="(n, 2) texture coordinates, optional")
    finish_points: Any = quantity(None, unit="m", help="(k, 3) of a finished fine mesh that follows the light one")
    finish_triangles: Any = quantity(None, help="(l, 3) indices into finish_points")
    finish_uv: Any = quantity(None, help="(k, 2) its texture coordinates, optional")

    def model_post_init(self, context: Any) -> None:
        if self.kind != "mesh" and 0 < self.count < FEWEST:
            raise SceneError(f"Garment.count = {self.count}; must be 0 (the cut's own) or {FEWEST} to {MOST} triangles")
        for points, triangles in (("points", "triangles"), ("finish_points", "finish_triangles")):
            _check_mesh(self, points, triangles, needed=points == "points" and self.kind == "mesh")

    @classmethod
    def tshirt(cls, character: Character | None = None, **options: Any) -> Self:
        """Short sleeves, to the hips; 6,602 triangles."""
        return cls._cut("tshirt", character, options)

    @classmethod
    def sweater(cls, character: Character | None = None, **options: Any) -> Self:
        """Long sleeves, to the hips; 8,814 triangles."""
        return cls._cut("sweater", character, options)

    @classmethod
    def trousers(cls, character: Character | None = None, **options: Any) -> Self:
        """From the waist to the ankles; 6,602 triangles."""
        return cls._cut("trousers", character, options)

    @classmethod
    def skirt(cls, character: Character | None = None, **options: Any) -> Self:
        """Flared, from the waist to the knees; 4,400 triangles."""
        return cls._cut("skirt", character, options)

    @classmethod
    def dress(cls, character: Character | None = None, **options: Any) -> Self:
        """Short sleeves, flared below the waist, to the knees; 8,800 triangles."""
        return cls._cut("dress", character, options)

    @classmethod
    def cape(cls, character: Character | None = None, **options: Any) -> Self:
        """Open in front, from the shoulders to the calves; 5,000 triangles."""
        return cls._cut("cape", character, options)

    @classmethod
    def _cut(cls, kind: str, character: Character | None, options: dict[str, Any]) -> Self:
        if "triangles" in options:
            options = options | {"count": options["triangles"]}
            del options["triangles"]
        finish = options.pop("finish", None)
        made = cls(kind=kind, **options, **_finish_of(finish))
        if character is not None:
            made.worn(character)
        return made

    @classmethod
    def from_mesh(
        cls,
        points: Any,
        triangles: Any = None,
        *,
        character: Character | None = None,
        scale: float = 1.0,
        offset: Vec3 = (0.0, 0.0, 0.0),
        **options: Any,
    ) -> Self:
        """Arrays, a `trimesh.Trimesh` or a path, as the character wears it at rest; bound to it automatically.

        Of a path also its `up` axis and its `unit`, as for `Cloth.from_mesh`. Clothes of MakeHuman (.mhclo, with the
        .obj beside it) are fitted to a character that was loaded from its base mesh.
        """
        if isinstance(points, str | Path) and Path(points).suffix.lower() == SUFFIX:
            points, triangles, uv = _clothes(Path(points), character)
        else:
            points, triangles, uv = _arrays(points, triangles, options)
        if uv is not None:
            options.setdefault("uv", uv)
        finish = options.pop("finish", None)
        moved = scale * np.asarray(points, float) + np.asarray(offset)
        made = cls(kind="mesh", points=moved, triangles=triangles, **options, **_finish_of(finish))
        if character is not None:
            made.worn(character)
        return made

    @property
    def title(self) -> str:
        return self.name or self.kind

    def worn(self, character: Character) -> "Worn":
        """Its light mesh on a character at rest, and that mesh bound to the bones."""
        return _worn(character, self)

    def wear(self, character: Character, layer: int) -> Wear:
        """What the draper has to know."""
        made = _worn(character, self)
        fit = binding.Fit(layer, self.wavelength, self.radial)
        return binding.wear(measures_of(character), made.pattern, made.mesh, self.kind, fit)

    def key(self) -> str:
        """Equal for garments that drape alike."""
        own = keep.key_of(self.points, self.triangles) if self.kind == "mesh" else ""
        return f"{self.kind} {self.size} {self.ease!r} {_count(self)} {own}"


def color_of(garment: Garment) -> tuple[float, float, float]:
    """Of its front: its own, or its kind's."""
    return garment.color or COLORS[garment.kind]


def _count(garment: Garment) -> int:
    """Triangles of the light mesh, as asked for; 0 for a mesh of the user's own."""
    return garment.count or (STYLES[garment.kind].triangles if garment.kind in STYLES else 0)


def _usual_layer(garment: Garment) -> int:
    if garment.layer is not None:
        return garment.layer
    return STYLES[garment.kind].layer if garment.kind in STYLES else 2


class Worn(NamedTuple):
    """A garment on one character at rest."""

    pattern: Pattern
    mesh: Rigged


_measures: dict[str, Measures] = {}
_garments: dict[tuple[str, str], Worn] = {}


_skins: dict[str, Rigged] = {}


def skin_of(character: Character) -> Rigged:
    """The body as garments feel it: no edge longer than 2.5 cm of a figure 1.76 m tall."""
    key = character.key()
    if key not in _skins:
        if len(_skins) > 15:
            _skins.clear()
        body = character.body()
        _skins[key] = finely(body.mesh, LONGEST * body.height / measures.TALL)
    return _skins[key]


def measures_of(character: Character) -> Measures:
    """Measured once per body."""
    key = character.key()
    if key not in _measures:
        if len(_measures) > 15:
            _measures.clear()
        _measures[key] = measured(character.body()._replace(mesh=skin_of(character)))
    return _measures[key]


@functools.cache
def _recipe() -> bytes:
    return keep.recipe(cutting, bands, flat, measures, binding, implicit, isosurface, remesh, corners)


def _worn(character: Character, garment: Garment) -> Worn:
    """The garment on the character: in memory, on disk, or made."""
    said = garment.key()
    key = (character.key(), said)
    if key not in _garments:
        if len(_garments) > 63:
            _garments.clear()
        _garments[key] = _fitted(character, garment, said)
    return _garments[key]


def _fitted(character: Character, garment: Garment, said: str) -> Worn:
    if garment.kind == "mesh":
        binding.refuse_misfit(measures_of(character), garment.points, garment.triangles, garment.title)

    def make() -> keep.Arrays:
        m = measures_of(character)
        if garment.kind == "mesh":
            uv = garment.uv if garment.uv is not None else flat.texture(garment.points, garment.triangles)
            band = bands.band_of(m, garment.points, garment.triangles, garment.kind)
            pattern = Pattern(garment.points, garment.triangles, uv, band)
        else:
            pattern = cutting.cut(m, garment.kind, garment.size, garment.ease, _count(garment))
        mesh = binding.bound(m, pattern, garment.kind)
        return pattern._asdict() | {"bones": mesh.bones, "weights": mesh.weights}

    key = keep.key_of(_recipe(), character.key(), said)
    a = keep.kept("garment", key, make, (*Pattern._fields, "bones", "weights"))
    pattern = Pattern(*(frozen(a[name]) for name in Pattern._fields))
    return Worn(
        pattern, Rigged(pattern.points, pattern.triangles, pattern.uv, frozen(a["bones"]), frozen(a["weights"]))
    )


def _check_mesh(garment: Garment, points: str, triangles: str, *, needed: bool) -> None:
    p, t = getattr(garment, points), getattr(garment, triangles)
    if p is None or t is None:
        if needed or (p is None) != (t is None):
            raise SceneError(f"Garment: give both {points} and {triangles}, or use Garment.from_mesh(...)")
        return
    p = as_points(p, name=f"Garment.{points}")
    object.__setattr__(garment, points, frozen(p))
    object.__setattr__(garment, triangles, frozen(as_triangles(t, count=len(p), name=f"Garment.{triangles}")))


def _arrays(points: Any, triangles: Any, options: dict[str, Any] | None = None) -> tuple[Any, Any, Any]:
    """Points, triangles and uv of a path, a trimesh or arrays; what options say of a file is taken out of them."""
    if isinstance(points, str | Path):
        from pliant.sources.meshes import asked_mesh

        record = asked_mesh(points, {} if options is None else options)
        return record.points, record.triangles, record.uv
    if triangles is None and hasattr(points, "vertices") and hasattr(points, "faces"):
        return points.vertices, points.faces, None
    return points, triangles, None


def _clothes(path: Path, character: Character | None) -> tuple[Any, Any, Any]:
    """Points, triangles and uv of MakeHuman clothes where a character wears them."""
    if character is None or character.fitting is None:
        raise SceneError(
            f"{path}: hangs on MakeHuman's base mesh; give the figure: "
            "character=Character.load('base.obj', skeleton=..., weights=...)"
        )
    clothes = read_mhclo(path)
    record = read_mesh(clothes.mesh)
    if len(record.points) != len(clothes.corners):
        raise SceneError(
            f"{path}: binds {len(clothes.corners)} points, but {clothes.mesh.name} has {len(record.points)}; "
            "they do not belong together"
        )
    return fitted(clothes, character.fitting), record.triangles, record.uv


def _finish_of(finish: Any) -> dict[str, Any]:
    if finish is None:
        return {}
    points, triangles, uv = _arrays(*finish[:2]) if isinstance(finish, tuple | list) else _arrays(finish, None)
    if isinstance(finish, tuple | list) and len(finish) > 2:
        uv = finish[2]
    return {"finish_points": points, "finish_triangles": triangles, "finish_uv": uv}


def layers(garments: tuple[Garment, ...]) -> list[int]:
    """Ranks of what is worn over what: 0 innermost, without gaps; equal usual layers in the order given."""
    order = sorted(range(len(garments)), key=lambda k: (_usual_layer(garments[k]), k))
    found = [0] * len(garments)
    for rank, k in enumerate(order):
        found[k] = rank
    return found


__all__ = ["Garment", "Worn", "color_of", "layers", "measures_of", "skin_of"]
