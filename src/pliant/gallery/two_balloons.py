"""Two balloons joined by a pipe: the small one fills the large one."""

from pliant.colliders import Capsule, Ground
from pliant.forces import Gravity, Wind
from pliant.scene import Balloon, Gas, Pipe, Scene, Skin

REST, APART, HIGH = 0.05, 0.17, 0.30  # [m] radius of the slack skins, half the pipe's length, its height


def two_balloons() -> Scene:
    """A tap opens after two seconds: a thin skin pulls hardest at twice its radius, so gas leaves the smaller one."""
    parts = {}
    for name, x, volume, color in (
        ("small", -APART, 3.2e-3, (0.08, 0.30, 0.68)),
        ("large", APART, 11e-3, (0.9, 0.5, 0)),
    ):
        parts[name] = Balloon.ellipsoid(
            (REST, REST, REST),
            neck=0.3,
            center=(x, HIGH + 1.32 * REST, 0.0),
            skin=Skin(calm=10.0),
            gas=Gas(kind="air", fill=1.0, pump=volume / 1.5, target=volume, pump_until=1.9),
            pinned="nozzle",
            color=color,
        )
    low = HIGH - 0.012
    tube = Capsule(a=(-APART, low, 0.0), b=(APART, low, 0.0), radius=0.008)
    return Scene(
        parts=parts,
        pipes=(Pipe(a="small", b="large", radius=2.5e-3, opens=2.0),),
        fields=(Gravity(), Wind()),
        colliders=(Ground(), tube),
        title="Two balloons on one pipe",
        seconds=8.0,
    )
