"""Rigid bodies of a recording: a puppet's segments, what hangs on what, and where each was.

Poses are kept in memory until the end: 28 bytes per body and frame, 24 kB for a second of a puppet.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.geometry import rotation
from pliant.sinks.gltf_json import Buffers
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
    places: list[Array] = field(default_factory=list)  # each (b, 3) float32
    turns: list[Array] = field(default_factory=list)  # each (b, 4) float32

    def at(self, part: PartFrame) -> tuple[Array, Array]:
        """(b, 3) centres and (b, 4) rotations in one frame."""
        return _centres(part), np.asarray(part.rotations_xyzw, np.float32)

    def tracks(self) -> tuple[Array, Array]:
        """(f, b, 3) centres and (f, b, 4) rotations; neighbouring quaternions on the same side."""
        places, turns = np.stack(self.places), np.stack(self.turns)
        away = np.einsum("fbi,fbi->fb", turns[1:], turns[:-1]) < 0
        sign = np.where(np.cumsum(away, axis=0) % 2, np.float32(-1), np.float32(1))
        turns[1:] *= sign[..., None]
        return places, turns

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
            self.rigs[name].places.append(_centres(part))
            self.rigs[name].turns.append(np.asarray(part.rotations_xyzw, np.float32))

    def gltf(self, buffers: Buffers) -> Iterator[tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]]:
        """Every body as a node, with the samplers of its translation and rotation."""
        if not self.rigs:
            return
        times = buffers.scalars(np.array(self.times, np.float32), bounds=True)
        for rig in self.rigs.values():
            places, turns = rig.tracks()
            for body, name in enumerate(rig.names):
                node = {
                    "name": f"{rig.part}.{name}",
                    "extras": {"part": rig.part, "body": name},
                    "translation": places[0, body].tolist(),
                    "rotation": turns[0, body].tolist(),
                }
                animated = [("translation", places[:, body]), ("rotation", turns[:, body])]
                if len(self.times) < 2:
                    animated = []
                yield (
                    node,
                    [
                        (path, {"input": times, "output": buffers.scalars(rows), "interpolation": "LINEAR"})
                        for path, rows in animated
                    ],
                )


def _centres(part: PartFrame) -> Array:
    poses = part.quantities.get("poses")
    if poses:
        return np.array([pose.position for pose in poses], np.float32)
    return np.asarray(part.points[: len(part.rotations_xyzw)], np.float32)


def bodies_of(part: PartFrame, known: Part | None) -> Rig:
    """The rig of a part with bodies; what hangs on what comes from its joints, where the world knows them."""
    count = len(part.rotations_xyzw)
    poses = part.quantities.get("poses")
    names = tuple(pose.name for pose in poses) if poses else tuple(f"segment_{k}" for k in range(count))
    parents, pivots = np.full(count, -1), np.zeros((count, 3))
    tables: tuple[Any, ...] = known.tables if known is not None else ()
    joints = next((table for table in tables if type(table).__name__ == "Joints"), None)
    if joints is not None:
        parents[joints.child] = joints.parent
        pivots[joints.child] = joints.child_anchor
    if known is not None and len(known.rest_rotation_xyzw) == count:
        rest, turn = known.rest_position[:count], known.rest_rotation_xyzw
    else:
        rest, turn = _centres(part).astype(float), np.asarray(part.rotations_xyzw, float)
    return Rig(part.name, names, parents, pivots, rest, rotation.normalized(turn))
