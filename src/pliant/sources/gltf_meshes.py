"""The triangles of a glTF file as they stand in its scene: one soup of all meshes, node transforms applied.

Skins and clips are another reader's; a skinned mesh stands here in its bind pose.
"""

from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sources.gltf_document import Document, read_document
from pliant.sources.raw import RawMesh, damaged

_TRIANGLES = 4


def read_gltf_mesh(path: Path) -> RawMesh:
    document = read_document(path)
    with damaged(path, "glTF"):
        return _all_meshes(document)


def _all_meshes(document: Document) -> RawMesh:
    points, triangles, uvs, groups, notes = [], [], [], {}, []
    painted: list[dict[str, Array]] = []
    count = 0
    for node, matrix in zip(document.all("nodes"), document.matrices(), strict=True):
        if "mesh" not in node:
            continue
        mesh = document.one("meshes", node["mesh"])
        first = count
        world = np.eye(4) if "skin" in node else matrix  # the specification ignores a skinned node's transform
        for primitive in mesh["primitives"]:
            if primitive.get("mode", _TRIANGLES) != _TRIANGLES:
                notes.append(f"left out lines, points or strips of mesh {mesh.get('name', node['mesh'])!r}")
                continue
            here, rows, uv = _primitive(document, primitive)
            painted.append(_painted(document, primitive, len(here)))
            points.append(here @ world[:3, :3].T + world[:3, 3])
            triangles.append(rows + count if np.linalg.det(world[:3, :3]) >= 0 else rows[:, ::-1] + count)
            uvs.append(uv)
            count += len(here)
        groups[str(mesh.get("name") or node.get("name") or f"mesh{node['mesh']}")] = np.arange(first, count)
    if not points:
        raise FormatError(f"{document.path}: has no triangles in its scene")
    corners = np.concatenate(triangles).ravel()
    whole = all(uv is not None for uv in uvs)
    joined = np.concatenate([uv for uv in uvs if uv is not None]) if whole else None
    if len(points) > 1:
        notes.append(f"put {len(points)} meshes into one surface")
    starts = np.arange(0, len(corners) + 1, 3)
    weights = {
        name: np.concatenate([found.get(name, np.zeros(len(own))) for own, found in zip(points, painted, strict=True)])
        for name in dict.fromkeys(name for found in painted for name in found)
    }
    return RawMesh(np.concatenate(points), starts, corners, joined, groups, tuple(notes), weights)


def _painted(document: Document, primitive: dict[str, Any], count: int) -> dict[str, Array]:
    """Vertex colours as red, green, blue, alpha, and attributes of one's own, `_PIN` as pin."""
    found: dict[str, Array] = {}
    for name, index in primitive["attributes"].items():
        if not (name == "COLOR_0" or name.startswith("_")):
            continue
        values = document.accessor(index).astype(np.float64).reshape(count, -1)
        if name == "COLOR_0":
            found |= dict(zip(("red", "green", "blue", "alpha"), values.T, strict=False))
        elif values.shape[1] == 1:
            found[name[1:].lower()] = values[:, 0]
    return found


def _primitive(document: Document, primitive: dict[str, Any]) -> tuple[Array, Array, Array | None]:
    attributes = primitive["attributes"]
    points = document.accessor(attributes["POSITION"]).astype(np.float64)
    if "indices" in primitive:
        rows = document.accessor(primitive["indices"]).astype(np.int64)
    else:
        rows = np.arange(len(points))
    if len(rows) % 3:
        raise FormatError(f"{document.path}: {len(rows)} corners are no whole triangles")
    uv = None
    if "TEXCOORD_0" in attributes:
        uv = document.accessor(attributes["TEXCOORD_0"]).astype(np.float64)
        uv = np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1)  # glTF counts v downward
    return points, rows.reshape(-1, 3), uv
