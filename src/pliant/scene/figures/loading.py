"""Characters from files: the skins of a glTF, or a MakeHuman base with its rig; axes, unit and weights put right.

What is found and done is said in notes: which way the file's figure stands and looks, and how large its unit is.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array, Index
from pliant.errors import FormatError, SceneError
from pliant.scene.figures.body import SIDES, four_strongest
from pliant.scene.figures.roles import roles_of
from pliant.sources.gltf import GltfMesh, GltfScene
from pliant.sources.usd_characters import USD, read_rigged

LOW, HIGH = 0.5, 2.5  # [m] that a person is tall; other heights are brought to that by a power of ten, or asked for
_UNITS = (1.0, 0.01, 0.001, 0.1, 0.0254, 0.3048, 100.0)  # metres in one unit that are tried, in this order


class Raw:
    """A figure as its file says it: dense weights, any axes, any unit."""

    def __init__(
        self, points: Array, triangles: Array, weights: Array, bones: tuple[tuple[str, ...], Array, Array]
    ) -> None:
        self.points, self.triangles, self.weights = points, triangles, weights
        self.names, self.parents, self.joints = bones
        self.uv: Array | None = None
        self.fitting: Array | None = None  # all points of the base mesh, helpers too
        self.notes: list[str] = []

    def change(self, moved: Callable[[Array], Array]) -> None:
        """Everything that has a place, moved alike."""
        self.points, self.joints = moved(self.points), moved(self.joints)
        self.fitting = None if self.fitting is None else moved(self.fitting)


def loaded(
    path: Path,
    *,
    skeleton: str | Path | None = None,
    weights: str | Path | None = None,
    scale: float | str = "auto",
    up: str = "auto",
    roles: dict[str, str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Fields of a Character."""
    suffix = path.suffix.lower()
    if suffix in (".glb", ".gltf", *USD):
        raw = _gltf(path)
    elif suffix == ".obj" and skeleton is not None and weights is not None:
        from pliant.scene.figures.makehuman import makehuman

        raw = makehuman(path, Path(skeleton), Path(weights))
    elif suffix == ".obj":
        raise FormatError(f"{path}: an .obj has no bones; give skeleton= and weights= (MakeHuman's .mhskel and .mhw)")
    else:
        raise FormatError(
            f"{path}: no reader of characters for {suffix or 'no suffix'!r} (has: .glb, .gltf, .usd, .obj)"
        )
    if suffix != ".obj" and up == "auto":
        up = "y"  # by glTF's own rule; a USD stage says its axis and was turned
    _stand(raw, path, up, roles or {})
    _size(raw, path, scale)
    low = float(raw.points[:, 1].min())
    if abs(low) > 0.01:
        raw.change(lambda points: points - (0.0, low, 0.0))
        raw.notes.append(f"moved by {-low:.3g} m up, to stand on the floor")
    total = raw.weights.sum(axis=1)
    off = int(np.count_nonzero(np.abs(total - 1.0) > 0.02))
    if off:
        raw.notes.append(f"weights of {off} points did not sum to 1 and were divided by their sum")
    bones, shares = four_strongest(raw.weights)
    return {
        "points": raw.points,
        "triangles": raw.triangles,
        "uv": raw.uv,
        "bones": bones,
        "weights": shares,
        "names": raw.names,
        "parents": tuple(int(p) for p in raw.parents),
        "joints": raw.joints,
        "fitting": raw.fitting,
        "roles": roles or {},
        "notes": tuple(raw.notes),
        **options,
    }


def _stand(raw: Raw, path: Path, up: str, said: dict[str, str]) -> None:
    """Turn the figure so that it stands along Y and looks along Z; its own joints tell how it stands."""
    if up not in ("auto", "x", "y", "z"):
        raise FormatError(f"up = {up!r}; must be 'x', 'y', 'z' or 'auto'")
    found = roles_of(raw.names, raw.parents, raw.joints) | {
        role: raw.names.index(n) for role, n in said.items() if n in raw.names
    }
    at = {role: raw.joints[bone] for role, bone in found.items()}
    pairs = [
        (at[f"{p}_left"], at[f"{p}_right"]) for p in ("upperarm", "thigh") if f"{p}_left" in at and f"{p}_right" in at
    ]
    if not pairs or "head" not in at or not any(f"shank_{s}" in at for s in SIDES):
        raw.notes.append("its joints do not tell which way it looks; Y up, Z front is taken")
        return
    high = at["head"] - np.mean([at[f"shank_{s}"] for s in SIDES if f"shank_{s}" in at], axis=0)
    left = np.mean([a - b for a, b in pairs], axis=0)
    upward = _axis(high) if up == "auto" else np.eye(3)["xyz".index(up)]
    side = _axis(left - upward * (left @ upward))
    if abs(upward @ side) > 0.5:
        raise SceneError(f"{path}: its left lies along its height; its joints are misnamed, give roles=")
    turn = np.stack([side, upward, np.cross(side, upward)])
    raw.change(lambda points: points @ turn.T)
    names = ("x", "y", "z")
    k, f = int(np.argmax(np.abs(upward))), np.cross(side, upward)
    raw.notes.append(
        f"stands along {'-' if upward[k] < 0 else ''}{names[k]}, looks along "
        f"{'-' if f[np.argmax(np.abs(f))] < 0 else ''}{names[int(np.argmax(np.abs(f)))]}"
    )


