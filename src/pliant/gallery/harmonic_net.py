"""The net of seed 002: 16,384 points, each spring an oscillator of its own."""

from pliant.forces import Gravity, Wind
from pliant.scene import Cloth, RawFabric, Scene


def harmonic_net() -> Scene:
    """Seed 002's net of 16,384 points under the harmonic integrator."""
    net = Cloth.sheet(
        width=4.0,
        height=4.0,
        columns=127,
        rows=127,
        fabric=RawFabric.uniform(stiffness=2000.0, mass=2e-4),
        pinned="top",
        lies="flat",
        center=(0.0, 4.4, 0.0),
        integrator="harmonic",
        color=(0.02, 0.16, 0.30),
    )
    return Scene(
        parts={"net": net},
        fields=(Gravity(), Wind()),
        substeps=24,
        title="Harmonic net",
        seconds=3.0,
    )
