"""SVG plot of joint angles over time: a panel per joint, a curve per puppet. Only those that move most are drawn."""

from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FormatError
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside
from pliant.sinks.joint_angles import joint_angles
from pliant.world import Frame, World

PANELS = 6
WIDTH, HEIGHT, GAP = 360, 170, 46  # of a panel [px]
COLORS = ("#c0392b", "#2464a8", "#2e8b57", "#8e44ad", "#b9770e", "#444444")


class Svg(Sink):
    """`pliant run puppet_damping --out angles.svg`."""

    suffixes = (".svg",)
    summary = "plot of a puppet's joint angles over time"

    def __init__(self, target: str | Path, world: World, *, fps: float = 60.0, **options: Any) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._file = Beside(self.target)
        self._times: list[float] = []
        self._curves: dict[tuple[str, str], list[float]] = {}  # (joint, part)

    def write(self, frame: Frame) -> None:
        self._times.append(frame.time)
        for name, part in frame.items():
            for joint, angle in joint_angles(part, self.world.parts.get(name)).items():
                self._curves.setdefault((joint, name), []).append(angle)
        if not self._curves:
            raise FormatError(f"{self.target}: no part of the scene has joints; this plot is for puppets, use .csv")

    def close(self) -> None:
        self._file.write(_drawn(np.array(self._times), self._curves).encode())
        self._file.keep()

    def abandon(self) -> None:
        self._file.discard()


def _drawn(times: np.ndarray, curves: dict[tuple[str, str], list[float]]) -> str:
    reach: dict[str, float] = {}
    for (joint, _), angles in curves.items():
        reach[joint] = max(reach.get(joint, 0.0), float(np.ptp(angles)))
    chosen = sorted(reach, key=lambda joint: (-reach[joint], joint))[:PANELS]
    parts = list(dict.fromkeys(part for _, part in curves))
    columns, rows = min(len(chosen), 2), -(-len(chosen) // 2)
    wide, high = columns * (WIDTH + GAP) + GAP, rows * (HEIGHT + GAP) + GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" font-family="sans-serif" '
        f'font-size="11">',
        f'<rect width="{wide}" height="{high}" fill="white"/>',
    ]
    for n, part in enumerate(parts):
        x = GAP + 130 * n
        lines.append(f'<line x1="{x}" y1="16" x2="{x + 18}" y2="16" stroke="{_color(n)}" stroke-width="2"/>')
        lines.append(f'<text x="{x + 24}" y="20">{escape(part)}</text>')
    for k, joint in enumerate(chosen):
        place = (GAP + (k % columns) * (WIDTH + GAP), GAP + (k // columns) * (HEIGHT + GAP))
        own = {part: np.array(curves[joint, part]) for part in parts if (joint, part) in curves}
        lines += _panel(place, joint, times, own, parts)
    return "\n".join([*lines, "</svg>", ""])


def _color(n: int) -> str:
    return COLORS[n % len(COLORS)]


def _panel(
    place: tuple[int, int], joint: str, times: np.ndarray, curves: dict[str, np.ndarray], parts: list[str]
) -> list[str]:
    """One joint: frame, ticks and a polyline per puppet."""
    x0, y0 = place
    top = max(10.0 * np.ceil(max(float(c.max()) for c in curves.values()) / 10.0), 10.0)
    end = max(float(times[-1]), 1e-9)
    lines = [
        f'<rect x="{x0}" y="{y0}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#bbb"/>',
        f'<text x="{x0 + 6}" y="{y0 + 14}" font-weight="bold">{escape(joint)}</text>',
        f'<text x="{x0 - 4}" y="{y0 + 10}" text-anchor="end">{top:g}°</text>',
        f'<text x="{x0 - 4}" y="{y0 + HEIGHT}" text-anchor="end">0°</text>',
        f'<text x="{x0 + WIDTH}" y="{y0 + HEIGHT + 13}" text-anchor="end">{end:.3g} s</text>',
    ]
    for part, angles in curves.items():
        x = x0 + WIDTH * times[: len(angles)] / end
        y = y0 + HEIGHT * (1.0 - angles / top)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        color = _color(parts.index(part))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.6"/>')
    return lines
