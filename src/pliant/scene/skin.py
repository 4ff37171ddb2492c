"""Material of a balloon's skin, in SI."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from pliant.description import Description, quantity
from pliant.errors import SceneError, unknown


class Skin(Description):
    """A thin elastic skin. Edge stiffnesses follow from these numbers and the mesh."""

    density: float = quantity(0.095, unit="kg/m^2", above=0.0, high=1e4, slider=(0.01, 1), help="Mass per area at rest")
    stretch: float = quantity(
        181.0, unit="N/m", above=0.0, high=1e9, slider=(20, 1e4), help="Young's modulus times thickness"
    )
    compression: float = quantity(
        1.0, low=0.0, high=1.0, help="Stiffness against compression over that against stretch; 0: it wrinkles freely"
    )
    bend: float = quantity(1e-6, unit="N m", low=0.0, high=10.0, help="Bending rigidity, felt while the skin is slack")
    damping: float = quantity(2e-3, unit="s", low=0.0, high=1.0, help="Inner damping of bending, as a time")
    calm: float = quantity(6.0, unit="1/s", low=0.0, high=1e3, slider=(0, 40), help="Rate at which vibrations die")
    burst: float | None = quantity(None, above=1.0, high=100.0, help="Mean stretch at which it tears; none: never")
    thickness: float = quantity(2e-3, unit="m", low=0.0, high=0.5, help="Distance kept from everything else")
    friction: float = quantity(0.8, low=0.0, high=10.0, slider=(0, 1.5), help="Coulomb friction of the surface")


# docs: a 0.2 mm latex party balloon, a 20 um metallised nylon foil, a 1 mm rubber sheet
SKINS: dict[str, Skin] = {
    "latex": Skin(burst=6.5),
    "foil": Skin(density=0.03, stretch=4e4, compression=0.0, bend=2e-6, calm=15.0, friction=0.3),
    "rubber sheet": Skin(density=0.95, stretch=1.5e3, bend=1.7e-4, friction=1.0),
}


def _skin(value: Any) -> Any:
    if isinstance(value, str):
        if value not in SKINS:
            raise SceneError(unknown("skin", value, SKINS))
        return SKINS[value]
    return Skin(**value) if isinstance(value, dict) else value


SkinMaterial = Annotated[Skin, BeforeValidator(_skin)]
