"""A mesh in the way: exact distance, the same cloth on it as on the ball it stands for, moving and changing shape."""

import numpy as np
import pytest

import pliant
from pliant.colliders import MeshCollider, Sphere


def ball(subdivisions=4, radius=0.4):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=subdivisions, radius=radius)
    return np.array(mesh.vertices), np.array(mesh.faces)


def test_distance_to_a_cube_agrees_with_the_box():
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.box((0.8, 0.5, 0.6))
    points = np.random.default_rng(4).uniform(-1, 1, (3000, 3))
    phi, normal = MeshCollider(points=mesh.vertices, triangles=mesh.faces).signed_distance(points)
    exact, slope = pliant.Box(center=(0, 0, 0), size=(0.8, 0.5, 0.6), rounding=0.0).signed_distance(points)
    assert phi == pytest.approx(exact, abs=1e-12)
    unique = exact > 0.01
    assert normal[unique] == pytest.approx(slope[unique], abs=1e-9)


def drape(collider, frames=50):
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=16, rows=16, lies="flat", center=(0.02, 0.45, 0.01))
    scene = pliant.Scene(parts={"c": sheet}, fields=(pliant.Gravity(), pliant.Wind()), colliders=(collider,))
    return [frame["c"].points.astype(float) for frame in pliant.simulate(scene, frames=frames)]


def test_cloth_lies_on_a_mesh_as_on_the_ball_it_stands_for():
    """As long as it only lies; folds then part as they do on a ball smaller by what the facets cut off."""
    points, triangles = ball()
    cut_off = 0.4 - np.linalg.norm(points[triangles].mean(axis=1), axis=1).min()  # [m] of the radius, by the facets
    on_mesh = drape(MeshCollider(points=points, triangles=triangles, friction=0.3))
    on_ball = drape(Sphere(center=(0, 0, 0), radius=0.4, friction=0.3), frames=21)
    on_smaller = drape(Sphere(center=(0, 0, 0), radius=0.4 - cut_off, friction=0.3), frames=21)
    assert np.abs(on_mesh[12] - on_ball[12]).max() < 0.005
    apart = [np.sqrt(((other[20] - on_ball[20]) ** 2).sum(axis=1).mean()) for other in (on_mesh, on_smaller)]
    assert apart[0] < 3.0 * apart[1]
    assert np.linalg.norm(on_mesh[-1], axis=1).min() > 0.4 * 0.998


def test_a_mesh_that_travels_turns_and_grows_takes_the_cloth_along():
    points, triangles = ball(3, 0.2)
    carried = MeshCollider(
        points=points,
        triangles=triangles,
        friction=1.0,
        motion=pliant.KeyMotion(times=(0.0, 0.5), offsets=((0, 0, 0), (0, 0.5, 0))),
    )
    last = drape(carried, frames=40)[-1]
    assert last[:, 1].max() > 0.5 + 0.19
    grown = MeshCollider(points=points, triangles=triangles, deform=lambda time: points * (1.0 + time))
    last = drape(grown, frames=40)[-1]
    assert np.linalg.norm(last, axis=1).min() > 0.2 * (1.0 + 40 / 60) * 0.985


def test_open_and_inside_out_meshes_are_refused():
    points, triangles = ball(1)
    with pytest.raises(pliant.SceneError, match="the mesh is open"):
        MeshCollider(points=points, triangles=triangles[1:])
    with pytest.raises(pliant.SceneError, match="face outward"):
        MeshCollider(points=points, triangles=triangles[:, ::-1])
