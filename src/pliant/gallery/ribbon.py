"""A gymnast's ribbon, drawn in spirals by a scripted hand."""

from pliant.constraints import Spiral
from pliant.forces import Gravity, Wind
from pliant.scene import Ribbon, Scene, View


def ribbon() -> Scene:
    """Four metres of satin follow a hand that draws circles while it swings to and fro."""
    silk = Ribbon(
        width=4.0,
        height=0.05,
        columns=160,
        rows=2,
        center=(2.0, 1.8, 0.0),
        fabric="chiffon",
        motion=Spiral(radius=0.26, rate=2.6, travel=(1.3, 0.0, 0.0), period=3.2),
    )
    return Scene(
        parts={"ribbon": silk},
        fields=(Gravity(), Wind()),
        title="Ribbon",
        seconds=6.0,
        view=View(eye=(1.5, 1.9, 7.0), target=(1.2, 1.3, 0.0)),
    )
