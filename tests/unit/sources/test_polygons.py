"""Polygons become triangles of the same area and winding."""

import numpy as np
import pytest

from pliant.geometry import polygons, surface


def area(points, triangles):
    return surface.triangle_areas(points, triangles).sum()


@pytest.mark.parametrize("size", [3, 4, 5, 12, 64])
def test_a_convex_polygon_keeps_its_area_and_normal(size):
    angle = 2 * np.pi * np.arange(size) / size
    points = np.stack([np.cos(angle), np.zeros(size), -np.sin(angle)], axis=1)
    triangles = polygons.triangulate(points, np.array([0, size]), np.arange(size))
    assert len(triangles) == size - 2
    assert area(points, triangles) == pytest.approx(0.5 * size * np.sin(2 * np.pi / size), rel=1e-12)
    assert (surface.triangle_normals(points, triangles)[:, 1] > 0).all()


def test_a_concave_polygon_keeps_its_area_and_never_leaves_its_outline():
    outline = np.array([(0, 0), (4, 0), (4, 4), (3, 4), (3, 1), (1, 1), (1, 4), (0, 4)], float)  # a U
    points = np.stack([outline[:, 0], outline[:, 1], np.zeros(len(outline))], axis=1)
    starts, corners = np.array([0, len(points)]), np.arange(len(points))
    assert polygons.concave(points, starts, corners).all()
    triangles = polygons.triangulate(points, starts, corners)
    assert area(points, triangles) == pytest.approx(4 + 2 * 3)
    middles = points[triangles].mean(axis=1)
    assert not ((middles[:, 0] > 1) & (middles[:, 0] < 3) & (middles[:, 1] > 1)).any()
    assert (surface.triangle_normals(points, triangles)[:, 2] > 0).all()


def test_mixed_sizes_stay_in_their_order():
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)], float)
    triangles = polygons.triangulate(points, np.array([0, 4, 7]), np.array([0, 1, 2, 3, 1, 4, 5]))
    assert triangles.tolist() == [[0, 1, 2], [0, 2, 3], [1, 4, 5]]


def test_flatness_of_a_warped_quad_is_its_distance_from_the_mean_plane():
    points = np.array([(0, 0, 0), (1, 0, 0.1), (1, 1, 0), (0, 1, 0.1)])
    assert polygons.flatness(points, np.array([0, 4]), np.arange(4))[0] == pytest.approx(0.05)
