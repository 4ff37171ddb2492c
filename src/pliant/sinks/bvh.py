"""BVH of a puppet: its segments as joints, each at the point where it hangs on its parent.

The rest pose has no rotations (BVH knows none), so offsets are the rest distances of the joints in world axes and
channels are turns away from rest. Joints that give way (a gap under a hard pull) are written closed. Angles are in
degrees, order Z X Y; lengths are in metres, or in the unit of the program named by `--for`.
"""

from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside
from pliant.sinks.cast import identifier
from pliant.sinks.conventions import convention
from pliant.sinks.rig import Rig, Rigs
from pliant.world import Frame, World


class Bvh(Sink):
    """The first puppet of the scene, or the one called `part`."""

    suffixes = (".bvh",)
    summary = "motion capture of a puppet"

    def __init__(
        self,
        target: str | Path,
        world: World,
        *,
        fps: float = 60.0,
        target_app: str | None = None,
        part: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._scale = convention(target_app).units_per_metre
        self._part = part
        self._file = Beside(self.target)
        self._rigs = Rigs(world)

    def write(self, frame: Frame) -> None:
        self._rigs.add(frame)
        if not self._rigs.rigs:
            raise FormatError(
                f"{self.target}: no part of the scene has bodies; BVH is for puppets, use .glb for surfaces"
            )
        if self._part is not None and self._part not in self._rigs.rigs:
            raise FormatError(f"{self.target}: part {self._part!r} has no bodies (has: {', '.join(self._rigs.rigs)})")

    def close(self) -> None:
        rigs = self._rigs.rigs
        rig = rigs[self._part] if self._part is not None else next(iter(rigs.values()))
        self._file.write(bvh_text(rig, self.fps, self._scale).encode())
        self._file.keep()

    def abandon(self) -> None:
        self._file.discard()


def bvh_text(rig: Rig, fps: float, scale: float = 1.0) -> str:
    order = rig.order()
    joints = rig.rest_position + rotation.rotate(rig.rest_rotation_xyzw, rig.pivots)  # world, at rest
    lines = ["HIERARCHY"]
    roots = [body for body in order if rig.parents[body] < 0]
    for root in roots:
        _joint(lines, rig, joints, root, scale)
    places, turns = rig.tracks()
    away = rotation.multiply(turns.astype(float), rotation.inverse(rig.rest_rotation_xyzw))  # (f, b, 4) world
    columns = []
    for body in order:
        parent = rig.parents[body]
        if parent < 0:
            columns.append(places[:, body].astype(float) * scale)
        local = away[:, body] if parent < 0 else rotation.multiply(rotation.inverse(away[:, parent]), away[:, body])
        columns.append(zxy_degrees(local))
    rows = np.concatenate(columns, axis=1)
    lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {1.0 / fps:.9g}"]
    line = " ".join(["%.6f"] * rows.shape[1])
    lines += [line % tuple(row) for row in (rows + 0.0).tolist()]
    return "\n".join(lines) + "\n"


def _joint(lines: list[str], rig: Rig, joints: Array, body: int, scale: float, depth: int = 0) -> None:
    pad, parent = "  " * depth, int(rig.parents[body])
    offset = np.zeros(3) if parent < 0 else joints[body] - joints[parent]
    position = "6 Xposition Yposition Zposition" if parent < 0 else "3"
    lines += [
        f"{pad}{'JOINT' if depth else 'ROOT'} {identifier(rig.names[body])}",
        f"{pad}{{",
        f"{pad}  OFFSET {_numbers(offset * scale)}",
        f"{pad}  CHANNELS {position} Zrotation Xrotation Yrotation",
    ]
    children = [child for child in rig.order() if rig.parents[child] == body]
    for child in children:
        _joint(lines, rig, joints, child, scale, depth + 1)
    if not children:
        reach = 2.0 * (
            rig.rest_position[body] - joints[body]
        )  # a limb ends as far behind its centre as it begins before
        lines += [f"{pad}  End Site", f"{pad}  {{", f"{pad}    OFFSET {_numbers(reach * scale)}", f"{pad}  }}"]
    lines.append(f"{pad}}}")


def _numbers(vector: Array) -> str:
    return " ".join(f"{x:.6f}" for x in (vector + 0.0).tolist())


def zxy_degrees(q: Array) -> Array:
    """(f, 3) angles z, x, y of R = Rz Rx Ry, each nearest to the one before it; at x = 90 degrees y is 0."""
    m = rotation.to_matrix(q)
    x = np.arcsin(np.clip(m[:, 2, 1], -1.0, 1.0))
    locked = np.abs(m[:, 2, 1]) > 1.0 - 1e-12
    z = np.where(locked, np.arctan2(m[:, 1, 0], m[:, 0, 0]), np.arctan2(-m[:, 0, 1], m[:, 1, 1]))
    y = np.where(locked, 0.0, np.arctan2(-m[:, 2, 0], m[:, 2, 2]))
    return np.degrees(np.stack([np.unwrap(z), np.unwrap(x), np.unwrap(y)], axis=1))
