"""glTF 2.0 containers: GLB and .gltf, buffers inside, beside and as data URIs, accessors as arrays."""

import base64
import binascii
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.sources.raw import contents

_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_JSON, _BIN = 0x4E4F534A, 0x004E4942


@dataclass(frozen=True)
class Document:
    """The JSON of a file and its buffers."""

    path: Path
    json: dict[str, Any]
    buffers: list[bytes]

    def all(self, kind: str) -> list[dict[str, Any]]:
        """`nodes`, `meshes` … or an empty list."""
        found = self.json.get(kind, [])
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            raise FormatError(f"{self.path}: {kind} is no list of objects; the file is damaged")
        return found

    def one(self, kind: str, index: Any) -> dict[str, Any]:
        items = self.all(kind)
        if not isinstance(index, int) or not 0 <= index < len(items):
            raise FormatError(f"{self.path}: {kind} {index!r} is not there; the file has {len(items)}")
        return items[index]

    def accessor(self, index: Any) -> Array:
        """(count, width), or (count,) of scalars; normalised integers become floats; sparse ones are filled in."""
        accessor = self.one("accessors", index)
        width, kind = _WIDTHS.get(accessor.get("type", "")), _COMPONENTS.get(accessor.get("componentType", 0))
        count = accessor.get("count")
        if width is None or kind is None or not isinstance(count, int) or count < 0:
            raise FormatError(f"{self.path}: accessor {index} is not understood; the file is damaged")
        if "bufferView" in accessor:
            values = self._view(accessor["bufferView"], accessor.get("byteOffset", 0), kind, (count, width)).copy()
        elif count > sum(map(len, self.buffers)) + 2**20:
            raise FormatError(f"{self.path}: accessor {index} claims {count} rows without data; refused")
        else:
            values = np.zeros((count, width), kind)
        if "sparse" in accessor:
            self._fill(values, accessor["sparse"], kind)
        if accessor.get("normalized"):
            limit = np.iinfo(values.dtype).max
            values = np.maximum(values.astype(np.float64) / limit, -1.0)
        return values[:, 0] if width == 1 else values

    def _fill(self, values: Array, sparse: dict[str, Any], kind: str) -> None:
        count, indices, filled = int(sparse["count"]), sparse["indices"], sparse["values"]
        rows_kind = _COMPONENTS[indices["componentType"]]
        rows = self._view(indices["bufferView"], indices.get("byteOffset", 0), rows_kind, (count, 1))[:, 0]
        if count and rows.max() >= len(values):
            raise FormatError(f"{self.path}: a sparse accessor fills row {rows.max()} of {len(values)}")
        values[rows] = self._view(filled["bufferView"], filled.get("byteOffset", 0), kind, (count, values.shape[1]))

    def _view(self, index: Any, offset: int, kind: str, shape: tuple[int, int]) -> Array:
        view = self.one("bufferViews", index)
        at = view.get("buffer")
        if not isinstance(at, int) or not 0 <= at < len(self.buffers):
            raise FormatError(f"{self.path}: buffer {at!r} is not there; the file has {len(self.buffers)}")
        item = np.dtype(kind).itemsize
        stride = view.get("byteStride") or item * shape[1]
        start = view.get("byteOffset", 0) + offset
        end = start + (max(shape[0], 1) - 1) * stride + item * shape[1]
        if shape[0] == 0:
            return np.empty(shape, kind)
        if start < 0 or stride < item * shape[1] or end > len(self.buffers[at]):
            raise FormatError(
                f"{self.path}: an accessor reaches past its buffer of {len(self.buffers[at])} bytes; cut off?"
            )
        return np.ndarray(shape, kind, self.buffers[at], start, (stride, item))

    def matrices(self) -> list[Array]:
        """World matrix of every node; a node in a loop of parents is refused."""
        nodes = self.all("nodes")
        parents = {child: row for row, node in enumerate(nodes) for child in node.get("children", [])}
        world: dict[int, Array] = {}
        for row in range(len(nodes)):
            chain = [row]
            while chain[-1] in parents and chain[-1] not in world:
                chain.append(parents[chain[-1]])
                if len(chain) > len(nodes):
                    raise FormatError(f"{self.path}: node {row} is its own ancestor")
            for at in reversed(chain):
                if at not in world:
                    above = world[parents[at]] if at in parents else np.eye(4)
                    world[at] = above @ local_matrix(nodes[at])
        return [world[row] for row in range(len(nodes))]


def local_matrix(node: dict[str, Any]) -> Array:
    """(4, 4) of a node's matrix, or of its translation, rotation and scale."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    matrix = np.eye(4)
    turn = rotation.to_matrix(np.array(node.get("rotation", (0.0, 0.0, 0.0, 1.0)), np.float64))
    matrix[:3, :3] = turn * np.array(node.get("scale", (1.0, 1.0, 1.0)), np.float64)
    matrix[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return matrix


def read_document(path: str | Path) -> Document:
    """Open a container and every buffer it names; buffers must lie beside the file."""
    path = Path(path)
    data = contents(path)
    chunk = b""
    if data[:4] == b"glTF":
        data, chunk = _chunks(data, path)
    try:
        document = json.loads(data.decode("utf-8-sig"))
        version = str(document["asset"]["version"])
    except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError, RecursionError) as error:
        raise FormatError(f"{path}: not a glTF file ({type(error).__name__})") from None
    if not version.startswith("2"):
        raise FormatError(f"{path}: glTF version {version}; only 2.x is read")
    buffers = [_buffer(buffer, chunk, path) for buffer in document.get("buffers", [])]
    return Document(path, document, buffers)


def _chunks(data: bytes, path: Path) -> tuple[bytes, bytes]:
    """The JSON and the binary chunk of a GLB."""
    if len(data) < 20 or struct.unpack_from("<I", data, 8)[0] > len(data):
        raise FormatError(f"{path}: {len(data)} bytes are fewer than its header says; the GLB file is cut off")
    found, at = {_JSON: b"", _BIN: b""}, 12
    while at + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, at)
        if at + 8 + length > len(data):
            raise FormatError(f"{path}: a chunk of {length} bytes reaches past the end; the GLB file is cut off")
        if kind in found and not found[kind]:
            found[kind] = data[at + 8 : at + 8 + length]
        at += 8 + length
    return found[_JSON], found[_BIN]


def _buffer(buffer: dict[str, Any], chunk: bytes, path: Path) -> bytes:
    uri = buffer.get("uri")
    if uri is None:
        return chunk
    if uri.startswith("data:"):
        try:
            return base64.b64decode(uri.split(",", 1)[1], validate=True)
        except (IndexError, binascii.Error):
            raise FormatError(f"{path}: a data URI is not base64; the file is damaged") from None
    beside = (path.parent / unquote(uri)).resolve()
    if not beside.is_relative_to(path.parent.resolve()):
        raise FormatError(f"{path}: buffer {uri!r} lies outside the file's folder; refused")
    return contents(beside)
