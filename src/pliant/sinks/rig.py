"""Rigid bodies of a recording: a puppet's segments, what hangs on what, and where each was.

Poses are kept in memory until the end: 28 bytes per body and frame, 24 kB for a second of a puppet.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.geometry import rotation
from pliant.world import Frame, Part, PartFrame, World


@dataclass
class Rig:
    """One part's bodies over time."""

    part: str
    names: tuple[str, ...]
    parents: Array  # (b,) int, -1 at a root
    pivots: Array  # (b, 3) [m] where the body hangs on its parent, from its own centre, in its own axes; 0 at a root
    rest_position: Array  # (b, 3) [m]
    rest_rotation_xyzw: Array  # (b, 4)
    owner: Array | None = None  # (n,) the body that carries each drawn point, where the world knows it
    places: list[Array] = field(default_factory=list)  # each (b, 3) float32
    turns: list[Array] = field(default_factory=list)  # each (b, 4) float32

    def at(self, part: PartFrame) -> tuple[Array, Array]:
        """(b, 3) centres and (b, 4) rotations in one frame."""
        return centres_of(part), np.asarray(part.rotations_xyzw, np.float32)

    def tracks(self) -> tuple[Array, Array]:
        """(f, b, 3) centres and (f, b, 4) rotations; neighbouring quaternions on the same side."""
        places, turns = np.stack(self.places), np.stack(self.turns)
        return places, _one_side(turns)

    def bones(self) -> tuple[Array, Array]:
        """(f, b, 3) and (f, b, 4) of frames at the pivots, relative to the parent: a closed joint only turns."""
        places, turns = (track.astype(np.float64) for track in self.tracks())
        places = places + rotation.rotate(turns, self.pivots)
        child = np.flatnonzero(self.parents >= 0)
        above = self.parents[child]
        back = rotation.inverse(turns[:, above])
        local_places, local_turns = places.copy(), turns.copy()
        local_places[:, child] = rotation.rotate(back, places[:, child] - places[:, above])
        local_turns[:, child] = rotation.multiply(back, turns[:, child])
        return local_places, _one_side(local_turns)

    def order(self) -> list[int]:
        """Bodies, parents before children, otherwise as they stand."""
        children: dict[int, list[int]] = {}
        for body, parent in enumerate(self.parents.tolist()):
            children.setdefault(parent, []).append(body)
        found, waiting = [], children.get(-1, [])[::-1]
        while waiting:
            body = waiting.pop()
            found.append(body)
            waiting += children.get(body, [])[::-1]
        return found


class Rigs:
    """Collects the rigs of every part that has bodies."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._start: float | None = None
        self.times: list[float] = []  # [s] since the first frame
        self.rigs: dict[str, Rig] = {}

    def add(self, frame: Frame) -> None:
        self._start = frame.time if self._start is None else self._start
        self.times.append(frame.time - self._start)
        for name, part in frame.items():
            if not len(part.rotations_xyzw):
                continue
            if name not in self.rigs:
                self.rigs[name] = bodies_of(part, self._world.parts.get(name))
            self.rigs[name].places.append(centres_of(part))
            self.rigs[name].turns.append(np.asarray(part.rotations_xyzw, np.float32))


def _one_side(turns: Array) -> Array:
    """The same rotations, each quaternion on the side of the one before it."""
    away = np.einsum("fbi,fbi->fb", turns[1:], turns[:-1]) < 0
    flipped = np.concatenate([np.zeros((1, turns.shape[1]), bool), np.cumsum(away, axis=0) % 2 == 1])
    return np.where(flipped[..., None], -turns, turns)


def body_names(part: PartFrame) -> tuple[str, ...]:
    poses = part.quantities.get("poses")
    return (
        tuple(pose.name for pose in poses) if poses else tuple(f"segment_{k}" for k in range(len(part.rotations_xyzw)))
    )


def centres_of(part: PartFrame) -> Array:
    """(b, 3) float32."""
    if not len(part.rotations_xyzw):
        return np.empty((0, 3), np.float32)
    poses = part.quantities.get("poses")
    if poses:
        return np.array([pose.position for pose in poses], np.float32)
    return np.asarray(part.points[: len(part.rotations_xyzw)], np.float32)


def bodies_of(part: PartFrame, known: Part | None) -> Rig:
    """The rig of a part with bodies; what hangs on what comes from its joints, where the world knows them."""
    count = len(part.rotations_xyzw)
    parents, pivots = np.full(count, -1), np.zeros((count, 3))
    tables: tuple[Any, ...] = known.tables if known is not None else ()
    joints = next((table for table in tables if type(table).__name__ == "Joints"), None)
    if joints is not None:
        parents[joints.child] = joints.parent
        pivots[joints.child] = joints.child_anchor
    if known is not None and len(known.rest_rotation_xyzw) == count:
        rest, turn = known.rest_position[:count], known.rest_rotation_xyzw
    else:
        rest, turn = centres_of(part).astype(float), np.asarray(part.rotations_xyzw, float)
    shell = known.extra.get("shell") if known is not None else None
    owner = shell.segment if shell is not None and len(shell.segment) == len(part.points) else None
    return Rig(part.name, body_names(part), parents, pivots, rest, rotation.normalized(turn), owner)
