"""Garments a user brings: a mesh of one's own, and a finished fine mesh that follows a light one."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import pliant
from pliant.geometry.closed import sphere as ball
from pliant.geometry.nearest import SurfaceTree
from pliant.geometry.surface import boundary_edges, vertex_normals


@pytest.fixture(scope="module")
def mannequin():
    return pliant.Character.mannequin()


def test_a_mesh_of_the_users_own_is_bound_and_draped(mannequin):
    own = pliant.Garment.skirt(mannequin).worn(mannequin).mesh
    garment = pliant.Garment.from_mesh(own.points, own.triangles, character=mannequin, name="kilt")
    made = pliant.drape(mannequin, garment, "walk", method="plain")[0]
    assert np.isfinite(made.points).all()
    assert len(made.light) == len(own.points)


def test_a_mesh_made_for_a_wider_figure_is_bound_with_a_word(mannequin):
    own = pliant.Garment.tshirt(mannequin, triangles=1500).worn(mannequin).mesh
    narrow = own.points * [0.85, 1.0, 0.85] + [0.0, -0.02, 0.0]
    with pytest.warns(UserWarning, match=r"mesh: \d+ % of it lies inside the body, up to \d+ mm deep") as said:
        garment = pliant.Garment.from_mesh(narrow, own.triangles, character=mannequin)
    assert len(said) == 1
    made = pliant.drape(mannequin, garment, "A", method="plain")[0]
    body = SurfaceTree(mannequin.posed(mannequin.pose("A")), mannequin.body().mesh.triangles)
    assert body.closest(made.points).distance.min() > 0.0


def thick(mesh, across):
    """Two walls and the rim between them, as modelled cloth has them."""
    count, rim = len(mesh.points), boundary_edges(mesh.triangles).astype(int)
    a, b = rim[:, 0], rim[:, 1]
    sides = np.concatenate([np.stack([a, a + count, b], axis=1), np.stack([b, a + count, b + count], axis=1)])
    outer = mesh.points + across * vertex_normals(mesh.points, mesh.triangles)
    faces = mesh.triangles.astype(int)
    return np.concatenate([outer, mesh.points]), np.concatenate([faces, faces[:, ::-1] + count, sides])


def test_a_thick_finish_with_a_button_keeps_its_thickness_and_the_button_its_shape(mannequin):
    light = pliant.Garment.tshirt(mannequin, triangles=2000)
    points, faces = thick(pliant.Garment.tshirt(mannequin, triangles=4000).worn(mannequin).mesh, 0.003)
    ball_points, ball_faces = ball(1)
    mesh = light.worn(mannequin).mesh
    chest = mesh.points[np.argmin(np.linalg.norm(mesh.points - [0.0, 1.2, 0.3], axis=1))]
    button = chest + [0.0, 0.0, 0.004] + ball_points * [0.008, 0.008, 0.003]
    whole = np.concatenate([points, button]), np.concatenate([faces, ball_faces.astype(int) + len(points)])
    actor = pliant.Actor(
        character=mannequin, garments=(light.replace(**_finish(whole)),), poses=("A", "bend"), method="plain"
    )
    clip = list(pliant.simulate(pliant.Scene(parts={"a": actor}), frames=61))
    for frame in (clip[0], clip[-1]):
        now = frame["a_tshirt"].points.astype(float)
        walls = np.linalg.norm(now[: len(points) // 2] - now[len(points) // 2 : len(points)], axis=1)
        assert np.median(walls) == pytest.approx(0.003, rel=0.05)
        assert np.quantile(walls, 0.99) < 0.006
        np.testing.assert_allclose(pdist(now[len(points) :]), pdist(button), atol=1e-6)
    assert np.linalg.norm(clip[-1]["a_tshirt"].points[-1] - clip[0]["a_tshirt"].points[-1]) > 0.1


def _finish(whole):
    return {"finish_points": whole[0], "finish_triangles": whole[1]}


def test_a_finished_mesh_follows_the_light_one(mannequin):
    light = pliant.Garment.tshirt(mannequin, triangles=3000)
    mesh = light.worn(mannequin).mesh
    buttons = mesh.points[:200] + 0.002
    faces = np.stack([np.arange(0, 198), np.arange(1, 199), np.arange(2, 200)], axis=1)
    finished = pliant.Garment.tshirt(mannequin, triangles=3000, finish=(buttons, faces))
    actor = pliant.Actor(character=mannequin, garments=(finished,), poses=("A", "raise"), method="plain")
    clip = list(pliant.simulate(pliant.Scene(parts={"a": actor}), frames=61))
    assert clip[0]["a_tshirt"].points.shape == (200, 3)
    assert np.abs(clip[0]["a_tshirt"].points - buttons).max() < 0.03
    moved = pliant.drape(mannequin, light, "raise", method="plain")[0]
    away = SurfaceTree(moved.points, moved.triangles).closest(clip[-1]["a_tshirt"].points.astype(float)).distance
    assert np.abs(away).max() < 0.02
