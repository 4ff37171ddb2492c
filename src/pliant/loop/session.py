"""A running scene for live use: everything the studio does, without the studio.

Edits are commands between two steps, never inside one. A parameter that only rescales a table takes effect on the
next step; one that changes a part's mesh rebuilds that part and leaves the others as they are. Every command is
logged as an Input; the scene with its inputs repeats the run bit for bit.
"""

from collections import deque
from numbers import Real
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError, UnstableError, unknown
from pliant.loop import brushes
from pliant.loop.branches import Branches
from pliant.loop.changes import built_anew, in_place, only_material
from pliant.loop.drawing import Bare
from pliant.loop.drivers import Hand, SegmentHand
from pliant.loop.frames import picture
from pliant.loop.stage import Stage
from pliant.loop.strokes import Strokes, place_of
from pliant.loop.threads import set_threads
from pliant.lowering import build, revise
from pliant.scene import Input, Scene, set_path
from pliant.world import Frame, Part, Rows, State, rows_of

HANDS = "hands"  # (k, 2) in State.memory: row, inverse mass while free
HISTORY_BYTES = 256 * 2**20  # of states kept for `rewind`


class Session(Strokes, Branches):
    """`session.step()` gives the next frame; grab, move, drop, pin, set and rewind between steps."""

    def __init__(self, scene: Scene, *, fps: float = 60.0, threads: int | None = None, history: bool = True) -> None:
        check_pace(fps)
        self.scene = scene
        self.fps = fps
        self.log: list[Input] = []  # what was done, on the straight way to the present
        self._start = scene
        self._due = deque(sorted(scene.inputs, key=lambda entry: entry.frame))
        self._threads = threads
        self.hands: dict[int, Hand | SegmentHand] = {}
        self._next_handle = 1
        self.stage = Stage(build(scene))
        self.state = self.stage.world.initial_state()
        self.stage.refuse_unstable_step(self.state, 1.0 / fps)
        self._history: deque[tuple[State, Scene]] = deque()
        self._history_bytes = HISTORY_BYTES if history else 0
        self._remember()

    @property
    def frame(self) -> Frame:
        """The present instant."""
        return picture(self.stage.world, self.state, self.stage.filters)

    def recorded(self) -> Scene:
        """The scene as it was at the start, with everything that was done since."""
        return self._start.replace(inputs=tuple(self.log))

    def step(self, frames: int = 1) -> Frame:
        """Advance by whole frames. One that diverges is refused: the session stays at the frame before."""
        return self.advance(frames).finished()

    def advance(self, frames: int = 1) -> Bare:
        """As `step`; what filters make of the last frame is left to the caller."""
        set_threads(self._threads)
        for _ in range(frames):
            while self._due and self._due[0].frame <= self.state.frame:
                self._do(self._due.popleft())
            for hand in self.hands.values():
                hand.frame_end = self.state.time + 1.0 / self.fps
            try:
                self.stage.step(self.state, 1.0 / self.fps)
            except UnstableError:
                self._back_to_the_last_good_frame()
                raise
            self._remember()
        return Bare.of(self.stage, self.state)

    def _back_to_the_last_good_frame(self) -> None:
        """What diverged is not kept: with another value the session can go on from where all was well."""
        state, _ = self._history[-1]
        if state.position.shape == self.state.position.shape:
            self._restore(state)

    def grab(self, part: str, point: Any, *, radius: float = 0.0) -> int:
        """Hold a point of a part, by index or by the nearest to a position; give it a radius to hold a patch."""
        described = self.stage.world.part(part)
        rows = rows_of(self.state, described)
        index = _nearest(described, rows, point)
        near = np.linalg.norm(rows.position - rows.position[index], axis=1) <= radius
        near[index] = False
        held = [index, *np.flatnonzero(near & (rows.inverse_mass > 0)).tolist()]
        limb = "shell" in described.extra and not isinstance(point, int | np.integer)
        place = tuple(float(x) for x in point) if limb else None
        handle, self._next_handle = self._next_handle, self._next_handle + 1
        self._do(Input(frame=self.state.frame, verb="grab", part=part, rows=held, handle=handle, to=place))
        return handle

    def move(self, handle: int, to: Any) -> None:
        """Where the held point is to be; it gets there smoothly, within one frame if the speed allows."""
        target = place_of(to, "move: target")
        self._hand(handle)
        self._do(Input(frame=self.state.frame, verb="move", handle=handle, to=target))

    def restart(self) -> Frame:
        """Back to the start with the present parameters; the log begins anew."""
        for handle in list(self.hands):
            self._do_drop(Input(frame=0, verb="drop", handle=handle))
        self.log, self._start = [], self.scene
        self._due = deque(sorted(self.scene.inputs, key=lambda entry: entry.frame))
        self.state.restore(self.stage.world.initial_state())
        self.stage.recall(self.state)
        self._history.clear()
        self._remember()
        return self.frame

    def drop(self, handle: int) -> None:
        """Let go; the point keeps its velocity."""
        self._hand(handle)
        self._do(Input(frame=self.state.frame, verb="drop", handle=handle))

    def pin(self, part: str, points: Any, *, held: bool = True) -> None:
        """Hold points where they are, or free them with held=False."""
        rows = rows_of(self.state, self.stage.world.part(part))
        listed = points if isinstance(points, list | tuple | np.ndarray | range) else [points]
        indices = tuple(_nearest(self.stage.world.part(part), rows, point) for point in listed)
        self._do(Input(frame=self.state.frame, verb="pin" if held else "unpin", part=part, rows=indices))

    def set(self, path: str, value: Any) -> None:
        """Change one value by its path, as the command line's `--set` does."""
        self._do(Input(frame=self.state.frame, verb="set", path=path, value=value))

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
        while len(self._history) > 1 and self._history[-1][0].time > time + 1e-9:
            self._history.pop()
        state, scene = self._history[-1]
        self.log = [entry for entry in self.log if entry.frame < state.frame]
        self._become(scene)
        self._restore(state)
        return self.frame

    def _do(self, entry: Input) -> None:
        """Carry a command out, then log it: what failed leaves no trace."""
        getattr(self, f"_do_{entry.verb}")(entry)
        self.log.append(entry.replace(frame=self.state.frame))

    def _do_grab(self, entry: Input) -> None:
        part = self.stage.world.part(entry.part)
        rows = rows_of(self.state, part)
        held = np.array(entry.rows)
        center = rows.position[held[0]].copy() if entry.to is None else np.array(entry.to)
        pulls = self.stage.parts[entry.part].stepper.pulls
        hand: Hand | SegmentHand
        if pulls is not None and rows.inverse_mass[held[0]] > 0.0:
            # a free segment is drawn softly, so that two hands that part do not tear its joints
            hand = SegmentHand(entry.part, int(held[0]), rows, center, pulls)
        else:
            hand = Hand(part, held, rows, center)
            rows.inverse_mass[held] = 0.0
        self.stage.parts[entry.part].drivers.append(hand)
        self.hands[entry.handle] = hand
        self._next_handle = max(self._next_handle, entry.handle + 1)
        self._note_hands()

    def _do_move(self, entry: Input) -> None:
        self._hand(entry.handle).target = np.array(entry.to)

    def _do_drop(self, entry: Input) -> None:
        hand = self._hand(entry.handle)
        del self.hands[entry.handle]
        part = self.stage.world.part(hand.part)
        rows = rows_of(self.state, part)
        rows.inverse_mass[hand.held] = _inverse_mass_when_dropped(part, hand)
        rows.velocity[hand.held[hand.pinned]] = 0.0
        self.stage.parts[hand.part].drivers.remove(hand)
        hand.let_go()
        self._note_hands()

    def _do_pin(self, entry: Input) -> None:
        rows = rows_of(self.state, self.stage.world.part(entry.part))
        rows.inverse_mass[list(entry.rows)] = 0.0
        rows.velocity[list(entry.rows)] = 0.0

    def _do_unpin(self, entry: Input) -> None:
        part = self.stage.world.part(entry.part)
        rows_of(self.state, part).inverse_mass[list(entry.rows)] = 1.0 / part.mass[list(entry.rows)]

    def _do_set(self, entry: Input) -> None:
        old, self.scene = self.scene, set_path(self.scene, entry.path, entry.value)
        try:
            self._take_over(old, entry.path.split(".")[0])
        except Exception:
            self.scene = old
            raise

    def _hand(self, handle: int) -> Hand | SegmentHand:
        if handle not in self.hands:
            raise SceneError(unknown("handle", str(handle), map(str, self.hands)))
        return self.hands[handle]

    def _restore(self, state: State) -> None:
        """Take a state over; what a hand held in it is free, for the hand may be gone."""
        for handle in list(self.hands):
            self._do_drop(Input(frame=0, verb="drop", handle=handle))
        self.state.restore(state)
        self.stage.recall(self.state)
        if HANDS in self.state.memory:
            rows, inverse_mass = self.state.memory[HANDS].T
            self.state.inverse_mass[rows.astype(int)] = inverse_mass
        self._note_hands()
        self._close_log()

    def _close_log(self) -> None:
        """Whoever repeats the log lets go where a rewind did."""
        holding = {entry.handle for entry in self.log if entry.verb == "grab"}
        holding -= {entry.handle for entry in self.log if entry.verb == "drop"}
        self.log += [Input(frame=self.state.frame, verb="drop", handle=handle) for handle in sorted(holding)]

    def _note_hands(self) -> None:
        """Remember in the state which rows hands hold, and the inverse masses to give back."""
        self.state.memory.pop(HANDS, None)
        notes = []
        for hand in self.hands.values():
            part = self.stage.world.parts[hand.part]
            notes.append(np.stack([hand.held + part.rows.start, _inverse_mass_when_dropped(part, hand)], axis=1))
        if notes:
            self.state.memory[HANDS] = np.concatenate(notes).astype(float)

    def _become(self, scene: Scene) -> None:
        """Be what this scene says, as it was at some other time."""
        old, self.scene = self.scene, scene
        if scene is not old and not in_place(self.stage, old, scene):
            self._rebuild()

    def _take_over(self, old: Scene, name: str) -> None:
        """Bring stage and state into line with the changed scene."""
        description = self.scene.parts.get(name)
        part = self.stage.world.parts.get(name)
        if in_place(self.stage, old, self.scene):
            return
        if description is None or part is None or not only_material(old.parts[name], description):
            self._rebuild()
        elif revise(description, part):
            rows = rows_of(self.state, part)
            free = rows.inverse_mass > 0
            rows.inverse_mass[free] = 1.0 / part.mass[free]
            self.stage.parts[name].refresh()
        else:
            self._rebuild()

    def _rebuild(self) -> None:
        """A new stage; rows of parts whose points stay the same are kept, and so are the hands on them."""
        stage, state, kept = built_anew(self.scene, self.stage, self.state, 1.0 / self.fps)
        for handle, hand in list(self.hands.items()):
            if hand.part not in kept:
                del self.hands[handle]
                continue
            if isinstance(hand, SegmentHand):  # its pull belonged to the old stage
                hand = self.hands[handle] = SegmentHand.again(hand, stage.parts[hand.part].stepper.pulls)
            else:
                hand.feel(stage.world.part(hand.part))
            stage.parts[hand.part].drivers.append(hand)
        self.stage, self.state = stage, state
        self._note_hands()
        if len(kept) < len(stage.world.parts):
            self._history.clear()
            self._remember()

    def _remember(self) -> None:
        self._history.append((self.state.copy(), self.scene))
        size = 8 * (2 * self.state.position.size + self.state.inverse_mass.size)
        while len(self._history) > max(1, self._history_bytes // max(size, 1)):
            self._history.popleft()


def check_pace(fps: float) -> None:
    """Frames per second that a run may have."""
    if not isinstance(fps, Real) or not 1.0 <= fps <= 10000.0:
        raise SceneError(f"fps = {fps!r}; must be 1 to 10000")


def _nearest(part: Part, rows: Rows, point: Any) -> int:
    if isinstance(point, int | np.integer):
        if not 0 <= point < len(rows.position):
            raise SceneError(f"grab: part {part.name!r} has points 0 to {len(rows.position) - 1}, not {point}")
        return int(point)
    return brushes.row_at(part, rows, np.array(place_of(point, "grab: point", " an index or")))


def _inverse_mass_when_dropped(part: Part, hand: Hand | SegmentHand) -> Array:
    return np.where(hand.pinned, 0.0, 1.0 / part.mass[hand.held])
