"""Linear blend skinning: rigid motions of all bones, partition of unity, and the formula itself."""

import numpy as np

from pliant.geometry import rotation
from pliant.geometry.rigged import Rigged, skinned


def strip(count=5000, bones=6, seed=3):
    random = np.random.default_rng(seed)
    weights = random.random((count, 4))
    weights /= weights.sum(axis=1, keepdims=True)
    triangles = np.stack([np.arange(count - 2), np.arange(1, count - 1), np.arange(2, count)], axis=1)
    return Rigged(
        random.standard_normal((count, 3)),
        triangles.astype(np.uint32),
        None,
        random.integers(0, bones, (count, 4)).astype(np.uint32),
        weights,
    )


def transforms(bones, seed=4):
    random = np.random.default_rng(seed)
    turn = rotation.to_matrix(rotation.from_rotation_vector(random.standard_normal((bones, 3))))
    return np.concatenate([turn, random.standard_normal((bones, 3, 1))], axis=2)


def test_skinning_is_the_weighted_sum_of_the_bones():
    mesh, m = strip(), transforms(6)
    blended = np.einsum("nk,nkij->nij", mesh.weights, m[mesh.bones])
    expected = np.einsum("nij,nj->ni", blended[:, :, :3], mesh.points) + blended[:, :, 3]
    assert np.allclose(skinned(mesh, m), expected, atol=1e-13)


def test_one_motion_of_all_bones_moves_the_mesh_rigidly():
    mesh, m = strip(), np.repeat(transforms(1), 6, axis=0)
    assert np.allclose(skinned(mesh, m), mesh.points @ m[0, :, :3].T + m[0, :, 3], atol=1e-13)


def test_the_same_pose_gives_the_same_bits():
    mesh, m = strip(), transforms(6)
    first = skinned(mesh, m)
    skinned(mesh, transforms(6, seed=9))
    assert np.array_equal(first, skinned(mesh, m))
