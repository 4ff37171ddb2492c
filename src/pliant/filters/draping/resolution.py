"""Whether a mesh can show the folds asked for; if not, a finer display mesh or wider folds, and a line that says so."""

import numpy as np

from pliant.filters.draping.conjugate import USUAL
from pliant.filters.draping.folding import LENGTH
from pliant.filters.draping.methods import Harmonic, Method, Strain
from pliant.filters.draping.wear import Wear
from pliant.geometry.surface import edges

EDGES = 2.5  # of the shown mesh to a wave, at least
FINEST = 3  # subdivision levels


def resolved(wear: Wear, method: Method) -> tuple[Method, str]:
    """A method whose folds the shown mesh can carry, and what was changed, empty if nothing."""
    if not isinstance(method, Harmonic | Strain):
        return method, ""
    rest = wear.mesh.points
    pairs = edges(wear.mesh.triangles).astype(np.int64)
    edge = float(np.linalg.norm(rest[pairs[:, 1]] - rest[pairs[:, 0]], axis=1).mean())
    if isinstance(method, Harmonic):
        wave = wear.wavelength * method.phase_constant / USUAL
    else:
        wave = LENGTH * wear.wavelength * method.wavelength
    refine = method.refine
    while wave < EDGES * edge / 2**refine and refine < FINEST:
        refine += 1
    said = f"folds of {1e3 * wave:.3g} mm on edges of {1e3 * edge / 2**method.refine:.3g} mm"
    if wave >= EDGES * edge / 2**refine:
        changed = method if refine == method.refine else method.replace(refine=refine)
        return changed, "" if refine == method.refine else f"{said}: shown with refine = {refine}"
    wider = EDGES * edge / 2**refine / wave
    note = f"{said}: the mesh is too coarse; refine = {refine} and folds {wider:.2g} times as wide"
    if isinstance(method, Harmonic):
        return method.replace(refine=refine, phase_constant=method.phase_constant * wider), note
    return method.replace(refine=refine, wavelength=method.wavelength * wider), note
