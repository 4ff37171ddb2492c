"""State -> Frame."""

from typing import Any

from pliant.world import Frame, Part, State, World, part_frame, rows_of


def picture(world: World, state: State) -> Frame:
    """A read-only picture of the state."""
    return Frame(state.frame, state.time, {name: _part(part, state) for name, part in world.parts.items()})


def _part(part: Part, state: State) -> Any:
    rows = rows_of(state, part)
    return part_frame(part, rows.position, rows.velocity)
