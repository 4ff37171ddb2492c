"""Puppets: rigid segments and the joints between them."""

from typing import Any, Literal, Self

import numpy as np
from pydantic import SerializeAsAny

from pliant.constraints import Motion
from pliant.description import Description, Vec3, quantity
from pliant.errors import SceneError, unknown
from pliant.geometry.skeleton import Skeleton
from pliant.scene.base import PartDescription
from pliant.scene.drive import Drive


class Segment(Description):
    """One rigid limb, placed in the rest pose of its puppet."""

    name: str = quantity(help="What joints and strings call it")
    shape: Literal["box", "capsule", "sphere"] = quantity("capsule", help="A capsule stands along its own y axis")
    size: tuple[float, ...] = quantity(
        unit="m", help="Box: whole size x, y, z. Capsule: radius, whole length. Sphere: radius"
    )
    center: Vec3 = quantity(unit="m", help="Where its centre of mass is at rest")
    rotation_xyzw: tuple[float, float, float, float] = quantity((0.0, 0.0, 0.0, 1.0), help="How it is turned at rest")
    mass: float = quantity(unit="kg", above=0.0, high=1e6, help="Mass; its inertia follows from the shape")
    color: Vec3 | None = quantity(None, help="Linear RGB 0..1; none: the puppet's own")

    def model_post_init(self, context: Any) -> None:
        wanted = {"box": 3, "capsule": 2, "sphere": 1}[self.shape]
        if len(self.size) != wanted or not all(np.isfinite(v) and v > 0.0 for v in self.size):
            raise SceneError(
                f"Segment {self.name!r}: size = {self.size}; a {self.shape} needs {wanted} numbers > 0 [m]"
            )
        if self.shape == "capsule" and self.size[1] < 2.0 * self.size[0]:
            raise SceneError(
                f"Segment {self.name!r}: size = {self.size}; a capsule is at least two radii long, or use a sphere"
            )
        length = float(np.linalg.norm(self.rotation_xyzw))
        if not abs(length - 1.0) < 1e-3:
            raise SceneError(f"Segment {self.name!r}: rotation_xyzw = {self.rotation_xyzw}; must be a unit quaternion")


class Joint(Description):
    """A point that two segments share, and how the child may turn about it.

    The turn away from the neutral pose is split into a swing of the axis and a twist about it.
    """

    parent: str = quantity(help="Segment that carries the child")
    child: str = quantity(help="Segment that turns")
    anchor: Vec3 = quantity(unit="m", help="Where the joint is at rest")
    axis: Vec3 = quantity((0.0, 1.0, 0.0), help="Twist axis, or the axis of a hinge, in the child's axes")
    neutral: Vec3 = quantity((0.0, 0.0, 0.0), unit="deg", help="Rotation vector of the middle of the range")
    swing: float | None = quantity(None, unit="deg", low=0.0, high=180.0, help="Largest swing; 0 a hinge, none free")
    twist: tuple[float, float] | None = quantity(
        None, unit="deg", help="Range of the twist; equal bounds lock it, none: free"
    )

    def model_post_init(self, context: Any) -> None:
        where = f"Joint {self.parent!r} - {self.child!r}"
        if self.parent == self.child:
            raise SceneError(f"{where}: joins a segment with itself; give two different segments")
        if np.linalg.norm(self.axis) < 1e-9:
            raise SceneError(f"{where}: axis = {self.axis}; must have a direction")
        if self.twist is not None and not -180.0 <= self.twist[0] <= self.twist[1] <= 180.0:
            raise SceneError(f"{where}: twist = {self.twist}; must rise within -180 to 180 [deg]")


class PuppetString(Description):
    """A string from a segment up to a hook; it cannot be stretched but goes slack."""

    segment: str = quantity(help="Segment it is tied to")
    at: Vec3 = quantity((0.0, 0.0, 0.0), unit="m", help="Where on it, from its centre, in its rest axes")
    hook: Vec3 = quantity(unit="m", help="Where its upper end is at the start")
    length: float | None = quantity(None, unit="m", above=0.0, help="Its length; none: taut at the start")
    motion: SerializeAsAny[Motion] | None = quantity(None, help="What carries the hook; none: the puppet's motion")


