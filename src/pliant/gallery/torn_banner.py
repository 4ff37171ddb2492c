"""A banner between two poles that the wind tears."""

from pliant.forces import Gravity, Wind
from pliant.scene import FABRICS, Cloth, Scene, View

COLUMNS, ROWS, NOTCH = 44, 22, 4


def torn_banner() -> Scene:
    """A cotton banner has a notch in its upper border: gusts run it down, and the halves fly from their poles."""
    cell = COLUMNS // 2 + 3
    notch = [2 * (row * COLUMNS + cell) + half for row in range(ROWS - NOTCH, ROWS) for half in (0, 1)]
    banner = Cloth.sheet(
        width=2.4,
        height=1.2,
        columns=COLUMNS,
        rows=ROWS,
        fabric=FABRICS["cotton"].replace(tear=4.0),
        pinned="left+right",
        center=(0.0, 1.6, 0.0),
        cuts=notch,
        pattern="stripes",
    )
    return Scene(
        parts={"banner": banner},
        fields=(Gravity(), Wind(velocity=(0.8, 0.0, -4.0), gust=0.6, turbulence=1.0, eddy=0.7, seed=4)),
        title="Torn banner",
        seconds=4.0,
        view=View(eye=(0.8, 1.7, 4.4), target=(0.0, 1.5, 0.0)),
    )
