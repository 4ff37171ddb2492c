"""Garment points out of the body: rounds of pushes along the shortest way, each spread over the neighbourhood.

A closest-point push tunnels where a limb swings far into a skirt, so garments that are star-shaped about an axis are
first pushed outward along rays from it, beyond the farthest part of the body in that direction.
"""

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.beneath import Answer, Beneath
from pliant.filters.draping.smooth import Smoother
from pliant.filters.draping.wear import Wear
from pliant.geometry.rigged import Rigged
from pliant.kernels import kernel

ROUNDS = 3
ROOM = 1e-6  # [m] more than asked for, so that rounding leaves no point short
TURNS, RINGS = 72, 96  # cells of the table of radii, around and along the axis
TALLEST = 1.5  # [m] of a garment that is pushed radially
WIDEST = 0.45  # [m] parts of the body farther from the axis are not beneath the garment
RAYS = 0.006  # [m] margin of a radial push


def ask(x: Array, beneath: list[Beneath], answer: Answer, exact: float, hints: list[Array]) -> None:
    """Distances from the nearest of several surfaces."""
    answer.clear()
    for surface, hint in zip(beneath, hints, strict=True):
        surface.ask(x, answer, hint, exact)


@kernel
def need(distance, outward, gap, out):
    """out = max(gap - d, 0) n; the largest of them."""
    most = 0.0
    for i in range(len(distance)):
        short = max(gap - distance[i], 0.0)
        most = max(most, short)
        for k in range(3):
            out[i, k] = short * outward[i, k]
    return most


@kernel
def spread(x, wanted, smooth, distance, outward, gap):
    """Move by the smoothed push, and by at least six tenths of what it leaves undone."""
    for i in range(len(x)):
        along = 0.0
        for k in range(3):
            along += smooth[i, k] * outward[i, k]
        rest = 0.6 * max(max(gap - distance[i], 0.0) - max(along, 0.0), 0.0)
        for k in range(3):
            x[i, k] += smooth[i, k] + rest * outward[i, k]


def correct(
    x: Array, beneath: list[Beneath], answer: Answer, hints: list[Array], smoother: Smoother, gap: float, exact: float
) -> None:
    """Push in place to at least `gap`; leaves the distances of the result in `answer`."""
    wanted = np.empty_like(x)
    for turn in range(ROUNDS):
        ask(x, beneath, answer, exact, hints)
        if need(answer.distance, answer.outward, gap, wanted) <= ROOM:
            return
        if turn < ROUNDS - 1:
            spread(x, wanted, smoother(wanted), answer.distance, answer.outward, gap)
        else:
            need(answer.distance, answer.outward, gap + ROOM, wanted)
            x += wanted
    ask(x, beneath, answer, exact, hints)


class Rays:
    """Radial push of one garment: a table of the body's radius around and along the garment's axis."""

    def __init__(self, wear: Wear, body: Rigged, smoother: Smoother) -> None:
        rest, low = wear.mesh.points, wear.mesh.points[:, 1].min()
        lowest = rest[:, 1] < low + 0.3 * np.ptp(rest[:, 1])
        total = np.bincount(wear.mesh.bones[lowest].ravel(), wear.mesh.weights[lowest].ravel())
        self.bone = int(np.argmax(total))
        self._foot = np.array([rest[:, 0].mean(), low, rest[:, 2].mean()])
        share = np.where(wear.mesh.bones == self.bone, wear.mesh.weights, 0.0).sum(axis=1)
        t = np.clip((share - 0.3) / 0.4, 0.0, 1.0)
        self._share = t * t * (3.0 - 2.0 * t)
        passed = np.isin(body.bones, wear.free_bones)
        self._asked = np.where(passed, body.weights, 0.0).sum(axis=1) < 0.5
        self._table = np.zeros((RINGS, TURNS))
        self._smoother = smoother
        self._short = np.empty((len(rest), 1))
        self._away = np.empty((len(rest), 3))

    def push(self, x: Array, body: Array, matrices: Array) -> None:
        """Four rounds, spread over 5 cm, the last one hard."""
        turn = matrices[self.bone][:, :3]
        foot = turn @ self._foot + matrices[self.bone][:, 3]
        frame = np.concatenate([turn.T, foot[None]])  # rows: across, along, ahead, foot
        radii(body, self._asked, frame, self._table)
        for round_ in range(4):
            most = shortfall(x, frame, self._table, self._share, self._short, self._away)
            if most <= ROOM:
                return
            wide = np.maximum(1.3 * self._smoother(self._short), self._short) if round_ < 3 else self._short
            x += wide * self._away


@kernel
def radii(body, asked, frame, table):
    """Largest radius of the body in each cell, then of each cell and its neighbours."""
    raw = np.zeros_like(table)
    rings, turns = table.shape
    for i in range(len(body)):
        if not asked[i]:
            continue
        a, b, c = _local(body[i], frame)
        r = np.sqrt(a * a + c * c)
        ring = int(np.floor(b / TALLEST * rings))
        if r > WIDEST or ring < 0 or ring >= rings:
            continue
        turn = int((np.arctan2(c, a) / (2.0 * np.pi) + 0.5) * turns) % turns
        raw[ring, turn] = max(raw[ring, turn], r)
    for ring in range(rings):
        for turn in range(turns):
            most = 0.0
            for p in range(max(ring - 1, 0), min(ring + 2, rings)):
                for q in range(-1, 2):
                    most = max(most, raw[p, (turn + q) % turns])
            table[ring, turn] = most


@kernel
def _local(p, frame):
    x, y, z = p[0] - frame[3, 0], p[1] - frame[3, 1], p[2] - frame[3, 2]
    return (
        frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z,
        frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z,
        frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z,
    )


@kernel
def shortfall(x, frame, table, share, short, away):
    """How far each point is inside the radius it needs, and its direction from the axis; the largest of them."""
    rings, turns = table.shape
    most = 0.0
    for i in range(len(x)):
        a, b, c = _local(x[i], frame)
        r = max(np.sqrt(a * a + c * c), 1e-9)
        ring = min(max(int(np.floor(b / TALLEST * rings)), 0), rings - 1)
        turn = int((np.arctan2(c, a) / (2.0 * np.pi) + 0.5) * turns) % turns
        radius = table[ring, turn]
        short[i, 0] = share[i] * max(radius + RAYS - r, 0.0) if radius > 0.0 else 0.0
        most = max(most, short[i, 0])
        for k in range(3):
            away[i, k] = (a * frame[0, k] + c * frame[2, k]) / r
    return most