class Puppet(PartDescription):
    """Segments and joints. `Puppet.human()`, `.marionette()`, `.chain(n)`, `.from_character(skeleton)` make them."""

    segments: tuple[Segment, ...] = quantity(help="The rigid limbs")
    joints: tuple[Joint, ...] = quantity((), help="What joins them; loops are allowed")
    held: tuple[str, ...] = quantity((), help="Segments that are held from the start")
    motion: SerializeAsAny[Motion] | None = quantity(None, help="What carries held segments or hooks; none: they stay")
    strings: tuple[PuppetString, ...] = quantity((), help="Strings it hangs on")
    drive: SerializeAsAny[Drive] | None = quantity(None, help="Motion that some or all segments follow")
    damping: float = quantity(0.5, unit="1/s", low=0.0, high=1000.0, slider=(0, 40), help="Rate at which motion dies")
    resistance: float = quantity(
        0.0,
        unit="m/s^2",
        low=0.0,
        high=1000.0,
        slider=(0, 20),
        help="How hard it resists being pulled, by seeded noise",
    )
    seed: int = quantity(11, low=0, high=2**31, help="Seed of the resistance")
    friction: float = quantity(0.5, low=0.0, high=10.0, slider=(0, 2), help="Coulomb friction of its surface")
    touches_itself: bool = quantity(False, help="Whether its segments keep out of each other")
    detail: int = quantity(3, low=1, high=16, help="Roundness of the drawn segments")
    places: tuple[Vec3, ...] = quantity(((0.0, 0.0, 0.0),), unit="m", help="A copy of the puppet stands at each")

    def model_post_init(self, context: Any) -> None:
        names = [segment.name for segment in self.segments]
        if not names:
            raise SceneError("Puppet.segments is empty; a puppet needs at least one segment")
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise SceneError(f"Puppet.segments: the name {min(twice)!r} stands twice; names must differ")
        for joint in self.joints:
            self._must_know("joints", (joint.parent, joint.child))
        self._must_know("held", self.held)
        self._must_know("strings", tuple(string.segment for string in self.strings))
        if self.drive is not None:
            self._must_know("drive", self.drive.segments)
        if not self.places:
            raise SceneError("Puppet.places is empty; give at least one place")

    def _must_know(self, field: str, names: tuple[str, ...]) -> None:
        known = [segment.name for segment in self.segments]
        for name in names:
            if name not in known:
                raise SceneError(f"Puppet.{field}: {unknown('segment', name, known)}")

    def index(self, name: str) -> int:
        """Row of a segment."""
        self._must_know("segments", (name,))
        return [segment.name for segment in self.segments].index(name)

    def turned(self, turn: Vec3, *, about: Vec3 = (0.0, 0.0, 0.0)) -> Self:
        """The same puppet whose rest pose is turned by a rotation vector [deg] about a place; strings stay as said."""
        from pliant.scene.bodies import turned_parts

        segments, joints = turned_parts(self.segments, self.joints, turn, about)
        return self.replace(segments=segments, joints=joints)

    @classmethod
    def human(
        cls,
        *,
        height: float = 0.60,
        mass: float = 1.5,
        masses: Literal["standard", "uniform"] = "standard",
        **options: Any,
    ) -> Self:
        """The 14 segments and 13 joints of seed 003, standing on the floor, arms down.

        Args:
            height: Of the whole puppet [m].
            mass: Of the whole puppet [kg].
            masses: Fractions of a human body, or the same for every segment.
            options: Any field of a Puppet.
        """
        from pliant.scene.bodies import human_parts

        segments, joints = human_parts(height, mass, masses)
        return cls(segments=segments, joints=joints, **options)

    @classmethod
    def marionette(cls, *, height: float = 0.60, mass: float = 1.5, lift: float = 0.08, **options: Any) -> Self:
        """A human on strings at head, hands and knees, its feet `lift` [m] above the floor."""
        from pliant.scene.bodies import marionette_parts

        segments, joints, strings = marionette_parts(height, mass, lift)
        return cls(segments=segments, joints=joints, strings=strings, **options)

    @classmethod
    def chain(
        cls, count: int, *, length: float = 0.2, mass: float = 0.1, top: Vec3 = (0, 1, 0), **options: Any
    ) -> Self:
        """`count` rods below a small held bead, each of `length` [m] and `mass` [kg]."""
        from pliant.scene.bodies import chain_parts

        segments, joints = chain_parts(count, length, mass, top)
        return cls(segments=segments, joints=joints, **({"held": ("bead",)} | options))

    @classmethod
    def from_character(cls, character: Any, *, mass: float = 60.0, **options: Any) -> Self:
        """The 14 segments of a human inside a Character, with a human's joints.

        Of a `geometry.skeleton.Skeleton`: a capsule along every bone, ball joints between them.
        """
        if isinstance(character, Skeleton):
            from pliant.scene.bodies import skeleton_parts

            segments, joints = skeleton_parts(character, mass)
        elif hasattr(character, "body"):
            from pliant.scene.figures.segments import figure_parts
            from pliant.scene.garment import measures_of

            segments, joints = figure_parts(measures_of(character), mass, character.color)
        else:
            raise SceneError(
                f"Puppet.from_character: got {type(character).__name__}; expected a Character or a Skeleton"
            )
        return cls(segments=segments, joints=joints, **options)


def grid_of_places(count: int, spacing: float) -> tuple[tuple[float, float, float], ...]:
    """`count` places on the floor, in rows, `spacing` [m] apart, about the origin."""
    columns = int(np.ceil(np.sqrt(count)))
    middle = 0.5 * (columns - 1)
    return tuple(((k % columns - middle) * spacing, 0.0, (k // columns - middle) * spacing) for k in range(count))
