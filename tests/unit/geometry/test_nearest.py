"""Closest points: against brute force, against a sphere, after a refit, and the sign at corners."""

import numpy as np
import pytest

from pliant.errors import SceneError
from pliant.geometry.nearest import SurfaceTree

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
CUBE = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)


def cube_distance(p):
    outside = np.linalg.norm(np.maximum(np.maximum(-p, p - 1), 0), axis=1)
    inside = np.minimum(p, 1 - p).min(axis=1)
    return np.where(outside > 0, outside, -np.maximum(inside, 0))


def test_a_cube_has_the_distances_of_a_cube():
    tree = SurfaceTree(CORNERS, CUBE)
    assert tree.is_closed
    queries = np.random.default_rng(1).uniform(-1, 2, (4000, 3))
    near = tree.closest(queries)
    np.testing.assert_allclose(near.distance, cube_distance(queries), atol=1e-12)
    rebuilt = np.einsum("qk,qki->qi", near.weights, CORNERS[CUBE[near.triangle]])
    np.testing.assert_allclose(rebuilt, near.point, atol=1e-12)


def test_the_sign_is_right_along_the_diagonal_through_a_corner():
    tree = SurfaceTree(CORNERS, CUBE)
    line = np.linspace(-0.4, 0.4, 41)[:, None] * np.ones(3)
    np.testing.assert_array_equal(tree.inside(line), line[:, 0] > 1e-12)


def test_a_refit_answers_as_a_rebuilt_tree_does():
    tree = SurfaceTree(CORNERS, CUBE)
    moved = CORNERS @ np.array([[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1.0]]) * 1.5 + [3, 1, 2]
    tree.refit(moved)
    queries = np.random.default_rng(2).uniform(-1, 5, (200, 3))
    for mine, fresh in zip(tree.closest(queries)[:2], SurfaceTree(moved, CUBE).closest(queries)[:2], strict=True):
        np.testing.assert_allclose(mine, fresh, atol=1e-12)


def test_nothing_within_reach_says_so():
    near = SurfaceTree(CORNERS, CUBE).closest(np.array([[5.0, 0, 0], [1.05, 0.5, 0.5]]), reach=0.1)
    np.testing.assert_allclose(near.distance, [0.1, 0.05], atol=1e-12)
    assert near.triangle[0] == 2**32 - 1


def test_no_triangles_are_refused():
    with pytest.raises(SceneError, match=r"SurfaceTree\.triangles: is empty"):
        SurfaceTree(CORNERS, np.empty((0, 3), int))
