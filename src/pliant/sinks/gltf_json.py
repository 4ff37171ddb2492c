"""The tables of a glTF file: buffer views and accessors over one growing buffer, materials, and the GLB container."""

import json
import struct
from typing import Any, Protocol

import numpy as np

from pliant.arrays import Array
from pliant.sinks.cast import unit_normals
from pliant.world import PartFrame

_FLOAT, _UINT, _USHORT = 5126, 5125, 5123
_VERTICES, _INDICES = 34962, 34963
_JSON, _BIN = 0x4E4F534A, 0x004E4942
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Bytes(Protocol):
    """What a buffer is gathered in: a spool, or memory."""

    @property
    def size(self) -> int: ...

    def write(self, data: bytes) -> object: ...


class Memory:
    """A small buffer."""

    def __init__(self) -> None:
        self.held = bytearray()

    @property
    def size(self) -> int:
        return len(self.held)

    def write(self, data: bytes) -> None:
        self.held += data


class Buffers:
    """Appends arrays to the binary chunk; every item is of four-byte numbers, so alignment comes by itself."""

    def __init__(self, spool: Bytes) -> None:
        self._spool = spool
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []

    def vertices(self, values: Array, *, bounds: bool = False) -> int:
        return self._add(np.ascontiguousarray(values, "<f4"), _FLOAT, _VERTICES, bounds)

    def joints(self, rows: Array) -> int:
        """(n, 4) of a skin."""
        return self._add(np.ascontiguousarray(rows, "<u2"), _USHORT, _VERTICES, False)

    def scalars(self, values: Array, *, bounds: bool = False) -> int:
        """Of animations: (n,) or (n, width)."""
        return self._add(np.ascontiguousarray(values, "<f4"), _FLOAT, None, bounds)

    def indices(self, triangles: Array) -> int:
        return self._add(np.ascontiguousarray(triangles, "<u4").ravel(), _UINT, _INDICES, False)

    def document(self) -> dict[str, Any]:
        if not self._views:
            return {}
        return {
            "buffers": [{"byteLength": self._spool.size}],
            "bufferViews": self._views,
            "accessors": self._accessors,
        }

    def _add(self, values: Array, component: int, target: int | None, bounds: bool) -> int:
        rows = values.reshape(len(values), -1)
        view = {"buffer": 0, "byteOffset": self._spool.size, "byteLength": values.nbytes}
        self._views.append(view if target is None else view | {"target": target})
        self._spool.write(values.tobytes())
        accessor: dict[str, Any] = {
            "bufferView": len(self._views) - 1,
            "componentType": component,
            "count": len(rows),
            "type": _TYPES[rows.shape[1]],
        }
        if bounds:
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self._accessors.append(accessor)
        return len(self._accessors) - 1


def material(part: PartFrame) -> dict[str, Any]:
    """Two-sided and rough, in the part's colour; glTF wants linear RGB, as `Look` has it."""
    painted = vertex_colors(part) is not None
    return {
        "name": part.name,
        "doubleSided": True,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*((1.0, 1.0, 1.0) if painted else map(float, part.look.color)), 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.8,
        },
    }


def packed(document: dict[str, Any], size: int) -> bytes:
    """Everything of a GLB before its binary data, of which `size` bytes follow (specification, section 4.4)."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    total = 20 + len(text) + (8 + size if size else 0)
    head = struct.pack("<4sIIII", b"glTF", 2, total, len(text), _JSON) + text
    return head + (struct.pack("<II", size, _BIN) if size else b"")


def static_glb(part: PartFrame, second_uv: Array) -> bytes:
    """One surface as it is, with a second texture coordinate."""
    data = Memory()
    buffers = Buffers(data)
    attributes = surface_attributes(part, buffers)
    attributes.setdefault("TEXCOORD_0", buffers.vertices(np.zeros_like(second_uv)))  # sets are counted without gaps
    attributes["TEXCOORD_1"] = buffers.vertices(second_uv)
    primitive = {"attributes": attributes, "indices": buffers.indices(part.triangles), "material": 0}
    document = {
        "asset": {"version": "2.0", "generator": "pliant"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": part.name, "mesh": 0}],
        "meshes": [{"name": part.name, "primitives": [primitive]}],
        "materials": [material(part)],
    }
    return packed(document | buffers.document(), data.size) + bytes(data.held)


def surface_attributes(part: PartFrame, buffers: Buffers) -> dict[str, int]:
    """Accessors of a surface's points, normals and texture coordinates; glTF counts v downward."""
    attributes = {
        "POSITION": buffers.vertices(part.points, bounds=True),
        "NORMAL": buffers.vertices(unit_normals(part)),
    }
    if part.uv is not None:
        u, v = np.asarray(part.uv, np.float32).T
        attributes["TEXCOORD_0"] = buffers.vertices(np.stack([u, 1.0 - v], axis=1))
    colors = vertex_colors(part)
    if colors is not None:
        attributes["COLOR_0"] = buffers.vertices(colors)
    return attributes


def vertex_colors(part: PartFrame) -> Array | None:
    """(n, 3) linear RGB, where the part has a colour for each point."""
    colors = part.quantities.get("colors")
    return None if colors is None or len(colors) != len(part.points) else np.clip(np.asarray(colors, np.float32), 0, 1)
