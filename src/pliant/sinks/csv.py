"""CSV of metrics: a row per frame, columns `part.quantity`, for a spreadsheet or a plot.

Strain is (length - rest) / rest over the structural edges of parts with springs; kinetic energy is of the particles'
centres of mass (spin is left out); the angle of a puppet's joint is its turn away from rest [deg]; a quantity that a
part's frame carries as one number (pressure, volume …) is a column of its own.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np

from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside
from pliant.sinks.joint_angles import joint_angles
from pliant.world import Frame, Part, PartFrame, Springs, World, structural


class Csv(Sink):
    """`frame,time,flag.max_strain,…`; numbers with nine digits, an empty cell where one is not finite."""

    suffixes = (".csv",)
    summary = "metrics per frame: strain, kinetic energy, volume, pressure, joint angles"

    def __init__(self, target: str | Path, world: World, *, fps: float = 60.0, **options: Any) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._file = Beside(self.target)
        self._columns: list[str] = []

    def write(self, frame: Frame) -> None:
        row: dict[str, float] = {"frame": frame.index, "time": frame.time}
        for name, part in frame.items():
            known = self.world.parts.get(name)
            row |= {f"{name}.{key}": value for key, value in _metrics(part, known).items()}
        if not self._columns:
            self._columns = list(row)
            self._file.write((",".join(map(_quoted, row)) + "\n").encode())
        cells = [_number(row[column]) if column in row else "" for column in self._columns]
        self._file.write((",".join(cells) + "\n").encode())

    def close(self) -> None:
        self._file.keep()

    def abandon(self) -> None:
        self._file.discard()


def _metrics(part: PartFrame, known: Part | None) -> dict[str, float]:
    found: dict[str, float] = {}
    if known is not None and known.has(Springs):
        springs = known.table(Springs)
        rows = structural(springs)
        ends = springs.ends[rows]
        if len(rows):
            points = part.points.astype(np.float64)
            length = np.linalg.norm(points[ends[:, 1]] - points[ends[:, 0]], axis=1)
            strain = (length - springs.rest_length[rows]) / springs.rest_length[rows]
            found |= {"max_strain": float(strain.max()), "mean_strain": float(strain.mean())}
    if known is not None and len(known.mass) == len(part.velocities):
        speed = np.einsum("ij,ij->i", part.velocities, part.velocities, dtype=np.float64)
        found["kinetic_energy"] = float(0.5 * known.mass @ speed)
    found |= {f"angle_{joint}": angle for joint, angle in joint_angles(part, known).items()}
    for key, value in sorted(part.quantities.items()):
        if np.isscalar(value) and not isinstance(value, str | bytes):
            found[key] = float(value)  # type: ignore[arg-type]
    return found


def _number(value: float) -> str:
    return f"{value:.9g}" if math.isfinite(value) else ""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(mark in name for mark in ',"\n') else name
