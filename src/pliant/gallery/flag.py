"""A flag on its pole in a gusty wind."""

from pliant.colliders import Ground
from pliant.forces import Gravity, Wind
from pliant.scene import Cloth, Scene, View


def flag() -> Scene:
    """A cotton flag of 1.5 m x 1 m flutters in a gusty wind of 7 m/s."""
    cloth = Cloth.sheet(
        width=1.5,
        height=1.0,
        columns=48,
        rows=32,
        fabric="cotton",
        pinned="left",
        center=(0.75, 2.0, 0.0),
        pattern="stripes",
    )
    return Scene(
        parts={"flag": cloth},
        fields=(Gravity(), Wind(velocity=(6.8, 0.0, 1.5), gust=0.35, turbulence=1.0, eddy=0.8, seed=7)),
        colliders=(Ground(),),
        title="Flag",
        seconds=6.0,
        view=View(eye=(0.9, 2.2, 3.4), target=(0.7, 1.8, 0.0)),
    )
