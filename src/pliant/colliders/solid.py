"""Simple solids in the way, all of them in one pass over a part's rows.

The first solid of a scene, when it is bound to a part, binds them all. A row that moves farther in a substep than a
solid is thick is followed along its way (marching by distance), so that it is stopped at the side it came from.
"""

import math
from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array, Vector
from pliant.colliders.base import BoundCollider, Collider
from pliant.colliders.contact import ESCAPE_SPEED, push_out
from pliant.description import Vec3, quantity
from pliant.errors import SceneError
from pliant.kernels import inner, lean, span, sweep
from pliant.kernels.closest import row
from pliant.kernels.shapes import Shapes, distances, signed_distance
from pliant.world import Part, Rows, World


class Solid(Collider):
    """A solid that stands, is carried along a Motion, or turns about its centre."""

    friction: float = quantity(0.4, low=0.0, high=10.0, slider=(0, 2), help="Coulomb friction of the surface")
    motion: Any = quantity(None, help="A Motion that carries the solid; none: it stays")
    spin: Vec3 = quantity((0.0, 0.0, 0.0), unit="rad/s", slider=(-10, 10), help="How it turns about its centre")

    @abstractmethod
    def shape(self) -> Shapes:
        """One row: the solid at the start."""

    def bind(self, world: World, part: Part) -> BoundCollider:
        solids = tuple(c for c in world.colliders if isinstance(c, Solid))
        if sum(solid is self for solid in solids) > 1:
            raise SceneError(f"Scene.colliders: one {type(self).__name__} stands there twice; name it once")
        if not any(solid is self for solid in solids):
            solids = (self,)
        return _Solids(solids, part) if solids[0] is self else _Passed()

    def signed_distance(self, points: Array) -> tuple[Array, Array]:
        """(distance (n,) [m], outward normal (n, 3)) at any points, as the solid stands at the start."""
        phi, normal = np.empty(len(points)), np.empty((len(points), 3))
        distances(np.ascontiguousarray(points, dtype=float), self.shape(), 0, phi, normal)
        return phi, normal


def one_shape(kind: int, center: Vector, turn: Vector, size: Vector, rounding: float) -> Shapes:
    """A table of one row. `turn` [deg] about x, then y, then z."""
    return Shapes(
        np.array([kind], np.uint8),
        np.array([center], float),
        turned(np.deg2rad(turn))[None].transpose(0, 2, 1).copy(),
        np.array([size], float),
        np.array([rounding], float),
    )


def turned(angles: Array) -> Array:
    """(3, 3) rotation about x, then y, then z by `angles` [rad]; its columns are the turned axes."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


class Pose(NamedTuple):
    """How the solids move within a substep."""

    velocity: Array  # (s, 3) [m/s] of the centre
    spin: Array  # (s, 3) [rad/s]
    girth: Array  # (s,) [m] least half width; a row that moves less cannot pass
    friction: Array  # (s,) with the part's own
    limits: Array  # (2,) thickness of the part [m], speed at which a deep start comes out [m/s]


class _Passed(BoundCollider):
    """A solid that another one resolves."""

    def resolve(self, rows: Rows, previous: Array, h: float) -> None:
        pass


class _Solids(BoundCollider):
    def __init__(self, solids: tuple[Solid, ...], part: Part) -> None:
        shapes = [solid.shape() for solid in solids]
        self._solids = solids
        self._start = Shapes(*(np.concatenate([getattr(s, n) for s in shapes]) for n in Shapes._fields))
        self._shapes = Shapes(*(array.copy() for array in self._start))
        narrow = [s.size[0, :2].min() if s.kind[0] == 2 else s.size[0].min() for s in shapes]
        girth = np.array([np.inf if s.kind[0] == 0 else g + s.rounding[0] for s, g in zip(shapes, narrow, strict=True)])
        self._pose = Pose(
            np.zeros((len(solids), 3)),
            np.array([solid.spin for solid in solids], float),
            girth,
            np.array([math.sqrt(solid.friction * part.friction) for solid in solids]),
            np.array([part.thickness, ESCAPE_SPEED]),
        )
        # where each row last was looked at, and how far it may go from there before it can meet each solid [m]
        self._clear = np.zeros((len(part.mass), 3 + len(solids)))
        self._moving = [k for k, s in enumerate(solids) if s.motion is not None or any(s.spin)]
        self._triangle_free = not len(part.triangles)

    def begin(self, time: float, h: float) -> None:
        self._clear[:, 3:][:, self._moving] = 0.0
        for k in self._moving:
            solid = self._solids[k]
            now, goal = self._offset(solid, time), self._offset(solid, time + h)
            self._pose.velocity[k] = (goal - now) / h
            self._shapes.center[k] = self._start.center[k] + goal
            angle = float(np.linalg.norm(solid.spin)) * (time + h)
            if angle != 0.0:
                self._shapes.axes[k] = self._start.axes[k] @ about(np.array(solid.spin), angle).T

    def _offset(self, solid: Solid, time: float) -> Array:
        return np.zeros(3) if solid.motion is None else np.asarray(solid.motion.offset(time))

    def resolve(self, rows: Rows, previous: Array, h: float) -> None:
        _resolve(rows.position, previous, rows.inverse_mass, self._shapes, self._pose, h, self._clear)


def about(axis: Array, angle: float) -> Array:
    """(3, 3) rotation (Rodrigues)."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross


