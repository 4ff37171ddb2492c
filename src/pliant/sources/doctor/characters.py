"""Judging a skinned character: weights, bones and the surface they bend."""

from pathlib import Path

import numpy as np

from pliant.sources.doctor.finding import Finding, Report, many, some
from pliant.sources.gltf import GltfMesh, GltfScene
from pliant.sources.gltf_document import read_document
from pliant.sources.raw import damaged
from pliant.sources.usd_characters import USD, bends_a_mesh, read_rigged

SUM = 0.02  # weights of a point may differ from 1 by so much; eight bits of rounding stay below


def is_character(path: Path) -> bool:
    """Whether something in the file bends a mesh by bones."""
    if path.suffix.lower() in USD:
        return bends_a_mesh(path)
    return path.suffix.lower() in (".glb", ".gltf") and bool(read_document(path).all("skins"))


def check_character(path: Path) -> Report:
    with damaged(path, "glTF"):
        scene = read_rigged(path)
    skinned = [mesh for mesh in scene.meshes if mesh.skin is not None]
    bones = len({int(joint) for skin in scene.skins for joint in skin.joints})
    summary = f"{many(bones, 'bone')}, {many(len(skinned), 'skinned mesh', 'skinned meshes')}"
    found = [finding for mesh in skinned for finding in _weights(mesh)]
    if not skinned:
        found.append(Finding("error", "no-skin", "its skins bend no mesh", "", 1, "export the mesh with its armature"))
    found += _clips(scene) + _size(scene, skinned)
    return Report(path, "character", f"character: {summary}, {many(len(scene.animations), 'clip')}", tuple(found))


def _weights(mesh: GltfMesh) -> list[Finding]:
    if mesh.weights is None or mesh.joints is None:
        return [Finding("error", "no-weights", f"mesh {mesh.name!r} has a skin but no weights", "", 1, "paint weights")]
    found = []
    total = mesh.weights.sum(axis=1)
    free = np.flatnonzero(total <= 0.0)
    if free.size:
        what = f"{many(len(free), 'point')} of mesh {mesh.name!r} hang on no bone"
        advice = "they stay where the mesh was modelled; paint weights on them"
        found.append(Finding("error", "unweighted", what, some("point", free), len(free), advice))
    off = np.flatnonzero((np.abs(total - 1.0) > SUM) & (total > 0.0))
    if off.size:
        low, high = total[off].min(), total[off].max()
        what = f"weights of {many(len(off), 'point')} of mesh {mesh.name!r} sum to {low:.3g} to {high:.3g} instead of 1"
        found.append(Finding("warning", "weights", what, some("point", off), len(off), "they are divided by their sum"))
    return found


def _clips(scene: GltfScene) -> list[Finding]:
    if scene.animations:
        return []
    return [Finding("note", "no-clip", "it brings no motion", "", 0, "pose it, or give it a BVH")]


def _size(scene: GltfScene, skinned: list[GltfMesh]) -> list[Finding]:
    """glTF is in metres; a figure taller than a house was exported in centimetres."""
    if not skinned:
        return []
    points = np.concatenate([scene.world_points(mesh) for mesh in skinned])
    tall = float(np.ptp(points[:, 1]))
    if 0.2 <= tall <= 10.0:
        return []
    advice = "glTF is in metres; scale it when it is loaded, or export it in metres"
    return [Finding("warning", "unit", f"it is {tall:.3g} m tall", "", 1, advice)]
