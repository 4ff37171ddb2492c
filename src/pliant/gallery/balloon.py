"""A party balloon is filled, rises, is let go and flies (seed 001, figure 7, with the paths of four of its points)."""

from pliant.colliders import Ground
from pliant.forces import Gravity, Wind
from pliant.scene import Balloon, Gas, PinBox, Scene, Skin

REST, HIGH = 0.09, 0.60  # [m] radius of the slack balloon, height of its middle
MOUTH = HIGH - 1.15 * REST * 1.5  # [m] height of the neck's end
CROOKED = (52, 432, 433, 434)  # one side of the neck: the jet passes beside the centre, so that it spins


def balloon() -> Scene:
    """Two seconds of filling at the neck, a rise, then the nozzle opens: it flies, spins and comes down."""
    part = Balloon.ellipsoid(
        (REST, 1.15 * REST, REST),
        neck=0.5,
        center=(0.0, HIGH, 0.0),
        skin=Skin(density=0.085, calm=12.0),
        gas=Gas(fill=1.0, pump=5.6e-3, pump_until=2.0, valve_from=3.5),
        nozzle=CROOKED,
        nozzle_radius=5e-3,
        pinned=PinBox(low=(-1.0, 0.0, -1.0), high=(1.0, MOUTH + 0.02, 1.0)),
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
