"""A straight walk bent into a circle: the trunk turns with the way it has come, each foot with its own place on it.

A place (x, y, z) of the walk along +z goes to the circle's point at the angle z / radius, x off the middle line. The
trunk and the arms are turned as one by the angle of the trunk, the ankles by their own, so that a standing foot still
stands; the legs between are found anew.
"""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.geometry import rotation
from pliant.scene.gait import SIDES, Pose, about, build_of, leg

SHARPEST = 0.5  # [leg lengths] a circle may be; sharper ones cross the legs


def rounded(puppet: Any, pose: Pose, radius: float) -> Pose:
    """The same walk on a circle of `radius` [m] to the left, below 0 to the right."""
    body = build_of(puppet)
    least = SHARPEST * (body.thigh + body.shank)
    if not abs(radius) >= least:
        raise SceneError(f"Drive.walk: radius = {radius}; these legs walk circles of {least:.3g} m or more")
    home = body.center["torso"] * (1.0, 0.0, 1.0)
    way = pose.places["torso"][:, 2] - home[2]
    bent = Pose({}, {})
    for name in pose.places:
        if name.split("_")[0] not in ("thigh", "shank", "foot"):
            bent.places[name] = _turned(pose.places[name] - home, way, radius) + home
            bent.turns[name] = rotation.multiply(about(1, way / radius), pose.turns[name])
    for side, _ in SIDES:
        foot = f"foot{side}"
        arm = rotation.rotate(pose.turns[foot], body.anchor[foot] - body.center[foot])
        ankle = pose.places[foot] + arm
        own = ankle[:, 2] - home[2]
        turn = rotation.multiply(about(1, own / radius), pose.turns[foot])
        leg(body, bent, side, _turned(ankle - home, own, radius) + home, turn)
    return bent


def _turned(places: Array, way: Array, radius: float) -> Array:
    """(f, 3) places as seen from the start of the walk, carried along the circle by `way` (f,)."""
    local = places - np.stack([np.full_like(way, radius), 0.0 * way, way], axis=1)
    return np.asarray(rotation.rotate(about(1, way / radius), local) + np.array([radius, 0.0, 0.0]))
