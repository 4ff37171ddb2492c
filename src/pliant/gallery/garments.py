"""Dressed figures: wrinkle densities, a sweater both ways, an outfit, a pose that jumps, a dance."""

from math import cos, pi, sin
from typing import Any

from pliant.filters.draping import Harmonic
from pliant.scene import Actor, Character, Garment, Scene, View
from pliant.scene.figures.posing import POSES, Vector, mirrored, then

BLUE, RED, GREEN = (0.16, 0.32, 0.62), (0.55, 0.10, 0.08), (0.10, 0.38, 0.24)


def tshirt() -> Scene:
    """One T-shirt of 6,602 triangles in three wrinkle densities, by the published method, as an arm goes up."""
    body = Character.mannequin()
    shirts = (
        ("low", Harmonic.preset("low"), GREEN, -0.95),
        ("medium", Harmonic.preset("medium"), BLUE, 0.0),
        ("high", Harmonic.preset("high"), RED, 0.95),
    )
    parts = {
        density: Actor(
            character=body,
            garments=(Garment.tshirt(body, color=color),),
            method=method.replace(refine=2),
            poses=("upright", "upright", "raise"),
            times=(0.0, 0.5, 2.0),
            place=(x, 0.0, 0.0),
        )
        for density, method, color, x in shirts
    }
    return Scene(
        parts=parts,
        title="Three wrinkle densities",
        seconds=3.0,
        view=View(eye=(0.0, 1.35, 4.3), target=(0.05, 1.18, 0.0)),
    )


def sweater() -> Scene:
    """A sweater of 8,814 triangles, by the published method on the left and by compression on the right."""
    body = Character.mannequin()
    parts = {
        name: Actor(
            character=body,
            garments=(Garment.sweater(body),),
            method=method,
            poses=("upright", "turn", "bend"),
            times=(0.0, 1.5, 3.0),
            place=(x, 0.0, 0.0),
        )
        for name, method, x in (("harmonic", "harmonic", -0.6), ("strain", "strain", 0.6))
    }
    return Scene(
        parts=parts,
        title="Sweater",
        seconds=3.5,
        view=View(eye=(0.0, 1.3, 3.9), target=(0.0, 1.15, 0.0)),
    )


def outfit() -> Scene:
    """Shirt over trousers, and sweater over a skirt, walking on the spot."""
    body = Character.mannequin()
    stride, passing = POSES["walk"], _passing()
    poses = (stride, passing, mirrored(stride), mirrored(passing), stride)
    times = (0.0, 0.3, 0.6, 0.9, 1.2)
    first = Actor(
        character=body,
        garments=(Garment.trousers(body), Garment.tshirt(body)),
        poses=poses,
        times=times,
        place=(-0.55, 0.0, 0.0),
    )
    second = first.replace(
        garments=(Garment.skirt(body), Garment.sweater(body, size="S", color=(0.62, 0.55, 0.42))),
        place=(0.55, 0.0, 0.0),
    )
    return Scene(
        parts={"first": first, "second": second},
        title="Outfit",
        seconds=1.2,
        view=View(eye=(1.4, 1.25, 4.4), target=(0.0, 0.92, 0.0)),
    )


def _passing() -> dict[str, Vector]:
    """One foot on the ground, the other swinging past it."""
    arms = {"upperarm_left": (0.0, 0.0, -28.0), "forearm_left": (-16.0, 0.0, 0.0), "shoulder_left": (0.0, 0.0, -4.0)}
    legs = {"thigh_right": (-14.0, 0.0, 0.0), "shank_right": (48.0, 0.0, 0.0), "foot_right": (8.0, 0.0, 0.0)}
    return {**arms, **mirrored(arms), **legs}


def pose_jump() -> Scene:
    """Upright, then turned with an arm raised, nothing in between: folds need no history."""
    body = Character.mannequin()
    actor = Actor(
        character=body,
        garments=(Garment.sweater(body), Garment.trousers(body)),
        poses=("upright", "turn", "upright", "turn"),
        times=(0.0, 1.0, 2.0, 3.0),
        between="step",
    )
    return Scene(
        parts={"jumper": actor},
        title="A pose that jumps",
        seconds=4.0,
        view=View(eye=(0.5, 1.25, 4.7), target=(0.0, 1.05, 0.0)),
    )


def dance() -> Scene:
    """A dance in a dress, made of sines: steps from side to side, hips and arms that sway."""
    body = Character.mannequin()
    times = tuple(0.1 * k for k in range(81))
    actor = Actor(
        character=body,
        garments=(Garment.dress(body),),
        poses=tuple(_danced(t) for t in times),
        times=times,
        between="linear",
    )
    return Scene(
        parts={"dancer": actor},
        title="Dance",
        seconds=8.0,
        view=View(eye=(0.9, 1.2, 4.0), target=(0.0, 0.98, 0.0)),
    )


def _danced(t: float) -> dict[str, Any]:
    """The pose at a time [s]: a bar of two seconds, the arms over two bars, a turn over four."""
    beat, bar = pi * t, 0.5 * pi * t
    sway, twist = sin(beat), sin(beat + 0.6)
    lift = [0.5 - 0.5 * cos(bar + phase) for phase in (0.0, pi)]  # left and right arm
    knees = [max(0.0, side * sin(beat)) for side in (1.0, -1.0)]
    pose: dict[str, Any] = {
        "root": (0.0, 30.0 * sin(0.25 * pi * t), 0.0),
        "hips": (0.0, 8.0 * twist, 7.0 * sway),
        "spine": (2.0, -5.0 * twist, -6.0 * sway),
        "chest": (0.0, -8.0 * twist, -5.0 * sway),
        "head": (0.0, 6.0 * twist, 4.0 * sway),
    }
    for side, s, up, bent in (("left", 1.0, lift[0], knees[0]), ("right", -1.0, lift[1], knees[1])):
        pose[f"shoulder_{side}"] = (0.0, 0.0, s * (22.0 * up - 4.0))
        pose[f"upperarm_{side}"] = then((0.0, 0.0, s * (92.0 * up - 28.0)), (-22.0 * sin(beat + s), 0.0, 0.0))
        pose[f"forearm_{side}"] = (-25.0 - 20.0 * cos(beat + s), 0.0, s * 12.0 * up)
        pose[f"thigh_{side}"] = (-6.0 - 26.0 * bent, 0.0, -7.0 * sway + s * 3.0)
        pose[f"shank_{side}"] = (10.0 + 44.0 * bent, 0.0, 0.0)
        pose[f"foot_{side}"] = (-4.0 - 6.0 * bent, 0.0, -s * 3.0)
    return pose
