"""The stage's own thread: it simulates at a fixed rate, takes commands between frames, and never waits for a viewer.

Whoever wants something done puts a command in the queue; whoever wants to see something reads `latest`. Nothing else
is shared between threads.
"""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.constants import HAND_SPEED
from pliant.errors import PliantError
from pliant.loop import Session
from pliant.loop.drawing import Bare, Drawing
from pliant.scene import Scene
from pliant.studio.gliding import Gliding
from pliant.studio.twin import Twin
from pliant.world import Frame

Command = Callable[["Runner"], None]

FOLLOW_TIME = 0.025  # [s] of each of two lags between mouse and hand: together they hide the page's 20 updates a second
LATEST_LAG = 0.25  # [s] behind the clock at which the stage gives up catching up
MEASURED = 120  # frames over which costs are averaged
WAITING = 2000  # commands that may wait; what comes on top is forgotten
BUDGET = 1.0 / 30.0  # [s] that a frame may take under a hand before the hand slows down
SLOWEST = 0.5  # [m/s] of the scene that a hand keeps, however dear the frames
STILL = 1e-7  # [m] a hand that moves less is not moved


@dataclass(frozen=True)
class Snapshot:
    """One instant for viewers, with what it cost."""

    serial: int
    frame: Frame
    playing: bool
    ms: float  # median cost of a frame lately
    last_ms: float  # and of the last
    real_time_factor: float  # seconds of the scene per second of the clock, that the stage could do
    load: dict[str, float] = field(default_factory=dict)  # share of each part
    reach: float = 0.0  # [s] that can be rewound
    held: tuple[Array, ...] = ()  # places of the hands [m]
    twin: Frame | None = None  # of the scene beside


