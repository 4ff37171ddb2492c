"""Pose in, draped garments out."""

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.filters.draping.beneath import Beneath
from pliant.filters.draping.dressing import Dressing
from pliant.filters.draping.methods import Method
from pliant.filters.draping.wear import Draped, Wear
from pliant.geometry.rigged import Rigged, skinned


class Draper:
    """A body and what it wears, bound to one method; a pure function of the pose."""

    def __init__(self, body: Rigged, wears: tuple[Wear, ...], method: Method) -> None:
        self._body = body
        self._bones = int(max(body.bones.max(), *(w.mesh.bones.max() for w in wears))) + 1 if wears else 0
        self._skin = Beneath(body.triangles, len(body.points))
        self._order = sorted(range(len(wears)), key=lambda i: wears[i].layer)
        self._dressings: list[Dressing] = []
        self._shells: list[Beneath | None] = []
        lying: list[Beneath] = [self._skin]
        for rank, i in enumerate(self._order):
            dressing = Dressing(wears[i], body, list(lying), method)
            self._dressings.append(dressing)
            if any(wears[k].layer > wears[i].layer for k in self._order[rank + 1 :]):
                shell = Beneath(dressing.finer.triangles, len(dressing.finer.owner))
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

    def drape(self, matrices: Array) -> tuple[Draped, ...]:
        """`matrices` (b, 3, 4) from rest to pose; one Draped for each garment, in the order they were given."""
        matrices = np.ascontiguousarray(matrices, float)
        if matrices.ndim != 3 or matrices.shape[1:] != (3, 4) or len(matrices) < self._bones:
            raise SceneError(f"Draper.drape: matrices have shape {matrices.shape}; expected ({self._bones}, 3, 4)")
        if not np.isfinite(matrices).all():
            bad = int(np.flatnonzero(~np.isfinite(matrices).all(axis=(1, 2)))[0])
            raise SceneError(f"Draper.drape: the matrix of bone {bad} is not finite; give a pose without NaN")
        points = skinned(self._body, matrices, out=self._skin.surface.points)
        self._skin.pose()
        done: dict[int, Draped] = {}
        for i, dressing, shell in zip(self._order, self._dressings, self._shells, strict=True):
            done[i] = dressing.drape(points, matrices)
            if shell is not None:
                shell.surface.points[...] = done[i].points
                shell.pose()
        return tuple(done[i] for i in range(len(done)))
