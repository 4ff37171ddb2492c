"""Play, pause, single step, slow motion, rewind and branch, loop, reset: the buttons that move time."""

from typing import Any

from pliant.loop.branches import Bookmark
from pliant.studio.runner import Runner, Snapshot

SPEEDS = {"1": 1.0, "1/2": 0.5, "1/4": 0.25, "1/10": 0.1, "2": 2.0}
TAKES = 6  # branches that are kept
NOW = "now"


class Deck:
    """One scene's transport."""

    def __init__(self, gui: Any, runner: Runner) -> None:
        self._runner = runner
        self._takes: dict[str, Bookmark] = {}
        self._count = 0
        buttons = ("pause", "step", "restart")
        self._buttons = gui.add_button_group("time", buttons, hint="Pause or go on, one frame, start over")
        self._buttons.on_click(lambda event: self.press(str(self._buttons.value)))
        self._speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1", hint="Slow motion, or haste")
        self._speed.on_update(lambda event: self._paced())
        self._back = gui.add_slider(
            "rewind [s]", -5.0, 0.0, 0.05, 0.0, hint="Go back and wait there; what was is kept as a take"
        )
        self._back.on_update(self._rewound)
        self._take = gui.add_dropdown("take", (NOW,), initial_value=NOW, hint="Ways the scene went before a rewind")
        self._take.on_update(self._chosen)
        self._loop = gui.add_checkbox("loop", initial_value=False, hint="Start over when the showing ends")

    def show(self, snapshot: Snapshot) -> None:
        """Keep the slider's range true, and start over where a loop ends."""
        wanted = ("pause", "step", "restart") if snapshot.playing else ("play", "step", "restart")
        if self._buttons.options != wanted:
            self._buttons.options = wanted
        reach = -max(0.1, round(min(snapshot.reach, 60.0), 1))
        if abs(self._back.min - reach) > 0.45:
            self._back.min = reach
        if self._loop.value and snapshot.frame.time >= self._runner.session.scene.seconds:
            self._runner.put(restart)

    def press(self, word: str) -> None:
        actions = {"pause": pause, "play": play, "step": one_step, "restart": restart}
        if word in actions:
            self._runner.put(actions[word])

    def _paced(self) -> None:
        self._runner.speed = SPEEDS.get(self._speed.value, 1.0)

    def _rewound(self, event: Any) -> None:
        back = float(self._back.value)
        if event.client is not None and -1e4 < back < 0.0:
            self._runner.put(lambda runner: self._go_back(runner, back))
            self._back.value = 0.0

    def _go_back(self, runner: Runner, back: float) -> None:
        self._keep(runner.session.bookmark())
        rewind(runner, back)

    def _keep(self, mark: Bookmark) -> None:
        self._count += 1
        self._takes[f"take {self._count}: {mark.state.time:.2f} s"] = mark
        while len(self._takes) > TAKES:
            del self._takes[next(iter(self._takes))]
        self._take.options = (NOW, *self._takes)

    def _chosen(self, event: Any) -> None:
        mark = self._takes.get(str(self._take.value))
        if event.client is not None and mark is not None:
            self._runner.put(lambda runner: _go(runner, mark))
            self._take.value = NOW


def pause(runner: Runner) -> None:
    runner.playing = False


def play(runner: Runner) -> None:
    runner.playing = True


def one_step(runner: Runner) -> None:
    runner.playing = False
    runner.advance()


def restart(runner: Runner) -> None:
    """Back to the start, with the present parameters."""
    runner.gliding.forget()
    runner.let_go()
    runner.publish(runner.session.restart())


def rewind(runner: Runner, back: float) -> None:
    """Go back by `back` (< 0) seconds and wait there."""
    runner.playing = False
    runner.gliding.forget()
    runner.let_go()
    runner.publish(runner.session.rewind(runner.session.state.time + back))


def _go(runner: Runner, mark: Bookmark) -> None:
    runner.playing = False
    runner.gliding.forget()
    runner.let_go()
    runner.publish(runner.session.go(mark))
