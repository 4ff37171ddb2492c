"""What couples parts: a point of one tied to a point of another, or to a place in the world."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from pliant.description import Description, Vec3, quantity
from pliant.errors import SceneError


class Anchor(Description):
    """A point of a part. As text, `part:name`, such as `ribbon:left`, `puppet:hand_right`, `curtain:12`.

    A place in a surface lies inside one of its triangles, whose corners share what pulls at it. A balloon moves whole.
    """

    part: str = quantity("", help="The part; none: a place in the world, given by `at`")
    name: str = quantity("", help="A border of a cloth (all its points), a segment of a puppet, nozzle of a balloon")
    point: int | None = quantity(None, low=0, help="A point of the part, by its number")
    at: Vec3 | None = quantity(
        None,
        unit="m",
        help="On a segment: from its centre, in its rest axes; else: a place, the nearest of the surface",
    )

    def model_post_init(self, context: Any) -> None:
        if not self.part and self.at is None:
            raise SceneError("Anchor: neither a part nor a place; give part and name, point or at, or a place as `at`")


def _anchor(value: Any) -> Any:
    if isinstance(value, str):
        part, _, word = value.partition(":")
        if word.isdigit():
            return Anchor(part=part, point=int(word))
        return Anchor(part=part, name=word)
    if isinstance(value, dict):
        return Anchor(**{k: v for k, v in value.items() if k != "type"})
    if isinstance(value, tuple | list) and len(value) == 3:
        return Anchor(at=tuple(value))
    return value


Point = Annotated[Anchor, BeforeValidator(_anchor)]


class Tie(Description):
    """Keeps two anchors together, or no farther apart than a string's length; both sides feel it, by their masses.

    An end is a point, a border, a place inside a triangle of cloth or of a balloon's skin, a place on a segment of a
    puppet, or a place in the world. A border tied to one point is carried rigidly, each of its points in the place it
    has at the start.
    """

    a: Point = quantity(help="One end")
    b: Point = quantity(help="The other end")
    length: float | None = quantity(0.0, unit="m", low=0.0, help="Of the string; none: as far apart as at the start")
    compliance: float = quantity(0.0, unit="m/N", low=0.0, high=1e6, slider=(0, 0.1), help="Give per force; 0 is stiff")
    slack: bool = quantity(True, help="A string: it pulls but never pushes")
    breaks: float | None = quantity(None, unit="N", above=0.0, help="Force at which it breaks; none: never")
    until: float | None = quantity(None, unit="s", low=0.0, help="When it is cut; none: never")
