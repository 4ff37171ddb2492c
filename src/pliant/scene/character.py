"""Characters: a rigged body and what its bones mean, made here or brought by the user."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array, Index, as_points, as_triangles, frozen
from pliant.description import Description, Vec3, quantity
from pliant.errors import SceneError, unknown
from pliant.geometry import corners, cotangent, implicit, isosurface, remesh
from pliant.geometry.rigged import Rigged, skinned
from pliant.scene.figures import keep, mannequin, posing
from pliant.scene.figures.body import ROLES, Body
from pliant.scene.figures.roles import roles_of

SHORTEST, TALLEST = 0.2, 3.0  # [m]
SKIN = (0.80, 0.62, 0.50)

Pose = str | Mapping[str, Sequence[float]]  # a pose's name, or rotation vectors [deg] of bones


class Character(Description):
    """A body with bones. `Character.mannequin()` is the project's own, `Character.load(path)` reads yours."""

    points: Any = quantity(None, unit="m", help="(n, 3) points of the body at rest, Y up, looking along +Z")
    triangles: Any = quantity(None, help="(m, 3) indices into points, facing outward")
    uv: Any = quantity(None, help="(n, 2) texture coordinates, optional")
    bones: Any = quantity(None, help="(n, 4) the bones that carry each point")
    weights: Any = quantity(None, help="(n, 4) their shares; rows are scaled to a sum of one")
    names: tuple[str, ...] = quantity((), help="Names of the bones, parents first")
    parents: tuple[int, ...] = quantity((), help="Parent of each bone, -1 at a root")
    joints: Any = quantity(None, unit="m", help="(b, 3) where each bone begins at rest")
    roles: dict[str, str] = quantity({}, help="Bones by what they are (hips, upperarm_left …), where names mislead")
    color: Vec3 = quantity(SKIN, help="Colour of the body, linear RGB 0..1")
    fitting: Any = quantity(
        None, unit="m", help="(k, 3) all points of the base mesh it was read from, as clothes of its maker hang on them"
    )
    notes: tuple[str, ...] = quantity((), help="What was found and done when it was read")

    def model_post_init(self, context: Any) -> None:
        if type(self) is Character:
            _check(self)

    @classmethod
    def mannequin(cls, *, height: float = mannequin.HEIGHT, **options: Any) -> "Mannequin":
        """The project's own figure, `height` [m] tall, 21 bones."""
        return Mannequin(height=height, **options)

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> "Character":
        """A skinned glTF or USD file, or a MakeHuman base (.obj with `skeleton=` and `weights=`).

        Options: skeleton, weights (files of a MakeHuman rig), scale (metres in one unit; "auto" finds it),
        up ("x", "y", "z", "auto"), roles (bones by role, where their names mislead), color.
        """
        from pliant.scene.figures.loading import loaded

        return cls(**loaded(Path(path), **options))

    def body(self) -> Body:
        """The rigged mesh, its bones and what they mean."""
        rigged = Rigged(self.points, self.triangles, self.uv, self.bones, self.weights)
        found = roles_of(self.names, np.array(self.parents), self.joints)
        found |= {role: self.names.index(name) for role, name in self.roles.items()}
        return Body(rigged, self.names, np.array(self.parents), self.joints, found)

    def pose(self, pose: Pose = "A", *, place: Any = None, grounded: bool = True) -> Array:
        """(b, 3, 4) matrices from rest to a pose, by name or as rotation vectors [deg] of bones.

        The lowest foot stays on its floor, unless the hips are given a `place` [m] or `grounded` is False.
        """
        return posing.pose_matrices(self.body(), pose_turns(pose), as_place(place), grounded=grounded)

    def posed(self, matrices: Array) -> Array:
        """(n, 3) the body's points under matrices (b, 3, 4)."""
        return skinned(self.body().mesh, matrices)

    def key(self) -> str:
        """Equal for equal bodies."""
        mesh = self.body().mesh
        return keep.key_of(
            mesh.points, mesh.triangles, mesh.bones, mesh.weights, repr(sorted(self.body().roles.items()))
        )


class Mannequin(Character):
    """The project's own figure: made once, then kept in the user's cache folder."""

    height: float = quantity(mannequin.HEIGHT, unit="m", low=SHORTEST, high=TALLEST, help="Height of the figure")

    def body(self) -> Body:
        return _mannequin(self.height)

    def key(self) -> str:
        return _mannequin_key(self.height)


@functools.lru_cache(maxsize=8)
def _mannequin_key(height: float) -> str:
    return keep.key_of(_recipe(), repr(height))


@functools.cache
def _recipe() -> bytes:
    return keep.recipe(mannequin, implicit, isosurface, remesh, corners, cotangent)


