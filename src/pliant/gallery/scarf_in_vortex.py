"""A scarf held at one end in a whirl of air."""

from pliant.forces import Gravity, Vortex, Wind
from pliant.scene import Cloth, Scene, View


def scarf_in_vortex() -> Scene:
    """A chiffon scarf is wound up by a whirl that rises beside it."""
    scarf = Cloth.sheet(
        width=0.3, height=1.6, columns=12, rows=64, fabric="chiffon", pinned="top", center=(0.35, 1.3, 0.0)
    )
    return Scene(
        parts={"scarf": scarf},
        fields=(Gravity(), Wind(turbulence=0.5, eddy=0.5, seed=2), Vortex(speed=5.0, radius=0.45, rise=2.5)),
        title="Scarf in a vortex",
        seconds=6.0,
        view=View(eye=(0.6, 1.9, 3.6), target=(0.0, 1.4, 0.0)),
    )
