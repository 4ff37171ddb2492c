"""A MakeHuman base mesh with its rig: the body group of the .obj, joints from the rig's vertices, weights by name.

Two kinds of rig files are about: MakeHuman's own (.mhskel, joints as lists of vertices) and MPFB's (.json, joints as
named cubes of the mesh or vertices). Weights are lists of (vertex, share) per bone in both.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array, Index
from pliant.errors import FormatError
from pliant.geometry.polygons import triangulate
from pliant.scene.figures.loading import Raw
from pliant.sources.obj import read_obj
from pliant.sources.raw import RawMesh, damaged, rows_of, text

BODY = "body"


def makehuman(path: Path, skeleton: Path, weights: Path) -> Raw:
    """The figure in the file's own unit (decimetres) and axes (Y up)."""
    mesh = read_obj(path)
    with damaged(skeleton, "rig"):
        names, parents, joints = _bones(skeleton, json.loads(text(skeleton, "rig")), mesh)
    points, corners, starts = _body(mesh)
    rows = {name: k for k, name in enumerate(names)}
    table = np.zeros((len(mesh.points), len(names)))
    with damaged(weights, "weights"):
        lists: dict[str, Any] = json.loads(text(weights, "weights"))["weights"]
        for bone, pairs in lists.items():
            if bone in rows and pairs:
                vertex, share = np.array(pairs, float).T
                good = vertex < len(table)
                table[vertex[good].astype(int), rows[bone]] += share[good]
    unknown = sorted(set(lists) - set(rows))
    table = table[points]
    bare = np.flatnonzero(table.sum(axis=1) <= 0.0)
    if len(bare) > 0.01 * len(table):
        raise FormatError(
            f"{weights}: {len(bare)} points of the body have no weight; do rig and weights belong together?"
        )
    table[bare, 0] = 1.0
    triangles = triangulate(mesh.points[points], starts, corners).astype(Index)
    raw = Raw(mesh.points[points], triangles, table, (names, parents, joints))
    raw.uv = None if mesh.uv is None else mesh.uv[points]
    raw.fitting = mesh.points
    if unknown:
        raw.notes.append(f"weights of {len(unknown)} bones that the rig does not have were left out ({unknown[0]} …)")
    return raw


def _body(mesh: RawMesh) -> tuple[Array, Array, Array]:
    """(points of the body, corners counted among them, starts): without helpers and joint cubes."""
    member = np.zeros(len(mesh.points), bool)
    member[mesh.groups.get(BODY, np.arange(len(mesh.points)))] = True
    sizes = np.diff(mesh.starts)
    face = np.repeat(np.arange(len(sizes)), sizes)
    whole = np.bincount(face, member[mesh.corners], minlength=len(sizes)) == sizes
    corners = mesh.corners[whole[face]]
    points, where = np.unique(corners, return_inverse=True)
    return points, where.ravel(), rows_of(sizes[whole])


def _bones(path: Path, rig: dict[str, Any], mesh: RawMesh) -> tuple[tuple[str, ...], Array, Array]:
    """Names, parents and heads of the bones, parents first."""
    bones: dict[str, Any] = rig["bones"] if "bones" in rig else {k: v for k, v in rig.items() if "head" in v}
    if not bones:
        raise FormatError(f"{path}: has no bones")
    parent = {name: bone.get("parent") or "" for name, bone in bones.items()}
    names: list[str] = []
    waiting = list(bones)
    while waiting:
        ready = [name for name in waiting if parent[name] in names or parent[name] not in bones]
        if not ready:
            raise FormatError(f"{path}: bone {waiting[0]!r} hangs on itself")
        names += ready
        waiting = [name for name in waiting if name not in names]
    places = np.array([_head(path, bones[name]["head"], rig, mesh) for name in names])
    return tuple(names), np.array([names.index(parent[n]) if parent[n] in names else -1 for n in names]), places


def _head(path: Path, head: Any, rig: dict[str, Any], mesh: RawMesh) -> Array:
    """(3,) the middle of the vertices that mark a joint."""
    if isinstance(head, str):
        rows = rig["joints"][head]
    elif head.get("strategy") == "CUBE":
        rows = mesh.groups.get(head["cube_name"])
    elif head.get("strategy") == "VERTEX":
        rows = [head["vertex_index"]]
    else:
        rows = head.get("vertex_indices")
    if rows is None or not len(rows):
        raise FormatError(f"{path}: joint {head!r} marks no vertex of the mesh")
    if max(rows) >= len(mesh.points):
        raise FormatError(
            f"{path}: joint {head!r} marks vertex {max(rows)}, the mesh has {len(mesh.points)}; this rig is "
            "for another mesh (MakeHuman's are for its base.obj)"
        )
    return np.asarray(mesh.points[np.asarray(rows, int)].mean(axis=0))
