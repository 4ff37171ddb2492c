"""A party balloon is filled, rises, is let go and flies (seed 001, figure 7)."""

from pliant.colliders import Ground
from pliant.forces import Gravity, Wind
from pliant.scene import Balloon, Gas, Scene, Skin

REST = 0.05  # [m] radius of the slack balloon
CROOKED = (12, 223, 226, 227)  # one side of the neck's end: the jet passes beside the centre, so that it spins


def balloon() -> Scene:
    """Two seconds of filling at the nozzle, a rise, then the nozzle opens: it flies, spins and comes down."""
    gas = Gas(fill=1.0, pump=3.9e-3, pump_until=2.0, valve_from=3.5)
    skin = Skin(density=0.075)
    part = Balloon.ellipsoid(
        (REST, 1.15 * REST, REST),
        neck=0.5,
        center=(0.0, 0.35, 0.0),
        skin=skin,
        gas=gas,
        nozzle=CROOKED,
        nozzle_radius=4e-3,
        pinned="nozzle",
        pinned_until=2.2,
        color=(0.72, 0.05, 0.09),
        traced=(1, 4, 6, 11),
    )
    return Scene(
        parts={"balloon": part},
        fields=(Gravity(), Wind()),
        colliders=(Ground(),),
        title="Balloon: fill, rise, release, fly",
        seconds=7.0,
    )
