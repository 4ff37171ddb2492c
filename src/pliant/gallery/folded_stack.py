"""A long cloth is lowered onto the floor and folds on itself; beside it three squares fall on each other."""

from pliant.colliders import Ground
from pliant.constraints import KeyMotion
from pliant.forces import Gravity, Wind
from pliant.scene import Cloth, Scene, View


def folded_stack() -> Scene:
    """Wool is lowered by its upper border in zigzag, so that it lies down in folds; three cotton squares stack up."""
    keys = tuple((x, -0.26 * k, 0.0) for k, x in enumerate((0.0, 0.12, -0.12, 0.12, -0.12)))
    long = Cloth.sheet(
        width=0.4,
        height=1.1,
        columns=16,
        rows=44,
        fabric="wool",
        pinned="top",
        center=(0.0, 0.57, 0.0),
        turn=90.0,
        motion=KeyMotion(times=(0.0, 0.8, 1.6, 2.4, 3.2), offsets=keys),
    )
    layers = {
        f"layer{k}": Cloth.sheet(
            width=0.4,
            height=0.4,
            columns=16,
            rows=16,
            fabric="cotton",
            lies="flat",
            center=(0.7, 0.3 + 0.15 * k, 0.0),
            turn=25.0 * k,
            color=((0.75, 0.55, 0.15), (0.15, 0.45, 0.55), (0.55, 0.2, 0.5))[k],
        )
        for k in range(3)
    }
    return Scene(
        parts={"fold": long, **layers},
        fields=(Gravity(), Wind()),
        colliders=(Ground(friction=0.8),),
        title="Folded stack",
        seconds=5.0,
        view=View(eye=(1.4, 1.35, 2.6), target=(0.33, 0.53, 0.0)),
    )
