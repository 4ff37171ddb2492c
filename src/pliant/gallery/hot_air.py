"""A model hot-air balloon: it rises because it is warm, not because it is light."""

from pliant.colliders import Ground
from pliant.forces import Gravity, Wind
from pliant.scene import Balloon, Gas, Scene, Skin


def hot_air() -> Scene:
    """An envelope of thin fabric fills with air of 65 °C, rights itself, lifts off and drifts."""
    envelope = Balloon.ellipsoid(
        (0.5, 0.55, 0.5),
        neck=0.35,
        center=(0.0, 0.80, 0.0),
        skin=Skin(density=0.012, stretch=2e3, bend=5e-6, calm=4.0, thickness=4e-3),
        gas=Gas(kind="hot-air", temperature=338.15, fill=0.8, pump=0.12, target=0.62),
        color=(0.85, 0.30, 0.06),
        pattern="stripes",
    )
    return Scene(
        parts={"envelope": envelope},
        fields=(Gravity(), Wind(velocity=(0.3, 0.0, 0.0), gust=0.3, seed=6)),
        colliders=(Ground(),),
        title="Hot-air balloon",
        seconds=6.0,
    )
