"""A cloth falls over a table: seed 000, figure 9, with its two stiffnesses, and in cotton."""

from pliant.colliders import Box, Ground
from pliant.forces import Gravity, Wind
from pliant.scene import FABRICS, Cloth, Fabric, RawFabric, Scene, View


def _table(fabric: Fabric | RawFabric, title: str) -> Scene:
    cloth = Cloth.sheet(
        width=1.6, height=1.6, columns=48, rows=48, fabric=fabric, lies="flat", center=(0.0, 0.86, 0.0), pattern="check"
    )
    return Scene(
        parts={"cloth": cloth},
        fields=(Gravity(), Wind()),
        colliders=(Box(center=(0.0, 0.4, 0.0), size=(1.0, 0.8, 1.0), rounding=0.05, friction=0.4), Ground()),
        title=title,
        seconds=4.0,
        view=View(eye=(2.1, 1.75, 2.65), target=(0.0, 0.46, 0.0)),
    )


def tablecloth() -> Scene:
    """A cotton cloth of 1.6 m falls over a table of 1 m."""
    return _table(FABRICS["cotton"].replace(thickness=0.008), "Tablecloth")


def tablecloth_soft() -> Scene:
    """The same with every spring of the paper at k = 100 N/m and points of 10 g."""
    return _table(RawFabric.uniform(100.0, mass=0.01, thickness=0.01), "Tablecloth, k = 100 N/m")


def tablecloth_stiff() -> Scene:
    """The same with every spring of the paper at k = 225 N/m and points of 10 g."""
    return _table(RawFabric.uniform(225.0, mass=0.01, thickness=0.01), "Tablecloth, k = 225 N/m")
