"""Meshes in a puppet's way, as its solver sees them: a plane before every ball of a segment that is near one.

Balls stand along the capsule of each segment. Before a call of the solver the closest point of any mesh is found for
each, and the plane there stands for the mesh: exact where it is touched, and renewed with every call.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.colliders import MeshCollider
from pliant.kernels import kernel
from pliant.kernels.tree import Tree, closest, refit, surface_normal, tree_of
from pliant.kernels.vectors import add, along, get3, get4, norm, put3, scale, sub, turn
from pliant.world import Part, Rows, World

SPACING = 1.5  # radii between balls
SAMPLES = 120.0  # [1/s] a body in motion is posed so often, and goes straight between
REACH = 0.5  # [m] beyond the ball's own radius: what is farther is met by no call
NORMAL, PLACE, GOING, MU, NEAR, SPAN = 0, 3, 6, 9, 10, 11  # columns of a plane
COLUMNS = 12


class Balls(NamedTuple):
    """Balls along the capsules of a part's segments, and the planes before them."""

    start: Array  # (s + 1,) first ball of each segment
    at: Array  # (b, 4) [m] centre in the segment's axes, and radius
    owner: Array  # (b,) segment
    plane: Array  # (b, 12) outward normal, a point of it at the start [m] and its velocity [m/s], friction, distance
    #               of the ball [m] (inf: there is none), duration of the call [s]


def balls_of(part: Part, *, wanted: bool) -> Balls:
    """None at all where no mesh is in the way."""
    capsules = np.asarray(part.extra["capsules"], float) if wanted and "capsules" in part.extra else np.zeros((0, 7))
    rows, counts = [], []
    for capsule in capsules:
        a, b, radius = capsule[:3], capsule[3:6], float(capsule[6])
        count = 1 + math.ceil(float(np.linalg.norm(b - a)) / (SPACING * radius))
        share = np.linspace(0.0, 1.0, count)[:, None] if count > 1 else np.full((1, 1), 0.5)
        rows.append(np.concatenate([a + share * (b - a), np.full((count, 1), radius)], axis=1))
        counts.append(count)
    at = np.concatenate(rows) if rows else np.zeros((0, 4))
    start = np.zeros(len(part.inertia) + 1, np.int64)
    start[1 : len(counts) + 1] = np.cumsum(np.array(counts, np.int64))
    owner = np.repeat(np.arange(len(counts)), np.array(counts, np.int64))
    return Balls(start, at, owner, np.zeros((len(at), COLUMNS)))


class Bodies:
    """All meshes of a world, for one puppet."""

    def __init__(self, world: World | None, part: Part) -> None:
        listed = world.colliders if world is not None and bool(part.extra.get("contact", True)) else ()
        self._meshes = [_Mesh(c, part) for c in listed if isinstance(c, MeshCollider)]
        self.balls = balls_of(part, wanted=bool(self._meshes))
        self._stack = np.zeros(64, np.int64)

    def look(self, rows: Rows, time: float, h: float) -> None:
        """The planes for a call from `time` on, of `h` [s], by where the segments are now."""
        self.balls.plane[:, NEAR], self.balls.plane[:, SPAN] = np.inf, h
        for mesh in self._meshes:
            mesh.move(time, h)
            mix = (mesh.friction, 1.0 / h)
            _look(mesh.tree, mesh.after, mix, self.balls, rows.position, rows.rotation_xyzw, self._stack)


class _Mesh:
    def __init__(self, of: MeshCollider, part: Part) -> None:
        self._of, self._time = of, 0.0
        self.tree: Tree = tree_of(of.points, of.triangles)
        self.friction = math.sqrt(of.friction * part.friction)
        self.after = self.tree.points  # where they are at the end of the call
        self._poses: dict[int, Array] = {}

    def move(self, time: float, h: float) -> None:
        """The tree stands as at `time` [s]."""
        if not self._of.moves:
            return
        self.tree.points[:] = self.after if time == self._time else self._points_at(time)
        self.after, self._time = self._points_at(time + h), time + h
        refit(self.tree)

    def _points_at(self, time: float) -> Array:
        if self._of.deform is None:
            return self._of.points_at(time)
        k = math.floor(time * SAMPLES + 1e-9)
        self._poses = {n: self._poses.get(n, self._of.points_at(n / SAMPLES)) for n in (k, k + 1)}
        return self._poses[k] + (time * SAMPLES - k) * (self._poses[k + 1] - self._poses[k])


@kernel
def _look(tree, after, mix, balls, position, rotation, stack):
    plane, (friction, rate) = balls.plane, mix
    for c in range(balls.at.shape[0]):
        s, radius = balls.owner[c], balls.at[c, 3]
        p = add(get3(position, s, 0), turn(get4(rotation, s, 0), get3(balls.at, c, 0)))
        phi, t, w = closest(tree, p, min(abs(plane[c, NEAR]), REACH) + radius, stack)
        if t < 0 or phi - radius >= plane[c, NEAR]:
            continue
        q, there = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for k in range(3):
            q = along(q, w[k], get3(tree.points, tree.triangles[t, k], 0))
            there = along(there, w[k], get3(after, tree.triangles[t, k], 0))
        n = scale(1.0 / phi, sub(p, q)) if abs(phi) > 1e-6 else surface_normal(tree, t, w)
        put3(plane, c, NORMAL, scale(1.0 / max(norm(n), 1e-30), n))
        put3(plane, c, PLACE, q)
        put3(plane, c, GOING, scale(rate, sub(there, q)))
        plane[c, MU], plane[c, NEAR] = friction, phi - radius