@sweep
def _resolve(x, previous, w, shapes, pose, h, clear):
    for i in span(x.shape[0]):
        if w[i] > 0.0:
            gone = _way_from(clear, i, x)
            if _near_any(clear, i, max(gone, _way_from(clear, i, previous))):
                _move_on(clear, i, x, gone)
                way = _way_from(clear, i, previous)
                for s in range(shapes.kind.shape[0]):
                    # a distance changes no faster than the place does: within its reach the row meets nothing
                    if way >= clear[i, 3 + s] and _meet(x, previous, i, shapes, s, pose, h, clear):
                        way = max(_way_from(clear, i, x), _way_from(clear, i, previous))


@inner
def _way_from(clear, i, x):
    """How far x is from where the row was looked at."""
    dx, dy, dz = x[i, 0] - clear[i, 0], x[i, 1] - clear[i, 1], x[i, 2] - clear[i, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@inner
def _near_any(clear, i, way):
    near = False
    for s in range(3, clear.shape[1]):
        near = near or way >= clear[i, s]
    return near


@inner
def _move_on(clear, i, x, gone):
    """Look from x on: what was clear by so much is so by less."""
    for k in range(3):
        clear[i, k] = x[i, k]
    for s in range(3, clear.shape[1]):
        clear[i, s] = max(0.0, clear[i, s] - 1.0001 * gone - 1e-9)


@inner
def _meet(x, previous, i, shapes, s, pose, h, clear):
    """One row and one solid; True if the row was pushed."""
    thick = pose.limits[0]
    phi, nx, ny, nz = signed_distance(shapes, s, x[i, 0], x[i, 1], x[i, 2])
    ax, ay, az = row(pose.spin, s)
    vx, vy, vz = row(pose.velocity, s)
    if ax == ay == az == 0.0 and vx == vy == vz == 0.0:
        clear[i, 3 + s] = max(0.0, phi - thick - 1e-9 - _way_from(clear, i, x))
    # the surface's own motion at the row
    rx, ry, rz = x[i, 0] - shapes.center[s, 0], x[i, 1] - shapes.center[s, 1], x[i, 2] - shapes.center[s, 2]
    sx = h * (vx + ay * rz - az * ry)
    sy = h * (vy + az * rx - ax * rz)
    sz = h * (vz + ax * ry - ay * rx)
    # the way of the row as the solid sees it
    px, py, pz = previous[i, 0] + sx, previous[i, 1] + sy, previous[i, 2] + sz
    dx, dy, dz = x[i, 0] - px, x[i, 1] - py, x[i, 2] - pz
    way = math.sqrt(dx * dx + dy * dy + dz * dz)
    before = thick
    if way > pose.girth[s] or phi < thick:
        before, _, _, _ = signed_distance(shapes, s, px, py, pz)
        if before > -1e-6 and (way > pose.girth[s] or -phi > 0.5 * pose.girth[s]):
            phi, (nx, ny, nz) = _first_touch(shapes, s, (px, py, pz), (dx, dy, dz), way, thick, phi, (nx, ny, nz))
    depth = thick - phi
    if depth > 0.0:
        # a deep start: no faster than so, counting what the row moves out by itself
        depth = min(depth, max(0.0, depth - max(0.0, thick - before) + pose.limits[1] * h))
        push_out(x, previous, i, depth, nx, ny, nz, pose.friction[s], sx, sy, sz)
    return depth > 0.0


@lean
def _first_touch(shapes, s, start, way, length, thick, phi, normal):
    """Distance of the way's end to the plane at which it first touches; (phi, normal) unchanged if it does not."""
    t = 0.0
    for _ in range(64):
        share = t / length
        qx, qy, qz = start[0] + share * way[0], start[1] + share * way[1], start[2] + share * way[2]
        d, mx, my, mz = signed_distance(shapes, s, qx, qy, qz)
        if d < thick + 1e-6:
            return d + (1.0 - share) * (way[0] * mx + way[1] * my + way[2] * mz), (mx, my, mz)
        t += d - thick
        if t > length:
            break
    return phi, normal
