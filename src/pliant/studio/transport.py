"""Play, pause, single step, slow motion, rewind, loop, reset: the deck of the page, and its plots."""

from collections import deque
from typing import Any

import numpy as np

from pliant.studio.runner import Runner, Snapshot
from pliant.world import structural_strain

PLOTTED = 240  # instants
SPEEDS = {"1": 1.0, "1/2": 0.5, "1/4": 0.25, "1/10": 0.1}


class Transport:
    """The buttons that move time, and what is measured along it."""

    def __init__(self, gui: Any, runner: Runner) -> None:
        self._runner = runner
        self._play = gui.add_button_group("time", ("pause", "step", "reset"), hint="Stop, one frame, start over")
        self._play.on_click(lambda event: self._pressed(event.target.value))
        self._speed = gui.add_dropdown("speed", options=tuple(SPEEDS), hint="Slow motion")
        self._speed.on_update(lambda event: self._set_speed(SPEEDS[self._speed.value]))
        self._back = gui.add_slider("rewind [s]", -5.0, 0.0, 0.05, 0.0, hint="Back in time; what follows is forgotten")
        self._back.on_update(self._rewound)
        self._loop = gui.add_checkbox("loop", initial_value=False, hint="Start over when the showing ends")
        self._times: deque[float] = deque([0.0, 0.001], maxlen=PLOTTED)
        self._costs: deque[float] = deque([0.0, 0.0], maxlen=PLOTTED)
        self._strains: deque[float] = deque([0.0, 0.0], maxlen=PLOTTED)
        self._energies: deque[float] = deque([0.0, 0.0], maxlen=PLOTTED)
        self._plots = [
            self._plot(gui, "ms per frame", "#d97706"),
            self._plot(gui, "greatest strain [%]", "#dc2626"),
            self._plot(gui, "kinetic energy [J]", "#2563eb"),
        ]

    def show(self, snapshot: Snapshot) -> None:
        """Take an instant into the plots; they are sent a few times a second."""
        frame, world = snapshot.frame, self._runner.session.stage.world
        if self._times and frame.time <= self._times[-1]:
            for kept in (self._times, self._costs, self._strains, self._energies):
                kept.clear()
        strain = [structural_strain(part, frame[n].points)[0] for n, part in world.parts.items() if n in frame.parts]
        self._times.append(frame.time)
        self._costs.append(snapshot.ms)
        self._strains.append(100.0 * max(strain, default=0.0))
        self._energies.append(_kinetic_energy(world, frame))
        if snapshot.serial % 8 == 0 and len(self._times) > 2:
            times = np.array(self._times)
            for plot, values in zip(self._plots, (self._costs, self._strains, self._energies), strict=True):
                plot.data = (times, np.array(values))
        if self._loop.value and frame.time >= self._runner.session.scene.seconds:
            self._runner.put(_reset)

    def _plot(self, gui: Any, title: str, color: str) -> Any:
        blank = np.array([0.0, 0.001])
        series = ({"label": "t [s]"}, {"label": title, "stroke": color, "width": 2})
        return gui.add_uplot((blank, blank * 0.0), series, title=title, aspect=3.2, legend={"show": False})

    def _pressed(self, word: str) -> None:
        actions = {"pause": _toggle, "step": _one_step, "reset": _reset}
        self._runner.put(actions[word])

    def _set_speed(self, speed: float) -> None:
        self._runner.speed = speed

    def _rewound(self, event: Any) -> None:
        back = float(self._back.value)
        if event.client is not None and back < 0.0:
            self._runner.put(lambda runner: rewind(runner, back))
            self._back.value = 0.0


def _toggle(runner: Runner) -> None:
    runner.playing = not runner.playing


def _one_step(runner: Runner) -> None:
    runner.playing = False
    runner.advance()


def _reset(runner: Runner) -> None:
    runner.session.restart()
    runner.publish()


def rewind(runner: Runner, back: float) -> None:
    """Go back by `back` (< 0) seconds and wait there."""
    runner.playing = False
    runner.publish(runner.session.rewind(runner.session.state.time + back))


def _kinetic_energy(world: Any, frame: Any) -> float:
    total = 0.0
    for name, part in world.parts.items():
        if name in frame.parts and len(frame[name].velocities) == len(part.mass):
            velocities = frame[name].velocities
            total += 0.5 * float(np.dot(part.mass, np.einsum("ij,ij->i", velocities, velocities)))
    return total
