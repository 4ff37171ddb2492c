"""What all parts of a scene have in common."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from pliant.description import Description, quantity
from pliant.integrators import Integrator, by_name


def _integrator(value: Any) -> Any:
    if isinstance(value, str):
        return by_name(value)
    if isinstance(value, dict) and "name" in value:
        return by_name(value["name"]).replace(**{k: v for k, v in value.items() if k != "name"})
    return value


Method = Annotated[Integrator | None, BeforeValidator(_integrator)]


class PartDescription(Description):
    """Something that moves."""

    integrator: Method = quantity(None, help="Method that moves the part, by name; none: the part's own default")
    color: tuple[float, float, float] | None = quantity(None, help="Colour of the front, linear RGB 0..1")
    pattern: str = quantity("plain", help="Pattern of the surface: plain, weave, stripes, check, foil")
