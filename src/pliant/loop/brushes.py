"""What somebody does to a patch of a part in one instant: strokes that change velocities, places where things lie.

A stroke depends on the state and on its own few numbers alone, so that an Input repeats it bit for bit.
"""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.constants import HAND_SPEED
from pliant.geometry import rotation
from pliant.world import Part, Rows


def patch(part: Part, rows: Rows, center: Any, radius: float) -> tuple[Array, Array]:
    """Rows within `radius` [m] of a place, and their shares of a stroke: 1 in the middle, 0 at the rim."""
    reach = np.linalg.norm(drawn_points(part, rows) - np.asarray(center, float), axis=1)
    if "shell" in part.extra:  # a segment counts by its nearest point
        nearest = np.full(len(rows.position), np.inf)
        np.minimum.at(nearest, part.extra["shell"].segment, reach)
        reach = nearest
    near = np.flatnonzero(reach < radius)
    share = 1.0 - (reach[near] / radius) ** 2
    return near, share * share


def push(rows: Rows, near: Array, share: Array, velocity: Array) -> None:
    """v += share * velocity for free rows; nothing gets faster than a hand."""
    _kick(rows, near, share[:, None] * velocity)


def pinch(rows: Rows, near: Array, share: Array, center: Array, speed: float) -> None:
    """v += share * speed towards the middle of the patch; what arrives there stops."""
    way = center - rows.position[near]
    length = np.linalg.norm(way, axis=1, keepdims=True)
    _kick(rows, near, share[:, None] * speed * way / np.maximum(length, 1e-9))


def _kick(rows: Rows, near: Array, kick: Array) -> None:
    free = rows.inverse_mass[near] > 0.0
    velocity = rows.velocity[near[free]] + kick[free]
    speed = np.linalg.norm(velocity, axis=1, keepdims=True)
    rows.velocity[near[free]] = velocity * np.minimum(1.0, HAND_SPEED / np.maximum(speed, 1e-12))


def drawn_points(part: Part, rows: Rows) -> Array:
    """(n, 3) [m] points of what is seen: the rows themselves, or the skin of rigid segments."""
    shell = part.extra.get("shell")
    if shell is None:
        return rows.position
    return rows.position[shell.segment] + rotation.rotate(rows.rotation_xyzw[shell.segment], shell.points)


def row_at(part: Part, rows: Rows, place: Array) -> int:
    """The row nearest to a place: a point of a skin, or the segment whose surface is nearest."""
    nearest = int(np.argmin(np.linalg.norm(drawn_points(part, rows) - place, axis=1)))
    shell = part.extra.get("shell")
    return nearest if shell is None else int(shell.segment[nearest])
