import math

import numpy as np
import pytest

from pliant.geometry import solids
from pliant.geometry.surface import enclosed_volume, triangle_normals

SOLIDS = {
    "sphere": (solids.sphere(0.5, 96), 4 / 3 * math.pi * 0.5**3),
    "capsule": (solids.capsule(0.5, 2.0, 96), 4 / 3 * math.pi * 0.5**3 + math.pi * 0.25 * 2.0),
    "box": (solids.box(np.array([1.0, 2.0, 3.0])), 48.0),
    # Steiner's formula: V + A r + M r^2 + 4/3 pi r^3, with A = 88 and M = pi times the edge lengths 48 / 4
    "rounded box": (
        solids.rounded_box(np.array([1.0, 2.0, 3.0]), 0.3, 96),
        48.0 + 88.0 * 0.3 + 12.0 * math.pi * 0.3**2 + 4 / 3 * math.pi * 0.3**3,
    ),
    "cylinder": (solids.cylinder(1.0, 2.0, 0.0, 192), 2.0 * math.pi),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_volume_is_the_analytic_one(name):
    solid, volume = SOLIDS[name]
    assert enclosed_volume(solid.points, solid.triangles) == pytest.approx(volume, rel=4e-3)


@pytest.mark.parametrize("name", SOLIDS)
def test_normals_are_unit_and_agree_with_the_triangles(name):
    solid, _ = SOLIDS[name]
    assert np.linalg.norm(solid.normals, axis=1) == pytest.approx(1.0)
    flat = triangle_normals(solid.points, solid.triangles)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    assert (np.einsum("ij,ij->i", flat, solid.normals[solid.triangles].mean(axis=1)) > 0.5).all()


def test_tubes_run_from_start_to_end_at_their_radius():
    starts, ends = np.array([[0.0, 0, 0], [1, 1, 1]]), np.array([[0.0, 0, 2], [1, 4, 1]])
    tube = solids.tubes(starts, ends, 0.1, sides=12)
    first = tube.points[: len(tube.points) // 2]
    assert np.hypot(first[:, 0], first[:, 1]) == pytest.approx(0.1)
    assert set(np.round(first[:, 2], 9)) == {0.0, 2.0}
    assert (
        np.einsum("ij,ij->i", triangle_normals(tube.points, tube.triangles), tube.normals[tube.triangles[:, 0]]) > 0
    ).all()


def test_a_segment_without_length_gives_finite_points():
    tube = solids.tubes(np.zeros((1, 3)), np.zeros((1, 3)), 0.1)
    assert np.isfinite(tube.points).all()
