"""How a description becomes a part: one `lower` per kind, registered by the kind's own file."""

from functools import singledispatch
from typing import Any, NamedTuple

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.world import Part


class Place(NamedTuple):
    """The first rows a part gets."""

    name: str
    rows: int
    bodies: int
    gases: int


@singledispatch
def lower(description: Any, place: Place) -> Part:
    """One part's constant arrays and tables."""
    raise SceneError(f"part {place.name!r}: {type(description).__name__} is not something that can move")


@singledispatch
def revise(description: Any, part: Part) -> bool:
    """Write a description's material into a part's arrays in place; False if that needs a new part."""
    return False


def overwrite(array: Array, values: Array) -> None:
    array.setflags(write=True)
    array[:] = values
    array.setflags(write=False)
