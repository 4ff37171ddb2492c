"""What follows from a scene: constant arrays and tables, shared by every method, written only by a live edit."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.arrays import Real
from pliant.errors import SceneError, unknown
from pliant.world.part import Part
from pliant.world.pipes import Pipes
from pliant.world.state import POCKET, Rows, State
from pliant.world.ties import Ties


@dataclass(frozen=True, slots=True)
class World:
    """Parts in the order in which they were said, and what surrounds them."""

    parts: dict[str, Part]
    fields: tuple[Any, ...]  # Force descriptions that act on every part
    colliders: tuple[Any, ...]  # Collider descriptions
    ties: Ties | None  # what couples parts
    substeps: int | None  # per frame; None: each integrator's own rule
    adjustments: int  # rounds of the adjust loop per substep
    contacts: bool = True  # whether parts touch each other
    filters: tuple[Any, ...] = ()  # Filter descriptions, applied to every frame in this order
    pipes: Pipes | None = None  # between pockets of gas

    def part(self, name: str) -> Part:
        if name not in self.parts:
            raise SceneError(unknown("part", name, self.parts))
        return self.parts[name]

    def initial_state(self) -> State:
        parts = list(self.parts.values())
        position = _joined([part.rest_position for part in parts], (0, 3))
        inverse_mass = _joined([1.0 / part.mass for part in parts], (0,))
        for part in parts:
            inverse_mass[part.rows][part.held] = 0.0
            inverse_mass[part.rows][part.extra.get("idle", [])] = 0.0  # points in reserve
        rotation = _joined([part.rest_rotation_xyzw for part in parts], (0, 4))
        return State(
            time=0.0,
            frame=0,
            position=position,
            velocity=np.zeros_like(position),
            inverse_mass=inverse_mass,
            rotation_xyzw=rotation,
            spin=np.zeros((len(rotation), 3)),
            moles=_joined([part.moles for part in parts], (0,)),
            pocket=_joined([part.pocket for part in parts], (0, POCKET)),
        )


def _joined(arrays: list[np.ndarray], empty: tuple[int, ...]) -> np.ndarray:
    return np.concatenate([np.empty(empty), *arrays]).astype(Real)


def rows_of(state: State, part: Part) -> Rows:
    """The part's own rows, as views."""
    rows, bodies = part.rows, part.bodies
    return Rows(
        state.position[rows],
        state.velocity[rows],
        state.inverse_mass[rows],
        state.rotation_xyzw[bodies],
        state.spin[bodies],
        state.moles[part.gases],
        state.pocket[part.gases],
    )
