"""glTF 2.0: read meshes with their skins, skeletons and clips from .glb and .gltf.

Own small reader of exactly what characters need: node trees, accessors (strided, normalized, sparse), skins,
translation/rotation/scale animation in STEP, LINEAR and CUBICSPLINE (glTF 2.0 specification, sections 3.6, 3.7 and
appendix C). Textures, cameras, lights and morph targets are passed over. glTF is Y up, right-handed and in metres,
as pliant is: nothing is converted.
"""

import base64
import binascii
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from pliant.arrays import Array, Index
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.geometry.skeleton import Clip, Skeleton

COMPONENTS: dict[int, Any] = {
    5120: np.int8,
    5121: np.uint8,
    5122: np.int16,
    5123: np.uint16,
    5125: np.uint32,
    5126: np.float32,
}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


@dataclass(frozen=True)
class GltfMesh:
    """One node's mesh, its primitives joined, in the node's own axes."""

    name: str
    node: int
    skin: int | None
    points: Array  # (n, 3) [m] as stored
    triangles: Array  # (m, 3) uint32
    uv: Array | None  # (n, 2)
    joints: Array | None  # (n, w) columns of the skin's joint list
    weights: Array | None  # (n, w) as stored


@dataclass(frozen=True)
class GltfSkin:
    """Which nodes bend a mesh."""

    joints: Array  # (j,) nodes
    inverse_bind: Array  # (j, 4, 4) mesh space to joint space


@dataclass(frozen=True)
class GltfScene:
    """A whole file: the node tree, what hangs on it and how it moves."""

    path: str
    names: tuple[str, ...]
    parents: Array  # (k,) int, -1 at a root
    translations: Array  # (k, 3)
    rotations_xyzw: Array  # (k, 4)
    scales: Array  # (k, 3)
    meshes: tuple[GltfMesh, ...]
    skins: tuple[GltfSkin, ...]
    animations: tuple["GltfAnimation", ...] = field(default_factory=tuple)

    def world_matrices(self, local: tuple[Array, Array, Array] | None = None) -> Array:
        """(k, 4, 4) node to world, at rest or of given local (translations, rotations, scales)."""
        translations, rotations, scales = local or (self.translations, self.rotations_xyzw, self.scales)
        matrices = np.zeros((len(self.parents), 4, 4))
        matrices[:, :3, :3] = rotation.to_matrix(rotations) * scales[:, None, :]
        matrices[:, :3, 3], matrices[:, 3, 3] = translations, 1.0
        done = np.zeros(len(self.parents), bool)
        for node in range(len(self.parents)):
            self._chain(node, matrices, done)
        return matrices

    def _chain(self, node: int, matrices: Array, done: Array) -> None:
        chain = []
        while node >= 0 and not done[node]:
            chain.append(node)
            node = int(self.parents[node])
        for node in reversed(chain):
            if self.parents[node] >= 0:
                matrices[node] = matrices[self.parents[node]] @ matrices[node]
            done[node] = True

    def world_points(self, mesh: GltfMesh, local: tuple[Array, Array, Array] | None = None) -> Array:
        """(n, 3) a mesh's points in the world, skinned where it has a skin (glTF 2.0, 3.7.3.3)."""
        world = self.world_matrices(local)
        if mesh.skin is None or mesh.joints is None or mesh.weights is None:
            return mesh.points @ world[mesh.node, :3, :3].T + world[mesh.node, :3, 3]
        skin = self.skins[mesh.skin]
        matrices = world[skin.joints] @ skin.inverse_bind
        total = mesh.weights.sum(axis=1, keepdims=True)
        blended = np.einsum("nw,nwij->nij", mesh.weights / np.where(total > 0, total, 1.0), matrices[mesh.joints, :3])
        return np.einsum("nij,nj->ni", blended[:, :, :3], mesh.points) + blended[:, :, 3]

    def pose_at(self, animation: "GltfAnimation", time: float) -> tuple[Array, Array, Array]:
        """Local (translations, rotations_xyzw, scales) of every node at a time [s], held before and after."""
        local = {
            "translation": self.translations.copy(),
            "rotation": self.rotations_xyzw.copy(),
            "scale": self.scales.copy(),
        }
        for channel in animation.channels:
            local[channel.path][channel.node] = channel.at(time)
        return local["translation"], local["rotation"], local["scale"]

    def skeleton(self, skin: int = 0) -> tuple[Skeleton, Array]:
        """The skin's joints and every node above them, parents first, and the joint list's rows in it."""
        wanted: list[int] = []
        for joint in self.skins[skin].joints:
            chain, node = [], int(joint)
            while node >= 0 and node not in wanted:
                chain.append(node)
                node = int(self.parents[node])
            wanted += reversed(chain)
        row = {node: k for k, node in enumerate(wanted)}
        parents = np.array([row.get(int(self.parents[node]), -1) for node in wanted])
        names = tuple(self.names[node] for node in wanted)
        skeleton = Skeleton(names, parents, self.translations[wanted], self.rotations_xyzw[wanted])
        return skeleton, np.array([row[int(joint)] for joint in self.skins[skin].joints])

    def clip(self, animation: "GltfAnimation", skin: int = 0, fps: float = 30.0) -> Clip:
        """The animation of the skin's skeleton, sampled evenly."""
        skeleton, _ = self.skeleton(skin)
        rows = [self.names.index(name) for name in skeleton.names]
        times = np.arange(int(np.floor(animation.seconds * fps + 1e-6)) + 1) / fps
        poses = [self.pose_at(animation, time) for time in times]
        return Clip(animation.name, fps, np.stack([p[0][rows] for p in poses]), np.stack([p[1][rows] for p in poses]))