@functools.lru_cache(maxsize=8)
def _mannequin(height: float) -> Body:
    def make() -> keep.Arrays:
        made = mannequin.mannequin().mesh
        return {"points": made.points, "triangles": made.triangles, "bones": made.bones, "weights": made.weights}

    known = keep.kept("mannequin", keep.key_of(_recipe()), make, ("points", "triangles", "bones", "weights"))
    scale = height / mannequin.HEIGHT
    at = mannequin.joints()
    mesh = Rigged(scale * known["points"], known["triangles"], None, known["bones"], known["weights"])
    for array in (mesh.points, mesh.triangles, mesh.bones, mesh.weights):
        frozen(array)
    roles = {role: k for k, role in enumerate(ROLES)}
    return Body(mesh, ROLES, mannequin.parents(), scale * np.array(list(at.values())), roles)


def _check(character: Character) -> None:
    """Shapes, ranges and finiteness of a body that was brought, with the weights scaled."""
    where = "Character"
    for name in ("points", "triangles", "joints"):
        if getattr(character, name) is None:
            raise SceneError(f"{where}.{name} is missing; use {where}.mannequin() or {where}.load(path)")
    points = as_points(character.points, name=f"{where}.points")
    triangles = as_triangles(character.triangles, count=len(points), name=f"{where}.triangles")
    joints = as_points(character.joints, name=f"{where}.joints")
    count = len(character.names)
    if not len(joints) == len(character.parents) == count:
        raise SceneError(
            f"{where}: {count} names, {len(character.parents)} parents and {len(joints)} joints; give one each per bone"
        )
    late = [k for k, parent in enumerate(character.parents) if not -1 <= parent < k]
    if late:
        raise SceneError(
            f"{where}.parents: bone {late[0]} has parent {character.parents[late[0]]}; parents stand first"
        )
    _check_roles(character)
    bones, weights = _as_weights(character, len(points), count)
    values: dict[str, Array] = {
        "points": points,
        "triangles": triangles,
        "joints": joints,
        "bones": bones,
        "weights": weights,
    }
    if character.fitting is not None:
        values["fitting"] = as_points(character.fitting, name=f"{where}.fitting")
    for name, value in values.items():
        object.__setattr__(character, name, frozen(value))
    tall = float(np.ptp(points[:, 1]))
    if not SHORTEST <= tall <= 10.0 * TALLEST:
        raise SceneError(f"{where} is {tall:.3g} m tall; say its unit: {where}.load(path, scale=metres in one unit)")


def _check_roles(character: Character) -> None:
    for role, name in character.roles.items():
        if role not in ROLES:
            raise SceneError(f"Character.roles: {unknown('role', role, ROLES)}")
        if name not in character.names:
            raise SceneError(f"Character.roles: {unknown('bone', name, character.names)}")


def _as_weights(character: Character, count: int, bones: int) -> tuple[Array, Array]:
    where = "Character"
    if character.bones is None or character.weights is None:
        raise SceneError(f"{where} has no skin weights; export it with its skin, or give bones and weights (n, 4)")
    which, share = np.array(character.bones), np.array(character.weights, float)
    which = (
        np.where(share == 0.0, 0, which) if which.shape == share.shape else which
    )  # a share of nothing needs no bone
    if which.shape != (count, 4) or share.shape != (count, 4):
        raise SceneError(f"{where}: bones {which.shape} and weights {share.shape}; expected ({count}, 4) of both")
    if which.min() < 0 or which.max() >= bones:
        raise SceneError(f"{where}.bones: a point hangs on bone {which.max()}; there are {bones}")
    total = share.sum(axis=1)
    bad = np.flatnonzero(~np.isfinite(total) | (total <= 0.0) | (share < -1e-6).any(axis=1))
    if bad.size:
        raise SceneError(f"{where}.weights: point {bad[0]} has {share[bad[0]]}; they must be >= 0 and not all zero")
    share = np.maximum(share, 0.0)
    total = share.sum(axis=1, keepdims=True)
    # what is one already stays to the last bit, so that a body read back from a scene file is the same
    return np.ascontiguousarray(which, Index), np.where(np.abs(total - 1.0) > 1e-12, share / total, share)


def pose_turns(pose: Pose) -> posing.Turns:
    """Rotation vectors of a pose by name, or of a dict as it is."""
    if isinstance(pose, str):
        return posing.named_pose(pose)
    if isinstance(pose, Mapping):
        return pose
    raise SceneError(f"pose = {pose!r}; give a name ({', '.join(posing.POSES)}) or a dict of bone -> rotation vector")


def as_place(place: Any) -> Array | None:
    if place is None:
        return None
    where = np.array(place, float)
    if where.shape != (3,) or not np.isfinite(where).all():
        raise SceneError(f"pose: place = {place}; must be three finite numbers [m]")
    return where
