"""One garment on one body: every table, factor and scratch array that draping it takes."""

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.beneath import Beneath, answer_of
from pliant.filters.draping.clear import Cloth, lift, uncross
from pliant.filters.draping.conjugate import Conjugate
from pliant.filters.draping.cover import Cover
from pliant.filters.draping.drawn_in import move
from pliant.filters.draping.finer import finer, subdivided
from pliant.filters.draping.folding import Folding
from pliant.filters.draping.hang import Hanging
from pliant.filters.draping.methods import Harmonic, Method, Strain
from pliant.filters.draping.net import net_of, point_normals
from pliant.filters.draping.push import correct
from pliant.filters.draping.rays import Rays
from pliant.filters.draping.smooth import Smoother
from pliant.filters.draping.waves import Folds, raise_folds, raise_to
from pliant.filters.draping.wear import Draped, Wear, parts_of
from pliant.geometry.rigged import Rigged, skinned

MARGIN = 0.0015  # [m] that the points of the shown mesh keep
EDGE = 0.0005  # [m] that the middles of its edges and triangles keep
NEAR, OVER = 0.02, 0.04  # [m] over which a push out of the body is spread, and out of the rim of an inner garment
PASSES = 6  # at most, over points and edges
EXACT = 0.013  # [m] below which distances are those of triangles, above it of tangent planes (0.3 mm off)


class Dressing:
    """Drapes one garment over the surfaces beneath it."""

    def __init__(self, wear: Wear, body: Rigged, beneath: list[Beneath], method: Method) -> None:
        rest = wear.mesh.points
        self.wear, self._method, self._beneath = wear, method, beneath
        self.net = net_of(wear.mesh.triangles, len(rest))
        self.finer = finer(wear.mesh.triangles, len(rest), method.refine)
        n, m = self.net.size, len(self.net.triangles)
        self._answer = answer_of(n, wear.foreign)
        self._hints = [np.empty(n, np.int32) for _ in beneath]
        self._near = Smoother(self.net, rest, NEAR if len(beneath) == 1 else OVER)
        self._cover: Cover | None = None
        self._rays = Rays(wear, body, Smoother(self.net, rest, 0.05)) if wear.radial else None
        rounds = method.rounds if isinstance(method, Strain) else 0
        self._hanging = Hanging(self.net, wear, len(beneath), rounds) if rounds else None
        self._folding = Folding(self.net, wear, method) if isinstance(method, Strain) else None
        self.conjugate = Conjugate(self.net, wear, method) if isinstance(method, Harmonic) else None
        self._vectors, self._normals = np.empty((m, 3)), np.empty((n, 3))
        self._levels = [np.empty((len(level.start) - 1, 3)) for level in self.finer.levels]
        self._fine_net = net_of(self.finer.triangles, len(self.finer.owner)) if method.refine else self.net
        self.height = np.zeros(len(self.finer.owner))  # [m] of the wrinkles last drawn
        self._close = np.empty(len(self.finer.owner), np.int32)
        self._stirred = np.empty(len(self.finer.owner), np.uint8)  # fine points that moved since they were looked at
        self._fine_vectors = np.empty((len(self.finer.triangles), 3))
        self.uv = self._subdivided_uv()

    def _subdivided_uv(self) -> Array | None:
        uv = self.wear.mesh.uv
        if uv is None:
            return None
        corners = self.wear.mesh.triangles[self.finer.owner]
        return np.einsum("nc,ncd->nd", self.finer.corner, np.asarray(uv, float)[corners])

    def parts(self) -> Array:
        """(N,) uint8 part of the body on which each shown point is worn."""
        corner = self.net.triangles[self.finer.owner, self.finer.corner.argmax(axis=1)]
        return parts_of(self.wear.mesh, self.wear.parts)[corner]

    def calibrate(self, body: Array, matrices: Array) -> None:
        """Take from the rest pose, in which the body must stand, what is beneath and the units of the folds."""
        self._cover = Cover(self.net, self.wear, self._beneath, self._near)
        if self.conjugate is not None:
            x = self._hung(body, matrices)
            self.conjugate.calibrate(x, self._answer.distance)

    def drape(self, body: Array, matrices: Array, height: Array | None = None) -> Draped:
        """`body`: posed points of the body; `height` (N,) [m] of wrinkles to take instead of this pose's own."""
        x = self._hung(body, matrices)
        point_normals(self.net, x, self._vectors, self._normals)
        contact = self._answer.distance < self.wear.threshold
        if height is None:
            return self._shown(x, self._folds(x), contact)
        n = self.net.size
        return self._shown(x, Folds(np.zeros(n), np.zeros(n), np.zeros((n, 3))), contact, height)

    def _hung(self, body: Array, matrices: Array) -> Array:
        """The light garment without wrinkles, outside what lies beneath."""
        x = skinned(self.wear.mesh, matrices)
        if self._rays is not None:
            self._rays.push(x, body, matrices)
        if self._hanging is not None:
            point_normals(self.net, x, self._vectors, self._normals)
            self._hanging.relax(x, self._normals, self._beneath, 2.0 * self.wear.gap)
            if self._rays is not None:
                self._rays.again(x)
        if self._cover is not None:
            self._cover.over(x, self._beneath, self.wear.gap)
        point_normals(self.net, x, self._vectors, self._answer.facing)
        correct(x, self._beneath, self._answer, self._hints, self._near, self.wear.gap, EXACT)
        return x

    def _folds(self, x: Array) -> Folds:
        """The folds; the published method also draws the garment in by what they take up."""
        distance, n = self._answer.distance, self.net.size
        if self._folding is not None:
            return self._folding(x, self._normals, distance)
        if self.conjugate is None:
            return Folds(np.zeros(n), np.zeros(n), np.zeros((n, 3)))
        folds, shift = self.conjugate(x, distance)
        if len(shift):
            move(x, self._normals, shift, folds.amplitude, distance, self.wear.gap)
            point_normals(self.net, x, self._vectors, self._normals)
        return folds

    def _shown(self, x: Array, folds: Folds, contact: Array, given: Array | None = None) -> Draped:
        """Subdivided, wrinkled, outside, with normals."""
        mesh, triangles = self.finer, self.net.triangles
        y = subdivided(mesh, x, self._levels)
        points, normals = np.empty_like(y), np.empty_like(y)
        waves = folds.amplitude, folds.phase, folds.wave
        cloth = Cloth(triangles, x, self._answer.distance, self._answer.foreign, self._answer.facing)
        if given is None:
            raise_folds(y, mesh.owner, mesh.corner, triangles, x, self._normals, *waves, points, self.height)
        else:
            raise_to(y, mesh.owner, mesh.corner, triangles, self._normals, given, points)
        for beneath, near in zip(self._beneath, self._hints, strict=True):
            surface = beneath.surface
            self._stirred[:] = 1
            for _ in range(PASSES):
                lift(points, mesh.owner, cloth, near, surface, MARGIN, self._close, self._stirred)
                fan_start, fan = self._fine_net.fan_start, self._fine_net.fan
                if not uncross(points, mesh.triangles, fan_start, fan, self._close, surface, EDGE, self._stirred):
                    break
        point_normals(self._fine_net, points, self._fine_vectors, normals)
        return Draped(points, normals, mesh.triangles, self.uv, x, folds.amplitude, folds.phase, contact)