@dataclass(frozen=True)
class Channel:
    """One node's translation, rotation or scale over time."""

    node: int
    path: str
    kind: str  # STEP, LINEAR, CUBICSPLINE
    times: Array  # (t,) [s]
    values: Array  # (t, w), or (t, 3, w) with tangents

    def at(self, time: float) -> Array:
        """The value at a time, held before the first and after the last key."""
        later = int(np.searchsorted(self.times, time, side="right"))
        key = self.values[:, 1] if self.kind == "CUBICSPLINE" else self.values
        if later == 0 or later == len(self.times) or self.kind == "STEP":
            held = key[max(later - 1, 0)]
            return rotation.normalized(held) if self.path == "rotation" else held
        span = float(self.times[later] - self.times[later - 1])
        t = (time - float(self.times[later - 1])) / span
        a, b = key[later - 1], key[later]
        if self.kind == "CUBICSPLINE":
            out, into = span * self.values[later - 1, 2], span * self.values[later, 0]
            value = (2 * t**3 - 3 * t**2 + 1) * a + (t**3 - 2 * t**2 + t) * out
            value = value + (3 * t**2 - 2 * t**3) * b + (t**3 - t**2) * into
            return rotation.normalized(value) if self.path == "rotation" else value
        return (
            rotation.slerp(rotation.normalized(a), rotation.normalized(b), t)
            if self.path == "rotation"
            else (1 - t) * a + t * b
        )


@dataclass(frozen=True)
class GltfAnimation:
    """Named motion of nodes."""

    name: str
    seconds: float
    channels: tuple[Channel, ...]


def read_gltf(path: str | Path) -> GltfScene:
    """Read a .glb or .gltf file; what is broken in it is said in one line."""
    path = Path(path)
    try:
        document, binary = _document(path)
        return _scene(path, document, _Buffers(path, document, binary))
    except FormatError:
        raise
    except (OSError, KeyError, IndexError, TypeError, ValueError, struct.error, binascii.Error) as error:
        raise FormatError(f"{path}: not a readable glTF file ({type(error).__name__}: {error})") from None


def _document(path: Path) -> tuple[dict[str, Any], bytes]:
    data = path.read_bytes()
    if data[:4] != b"glTF":
        return json.loads(data.decode("utf-8-sig")), b""
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise FormatError(f"{path}: glTF version is {version}; only version 2 can be read")
    if length > len(data):
        raise FormatError(f"{path}: header says {length} bytes, the file has {len(data)}; it is cut off")
    document: dict[str, Any] = {}
    binary, at = b"", 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        chunk = data[at + 8 : at + 8 + size]
        if kind == 0x4E4F534A:
            document = json.loads(chunk)
        elif kind == 0x004E4942 and not binary:
            binary = chunk
        at += 8 + size
    return document, binary


