"""Any closed mesh in the way: rigid and moving, or changing its shape, without a new field per frame.

A tree of boxes is refitted when the mesh moves. Each row remembers its last distance and where it was then: as long as
it and the surface together have moved less, nothing is asked, and when something is, the search is as narrow as that.
The answers are exact, so the memory changes no bit.
"""

import math
from typing import Any

import numpy as np

from pliant.arrays import Array, as_points, as_triangles, frozen
from pliant.colliders.base import BoundCollider, Collider
from pliant.colliders.contact import ESCAPE_SPEED, push_out
from pliant.colliders.solid import about
from pliant.description import Vec3, quantity
from pliant.errors import SceneError
from pliant.geometry.surface import boundary_edges, enclosed_volume
from pliant.kernels import heavy, inline, kernel, lean, span
from pliant.kernels.closest import less, row
from pliant.kernels.tree import closest, refit, surface_normal, tree_of
from pliant.world import Part, Rows, World


class MeshCollider(Collider):
    """A closed triangle mesh, its triangles facing outward."""

    points: Any = quantity(unit="m", help="(n, 3) points of the closed mesh")
    triangles: Any = quantity(help="(m, 3) indices into points, facing outward")
    friction: float = quantity(0.4, low=0.0, high=10.0, slider=(0, 2), help="Coulomb friction of the surface")
    motion: Any = quantity(None, help="A Motion that carries the mesh; none: it stays")
    spin: Vec3 = quantity((0.0, 0.0, 0.0), unit="rad/s", slider=(-10, 10), help="How it turns about its middle")
    deform: Any = quantity(None, help="A function of time [s] that gives the (n, 3) points of a body in motion")

    def model_post_init(self, context: object) -> None:
        points = as_points(self.points, name="MeshCollider.points")
        triangles = as_triangles(self.triangles, count=len(points), name="MeshCollider.triangles")
        self._refuse_open(points, triangles)
        object.__setattr__(self, "points", frozen(points))
        object.__setattr__(self, "triangles", frozen(triangles))

    def _refuse_open(self, points: Array, triangles: Array) -> None:
        border = boundary_edges(triangles)
        if len(border):
            raise SceneError(
                f"MeshCollider.triangles: the mesh is open ({len(border)} border edges, one at point {border[0][0]}); "
                f"close it (`pliant check FILE --fix OUT`)"
            )
        volume = enclosed_volume(points, triangles)
        if volume <= 0.0:
            raise SceneError(f"MeshCollider.triangles enclose {volume:.3g} m^3; turn them to face outward")

    @classmethod
    def example(cls) -> "MeshCollider":
        points = 0.4 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
        faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
        return cls(points=points, triangles=faces)

    def bind(self, world: World, part: Part) -> BoundCollider:
        return _Mesh(self, part)

    @property
    def moves(self) -> bool:
        return self.motion is not None or any(self.spin) or self.deform is not None

    def points_at(self, time: float) -> Array:
        """(n, 3) [m] where its points are."""
        points = np.asarray(self.points if self.deform is None else self.deform(time), float)
        angle = float(np.linalg.norm(self.spin)) * time
        if angle != 0.0:
            middle = np.asarray(self.points).mean(axis=0)
            points = (points - middle) @ about(np.array(self.spin), angle).T + middle
        return points if self.motion is None else np.asarray(points + self.motion.offset(time))

    def signed_distance(self, points: Array) -> tuple[Array, Array]:
        """(distance (n,) [m], outward normal (n, 3)) at any points, as the mesh stands at the start."""
        phi, normal = np.empty(len(points)), np.empty((len(points), 3))
        tree = tree_of(self.points, self.triangles)
        _distances(np.ascontiguousarray(points, dtype=float), tree, np.zeros(64, np.int64), phi, normal)
        return phi, normal


class BodyCollider(MeshCollider):
    """A skinned body that moves. It may be open at a neck or an eye: near its border, inside means behind the skin."""

    def _refuse_open(self, points: Array, triangles: Array) -> None:
        pass