class Runner(threading.Thread):
    """Owns a Session. Start it, put commands, read `latest`, stop it."""

    def __init__(self, scene: Scene, *, fps: float = 60.0, threads: int | None = None) -> None:
        super().__init__(name="pliant-stage", daemon=True)
        self.session = Session(scene, fps=fps, threads=threads)
        self.gliding = Gliding(self.session)
        self.twin: Twin | None = None
        self.playing = True
        self.speed = 1.0  # 0.25 is slow motion
        self.notices: deque[str] = deque(maxlen=20)  # what a command or the run had to say
        self.on_frame: list[Callable[[Frame], None]] = []  # recorders; called on this thread
        self._commands: queue.Queue[Command] = queue.Queue(WAITING)
        self._targets: dict[int, Array] = {}
        self._between: dict[int, Array] = {}
        self._where: dict[int, Array] = {}
        self._drawn: Future[Frame] | None = None  # the frame before, while filters draw it
        self._pace = HAND_SPEED  # [m/s] of the scene that hands go at most
        self._costs: deque[float] = deque(maxlen=MEASURED)
        self._stopped = threading.Event()
        self.latest = Snapshot(0, self.session.frame, True, 0.0, 0.0, 0.0)

    def put(self, command: Command) -> None:
        """Have a command carried out between two frames."""
        try:
            self._commands.put_nowait(command)
        except queue.Full:  # somebody floods: the stage goes on
            self.notices.append("too much at once; some of it was left out")

    def ask(self, command: Callable[["Runner"], Any], timeout: float = 60.0) -> Any:
        """Carry out a command and wait for what it returns; an error of it is raised here."""
        answer: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()

        def answering(runner: "Runner") -> None:
            try:
                answer.put((command(runner), None))
            except Exception as error:
                answer.put((None, error))

        if not self.is_alive():
            return command(self)
        self.put(answering)
        try:
            value, error = answer.get(timeout=timeout)
        except queue.Empty:
            raise PliantError(f"the stage did not answer for {timeout:g} s; try again") from None
        if error is not None:
            raise error
        return value

    def stop(self) -> None:
        self._stopped.set()
        if self.is_alive() and threading.current_thread() is not self:
            self.join(timeout=10.0)

    def run(self) -> None:
        due = time.perf_counter()
        drawing = Drawing()
        while not self._stopped.is_set():
            self._obey()
            if not self.playing:
                self._show_drawn()
                due = time.perf_counter()
                self._stopped.wait(0.01)
                continue
            self.advance(drawing)
            due += 1.0 / (self.session.fps * self.speed)
            lag = time.perf_counter() - due
            if lag > LATEST_LAG:
                due = time.perf_counter()  # slower than real time: show slow motion, not a backlog
            elif lag < 0.0:
                self._stopped.wait(-lag)
        drawing.close()

    def advance(self, drawing: Drawing | None = None) -> None:
        """One frame, whatever it costs; a run that diverges is stopped and taken back.

        With `drawing`, what filters make of it is drawn beside the next frame and shown with that one.
        """
        began = time.perf_counter()
        try:
            bare = self._stepped()
            if drawing is None or not bare.stage.filters:
                self._show(bare.finished())
            else:
                self._show_drawn()
                self._drawn = drawing.begin(bare)
        except PliantError as error:
            self.notices.append(str(error))
            self.playing, self._drawn = False, None
            self.let_go()
            self._show(self.session.rewind(self.session.state.time - 0.1))
        self._costs.append(time.perf_counter() - began)
        self._pace = paced(self._pace, self._costs[-1])

    def _stepped(self) -> Bare:
        self.gliding.advance()
        self._follow()
        if self.twin is not None:
            self.twin.follow(self.session)
        bare = self.session.advance()
        if self.twin is not None:
            self.twin.step()
        return bare

    def _show_drawn(self) -> None:
        """The frame that was drawn beside the last step, if there is one."""
        if self._drawn is not None:
            drawn, self._drawn = self._drawn, None
            try:
                self._show(drawn.result())
            except PliantError as error:
                self.notices.append(str(error))
                self.playing = False

    def _show(self, frame: Frame) -> None:
        for listen in tuple(self.on_frame):
            listen(frame)
        self.publish(frame)

    def publish(self, frame: Frame | None = None) -> None:
        """Show the present instant to whoever looks."""
        cost = float(np.median(self._costs)) if self._costs else 0.0
        parts = self.session.stage.parts
        total = sum(part.load for part in parts.values()) or 1.0
        self.latest = Snapshot(
            serial=self.latest.serial + 1,
            frame=frame if frame is not None else self.session.frame,
            playing=self.playing,
            ms=1e3 * cost,
            last_ms=1e3 * self._costs[-1] if self._costs else 0.0,
            real_time_factor=1.0 / (cost * self.session.fps) if cost > 0 else 0.0,
            load={name: part.load / total for name, part in parts.items()},
            reach=self.session.reach,
            held=tuple(self._where.values()),
            twin=None if self.twin is None else self.twin.session.frame,
        )

    def change(self, path: str, value: Any) -> None:
        """On this thread: change one value of the scene, gliding where a jump would jerk."""
        self.gliding.change(path, value)

    def grab(self, part: str, point: Any, radius: float = 0.0) -> int:
        """On this thread: hold a point and follow a smoothed target from here on."""
        handle = self.session.grab(part, point, radius=radius)
        where = self.session.hands[handle].target.copy()
        self._where[handle], self._between[handle], self._targets[handle] = where, where.copy(), where.copy()
        return handle

    def aim(self, handle: int, target: Any) -> None:
        """On this thread: where a hand is going; it gets there smoothly."""
        if handle in self._targets:
            self._targets[handle] = np.asarray(target, float)

    def drop(self, handle: int) -> None:
        if self._targets.pop(handle, None) is not None:
            del self._where[handle], self._between[handle]
            if handle in self.session.hands:
                self.session.drop(handle)

    def let_go(self) -> None:
        """Nobody holds anything any more."""
        for known in (self._targets, self._between, self._where):
            known.clear()

    def _follow(self) -> None:
        longest = self._pace / self.session.fps
        share = 1.0 - np.exp(-1.0 / (self.session.fps * FOLLOW_TIME))
        for handle in [handle for handle in self._targets if handle not in self.session.hands]:
            del self._targets[handle], self._between[handle], self._where[handle]  # its part was made anew
        for handle, target in self._targets.items():
            self._between[handle] = self._between[handle] + share * (target - self._between[handle])
            way = share * (self._between[handle] - self._where[handle])
            way *= min(1.0, longest / max(float(np.linalg.norm(way)), 1e-12))
            if float(np.abs(way).max()) > STILL:
                self._where[handle] = self._where[handle] + way
                self.session.move(handle, self._where[handle])

    def _obey(self) -> None:
        changed = False
        while True:
            try:
                command = self._commands.get_nowait()
            except queue.Empty:
                break
            if not changed:
                self._show_drawn()  # nothing is changed that filters read just then
            changed = True
            try:
                command(self)
            except PliantError as error:
                self.notices.append(str(error))
            except Exception as error:  # whatever a page made happen, the stage goes on
                self.notices.append(f"that did not work ({type(error).__name__}: {str(error)[:120]})")
        if changed and not self.playing:
            self.publish()


def paced(pace: float, cost: float) -> float:
    """How fast hands may go [m/s] after a frame that took `cost` [s].

    A stage that falls behind runs in slow motion, in which the same mouse is a faster hand; that tosses cloth about
    more wildly, which costs more again. So hands slow down as the frames do, and gather speed when there is time.
    """
    if cost > BUDGET:
        return max(SLOWEST, min(pace, HAND_SPEED) * max(0.5, BUDGET / cost))
    return min(HAND_SPEED, 1.1 * pace)