class _Buffers:
    """Accessors of one document, buffers read once."""

    def __init__(self, path: Path, document: dict[str, Any], binary: bytes) -> None:
        self._path, self._document = path, document
        self._buffers = [self._buffer(b, binary) for b in document.get("buffers", [])]

    def _buffer(self, buffer: dict[str, Any], binary: bytes) -> bytes:
        uri = buffer.get("uri")
        if uri is None:
            data = binary
        elif uri.startswith("data:"):
            data = base64.b64decode(uri.split(",", 1)[1])
        else:
            data = (self._path.parent / unquote(uri)).read_bytes()
        if len(data) < buffer["byteLength"]:
            raise FormatError(f"{self._path}: a buffer has {len(data)} bytes, {buffer['byteLength']} are declared")
        return data

    def _raw(self, view_index: int, offset: int, count: int, kind: Any, width: int) -> Array:
        view = self._document["bufferViews"][view_index]
        item = np.dtype(kind).itemsize * width
        stride = view.get("byteStride", item)
        start = view.get("byteOffset", 0) + offset
        data = self._buffers[view["buffer"]]
        if count and start + stride * (count - 1) + item > len(data):
            raise FormatError(f"{self._path}: an accessor reaches beyond the end of its buffer; the file is cut off")
        shape, strides = (count, width), (stride, np.dtype(kind).itemsize)
        return np.ndarray(shape, kind, data, start, strides).copy()

    def read(self, index: int) -> Array:
        """(count, width) in the stored type; normalized integers become float."""
        accessor = self._document["accessors"][index]
        kind, width, count = COMPONENTS[accessor["componentType"]], WIDTHS[accessor["type"]], accessor["count"]
        if "bufferView" in accessor:
            values = self._raw(accessor["bufferView"], accessor.get("byteOffset", 0), count, kind, width)
        else:
            values = np.zeros((count, width), kind)
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            which, what = sparse["indices"], sparse["values"]
            rows = self._raw(
                which["bufferView"], which.get("byteOffset", 0), sparse["count"], COMPONENTS[which["componentType"]], 1
            )
            values[rows[:, 0]] = self._raw(what["bufferView"], what.get("byteOffset", 0), sparse["count"], kind, width)
        if accessor.get("normalized") and not issubclass(kind, np.floating):
            return np.maximum(values.astype(np.float64) / np.iinfo(kind).max, -1.0)
        return values


def _scene(path: Path, document: dict[str, Any], buffers: _Buffers) -> GltfScene:
    nodes = document.get("nodes", [])
    parents = np.full(len(nodes), -1)
    for index, node in enumerate(nodes):
        for child in node.get("children", []):
            parents[child] = index
    transforms = [_transform(node) for node in nodes]
    shape = len(nodes)
    return GltfScene(
        path=str(path),
        names=tuple(node.get("name", f"node {k}") for k, node in enumerate(nodes)),
        parents=parents,
        translations=np.array([t[0] for t in transforms], float).reshape(shape, 3),
        rotations_xyzw=np.array([t[1] for t in transforms], float).reshape(shape, 4),
        scales=np.array([t[2] for t in transforms], float).reshape(shape, 3),
        meshes=tuple(_meshes(path, document, buffers)),
        skins=tuple(_skin(skin, buffers) for skin in document.get("skins", [])),
        animations=tuple(_animation(k, a, buffers) for k, a in enumerate(document.get("animations", []))),
    )


def _transform(node: dict[str, Any]) -> tuple[Array, Array, Array]:
    if "matrix" in node:
        matrix = np.array(node["matrix"], float).reshape(4, 4).T
        scale = np.linalg.norm(matrix[:3, :3], axis=0)
        if np.linalg.det(matrix[:3, :3]) < 0:
            scale[0] = -scale[0]
        return matrix[:3, 3], rotation.from_matrix(matrix[:3, :3] / scale), scale
    return (
        np.array(node.get("translation", (0, 0, 0)), float),
        rotation.normalized(np.array(node.get("rotation", (0, 0, 0, 1)), float)),
        np.array(node.get("scale", (1, 1, 1)), float),
    )


