"""USD characters (the extra `usd`): skeletons, skinned meshes and their clip, as the same record as of glTF.

UsdSkel bends a point by inverse(bind) * joint in the skeleton's space, after the mesh's geomBindTransform; the
skeleton's place in the world, the stage's unit and its up axis become one node above the joints, lengths are metres.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.geometry.polygons import triangulate
from pliant.sources.gltf import Channel, GltfAnimation, GltfMesh, GltfScene, GltfSkin, read_gltf
from pliant.sources.units import TURN_TO_Y
from pliant.sources.usd import intact, meshes_of, open_stage

USD = (".usd", ".usda", ".usdc", ".usdz")


def read_rigged(path: str | Path) -> GltfScene:
    """Meshes, skins, bones and clips of a glTF or USD file."""
    path = Path(path)
    return read_usd_character(path) if path.suffix.lower() in USD else read_gltf(path)


def bends_a_mesh(path: Path) -> bool:
    """Whether a mesh of the stage hangs on joints."""
    stage, pxr = open_stage(path)
    with intact(path, pxr):
        meshes = [prim for prim in stage.Traverse() if prim.IsA(pxr.UsdGeom.Mesh)]
        return any(pxr.UsdSkel.BindingAPI(prim).GetJointIndicesPrimvar().HasValue() for prim in meshes)


class _Nodes:
    """The node tree in the making."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parents: list[int] = []
        self.places: list[Array] = []
        self.turns: list[Array] = []

    def add(self, name: str, parent: int, place: Array, turn: Array) -> int:
        self.names.append(name)
        self.parents.append(parent)
        self.places.append(np.asarray(place))
        self.turns.append(np.asarray(turn))
        return len(self.names) - 1


class _Bones(NamedTuple):
    """One skeleton, laid out as nodes."""

    query: Any
    joints: Array  # (j,) nodes
    names: list[str]  # full paths, in the skeleton's order
    size: float  # metres in one unit of the skeleton's space


def read_usd_character(path: str | Path) -> GltfScene:
    """Every skeleton of a stage with the meshes it bends, and its clip."""
    path = Path(path)
    stage, pxr = open_stage(path)
    with intact(path, pxr):
        nodes, skins, meshes, clips = _Nodes(), [], [], []
        for root, cache in _roots(stage, pxr):
            for binding in cache.ComputeSkelBindings(root, pxr.Usd.PrimDefaultPredicate):
                bones = _bones(cache.GetSkelQuery(binding.GetSkeleton()), nodes, stage, pxr)
                skins.append(_skin(bones))
                targets = {query.GetPrim().GetPath(): query for query in binding.GetSkinningTargets()}
                for prim, raw in meshes_of(stage, pxr, path):
                    if prim.GetPath() in targets:
                        meshes.append(_mesh(prim, raw, targets[prim.GetPath()], bones, len(skins) - 1))
                clips += _clip(bones, stage)
    if not skins:
        raise FormatError(f"{path}: has no skeleton that bends a mesh; a character needs one")
    ones = np.ones((len(nodes.names), 3))
    return GltfScene(
        str(path),
        tuple(nodes.names),
        np.array(nodes.parents),
        np.array(nodes.places),
        np.array(nodes.turns),
        ones,
        tuple(meshes),
        tuple(skins),
        tuple(clips),
    )


def _roots(stage: Any, pxr: Any) -> Iterator[tuple[Any, Any]]:
    for prim in stage.Traverse():
        if prim.IsA(pxr.UsdSkel.Root):
            root, cache = pxr.UsdSkel.Root(prim), pxr.UsdSkel.Cache()
            cache.Populate(root, pxr.Usd.PrimDefaultPredicate)
            yield root, cache


