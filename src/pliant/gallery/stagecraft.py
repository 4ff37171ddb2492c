"""What several coupled scenes need: marionettes whose strings go where the figure goes, arms that wave, tables."""

from collections.abc import Callable

import numpy as np

from pliant.arrays import Array
from pliant.colliders import Box, Collider, Cylinder
from pliant.constraints import Sampled
from pliant.geometry import rotation
from pliant.scene import Drive, Puppet, PuppetString
from pliant.scene.gait import Pose, arm, build_of, smooth

FPS = 60.0
TIED = (  # segment, and where on it in heights of the figure: right is -x
    ("head", (-0.04, 0.03, 0.0)),
    ("head", (0.04, 0.03, 0.0)),
    ("torso", (-0.085, 0.16, -0.02)),
    ("torso", (0.085, 0.16, -0.02)),
    ("hand_right", (0.0, 0.0, 0.0)),
    ("thigh_right", (0.0, -0.11, 0.03)),
    ("thigh_left", (0.0, -0.11, 0.03)),
)

Angles = Callable[[Array], tuple[Array, Array, Array]]  # times -> swing ahead, out to the side, elbow [rad]


def standing(puppet: Puppet, seconds: float) -> Pose:
    """The rest pose for a while, to be moved by `waved`."""
    count = round(seconds * FPS) + 1
    places = {s.name: np.tile(np.array(s.center, float), (count, 1)) for s in puppet.segments}
    return Pose(places, {name: np.tile(rotation.IDENTITY, (count, 1)) for name in places})


def waved(puppet: Puppet, pose: Pose, side: str, angles: Angles) -> Pose:
    """The pose with one arm moved by its own waves, grown from what it did within 1.5 s."""
    body = build_of(puppet)
    t = np.arange(len(pose.places["torso"])) / FPS
    waving = Pose(dict(pose.places), dict(pose.turns))
    arm(body, waving, f"_{side}", *(np.broadcast_to(a, t.shape) * smooth(t / 1.5) for a in angles(t)))
    return waving


def on_strings(
    puppet: Puppet, pose: Pose, *, top: float, tied: tuple[tuple[str, tuple[float, float, float]], ...] = TIED
) -> tuple[PuppetString, ...]:
    """Strings from where the pose brings each point straight up to the height `top` [m]."""
    height = max(s.center[1] for s in puppet.segments if s.name.startswith("head")) * 1.06
    strings = []
    for name, place in tied:
        segment = puppet.segments[puppet.index(name)]
        point = np.array(segment.center) + height * np.array(place)
        way = pose.places[name] + rotation.rotate(pose.turns[name], height * np.array(place)) - point
        strings.append(
            PuppetString(
                segment=name,
                at=tuple(height * np.array(place)),
                hook=(point[0], top, point[2]),
                motion=Sampled(fps=FPS, offsets=way - way[0]),
            )
        )
    return tuple(strings)


def led(puppet: Puppet, pose: Pose, segments: tuple[str, ...], *, stiffness: float, top: float) -> Puppet:
    """A marionette: strings carry it, and what a string cannot say, some segments are drawn softly to."""
    drive = Drive.of_pose(puppet, pose, fps=FPS, segments=segments, stiffness=stiffness)
    return puppet.replace(strings=on_strings(puppet, pose, top=top), drive=drive)


LEGS = tuple(f"{name}_{side}" for side in ("right", "left") for name in ("thigh", "shank", "foot"))
RIGHT_ARM = ("upperarm_right", "forearm_right", "hand_right")


def table(center: tuple[float, float, float], size: float, height: float) -> tuple[Collider, ...]:
    """A square top on a round leg and foot."""
    x, y, z = center
    return (
        Box(center=(x, y + height - 0.02, z), size=(size, 0.04, size), rounding=0.015, friction=0.5),
        Cylinder(center=(x, y + 0.5 * height, z), radius=0.05, height=height - 0.04, rounding=0.005),
        Cylinder(center=(x, y + 0.02, z), radius=0.26, height=0.04, rounding=0.01),
    )
