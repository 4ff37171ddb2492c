"""Named parts, the air and the ground around them, and what ties them together."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from pydantic import SerializeAsAny

from pliant.colliders import Collider
from pliant.constants import SUBSTEP_LIMIT
from pliant.description import Description, Vec3, quantity
from pliant.errors import SceneError
from pliant.filters import Filter
from pliant.forces import Force, Gravity
from pliant.scene.base import PartDescription
from pliant.scene.files import read_scene, write_scene
from pliant.scene.inputs import Input
from pliant.scene.pipe import Pipe
from pliant.scene.tie import Tie


class View(Description):
    """Where a camera stands at the start."""

    eye: Vec3 = quantity((2.2, 1.6, 3.0), unit="m", help="Where the camera is")
    target: Vec3 = quantity((0.0, 0.8, 0.0), unit="m", help="What it looks at")


class Scene(Description):
    """What the user says, in SI units. Frozen; `build` turns it into a world."""

    parts: dict[str, SerializeAsAny[PartDescription]] = quantity(help="Everything that moves, by name")
    fields: tuple[SerializeAsAny[Force], ...] = quantity((Gravity(),), help="What pushes on every part")
    colliders: tuple[SerializeAsAny[Collider], ...] = quantity((), help="What is in the way")
    ties: tuple[Tie, ...] = quantity((), help="What couples parts")
    pipes: tuple[Pipe, ...] = quantity((), help="What lets gas from one balloon into another")
    filters: tuple[SerializeAsAny[Filter], ...] = quantity((), help="What every frame goes through, in this order")
    substeps: int | None = quantity(
        None, low=1, high=1000, help=f"Substeps per frame; none: each integrator's own rule (1 to {SUBSTEP_LIMIT})"
    )
    adjustments: int = quantity(1, low=1, high=100, help="Rounds of the adjust loop per substep")
    contacts: bool = quantity(True, help="Whether the parts' surfaces touch each other")
    title: str = quantity("", help="What a window or a page calls it")
    seconds: float = quantity(4.0, unit="s", above=0.0, high=3600.0, help="How long a showing lasts by default")
    inputs: tuple[Input, ...] = quantity((), help="What somebody did while it ran; repeated at the same frames")
    view: View | None = quantity(None, help="Where the camera stands; none: it finds its own place")

    def model_post_init(self, context: Any) -> None:
        if not self.parts and not self.filters:
            raise SceneError("Scene.parts is empty; a scene needs at least one part")
        for name in self.parts:
            if not name.replace("_", "").replace("-", "").isalnum():
                raise SceneError(f"Scene.parts: {name!r} is no name; use letters, digits, - and _")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a .toml scene file."""
        return read_scene(path, kind=cls)

    def save(self, path: str | Path) -> None:
        """Write a .toml scene file that loads back to an equal scene."""
        write_scene(self, path)

    def named(self) -> Iterator[tuple[str, Description]]:
        """Parts, fields and colliders by the names that `set` knows: the part's own, or the class in lower case.

        A second field or collider of a class is called `wind2`, and so on.
        """
        yield from self.parts.items()
        seen: dict[str, int] = dict.fromkeys(self.parts, 1)
        for thing in (*self.fields, *self.colliders, *self.ties, *self.pipes, *self.filters):
            name = type(thing).__name__.lower()
            seen[name] = seen.get(name, 0) + 1
            yield (name if seen[name] == 1 else f"{name}{seen[name]}"), thing
