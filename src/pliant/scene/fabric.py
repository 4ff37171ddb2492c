"""Material of a thin sheet, in SI, so that it looks the same at any resolution; and the papers' raw springs."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from pliant.description import Description, quantity
from pliant.errors import SceneError, unknown


class Fabric(Description):
    """A woven, knitted or solid sheet. Spring stiffnesses follow from these numbers and the mesh."""

    density: float = quantity(0.15, unit="kg/m^2", above=0.0, high=1e4, slider=(0.02, 2), help="Mass per area")
    stretch: float = quantity(
        1e4, unit="N/m", above=0.0, high=1e9, slider=(50, 5e4), help="Stiffness against stretch along the threads"
    )
    shear: float = quantity(
        100.0, unit="N/m", low=0.0, high=1e9, slider=(1, 1e4), help="Stiffness against shear between the threads"
    )
    bend: float = quantity(
        8e-6, unit="N m", low=0.0, high=1e4, slider=(0, 1e-3), help="Bending rigidity (moment per curvature and width)"
    )
    damping: float = quantity(
        1e-4, unit="s", low=0.0, high=1.0, slider=(0, 0.02), help="Inner damping, as a time: damping / stiffness"
    )
    thickness: float = quantity(
        2e-3, unit="m", low=0.0, high=0.5, slider=(0, 0.02), help="Distance kept from everything else"
    )
    friction: float = quantity(0.4, low=0.0, high=10.0, slider=(0, 1.5), help="Coulomb friction of the surface")
    limit: float | None = quantity(
        5.0, unit="%", above=0.0, high=1e3, slider=(0.5, 50), help="Greatest stretch along the threads; none: any"
    )
    shear_limit: float | None = quantity(
        None, unit="%", above=0.0, high=1e3, slider=(1, 100), help="Greatest stretch across the threads; none: any"
    )
    tear: float | None = quantity(
        None, unit="%", above=0.0, high=1e3, slider=(2, 100), help="Stretch at which threads tear; none: never"
    )


class RawFabric(Description):
    """The papers' own way: one mass for every point, one stiffness for every spring, whatever the mesh."""

    mass: float = quantity(0.1, unit="kg", above=0.0, high=1e6, help="Mass of every point")
    structural: float = quantity(100.0, unit="N/m", low=0.0, high=1e12, help="Springs between 4-neighbours")
    shear: float = quantity(100.0, unit="N/m", low=0.0, high=1e12, help="Springs across the diagonals")
    bend: float = quantity(100.0, unit="N/m", low=0.0, high=1e12, help="Springs that skip one point")
    damping: float = quantity(0.0, unit="N s/m", low=0.0, high=1e6, help="Damping of every spring")
    thickness: float = quantity(2e-3, unit="m", low=0.0, high=0.5, help="Distance kept from everything else")
    friction: float = quantity(0.4, low=0.0, high=10.0, help="Coulomb friction of the surface")

    @classmethod
    def uniform(cls, stiffness: float, mass: float = 0.1, **others: float) -> "RawFabric":
        """One stiffness for structural, shear and bend springs alike."""
        return cls(mass=mass, structural=stiffness, shear=stiffness, bend=stiffness, **others)


# Typical values; docs/fabrics.md names the sources and the ranges they lie in
FABRICS: dict[str, Fabric] = {
    "silk": Fabric(density=0.06, stretch=8e3, shear=40.0, bend=3e-6, thickness=1.0e-3, friction=0.25),
    "cotton": Fabric(density=0.15, stretch=1e4, shear=100.0, bend=8e-6, thickness=2.0e-3, friction=0.4),
    "wool": Fabric(density=0.25, stretch=6e3, shear=60.0, bend=1.2e-5, thickness=3.0e-3, friction=0.45),
    "denim": Fabric(density=0.40, stretch=2.5e4, shear=250.0, bend=6e-5, thickness=3.0e-3, friction=0.5),
    "leather": Fabric(density=0.80, stretch=4e4, shear=1.5e4, bend=4e-4, thickness=3.0e-3, friction=0.6),
    "paper": Fabric(density=0.08, stretch=2e5, shear=8e4, bend=2.5e-4, damping=5e-4, thickness=1.0e-3, friction=0.35),
    "rubber": Fabric(
        density=0.95, stretch=1.5e3, shear=500.0, bend=1.7e-4, damping=2e-3, thickness=2e-3, friction=1.0, limit=None
    ),
    "chiffon": Fabric(density=0.04, stretch=3e3, shear=15.0, bend=1e-6, thickness=1.0e-3, friction=0.25),
}


def _material(value: Any) -> Any:
    """A preset's name, a table of numbers (raw if it gives the mass of a point), or the description itself."""
    if isinstance(value, str):
        if value not in FABRICS:
            raise SceneError(unknown("fabric", value, FABRICS))
        return FABRICS[value]
    if isinstance(value, dict):
        return RawFabric(**value) if "mass" in value else Fabric(**value)
    return value


Material = Annotated[Fabric | RawFabric, BeforeValidator(_material)]
