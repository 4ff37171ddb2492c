"""Pose in, draped garments out."""

import warnings

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.filters.draping.beneath import Beneath
from pliant.filters.draping.dressing import Dressing
from pliant.filters.draping.methods import Method
from pliant.filters.draping.resolution import resolved
from pliant.filters.draping.wear import Draped, Wear, parts_of
from pliant.geometry.rigged import Rigged, skinned


class Draper:
    """A body and what it wears, bound to one method; a pure function of the pose."""

    def __init__(self, body: Rigged, wears: tuple[Wear, ...], method: Method) -> None:
        self._body = body
        self._bones = int(max(body.bones.max(), *(w.mesh.bones.max() for w in wears))) + 1 if wears else 0
        parts = wears[0].parts if wears else None
        self._skin = Beneath(body.triangles, len(body.points), parts_of(body, parts))
        self._order = sorted(range(len(wears)), key=lambda i: wears[i].layer)
        self._dressings: list[Dressing] = []
        self._shells: list[Beneath | None] = []
        self.notes: list[str] = []  # one line for each thing that was changed so that it works
        lying: list[Beneath] = [self._skin]
        for rank, i in enumerate(self._order):
            fitted, note = resolved(wears[i], method)
            if note:
                self.notes.append(f"garment {i}: {note}")
                if "coarse" in note:
                    warnings.warn(self.notes[-1], stacklevel=2)
            dressing = Dressing(wears[i], body, list(lying), fitted)
            self._dressings.append(dressing)
            if any(wears[k].layer > wears[i].layer for k in self._order[rank + 1 :]):
                shell = Beneath(dressing.finer.triangles, len(dressing.finer.owner), dressing.parts())
                self._shells.append(shell)
                lying.append(shell)
            else:
                self._shells.append(None)
        self._calibrate()

    def _calibrate(self) -> None:
        """Once through the rest pose, from the innermost garment to the outermost."""
        rest = np.zeros((self._bones, 3, 4))
        rest[:, :, :3] = np.eye(3)
        self._skin.surface.points[...] = self._body.points
        self._skin.pose()
        for dressing, shell in zip(self._dressings, self._shells, strict=True):
            dressing.calibrate(self._body.points, rest)
            if shell is not None:
                shell.surface.points[...] = dressing.drape(self._body.points, rest).points
                shell.pose()

    def lies(self) -> tuple[tuple[Array, Array], ...]:
        """For each garment, in the order they were given: the corners (N, 3) and shares (N, 3) of the light triangle
        on which each point that is shown lies."""
        found = dict(zip(self._order, self._dressings, strict=True))
        meshes = [(found[k].net.triangles, found[k].finer) for k in range(len(found))]
        return tuple((triangles[finer.owner], finer.corner) for triangles, finer in meshes)

    def drape(self, matrices: Array, heights: tuple[Array, ...] | None = None) -> tuple[Draped, ...]:
        """One Draped for each garment, in the order they were given.

        `matrices` (b, 3, 4) lead from rest to pose. `heights` takes wrinkles that `heights(...)` gave, or a mixture of
        those of two key poses, in place of the pose's own; the hanging shape is still that of the pose.
        """
        matrices = self._checked(matrices)
        if heights is not None and [len(h) for h in heights] != [len(d.height) for d in self._given()]:
            raise SceneError("Draper.drape: heights do not fit these garments; take them from Draper.heights")
        points = skinned(self._body, matrices, out=self._skin.surface.points)
        self._skin.pose()
        done: dict[int, Draped] = {}
        for i, dressing, shell in zip(self._order, self._dressings, self._shells, strict=True):
            done[i] = dressing.drape(points, matrices, None if heights is None else heights[i])
            if shell is not None:
                shell.surface.points[...] = done[i].points
                shell.pose()
        return tuple(done[i] for i in range(len(done)))

    def heights(self, matrices: Array) -> tuple[Array, ...]:
        """(N,) [m] height of the wrinkles of each garment in this pose, for interpolation between key poses.

        The published method is meant so: evaluate the key poses and, in between, drape with (1 - t) a + t b.
        """
        self.drape(matrices)
        return tuple(dressing.height.copy() for dressing in self._given())

    def _given(self) -> list[Dressing]:
        """Dressings in the order of the garments."""
        return [self._dressings[self._order.index(i)] for i in range(len(self._order))]

    def _checked(self, matrices: Array) -> Array:
        matrices = np.ascontiguousarray(matrices, float)
        if matrices.ndim != 3 or matrices.shape[1:] != (3, 4) or len(matrices) < self._bones:
            raise SceneError(f"Draper.drape: matrices have shape {matrices.shape}; expected ({self._bones}, 3, 4)")
        if not np.isfinite(matrices).all():
            bad = int(np.flatnonzero(~np.isfinite(matrices).all(axis=(1, 2)))[0])
            raise SceneError(f"Draper.drape: the matrix of bone {bad} is not finite; give a pose without NaN")
        return matrices
