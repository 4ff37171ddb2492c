"""Puppets of one island, one against another: their segments keep out of each other, both sides feel it."""

import numpy as np

from pliant.colliders.limbs import has_limbs
from pliant.integrators.articulated.touching import Touching
from pliant.world import Joints, Rows, State, World


class Meeting:
    """Bound once for an island with two puppets or more."""

    def __init__(self, world: World, names: list[str]) -> None:
        parts = [world.part(name) for name in names]
        self._touching = Touching(parts)
        self._row = np.concatenate([p.rows.start + np.arange(len(p.inertia)) for p in parts])
        self._body = np.concatenate([np.arange(p.bodies.start, p.bodies.stop) for p in parts])
        self.deepest = 0.0  # [m] depth of the worst contact found last

    def begin(self, state: State, h: float) -> None:
        """Before the update stroke: impulses on velocities and spins."""
        row, body = self._row, self._body
        rows = Rows(
            state.position[row],
            state.velocity[row],
            state.inverse_mass[row],
            state.rotation_xyzw[body],
            state.spin[body],
            np.empty(0),
        )
        self.deepest = self._touching.push_apart(rows, h)
        if self._touching.count:
            state.velocity[row], state.spin[body] = rows.velocity, rows.spin


def meeting_of(world: World, names: list[str]) -> Meeting | None:
    """None where the island has fewer than two puppets."""
    limbed = [name for name in names if has_limbs(world.part(name)) and world.part(name).has(Joints)]
    return Meeting(world, limbed) if world.contacts and len(limbed) > 1 else None
