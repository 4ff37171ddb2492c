"""Everything that advances: one file per method, named as its paper names it."""

from pliant.errors import SceneError, unknown
from pliant.integrators.approximate import Approximate
from pliant.integrators.base import Integrator, Stepper
from pliant.integrators.explicit import Explicit
from pliant.integrators.filtered import Filtered
from pliant.integrators.harmonic import Harmonic
from pliant.integrators.implicit import Implicit
from pliant.integrators.pbd import PBD
from pliant.integrators.procedural import Procedural
from pliant.integrators.shake import Shake
from pliant.integrators.symplectic import Symplectic
from pliant.integrators.xpbd import XPBD

_KINDS: tuple[type[Integrator], ...] = (
    Explicit, Symplectic, Filtered, Implicit, Approximate, Harmonic, XPBD, PBD, Shake, Procedural,
)  # fmt: skip
INTEGRATORS: dict[str, type[Integrator]] = {kind.name: kind for kind in _KINDS}


def by_name(name: str) -> Integrator:
    """The method of that name with its usual numbers."""
    if name not in INTEGRATORS:
        raise SceneError(unknown("integrator", name, INTEGRATORS))
    return INTEGRATORS[name]()


__all__ = [
    "INTEGRATORS",
    "PBD",
    "XPBD",
    "Approximate",
    "Explicit",
    "Filtered",
    "Harmonic",
    "Implicit",
    "Integrator",
    "Procedural",
    "Shake",
    "Stepper",
    "Symplectic",
    "by_name",
]
