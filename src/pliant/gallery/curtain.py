"""A square sheet held at its two upper corners."""

from pliant.forces import Gravity, Wind
from pliant.scene import Cloth, Scene


def curtain() -> Scene:
    """A square sheet held at two corners swings down and comes to rest."""
    sheet = Cloth.sheet(
        width=1.0,
        height=1.0,
        columns=32,
        rows=32,
        fabric="cotton",
        pinned="top-corners",
        lies="flat",
        center=(0, 1.4, 0),
    )
    return Scene(
        parts={"curtain": sheet},
        fields=(Gravity(), Wind()),
        title="Curtain",
        seconds=4.0,
    )
