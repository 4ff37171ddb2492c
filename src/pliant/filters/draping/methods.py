"""The ways to drape, as a user names them."""

from typing import ClassVar

from pliant.description import Description, quantity


class Plain(Description):
    """Skinned and out of the body, no wrinkles."""

    name: ClassVar[str] = "plain"

    refine: int = quantity(1, low=0, high=3, help="Times each triangle is cut into four for display")


class Strain(Description):
    """Folds where and across which the hanging garment is compressed."""

    name: ClassVar[str] = "strain"

    refine: int = quantity(1, low=0, high=3, help="Times each triangle is cut into four for display")
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
    irregular: float = quantity(1.0, low=0.0, high=3.0, slider=(0, 2), help="How much folds differ from each other")
    rounds: int = quantity(6, low=0, high=50, slider=(0, 12), help="Rounds of static relaxation of the hanging shape")
    seed: int = quantity(7, low=0, help="Which folds")
