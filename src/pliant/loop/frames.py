"""State -> Frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.arrays import frozen
from pliant.constants import GAS_CONSTANT
from pliant.filters import BoundFilter
from pliant.geometry.surface import enclosed_volume
from pliant.integrators.inflated import HOLE, WARMTH, temperature_of
from pliant.kernels.rigid import ride
from pliant.world import Frame, Part, PartFrame, Poses, Rows, State, Volumes, World, part_frame, rows_of, still


def picture(world: World, state: State, filters: Sequence[BoundFilter] = ()) -> Frame:
    """A read-only picture of the state, and what filters make of it."""
    frame = Frame(state.frame, state.time, {name: _part(part, state) for name, part in world.parts.items()})
    return through(filters, frame)


def through(filters: Sequence[BoundFilter], frame: Frame) -> Frame:
    """What filters make of a frame, one after the other."""
    for bound in filters:
        frame = bound.apply(frame)
    return frame


def _part(part: Part, state: State) -> Any:
    rows = rows_of(state, part)
    if "shell" in part.extra:
        return _bodies(part, rows)
    if "idle" in part.extra:
        return _tearing(part, rows)
    quantities = _gas(part, rows) if part.has(Volumes) else {}
    return part_frame(part, rows.position, rows.velocity, **quantities)


def _tearing(part: Part, rows: Rows) -> PartFrame:
    """Points in reserve are where the first point is; `torn` says how many were needed."""
    position, velocity, idle = rows.position.copy(), rows.velocity.copy(), part.extra["idle"]
    position[idle], velocity[idle] = position[0], velocity[0]
    count = len(rows.position) - len(idle) - len(part.extra["seams"].points)
    return part_frame(part, position, velocity, torn=count)


def _gas(part: Part, rows: Rows) -> dict[str, Any]:
    """Pressure [Pa, absolute], volume [m^3], moles, temperature [K], and whether the skin has burst."""
    gas: Volumes = part.table(Volumes)
    moles, theta = float(rows.moles[0]), float(rows.pocket[0, WARMTH])
    volume = enclosed_volume(rows.position, part.triangles)
    temperature = float(temperature_of(moles, volume, theta, gas))
    outside = float(gas.pressure[0])
    empty = volume <= 0.0 or moles <= 0.0
    return {
        "pressure": outside if empty else moles * GAS_CONSTANT * temperature / volume,
        "volume": volume,
        "moles": moles,
        "temperature": temperature,
        "burst": bool(rows.pocket[0, HOLE] > 0.0),
    }


def _bodies(part: Part, rows: Rows) -> PartFrame:
    """Rigid segments: the drawn mesh moves with them."""
    shell = part.extra["shell"]
    points, velocities = (np.empty(shell.points.shape, np.float32) for _ in range(2))
    there = (rows.position, rows.velocity, rows.rotation_xyzw, rows.spin)
    ride(shell.points, shell.segment, *there, points, velocities)
    position, turn = still(rows.position), still(rows.rotation_xyzw)
    return PartFrame(
        name=part.name,
        kind=part.kind,
        points=frozen(points),
        triangles=shell.triangles,
        velocities=frozen(velocities),
        rotations_xyzw=turn,
        look=part.look,
        uv=None,
        quantities={"poses": Poses(part.extra["names"], position, turn), "colors": shell.color},
    )
