"""The ways to drape, as a user names them."""

from typing import ClassVar, Literal

from pliant.description import Description, quantity
from pliant.errors import SceneError, unknown


class Method(Description):
    """How a garment is draped; what `Actor.method` takes."""

    refine: int = quantity(1, low=0, high=3, help="Times each triangle is cut into four for display")


class Plain(Method):
    """Skinned and out of the body, no wrinkles."""

    name: ClassVar[str] = "plain"


class Strain(Method):
    """Folds where and across which the hanging garment is compressed."""

    name: ClassVar[str] = "strain"

    wavelength: float = quantity(
        1.0, above=0.0, high=10.0, slider=(0.5, 3), help="Distance of folds, times the garment's own"
    )
    height: float = quantity(
        1.0, low=0.0, high=5.0, slider=(0, 2), help="Height of folds, times what compression asks for"
    )
    ease: float = quantity(
        0.0, low=-0.2, high=0.5, slider=(0, 0.1), help="Pattern larger than the garment by this fraction more"
    )
    merge: float = quantity(
        1.0, low=0.0, high=5.0, slider=(0, 2), help="How much compression widens folds: few large ones"
    )
    irregular: float = quantity(0.6, low=0.0, high=3.0, slider=(0, 2), help="How much folds differ from each other")
    rounds: int = quantity(4, low=0, high=50, slider=(0, 12), help="Rounds of static relaxation of the hanging shape")
    seed: int = quantity(7, low=0, help="Which folds")


class Harmonic(Method):
    """The published method: amplitude and phase of the folds as conjugate harmonic functions between the contacts."""

    name: ClassVar[str] = "harmonic"

    amplitude_constant: float = quantity(
        1.0, above=0.0, high=100.0, slider=(0.3, 5), help="k_Phi: folds are 1 / k_Phi times as high"
    )
    phase_constant: float = quantity(
        0.05, above=0.0, high=10.0, slider=(0.02, 0.2), help="k_Psi: folds are 1 / k_Psi times as many"
    )
    slope: float = quantity(0.8, above=0.0, high=1e9, slider=(0.2, 2), help="Steepest a fold may be")
    area: bool = quantity(True, help="Draw the cloth in by what its folds take up (eq. 8)")
    noise: float = quantity(0.0, low=0.0, high=3.0, slider=(0, 1), help="Strength of the seeded noise (eq. 13)")
    seed: int = quantity(7, low=0, help="Which noise")
    stress_match: float = quantity(
        0.0,
        low=0.0,
        high=1.0,
        slider=(0, 1),
        help="Share of waves at each contact: by geometry (0) or by carried weight (1)",
    )

    @classmethod
    def preset(cls, density: Literal["low", "medium", "high"] = "medium") -> "Harmonic":
        """The three wrinkle densities of the paper."""
        if density not in PRESETS:
            raise SceneError(unknown("preset", density, PRESETS))
        amplitude, phase = PRESETS[density]
        return cls(amplitude_constant=amplitude, phase_constant=phase)


PRESETS = {"low": (3.0, 0.1), "medium": (1.0, 0.05), "high": (0.5, 0.02)}
