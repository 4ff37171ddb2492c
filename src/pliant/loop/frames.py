"""State -> Frame."""

from typing import Any

import numpy as np

from pliant.arrays import Array, frozen
from pliant.geometry import rotation
from pliant.world import Frame, Part, PartFrame, Pose, Rows, State, World, part_frame, rows_of


def picture(world: World, state: State) -> Frame:
    """A read-only picture of the state."""
    return Frame(state.frame, state.time, {name: _part(part, state) for name, part in world.parts.items()})


def _part(part: Part, state: State) -> Any:
    rows = rows_of(state, part)
    if "shell" in part.extra:
        return _bodies(part, rows)
    return part_frame(part, rows.position, rows.velocity)


def _bodies(part: Part, rows: Rows) -> PartFrame:
    """Rigid segments: the drawn mesh moves with them."""
    shell = part.extra["shell"]
    k = shell.segment
    arm = rotation.rotate(rows.rotation_xyzw[k], shell.points)
    velocity = rows.velocity[k] + np.cross(rows.spin[k], arm)
    position, turn = _still(rows.position), _still(rows.rotation_xyzw)
    names = part.extra["names"]
    return PartFrame(
        name=part.name,
        kind=part.kind,
        points=_still(rows.position[k] + arm),
        triangles=shell.triangles,
        velocities=_still(velocity),
        rotations_xyzw=turn,
        look=part.look,
        uv=None,
        quantities={"poses": tuple(map(Pose, names, position, turn)), "colors": shell.color},
    )


def _still(array: Array) -> Array:
    return frozen(array.astype(np.float32))