def _axis(direction: Array) -> Array:
    """The coordinate axis nearest to a direction."""
    axis = np.zeros(3)
    k = int(np.argmax(np.abs(direction)))
    axis[k] = np.sign(direction[k])
    return axis


def _size(raw: Raw, path: Path, scale: float | str) -> None:
    """Metres: as said, or by the unit that makes the figure as tall as a person."""
    tall = float(np.ptp(raw.points[:, 1]))
    if scale == "auto":
        fitting = [unit for unit in _UNITS if LOW <= tall * unit <= HIGH]
        if not fitting:
            raise SceneError(
                f"{path}: the figure is {tall:.4g} units tall, which no usual unit makes {LOW} to {HIGH} m; "
                f"say metres in one unit, such as scale={1.75 / tall:.3g}"
            )
        factor = fitting[0]
    elif isinstance(scale, int | float) and np.isfinite(scale) and scale > 0.0:
        factor = float(scale)
    else:
        raise SceneError(f"{path}: scale = {scale!r}; must be above 0, or 'auto'")
    raw.change(lambda points: points * factor)
    raw.notes.append(
        f"{tall * factor:.3g} m tall, 1 unit = {factor:g} m ({'detected' if scale == 'auto' else 'as said'})"
    )


def _gltf(path: Path) -> Raw:
    """Every skinned mesh of the file, and rigid ones that hang on its joints, in the world's axes at rest."""
    scene = read_rigged(path)
    if not scene.skins:
        raise FormatError(f"{path}: has no skin; a character needs bones and weights (export it with its armature)")
    nodes = _joints(scene)
    row = {node: k for k, node in enumerate(nodes)}
    world = scene.world_matrices()
    points, triangles, weights, uv = [], [], [], []
    count = 0
    for mesh in scene.meshes:
        share = _weights(scene, mesh, row)
        if share is None:
            continue
        points.append(scene.world_points(mesh))
        triangles.append(mesh.triangles.astype(np.int64) + count)
        weights.append(share)
        uv.append(mesh.uv if mesh.uv is not None else np.zeros((len(mesh.points), 2)))
        count += len(mesh.points)
    if not points:
        raise FormatError(f"{path}: its skins bend no mesh; export the mesh with its weights")
    every, faces, share = np.concatenate(points), np.concatenate(triangles), np.concatenate(weights)
    bare = np.flatnonzero(share.sum(axis=1) <= 0.0)
    if bare.size:
        raise FormatError(f"{path}: point {bare[0]} and {len(bare) - 1} more hang on no bone; paint weights on them")
    parents = np.array([row.get(_above(scene, node, row), -1) for node in nodes])
    raw = Raw(every, faces, share, (tuple(scene.names[n] for n in nodes), parents, world[nodes, :3, 3].copy()))
    raw.uv = np.concatenate(uv) if any(mesh.uv is not None for mesh in scene.meshes) else None
    _weld(raw)
    return raw


def _joints(scene: GltfScene) -> list[int]:
    """Nodes that are joints of any skin, and those between joints, parents first."""
    wanted = {int(j) for skin in scene.skins for j in skin.joints}
    tops = set(wanted)
    for node in list(wanted):
        chain, at = [], int(scene.parents[node])
        while at >= 0 and at not in tops:
            chain.append(at)
            at = int(scene.parents[at])
        if at >= 0:
            wanted |= set(chain)
    depth = {}
    for node in wanted:
        k, at = 0, node
        while at >= 0:
            k, at = k + 1, int(scene.parents[at])
        depth[node] = k
    return sorted(wanted, key=lambda node: (depth[node], node))


def _above(scene: GltfScene, node: int, row: dict[int, int]) -> int:
    at = int(scene.parents[node])
    while at >= 0 and at not in row:
        at = int(scene.parents[at])
    return at


def _weights(scene: GltfScene, mesh: GltfMesh, row: dict[int, int]) -> Array | None:
    """(n, b) dense weights; a mesh without a skin hangs rigidly on the joint above its node."""
    table = np.zeros((len(mesh.points), len(row)))
    if mesh.skin is not None and mesh.joints is not None and mesh.weights is not None:
        columns = np.array([row[int(j)] for j in scene.skins[mesh.skin].joints])[mesh.joints]
        np.add.at(table, (np.arange(len(table))[:, None], columns), mesh.weights)
        return table
    node = mesh.node if mesh.node in row else _above(scene, mesh.node, row)
    if node not in row:
        return None
    table[:, row[node]] = 1.0
    return table


def _weld(raw: Raw) -> None:
    """Make points at one place with the same weights one: seams of texture or normals do not cut the skin."""
    places = np.concatenate([np.round(raw.points, 6), np.round(raw.weights, 3)], axis=1)
    _, first, where = np.unique(places, axis=0, return_index=True, return_inverse=True)
    faces = where.ravel()[raw.triangles]
    a, b, c = faces.T
    flat = (a == b) | (b == c) | (c == a)
    merged = len(raw.points) - len(first)
    raw.points, raw.weights = raw.points[first], raw.weights[first]
    raw.triangles = faces[~flat].astype(Index)
    raw.uv = None if raw.uv is None else raw.uv[first]
    if merged:
        raw.notes.append(f"joined {merged} points split along seams")
