"""A finished fine mesh (thick, textured, with buttons) that follows a coarser moving surface.

At rest each fine point finds its closest triangle and remembers the weights there and its offset in the triangle's own
frame (first edge, across, normal); later it stands at the same weights and offset. Offsets of neighbouring triangles
are blended over the corners, so the fine mesh does not crack where the coarse one bends. Small loose pieces, such as
buttons, then keep their shape: each goes where its points went on the whole, turned and moved as a rigid body.
"""

from typing import Any, NamedTuple, Self

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry.nearest import SurfaceTree
from pliant.geometry.surface import vertex_normals

SMALL = 0.05  # [m] a loose piece up to this long is a button


class Finish(NamedTuple):
    """A fine mesh bound to a surface of `triangles`."""

    carrier: Array  # (m, 3) triangles of the surface it follows
    corners: Array  # (k, 3) points of that surface
    weights: Array  # (k, 3)
    lift: Array  # (k,) [m] along the blended normal
    triangles: Array  # (l, 3) of the fine mesh
    uv: Array | None
    buttons: tuple[tuple[Array, Array], ...]  # points of each small loose piece, and their offsets from its middle [m]

    @classmethod
    def on(cls, points: Array, triangles: Array, fine: Array, faces: Array, uv: Array | None = None) -> Self:
        """Bind a fine mesh to a surface at rest."""
        near = SurfaceTree(points, triangles).closest(fine)
        corners = np.asarray(triangles)[near.triangle].astype(np.int64)
        normals = vertex_normals(points, triangles)
        blended = np.einsum("kc,kci->ki", near.weights, normals[corners])
        blended /= np.maximum(np.linalg.norm(blended, axis=1, keepdims=True), 1e-12)
        lift = np.einsum("ki,ki->k", fine - near.point, blended)
        return cls(
            np.asarray(triangles), corners, near.weights, lift, np.asarray(faces, Index), uv, _buttons(fine, faces)
        )

    @classmethod
    def bound(cls, finish: tuple[Array, Array, Array | None], of: Any, garment: int) -> Self:
        """Bind to one garment as it is shown at rest, without wrinkles."""
        from pliant.filters.draping.draper import Draper
        from pliant.filters.draping.methods import Plain

        plain = Draper(of.skin or of.body, (of.wears[garment],), Plain(refine=getattr(of.method, "refine", 1)))
        bones = int(max(of.body.bones.max(), of.wears[garment].mesh.bones.max())) + 1
        rest = plain.drape(np.tile(np.eye(4)[:3], (bones, 1, 1)))[0]
        points, faces, uv = finish
        return cls.on(rest.points, rest.triangles, points, faces, uv)


def follow(finish: Finish, points: Array) -> tuple[Array, Array, Array | None]:
    """The fine mesh where the surface is now."""
    normals = vertex_normals(points, finish.carrier)
    blended = np.einsum("kc,kci->ki", finish.weights, normals[finish.corners])
    blended /= np.maximum(np.linalg.norm(blended, axis=1, keepdims=True), 1e-12)
    place = np.einsum("kc,kci->ki", finish.weights, points[finish.corners])
    place += finish.lift[:, None] * blended
    for of, shape in finish.buttons:
        place[of] = _rigid(shape, place[of])
    return place, finish.triangles, finish.uv


def _buttons(points: Array, triangles: Array) -> tuple[tuple[Array, Array], ...]:
    """Pieces that hang together with nothing else and are small."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    t = np.asarray(triangles).astype(np.int64)
    a, b = t[:, [0, 1]].ravel(), t[:, [1, 2]].ravel()
    count, piece = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(len(points), len(points))), False)
    order = np.argsort(piece, kind="stable")
    found = []
    for of in np.split(order, np.cumsum(np.bincount(piece, minlength=count))[:-1]):
        shape = points[of] - points[of].mean(axis=0)
        if len(of) > 2 and np.ptp(shape, axis=0).max() <= SMALL:
            found.append((of, shape))
    return tuple(found)


def _rigid(shape: Array, place: Array) -> Array:
    """The shape, turned and moved to where it is closest to these places (Kabsch)."""
    middle = place.mean(axis=0)
    u, _, v = np.linalg.svd(shape.T @ (place - middle))
    u[:, 2] *= np.sign(np.linalg.det(u @ v))
    return np.asarray(shape @ (u @ v) + middle)