def _skin(skin: dict[str, Any], buffers: _Buffers) -> GltfSkin:
    joints = np.array(skin["joints"])
    if "inverseBindMatrices" not in skin:
        return GltfSkin(joints, np.tile(np.eye(4), (len(joints), 1, 1)))
    matrices = buffers.read(skin["inverseBindMatrices"]).astype(np.float64).reshape(-1, 4, 4)
    return GltfSkin(joints, matrices.transpose(0, 2, 1))


def _meshes(path: Path, document: dict[str, Any], buffers: _Buffers) -> list[GltfMesh]:
    found = []
    for index, node in enumerate(document.get("nodes", [])):
        if "mesh" not in node:
            continue
        mesh = document["meshes"][node["mesh"]]
        parts = [_primitive(path, p, buffers) for p in mesh["primitives"] if p.get("mode", 4) in (4, 5, 6)]
        if parts:
            found.append(_join(mesh.get("name", f"mesh {node['mesh']}"), index, node.get("skin"), parts))
    return found


def _primitive(path: Path, primitive: dict[str, Any], buffers: _Buffers) -> dict[str, Array]:
    attributes = primitive["attributes"]
    points = buffers.read(attributes["POSITION"]).astype(np.float64)
    count = len(points)
    rows = buffers.read(primitive["indices"])[:, 0].astype(np.int64) if "indices" in primitive else np.arange(count)
    part = {"points": points, "triangles": _triangles(rows, primitive.get("mode", 4))}
    if part["triangles"].size and part["triangles"].max() >= count:
        raise FormatError(f"{path}: a triangle uses vertex {part['triangles'].max()}; there are {count}")
    if "TEXCOORD_0" in attributes:
        part["uv"] = buffers.read(attributes["TEXCOORD_0"]).astype(np.float64)
    sets = sorted(name for name in attributes if name.startswith("JOINTS_"))
    if sets:
        part["joints"] = np.hstack([buffers.read(attributes[name]) for name in sets]).astype(np.int64)
        names = [name.replace("JOINTS", "WEIGHTS") for name in sets]
        part["weights"] = np.hstack([buffers.read(attributes[name]) for name in names]).astype(np.float64)
    return part


def _triangles(rows: Array, mode: int) -> Array:
    if mode == 4:
        return rows[: len(rows) // 3 * 3].reshape(-1, 3)
    if mode == 6:
        return np.stack([np.full(len(rows) - 2, rows[0]), rows[1:-1], rows[2:]], axis=1)
    strip = np.stack([rows[:-2], rows[1:-1], rows[2:]], axis=1)
    strip[1::2] = strip[1::2, [1, 0, 2]]
    return strip


def _join(name: str, node: int, skin: int | None, parts: list[dict[str, Array]]) -> GltfMesh:
    starts = np.cumsum([0, *(len(part["points"]) for part in parts)])
    triangles = np.concatenate([part["triangles"] + start for part, start in zip(parts, starts, strict=False)])

    def column(key: str) -> Array | None:
        if not all(key in part for part in parts):
            return None
        width = max(part[key].shape[1] for part in parts)
        return np.concatenate([np.pad(part[key], ((0, 0), (0, width - part[key].shape[1]))) for part in parts])

    return GltfMesh(
        name=name,
        node=node,
        skin=skin,
        points=np.concatenate([part["points"] for part in parts]),
        triangles=triangles.astype(Index),
        uv=column("uv"),
        joints=column("joints"),
        weights=column("weights"),
    )


def _animation(index: int, animation: dict[str, Any], buffers: _Buffers) -> GltfAnimation:
    channels = []
    for channel in animation["channels"]:
        target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
        if target.get("node") is None or target["path"] not in ("translation", "rotation", "scale"):
            continue
        kind = sampler.get("interpolation", "LINEAR")
        times = buffers.read(sampler["input"])[:, 0].astype(np.float64)
        values = buffers.read(sampler["output"]).astype(np.float64)
        if kind == "CUBICSPLINE":
            values = values.reshape(len(times), 3, -1)
        channels.append(Channel(target["node"], target["path"], kind, times, values))
    seconds = max((float(c.times[-1]) for c in channels), default=0.0)
    return GltfAnimation(animation.get("name", str(index)), seconds, tuple(channels))
