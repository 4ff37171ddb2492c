"""Live plots: cost with its budget, energy, strain, pressure and volume."""

from collections import deque
from typing import Any

import numpy as np

from pliant.forces import Gravity
from pliant.studio.runner import Snapshot
from pliant.world import Frame, Volumes, World, structural_strain

PLOTTED = 240  # instants
SHOWN = 4.0  # budgets, of the cost that is plotted; what takes longer lies on the rim
EVERY = 6  # shown instants between two plots
RED, BLUE, GREEN, GREY, AMBER = "#c8452f", "#2f6fc8", "#2f9e62", "#98a1b0", "#c98a1b"


class Plot:
    """A few curves over one time axis."""

    def __init__(self, gui: Any, title: str, curves: dict[str, str]) -> None:
        blank = np.array([0.0, 0.001])
        series = (
            {"label": "t [s]"},
            *({"label": n, "stroke": c, "width": 1.6, "points": _NONE} for n, c in curves.items()),
        )
        self.rows: dict[str, deque[float]] = {name: deque(maxlen=PLOTTED) for name in curves}
        self._widget = gui.add_uplot(
            (blank, *(blank * 0.0 for _ in curves)),
            series,
            title=title,
            scales={"x": {"time": False}, "y": {"auto": True}},
            axes=({"size": 30, "space": 60}, {"size": 54}),
            aspect=2.4,
            legend={"show": False},
        )

    def add(self, **values: float) -> None:
        for name, value in values.items():
            self.rows[name].append(value)

    def shown(self, visible: bool) -> None:
        if self._widget.visible != visible:
            self._widget.visible = visible

    def draw(self, times: np.ndarray) -> None:
        if not self._widget.visible:
            return
        self._widget.data = (times, *(np.array(row)[-len(times) :] for row in self.rows.values()))


_NONE = {"show": False}


class Plots:
    """What is measured while a scene runs; the same widgets serve every scene."""

    def __init__(self, gui: Any) -> None:
        self._times: deque[float] = deque(maxlen=PLOTTED)
        self._calls = 0
        self._cost = Plot(gui, "ms per frame, and the budget", {"cost": AMBER, "budget": GREY})
        self._energy = Plot(gui, "energy [J]: moving, height", {"moving": BLUE, "height": GREEN})
        self._strain = Plot(gui, "strain [%]: greatest, mean", {"greatest": RED, "mean": BLUE})
        self._pressure = Plot(gui, "greatest overpressure [Pa]", {"pressure": RED})
        self._volume = Plot(gui, "volume of all balloons [l]", {"volume": BLUE})
        self._plots = (self._cost, self._energy, self._strain, self._pressure, self._volume)

    def show(self, snapshot: Snapshot, world: World, budget: float) -> None:
        """Take an instant in; the page gets plots a few times a second."""
        frame = snapshot.frame
        if self._times and frame.time <= self._times[-1]:
            self.forget()
        self._times.append(frame.time)
        greatest, mean = strains(world, frame)
        moving, height = energies(world, frame)
        self._cost.add(cost=min(snapshot.last_ms, SHOWN * budget), budget=budget)
        self._energy.add(moving=moving, height=height)
        self._strain.add(greatest=100.0 * greatest, mean=100.0 * mean)
        gases = gas(world, frame)
        for plot in (self._pressure, self._volume):
            plot.shown(bool(gases))
        for plot in (self._energy, self._strain):
            plot.shown(bool(world.parts))
        self._pressure.add(pressure=max((over for over, _ in gases), default=0.0))
        self._volume.add(volume=1e3 * sum(volume for _, volume in gases))
        self._calls += 1
        if self._calls % EVERY == 0 and len(self._times) > 2:
            times = np.array(self._times)
            for plot in self._plots:
                plot.draw(times)

    def forget(self) -> None:
        """Another scene, or another time."""
        self._times.clear()
        for plot in self._plots:
            for row in plot.rows.values():
                row.clear()


def gas(world: World, frame: Frame) -> list[tuple[float, float]]:
    """(overpressure [Pa], volume [m^3]) of each balloon."""
    found = []
    for name, part in world.parts.items():
        if name in frame.parts and part.has(Volumes):
            outside = float(part.table(Volumes).pressure[0])
            found.append((float(frame[name].pressure) - outside, float(frame[name].volume)))
    return found


def strains(world: World, frame: Frame) -> tuple[float, float]:
    """(greatest, mean) of all structural edges."""
    found = [
        (*structural_strain(part, frame[name].points), len(part.mass))
        for name, part in world.parts.items()
        if name in frame.parts and len(frame[name].points) == len(part.mass)
    ]
    total = sum(count for _, _, count in found)
    mean = sum(mean * count for _, mean, count in found) / max(total, 1)
    return max((greatest for greatest, _, _ in found), default=0.0), mean


def energies(world: World, frame: Frame) -> tuple[float, float]:
    """(kinetic, gravitational) [J]; heights count from the origin."""
    pull = sum((np.array(f.acceleration) for f in world.fields if isinstance(f, Gravity)), np.zeros(3))
    moving = height = 0.0
    for name, part in world.parts.items():
        seen = frame.parts.get(name)
        if seen is None:
            continue
        points, velocities = np.asarray(seen.points, float), np.asarray(seen.velocities, float)
        if "poses" in seen.quantities:
            points = np.array([pose.position for pose in seen.quantities["poses"]], float)
            velocities = velocities[:0]
        if len(points) == len(part.mass):
            height -= float(part.mass @ (points @ pull))
        if len(velocities) == len(part.mass):
            moving += 0.5 * float(part.mass @ np.einsum("ij,ij->i", velocities, velocities))
    return moving, height
