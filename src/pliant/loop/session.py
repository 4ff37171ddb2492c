"""A running scene for live use: everything the studio does, without the studio.

Edits are commands between two steps, never inside one. A parameter that only rescales a table takes effect on the
next step; one that changes a part's mesh rebuilds that part and leaves the others as they are.
"""

from collections import deque
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError, unknown
from pliant.loop.drivers import Hand
from pliant.loop.frames import picture
from pliant.loop.simulate import set_threads
from pliant.loop.stage import Stage
from pliant.lowering import build, revise
from pliant.scene import PartDescription, Scene, get_path, set_path
from pliant.world import Frame, State, rows_of

HANDS = "hands"  # (k, 2) in State.memory: row, inverse mass while free
HISTORY_BYTES = 256 * 2**20  # of states kept for `rewind`


class Session:
    """`session.step()` gives the next frame; grab, move, drop, set and rewind between steps."""

    def __init__(self, scene: Scene, *, fps: float = 60.0, threads: int | None = None) -> None:
        self.scene = scene
        self.fps = fps
        self._threads = threads
        self._hands: dict[int, tuple[Hand, Array]] = {}  # with a mask of the rows that were pinned before
        self._next_handle = 1
        self._stage = Stage(build(scene))
        self.state = self._stage.world.initial_state()
        self._stage.refuse_unstable_step(self.state, 1.0 / fps)
        self._history: deque[State] = deque()
        self._remember()

    @property
    def time(self) -> float:
        return self.state.time

    @property
    def stage(self) -> Stage:
        return self._stage

    @property
    def frame(self) -> Frame:
        """The present instant."""
        return picture(self._stage.world, self.state)

    def step(self, frames: int = 1) -> Frame:
        """Advance by whole frames."""
        set_threads(self._threads)
        for _ in range(frames):
            for hand, _ in self._hands.values():
                hand.frame_end = self.state.time + 1.0 / self.fps
            self._stage.step(self.state, 1.0 / self.fps)
            self._remember()
        return self.frame

    def grab(self, part: str, point: Any, *, radius: float = 0.0) -> int:
        """Hold a point of a part, by index or by the nearest to a position; give it a radius to hold a patch."""
        rows = rows_of(self.state, self._stage.world.part(part))
        index = self._nearest(part, rows.position, point)
        center = rows.position[index].copy()
        distance = np.linalg.norm(rows.position - center, axis=1)
        held = np.flatnonzero((distance <= radius) & (rows.inverse_mass > 0))
        held = held if held.size else np.array([index])
        hand = Hand(part, held, rows.position[held] - center, center)
        pinned = rows.inverse_mass[held] == 0.0
        rows.inverse_mass[held] = 0.0
        self._stage.parts[part].drivers.append(hand)
        handle, self._next_handle = self._next_handle, self._next_handle + 1
        self._hands[handle] = (hand, pinned)
        self._note_hands()
        return handle

    def move(self, handle: int, to: Any) -> None:
        """Where the held point is to be; it gets there smoothly, within one frame if the speed allows."""
        target = np.asarray(to, float)
        if target.shape != (3,) or not np.isfinite(target).all():
            raise SceneError(f"move: target is {to}; expected three finite numbers")
        self._hand(handle)[0].target = target

    def drop(self, handle: int) -> None:
        """Let go; the point keeps its velocity."""
        hand, pinned = self._hand(handle)
        del self._hands[handle]
        part = self._stage.world.part(hand.part)
        rows = rows_of(self.state, part)
        rows.inverse_mass[hand.held] = np.where(pinned, 0.0, 1.0 / part.mass[hand.held])
        rows.velocity[hand.held[pinned]] = 0.0
        self._stage.parts[hand.part].drivers.remove(hand)
        self._note_hands()

    def set(self, path: str, value: Any) -> None:
        """Change one value by its path, as the command line's `--set` does."""
        scene = set_path(self.scene, path, value)
        name = path.split(".")[0]
        old, self.scene = self.scene, scene
        try:
            self._take_over(old, name)
        except Exception:
            self.scene = old
            raise

    def get(self, path: str) -> Any:
        return get_path(self.scene, path)

    def save_state(self) -> State:
        """A copy to come back to."""
        return self.state.copy()

    def load_state(self, state: State) -> None:
        """Go on from a saved state of this scene."""
        if state.position.shape != self.state.position.shape or state.moles.shape != self.state.moles.shape:
            raise SceneError(
                f"load_state: the state has {len(state.position)} points, the scene {len(self.state.position)}; "
                f"it belongs to another scene"
            )
        self._restore(state)

    def rewind(self, time: float) -> Frame:
        """Back to the last remembered frame at or before `time` [s]; what came after is forgotten."""
        while len(self._history) > 1 and self._history[-1].time > time + 1e-9:
            self._history.pop()
        self._restore(self._history[-1])
        return self.frame

    def _nearest(self, part: str, position: Array, point: Any) -> int:
        if isinstance(point, int | np.integer):
            if not 0 <= point < len(position):
                raise SceneError(f"grab: part {part!r} has points 0 to {len(position) - 1}, not {point}")
            return int(point)
        where = np.asarray(point, float)
        if where.shape != (3,) or not np.isfinite(where).all():
            raise SceneError(f"grab: point is {point}; expected an index or three finite numbers")
        return int(np.argmin(np.linalg.norm(position - where, axis=1)))

    def _hand(self, handle: int) -> tuple[Hand, Array]:
        if handle not in self._hands:
            raise SceneError(unknown("handle", str(handle), map(str, self._hands)))
        return self._hands[handle]

    def _restore(self, state: State) -> None:
        """Take a state over; what a hand held in it is free, for the hand may be gone."""
        for handle in list(self._hands):
            self.drop(handle)
        self.state.restore(state)
        if HANDS in self.state.memory:
            rows, inverse_mass = self.state.memory[HANDS].T
            self.state.inverse_mass[rows.astype(int)] = inverse_mass
        self._note_hands()

    def _note_hands(self) -> None:
        """Remember in the state which rows hands hold, and the inverse masses to give back."""
        held = [
            np.stack([hand.held + part.rows.start, np.where(pinned, 0.0, 1.0 / part.mass[hand.held])], axis=1)
            for hand, pinned in self._hands.values()
            for part in [self._stage.world.parts[hand.part]]
        ]
        self.state.memory.pop(HANDS, None)
        if held:
            self.state.memory[HANDS] = np.concatenate(held).astype(float)

    def _take_over(self, old: Scene, name: str) -> None:
        """Bring stage and state into line with the changed scene."""
        description = self.scene.parts.get(name)
        part = self._stage.world.parts.get(name)
        if description is None or part is None or not _only_material(old.parts[name], description):
            self._rebuild()
        elif revise(description, part):
            rows = rows_of(self.state, part)
            free = rows.inverse_mass > 0
            rows.inverse_mass[free] = 1.0 / part.mass[free]
            self._stage.parts[name].refresh()
        else:
            self._rebuild()

    def _rebuild(self) -> None:
        """A new stage; rows of parts whose size stays are kept."""
        before, world = self._stage.world, build(self.scene)
        stage, state = Stage(world), world.initial_state()
        stage.refuse_unstable_step(state, 1.0 / self.fps)
        state.time, state.frame = self.state.time, self.state.frame
        for name, part in world.parts.items():
            old = before.parts.get(name)
            same = old is not None and np.array_equal(old.rest_position, part.rest_position)
            if old is not None and same:
                for new_rows, old_rows in zip(rows_of(state, part), rows_of(self.state, old), strict=True):
                    new_rows[...] = old_rows
        for handle, (hand, _) in list(self._hands.items()):
            kept = world.parts.get(hand.part)
            if kept is not None and np.array_equal(before.parts[hand.part].rest_position, kept.rest_position):
                stage.parts[hand.part].drivers.append(hand)
            else:
                del self._hands[handle]
        self._stage, self.state = stage, state
        self._note_hands()
        self._history.clear()
        self._remember()

    def _remember(self) -> None:
        self._history.append(self.state.copy())
        size = sum(array.nbytes for array in (self.state.position, self.state.velocity, self.state.inverse_mass))
        while len(self._history) > max(2, HISTORY_BYTES // max(size, 1)):
            self._history.popleft()


def _only_material(old: PartDescription, new: PartDescription) -> bool:
    """True if nothing but numbers of the same kind of fabric or skin changed."""
    changed = old.changed(new) if type(old) is type(new) else {"class"}
    return changed <= {"fabric", "skin"} and all(type(getattr(old, n)) is type(getattr(new, n)) for n in changed)