class _Mesh(BoundCollider):
    def __init__(self, of: MeshCollider, part: Part) -> None:
        self._of, count = of, len(part.mass)
        self._tree = tree_of(of.points, of.triangles)
        self._before = self._tree.points.copy()
        self._limits = np.array([part.thickness, math.sqrt(of.friction * part.friction), ESCAPE_SPEED])
        # distance at the last asking, where the row was, and how far the surface had gone by then
        self._known = np.zeros((count, 5))
        self._known[:, 4] = -np.inf
        self._stack = np.zeros((count, 64), np.int64)
        self._path = 0.0
        self._moves = of.moves
        self._time = 0.0
        self._span = (0.0, 0.0)  # [s] the frame, and where the points of a body are at its ends
        self._from = self._to = self._tree.points

    def begin_frame(self, rows: Rows, time: float, frame_step: float) -> None:
        """A body is posed once per frame; within it its points go straight."""
        if self._of.deform is None:
            return
        self._from = self._to if time == self._span[1] else self._of.points_at(time)
        self._to = self._of.points_at(time + frame_step)
        self._span = (time, time + frame_step)

    def begin(self, time: float, h: float) -> None:
        if not self._moves:
            return
        if time != self._time:  # a rewound or resumed run
            self._tree.points[:] = self._points_at(time)
        self._before[:] = self._tree.points
        self._tree.points[:] = self._points_at(time + h)
        self._path += float(_farthest(self._tree.points, self._before))
        self._time = time + h
        refit(self._tree)

    def _points_at(self, time: float) -> Array:
        first, last = self._span
        if self._of.deform is None or last == first:
            return self._of.points_at(time)
        return self._from + (time - first) / (last - first) * (self._to - self._from)

    def resolve(self, rows: Rows, previous: Array, h: float) -> None:
        tree, moved = self._tree, (self._before if self._moves else self._tree.points)
        row_memory = (self._known, self._stack)
        _resolve(rows.position, previous, rows.inverse_mass, tree, moved, row_memory, self._limits, self._path, h)


@heavy
def _resolve(x, previous, w, tree, before, memory, limits, path, h):
    known, stack = memory
    for i in span(x.shape[0]):
        if w[i] == 0.0:
            continue
        dx, dy, dz = x[i, 0] - known[i, 1], x[i, 1] - known[i, 2], x[i, 2] - known[i, 3]
        moved = math.sqrt(dx * dx + dy * dy + dz * dz) + path - known[i, 4]
        if known[i, 0] - moved > limits[0]:
            continue
        _meet(x, previous, i, tree, before, known, stack[i], limits, moved, path, h)


@kernel
def _farthest(x, y):
    """The longest way from a row of x to that of y."""
    most = 0.0
    for i in range(x.shape[0]):
        dx, dy, dz = x[i, 0] - y[i, 0], x[i, 1] - y[i, 1], x[i, 2] - y[i, 2]
        most = max(most, dx * dx + dy * dy + dz * dz)
    return math.sqrt(most)


@lean
def _meet(x, previous, i, tree, before, known, stack, limits, moved, path, h):
    """Ask for the distance of row i, and push it out if it is too near."""
    p = (x[i, 0], x[i, 1], x[i, 2])
    phi, t, w = closest(tree, p, abs(known[i, 0]) + moved + 1e-9, stack)
    known[i, 0], known[i, 1], known[i, 2], known[i, 3], known[i, 4] = phi, p[0], p[1], p[2], path
    depth = limits[0] - phi
    if depth <= 0.0:
        return
    nx, ny, nz, sx, sy, sz = _outward(tree, before, p, phi, t, w)
    # how deep it was at the start of the substep, in the surface's own frame
    inward = (previous[i, 0] + sx - p[0]) * nx + (previous[i, 1] + sy - p[1]) * ny + (previous[i, 2] + sz - p[2]) * nz
    deep = max(0.0, depth - inward)
    depth = min(depth, max(0.0, depth - deep + limits[2] * h))
    push_out(x, previous, i, depth, nx, ny, nz, limits[1], sx, sy, sz)


@lean
def _outward(tree, before, p, phi, t, w):
    """Unit normal that leads out, and the surface's own motion of the substep at its closest point."""
    i, j, k = tree.triangles[t, 0], tree.triangles[t, 1], tree.triangles[t, 2]
    q = _mix(w, row(tree.points, i), row(tree.points, j), row(tree.points, k))
    s = less(q, _mix(w, row(before, i), row(before, j), row(before, k)))
    if abs(phi) > 1e-9:
        return (p[0] - q[0]) / phi, (p[1] - q[1]) / phi, (p[2] - q[2]) / phi, s[0], s[1], s[2]
    n = surface_normal(tree, t, w)
    length = max(math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2), 1e-30)
    return n[0] / length, n[1] / length, n[2] / length, s[0], s[1], s[2]


@inline
def _mix(w, a, b, c):
    return (
        w[0] * a[0] + w[1] * b[0] + w[2] * c[0],
        w[0] * a[1] + w[1] * b[1] + w[2] * c[1],
        w[0] * a[2] + w[1] * b[2] + w[2] * c[2],
    )


@kernel
def _distances(points, tree, stack, phi, normal):
    for i in range(points.shape[0]):
        p = (points[i, 0], points[i, 1], points[i, 2])
        phi[i], t, w = closest(tree, p, 1e30, stack)
        normal[i, 0], normal[i, 1], normal[i, 2], _, _, _ = _outward(tree, tree.points, p, phi[i], t, w)
