"""Flat foil bags inflate: a round one, a star and a heart."""

from pliant.colliders import Ground
from pliant.forces import Gravity, Wind
from pliant.scene import SKINS, Balloon, Gas, Scene, String, View


def mylar() -> Scene:
    """Two sheets of foil sewn at the rim take helium until they are taut, and stand on their strings."""
    radius = 0.23
    round_volume = 1.2185 * radius**3  # what an inextensible round bag can hold
    parts = {}
    for name, outline, share, x, color in (
        ("star", "star", 0.38, -0.62, (0.80, 0.62, 0.16)),
        ("moon", "round", 1.005, 0.0, (0.62, 0.64, 0.70)),
        ("heart", "heart", 0.46, 0.62, (0.72, 0.07, 0.16)),
    ):
        parts[name] = Balloon.foil(
            radius,
            outline=outline,
            center=(x, 1.1, 0.0),
            skin=SKINS["foil"].replace(density=0.018),  # 13 um of nylon: the star just lifts itself
            gas=Gas(volume=1e-5, pump=4e-2, target=share * round_volume),
            string=String(length=0.7),
            spokes=80,
            color=color,
        )
    return Scene(
        parts=parts,
        fields=(Gravity(), Wind(velocity=(0.1, 0.0, 0.3), gust=0.5, seed=2)),
        colliders=(Ground(),),
        title="Foil balloons",
        seconds=6.0,
        view=View(eye=(0.7, 1.3, 2.7), target=(0.0, 0.95, 0.0)),
    )
