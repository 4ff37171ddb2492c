"""Actors: a character, what it wears, and what moves it."""

import functools
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, SerializeAsAny

from pliant.arrays import Array, frozen
from pliant.constraints import Motion
from pliant.description import Vec3, quantity
from pliant.errors import SceneError, unknown
from pliant.filters import draping
from pliant.filters.draping import Strain
from pliant.geometry.rigged import Rigged, skinned
from pliant.scene.base import PartDescription
from pliant.scene.character import Character, Mannequin, pose_turns
from pliant.scene.figures import posing
from pliant.scene.figures.moving import Followed, Keys
from pliant.scene.garment import Garment
from pliant.scene.performance import Performance

METHODS: dict[str, type[draping.Method]] = {
    str(vars(kind)["name"]): kind
    for kind in (getattr(draping, name) for name in draping.__all__)
    if isinstance(kind, type) and issubclass(kind, draping.Method) and kind is not draping.Method
}


def _method(value: Any) -> Any:
    if isinstance(value, str):
        if value not in METHODS:
            raise SceneError(f"Actor.method: {unknown('method', value, METHODS)}")
        return METHODS[value]()
    return value


def _poses(value: Any) -> Any:
    return (value,) if isinstance(value, str | dict) else value


Method = Annotated[SerializeAsAny[draping.Method], BeforeValidator(_method)]
Said = str | dict[str, tuple[float, float, float]]


class Actor(PartDescription):
    """A character in a scene, dressed. Key poses with times, a clip, or a puppet of the same scene moves it."""

    character: SerializeAsAny[Character] = quantity(Mannequin(), help="The body")
    garments: tuple[Garment, ...] = quantity((), help="What it wears")
    method: Method = quantity(Strain(), help="How garments are draped: strain, harmonic, plain, or its numbers")
    poses: Annotated[tuple[Said, ...], BeforeValidator(_poses)] = quantity(
        ("upright",), help="Poses by name, or rotation vectors [deg] of bones"
    )
    times: tuple[float, ...] = quantity((), unit="s", help="When each pose is reached; none: one second apart")
    between: Literal["soft", "linear", "step"] = quantity("soft", help="How it goes from pose to pose")
    clip: Performance | None = quantity(None, help="Motion capture it follows, in place of poses")
    puppet: str = quantity("", help="Part of the scene that it follows, in place of poses")
    place: Vec3 = quantity((0.0, 0.0, 0.0), unit="m", help="Where it stands; a puppet brings its own place")
    solid: bool = quantity(True, help="Whether cloth and ribbons keep out of its body")
    friction: float = quantity(0.5, low=0.0, high=10.0, slider=(0, 2), help="Coulomb friction of its skin")

    def model_post_init(self, context: Any) -> None:
        if self.puppet and self.clip is not None:
            raise SceneError(f"Actor: puppet = {self.puppet!r} and a clip; give one of the two")
        if not self.poses:
            raise SceneError("Actor.poses is empty; give at least one pose")
        for pose in self.poses:
            posing.checked(self.character.body(), pose_turns(pose), "Actor.poses")
        if self.times and (len(self.times) != len(self.poses) or any(np.diff(self.times) <= 0.0)):
            raise SceneError(f"Actor.times: {len(self.times)} times for {len(self.poses)} poses; one each, rising")
        titles = [garment.title for garment in self.garments]
        twice = {title for title in titles if titles.count(title) > 1}
        if twice:
            raise SceneError(f"Actor.garments: {min(twice)!r} stands twice; give one of them another name=")

    def mover(self) -> Keys | Followed:
        """What moves it, where that is no puppet."""
        body = self.character.body()
        if self.clip is not None:
            return Followed(body, self.clip, np.array(self.place))
        times = self.times or tuple(float(k) for k in range(len(self.poses)))
        keys = Keys(body, times, [pose_turns(pose) for pose in self.poses], self.between)
        keys.offset = np.array(self.place)
        return keys


class Carried(Motion):
    """Points that an actor's skin carries: the waist or collar of a garment that is simulated."""

    dear: ClassVar[bool] = True  # a body is posed for it

    actor: Actor = quantity(help="Who carries them")
    points: Any = quantity(unit="m", help="(k, 3) where they are when the actor is at rest")
    bones: Any = quantity(help="(k, 4) the bones that carry each")
    weights: Any = quantity(help="(k, 4) their shares")

    def model_post_init(self, context: Any) -> None:
        for name, kind in (("points", float), ("bones", np.uint32), ("weights", float)):
            object.__setattr__(self, name, frozen(np.array(getattr(self, name), kind)))
        if self.actor.puppet:
            raise SceneError("Carried.actor follows a puppet, which nobody knows before; give it poses or a clip")

    @classmethod
    def example(cls) -> "Carried":
        bones = np.zeros((1, 4), np.uint32)
        return cls(actor=Actor(), points=np.zeros((1, 3)), bones=bones, weights=np.array([[1.0, 0.0, 0.0, 0.0]]))

    def offset(self, time: float) -> Array:
        mover, mesh = self._bound
        return np.asarray(skinned(mesh, mover.at(time)) - self._start)

    @functools.cached_property
    def _bound(self) -> tuple[Keys | Followed, Rigged]:
        none = np.empty((0, 3), np.uint32)
        points, bones = np.array(self.points, float), np.array(self.bones, np.uint32)
        return self.actor.mover(), Rigged(points, none, None, bones, np.array(self.weights, float))

    @functools.cached_property
    def _start(self) -> Array:
        mover, mesh = self._bound
        return skinned(mesh, mover.at(0.0))
