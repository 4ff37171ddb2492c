"""A sheet falls on a ball that begins to turn."""

from pliant.colliders import Ground, Sphere
from pliant.forces import Gravity, Wind
from pliant.scene import Cloth, Scene, View


def sheet_on_sphere() -> Scene:
    """A silk sheet of 1.4 m falls over a slowly turning ball."""
    sheet = Cloth.sheet(
        width=1.4, height=1.4, columns=48, rows=48, fabric="silk", lies="flat", center=(0.0, 1.15, 0.0), pattern="check"
    )
    return Scene(
        parts={"sheet": sheet},
        fields=(Gravity(), Wind()),
        colliders=(Sphere(center=(0.0, 0.6, 0.0), radius=0.4, friction=0.6, spin=(0.0, 1.5, 0.0)), Ground()),
        title="Sheet on a ball",
        seconds=5.0,
        view=View(eye=(1.7, 1.6, 2.3), target=(0.0, 0.5, 0.0)),
    )
