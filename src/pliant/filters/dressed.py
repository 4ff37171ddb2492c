"""A figure and what it wears, as parts of every frame: the body skinned, each garment draped in an instant.

What moves it is asked for the bones of a frame: key poses and clips look at the time, a follower at its puppet.
"""

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from pliant.arrays import Array, Index
from pliant.description import quantity
from pliant.errors import SceneError
from pliant.filters.base import BoundFilter, Filter
from pliant.filters.draping.draper import Draper
from pliant.filters.draping.methods import Plain
from pliant.filters.finish import Finish, follow
from pliant.geometry.rigged import Rigged, skinned
from pliant.world import Frame, Look, PartFrame, Pose, World, still


class Mover(Protocol):
    """What says where the bones are."""

    def matrices(self, frame: Frame) -> Array:
        """(b, 3, 4) rest -> posed."""


class Still:
    """The pose a body was bound in."""

    def __init__(self, bones: int) -> None:
        self._matrices = np.tile(np.eye(4)[:3], (bones, 1, 1))

    def matrices(self, frame: Frame) -> Array:
        return self._matrices


class Dressed(Filter):
    """One figure. A scene says it as an Actor; this is what `build` makes of that."""

    name: str = quantity("figure", help="Name of the body's part; garments are called name_garment")
    body: Any = quantity(help="Rigged mesh of the body")
    skin: Any = quantity(None, help="The body as garments feel it, without long edges; none: the body itself")
    mover: Any = quantity(help="What says where its bones are in a frame")
    wears: tuple[Any, ...] = quantity((), help="What it wears, as the draper wants it")
    titles: tuple[str, ...] = quantity((), help="Names of the garments")
    looks: tuple[Any, ...] = quantity((), help="How the garments are drawn")
    finishes: tuple[Any, ...] = quantity((), help="Fine meshes that follow the garments, or none")
    method: Any = quantity(Plain(), help="How garments are draped")
    look: Any = quantity(Look((0.80, 0.62, 0.50)), help="How the body is drawn")
    instead: str = quantity("", help="A puppet that is not drawn, because the figure is drawn in its place")

    @classmethod
    def example(cls) -> "Dressed":
        points = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]])
        faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], Index)
        weights = np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))
        return cls(body=Rigged(points, faces, None, np.zeros((4, 4), Index), weights), mover=Still(1))

    def bind(self, world: World) -> BoundFilter:
        return BoundDressed(self)


class BoundDressed(BoundFilter):
    def __init__(self, of: Dressed) -> None:
        self._of = of
        self._draper = Draper(of.skin or of.body, of.wears, of.method) if of.wears else None
        self._finishes = [
            None if finish is None else Finish.bound(finish, of, k) for k, finish in enumerate(of.finishes)
        ]
        self._bones = int(of.body.bones.max()) + 1
        self._lies = self._draper.lies() if self._draper is not None else ()

    @property
    def name(self) -> str:
        return self._of.name

    def lead(self, mover: Mover) -> None:
        """Another mover from here on; what the figure wears stays bound."""
        self._of = self._of.replace(mover=mover)

    def apply(self, frame: Frame) -> Frame:
        of = self._of
        matrices = of.mover.matrices(frame)
        if not np.isfinite(matrices).all():
            raise SceneError(
                f"part {of.name!r}: its pose at t = {frame.time:.4g} s is not finite; look at what moves it"
            )
        parts = dict(frame.parts)
        if of.instead in parts:
            hidden = parts[of.instead]
            parts[of.instead] = replace(hidden, triangles=np.empty((0, 3), Index), quantities={**hidden.quantities})
        carrier = {"carrier": of.instead} if of.instead else {}
        body = skinned(of.body, matrices)
        parts[of.name] = _part(of.name, "character", body, of.body.triangles, of.body.uv, of.look, carrier)
        if self._draper is not None:
            for k, worn in enumerate(self._draper.drape(matrices)):
                name = f"{of.name}_{of.titles[k]}"
                shown = (worn.points, worn.triangles, worn.uv)
                finish = self._finishes[k] if self._finishes else None
                if finish is not None:
                    shown = follow(finish, worn.points)
                quantities = carrier | {"contact": worn.contact, "amplitude": worn.amplitude, "phase": worn.phase}
                if finish is None:  # where each point that is shown lies on the light garment, which those are of
                    quantities |= dict(zip(("light_rows", "light_shares"), self._lies[k], strict=True))
                parts[name] = _part(name, "garment", *shown, of.looks[k], quantities)
        return Frame(frame.index, frame.time, parts)


def _part(
    name: str, kind: str, points: Array, triangles: Array, uv: Array | None, look: Look, quantities: dict[str, Any]
) -> PartFrame:
    return PartFrame(
        name=name,
        kind=kind,
        points=still(points),
        triangles=triangles,
        velocities=still(np.zeros_like(points)),
        rotations_xyzw=np.empty((0, 4), np.float32),
        look=look,
        uv=uv,
        quantities=quantities,
    )


__all__ = ["BoundDressed", "Dressed", "Mover", "Pose", "Still"]