def _bones(query: Any, nodes: _Nodes, stage: Any, pxr: Any) -> _Bones:
    world = np.array(pxr.UsdGeom.XformCache(stage.GetStartTimeCode()).GetLocalToWorldTransform(query.GetPrim())).T
    up = TURN_TO_Y[str(pxr.UsdGeom.GetStageUpAxis(stage)).lower()]
    unit = float(pxr.UsdGeom.GetStageMetersPerUnit(stage))
    size = float(np.cbrt(abs(np.linalg.det(world[:3, :3]))))
    turn = rotation.multiply(up, rotation.from_matrix(world[:3, :3] / size))
    place = rotation.rotate(up, world[:3, 3]) * unit
    top = nodes.add(query.GetPrim().GetName(), -1, place, turn)
    topology, names = query.GetTopology(), [str(name) for name in query.GetJointOrder()]
    places, turns = _split(query.ComputeJointLocalTransforms(stage.GetStartTimeCode(), True))
    joints: list[int] = []
    for k, name in enumerate(names):
        above = topology.GetParent(k)
        parent = joints[above] if above >= 0 else top
        joints.append(nodes.add(name.rpartition("/")[2], parent, places[k] * size * unit, turns[k]))
    return _Bones(query, np.array(joints), names, size * unit)


def _split(matrices: Any) -> tuple[Array, Array]:
    """Translations (j, 3) and rotations (j, 4) of local transforms; scale is left out, as bones have none here."""
    values = np.array(matrices, float).reshape(-1, 4, 4).swapaxes(1, 2)
    length = np.linalg.norm(values[:, :3, :3], axis=1, keepdims=True)
    return values[:, :3, 3], rotation.from_matrix(values[:, :3, :3] / np.where(length > 0, length, 1.0))


def _skin(bones: _Bones) -> GltfSkin:
    bind = np.array(bones.query.GetJointWorldBindTransforms(), float).reshape(-1, 4, 4).swapaxes(1, 2)
    inverse = np.linalg.inv(bind)
    inverse[:, :3, 3] *= bones.size
    return GltfSkin(bones.joints, inverse)


def _mesh(prim: Any, raw: Any, query: Any, bones: _Bones, skin: int) -> GltfMesh:
    from pxr import UsdGeom

    stored = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(0.0), float)
    placed = np.array(query.GetGeomBindTransform(), float).T
    points = (stored @ placed[:3, :3].T + placed[:3, 3]) * bones.size
    columns, weights = query.ComputeVaryingJointInfluences(len(points))
    own = query.GetJointOrder()
    order = np.arange(len(bones.names)) if own is None else np.array([bones.names.index(str(name)) for name in own])
    triangles = triangulate(raw.points, raw.starts, raw.corners).astype(Index)
    uv = None if raw.uv is None else raw.uv
    joints = order[np.array(columns, np.int64).reshape(len(points), -1)]
    shares = np.array(weights, float).reshape(len(points), -1)
    return GltfMesh(str(prim.GetName()), int(bones.joints[0]), skin, points, triangles, uv, joints, shares)


def _clip(bones: _Bones, stage: Any) -> list[GltfAnimation]:
    """The skeleton's animation at its own time samples, in seconds from the stage's start."""
    source = bones.query.GetAnimQuery()
    codes = np.array(source.GetJointTransformTimeSamples() if source else [], float)
    if not len(codes):
        return []
    times = (codes - min(float(stage.GetStartTimeCode()), float(codes[0]))) / float(stage.GetTimeCodesPerSecond())
    places, turns = zip(*(_split(bones.query.ComputeJointLocalTransforms(float(code))) for code in codes), strict=True)
    channels = []
    for k, node in enumerate(bones.joints.tolist()):
        path = np.stack([of[k] for of in places]) * bones.size
        channels.append(Channel(node, "translation", "LINEAR", times, path))
        channels.append(Channel(node, "rotation", "LINEAR", times, np.stack([of[k] for of in turns])))
    return [GltfAnimation(str(source.GetPrim().GetName()), float(times[-1]), tuple(channels))]
