"""Radial push of garments that are star-shaped about an axis: skirts, and dresses below the waist.

A closest-point push tunnels where a limb swings far into a skirt, so such garments are first pushed outward along rays
from their axis, beyond the farthest part of the body that each ray meets.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.push import ROOM
from pliant.filters.draping.smooth import Smoother
from pliant.filters.draping.wear import Wear
from pliant.geometry.rigged import Rigged
from pliant.kernels import kernel

TURNS, RINGS = 72, 48  # bins around and along the axis
TALL = 1.5  # [m] along the axis that the bins cover, from below the hem
WIDE = 0.45  # [m] parts of the body farther from the axis are not beneath the garment
MARGIN = 0.006  # [m] of the push
FULL = 0.3, 0.7  # share of the axis' bone between which a point begins to be pushed


class Bins(NamedTuple):
    """Triangles of the body by direction and height, as linked lists, in the frame of the axis."""

    place: Array  # (b, 3) body points: along x, along the axis, along z of the axis' frame
    head: Array  # (RINGS, TURNS) int32 first link of each bin
    link: Array  # (l, 2) int32 triangle and next link


class Rays:
    """Radial push of one garment."""

    def __init__(self, wear: Wear, body: Rigged, smoother: Smoother) -> None:
        rest, low = wear.mesh.points, float(wear.mesh.points[:, 1].min())
        lowest = rest[:, 1] < low + 0.3 * np.ptp(rest[:, 1])
        total = np.bincount(wear.mesh.bones[lowest].ravel(), wear.mesh.weights[lowest].ravel())
        self.bone = int(np.argmax(total))
        self._foot = np.array([rest[lowest, 0].mean(), low - 0.2 * TALL, rest[lowest, 2].mean()])
        share = np.where(wear.mesh.bones == self.bone, wear.mesh.weights, 0.0).sum(axis=1)
        t = np.clip((share - FULL[0]) / (FULL[1] - FULL[0]), 0.0, 1.0)
        self._share = t * t * (3.0 - 2.0 * t)
        passed = np.where(np.isin(body.bones, wear.free_bones), body.weights, 0.0).sum(axis=1)
        self._triangles = np.ascontiguousarray(body.triangles[(passed[body.triangles] < 0.5).all(axis=1)])
        self._bins = Bins(
            np.empty((len(body.points), 3)),
            np.empty((RINGS, TURNS), np.int32),
            np.empty((16 * len(self._triangles) + 1, 2), np.int32),
        )
        self._smoother = smoother
        self._frame = np.empty((4, 3))
        self._short, self._away = np.empty((len(rest), 1)), np.empty((len(rest), 3))

    def push(self, x: Array, body: Array, matrices: Array) -> None:
        """Outward, past the posed body."""
        turn = matrices[self.bone][:, :3]
        foot = turn @ self._foot + matrices[self.bone][:, 3]
        self._frame[:] = np.concatenate([turn.T, foot[None]])  # rows: across, along, ahead, foot
        sort_in(body, self._triangles, self._frame, self._bins)
        self.again(x)

    def again(self, x: Array) -> None:
        """Four rounds, each spread over the smoother's length but the last, past the body of the last `push`."""
        for round_ in range(4):
            if shortfall(x, self._frame, self._triangles, self._bins, self._share, self._short, self._away) <= ROOM:
                return
            wide = np.maximum(1.3 * self._smoother(self._short), self._short) if round_ < 3 else self._short
            x += wide * self._away


@kernel
def _local(p, frame):
    x, y, z = p[0] - frame[3, 0], p[1] - frame[3, 1], p[2] - frame[3, 2]
    return (
        frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z,
        frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z,
        frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z,
    )


@kernel
def _turn(a, c):
    """Direction about the axis, in bins."""
    return (np.arctan2(c, a) / (2.0 * np.pi) + 0.5) * TURNS


@kernel
def _ring(b):
    return min(max(int(np.floor(b / TALL * RINGS)), 0), RINGS - 1)


@kernel
def sort_in(body, triangles, frame, bins):
    """Every triangle into all bins it may reach; one around the axis itself into all turns of its rings."""
    place, head, link = bins.place, bins.head, bins.link
    head[:] = -1
    turn = np.empty(len(body))
    for i in range(len(body)):
        place[i, 0], place[i, 1], place[i, 2] = _local(body[i], frame)
        turn[i] = _turn(place[i, 0], place[i, 2])
    used = 0
    for f in range(len(triangles)):
        i, j, k = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        low = min(place[i, 1], place[j, 1], place[k, 1])
        high = max(place[i, 1], place[j, 1], place[k, 1])
        if low > TALL or high < 0.0:
            continue
        first = turn[i]
        d1, d2 = _short_way(turn[j] - first), _short_way(turn[k] - first)
        left, right = min(0.0, d1, d2), max(0.0, d1, d2)
        t0, t1 = int(np.floor(first + left)), int(np.floor(first + right))
        if right - left > TURNS / 4:
            t0, t1 = 0, TURNS - 1
        for ring in range(_ring(low), _ring(high) + 1):
            for t in range(t0, t1 + 1):
                if used < len(link):
                    link[used, 0], link[used, 1] = f, head[ring, t % TURNS]
                    head[ring, t % TURNS] = used
                    used += 1


@kernel
def _short_way(difference):
    return difference - TURNS * np.round(difference / TURNS)


@kernel
def _farthest(a, b, c, triangles, bins):
    """Distance from the axis at which the ray through the unit (a, c) at height b leaves the body; 0 if never."""
    place = bins.place
    most = 0.0
    at = bins.head[_ring(b), int(_turn(a, c)) % TURNS]
    while at >= 0:
        f, at = bins.link[at, 0], bins.link[at, 1]
        p, q, r = place[triangles[f, 0]], place[triangles[f, 1]], place[triangles[f, 2]]
        # Moeller and Trumbore 1997
        ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        vx, vy, vz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        hx, hy, hz = -c * vy, c * vx - a * vz, a * vy  # (a, 0, c) x v
        flat = ux * hx + uy * hy + uz * hz
        if abs(flat) < 1e-14:
            continue
        sx, sy, sz = -p[0], b - p[1], -p[2]
        s = (sx * hx + sy * hy + sz * hz) / flat
        qx, qy, qz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
        w = (a * qx + c * qz) / flat
        if s < -1e-9 or w < -1e-9 or s + w > 1.0 + 1e-9:
            continue
        t = (vx * qx + vy * qy + vz * qz) / flat
        if most < t < WIDE:
            most = t
    return most


@kernel
def shortfall(x, frame, triangles, bins, share, short, away):
    """How far each point is inside the radius it needs, and its direction from the axis; the largest of them."""
    most = 0.0
    for i in range(len(x)):
        short[i, 0] = 0.0
        a, b, c = _local(x[i], frame)
        r = max(np.sqrt(a * a + c * c), 1e-9)
        for k in range(3):
            away[i, k] = (a * frame[0, k] + c * frame[2, k]) / r
        if share[i] == 0.0 or b < 0.0 or b > TALL:
            continue
        radius = _farthest(a / r, b, c / r, triangles, bins)
        if radius > 0.0:
            short[i, 0] = share[i] * max(radius + MARGIN - r, 0.0)
            most = max(most, short[i, 0])
    return most
