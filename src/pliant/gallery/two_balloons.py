"""Two balloons joined by a pipe: the small one fills the large one."""

from pliant.colliders import Capsule, Ground
from pliant.forces import Gravity, Wind
from pliant.scene import Balloon, Gas, PinBox, Pipe, Scene, Skin

REST, APART, HIGH = 0.06, 0.22, 0.30  # [m] radius of the slack skins, half the pipe's length, height of their mouths


def two_balloons() -> Scene:
    """A tap opens after two seconds: a thin skin pulls hardest at twice its radius, so gas leaves the smaller one."""
    parts = {}
    for name, x, volume, color in (
        ("small", -APART, 9e-3, (0.08, 0.30, 0.68)),
        ("large", APART, 2.6e-2, (0.9, 0.5, 0)),
    ):
        parts[name] = Balloon.ellipsoid(
            (REST, REST, REST),
            neck=0.5,
            center=(x, HIGH + 1.5 * REST, 0.0),
            skin=Skin(density=0.06, calm=15.0),
            gas=Gas(fill=1.0, pump=volume / 1.5, target=volume, pump_until=1.9),
            pinned=PinBox(low=(-1.0, 0.0, -1.0), high=(1.0, HIGH + 0.014, 1.0)),
            color=color,
        )
    tube = Capsule(a=(-APART, HIGH - 0.011, 0.0), b=(APART, HIGH - 0.011, 0.0), radius=0.008)
    return Scene(
        parts=parts,
        pipes=(Pipe(a="small", b="large", radius=4e-3, opens=2.0),),
        fields=(Gravity(), Wind()),
        colliders=(Ground(), tube),
        title="Two balloons on one pipe",
        seconds=6.0,
    )
