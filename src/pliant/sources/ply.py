"""Stanford PLY, text and binary, either byte order: vertices with optional texture coordinates, and faces."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sources.raw import RawMesh, contents, numbers, rows_of, usable

_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_UV = (("s", "t"), ("u", "v"), ("texture_u", "texture_v"))


@dataclass
class _Element:
    name: str
    count: int
    columns: list[tuple[str, str, str]] = field(default_factory=list)  # name, type, type of a list's length or ""


@dataclass
class _Body:
    """The bytes after the header, and how far they have been read."""

    where: str
    data: bytes
    order: str
    at: int = 0

    def take(self, dtype: Any, count: int) -> Array:
        dtype = np.dtype(dtype)
        if count < 0 or self.at + count * dtype.itemsize > len(self.data):
            raise FormatError(f"{self.where}: ends early; the PLY file is cut off")
        array = np.frombuffer(self.data, dtype, count, self.at)
        self.at += count * dtype.itemsize
        return array


def read_ply(path: Path) -> RawMesh:
    order, elements, data = _header(path)
    tables = (
        _read_text(elements, data, str(path)) if order == "" else _read_binary(elements, _Body(str(path), data, order))
    )
    vertex, face = tables.get("vertex", {}), tables.get("face", {})
    missing = [axis for axis in "xyz" if axis not in vertex]
    if missing or not len(vertex["x"]):
        raise FormatError(f"{path}: has no vertices; a mesh needs x, y and z")
    points = np.stack([np.asarray(vertex[axis], np.float64) for axis in "xyz"], axis=1)
    pair = next((p for p in _UV if p[0] in vertex and p[1] in vertex), None)
    uv = np.stack([np.asarray(vertex[name], np.float64) for name in pair], axis=1) if pair else None
    lengths, corners = next(
        (face[k] for k in ("vertex_indices", "vertex_index") if k in face), (np.empty(0), np.empty(0))
    )
    corners = np.asarray(corners)
    if not usable(corners[:, None].astype(float)).all():
        raise FormatError(f"{path}: a face uses a point that is no number below 1e9")
    weights = {name: _share(vertex[name], kind) for name, kind in _painted(elements, pair)}
    return RawMesh(points, rows_of(lengths), corners.astype(np.int64), uv, weights=weights)


def _painted(elements: list[_Element], uv: tuple[str, str] | None) -> list[tuple[str, str]]:
    """Name and type of every number of a vertex that is no place, no direction and no texture."""
    geometry = {"x", "y", "z", "nx", "ny", "nz", "part", *(uv or ())}
    columns = next((element.columns for element in elements if element.name == "vertex"), [])
    return [(name, kind) for name, kind, length in columns if not length and name not in geometry]


def _share(values: Array, kind: str) -> Array:
    """Small integers are colours: 255 is 1."""
    return np.asarray(values, np.float64) / (255.0 if kind == "u1" else 1.0)


def _header(path: Path) -> tuple[str, list[_Element], bytes]:
    data = contents(path)
    end = data.find(b"end_header")
    if not data.startswith(b"ply") or end < 0:
        raise FormatError(f"{path}: no PLY header; is it a PLY file?")
    order, elements = None, list[_Element]()
    for line in data[:end].decode("ascii", errors="replace").splitlines():
        words = line.split()
        try:
            if words[:1] == ["format"]:
                order = _ORDERS[words[1]]
            elif words[:1] == ["element"]:
                elements.append(_Element(words[1], int(words[2])))
            elif words[:2] == ["property", "list"]:
                elements[-1].columns.append((words[4], _TYPES[words[3]], _TYPES[words[2]]))
            elif words[:1] == ["property"]:
                elements[-1].columns.append((words[2], _TYPES[words[1]], ""))
        except (KeyError, IndexError, ValueError):
            raise FormatError(f"{path}: header line {line[:60]!r} is not understood") from None
    if order is None:
        raise FormatError(f"{path}: the header names no format")
    return order, elements, data[data.find(b"\n", end) + 1 :]


def _read_binary(elements: list[_Element], body: _Body) -> dict[str, dict[str, Any]]:
    return {element.name: _binary_table(element, body) for element in elements}


def _binary_table(element: _Element, body: _Body) -> dict[str, Any]:
    lists = [column for column in element.columns if column[2]]
    if not lists:
        dtype = np.dtype([(name, body.order + kind) for name, kind, _ in element.columns])
        rows = body.take(dtype, element.count)
        return {name: rows[name] for name, _, _ in element.columns}
    return _even_lists(element, body) or _uneven_lists(element, body)


def _even_lists(element: _Element, body: _Body) -> dict[str, Any] | None:
    """One list of equal lengths (all triangles, all quads): read at once. None where that is not so."""
    if len(element.columns) != 1 or not element.count:
        return None
    name, kind, length = element.columns[0]
    start = body.at
    size = int(body.take(body.order + length, 1)[0])
    body.at = start
    dtype = np.dtype([("size", body.order + length), ("rows", body.order + kind, (size,))])
    if size < 1 or start + element.count * dtype.itemsize > len(body.data):
        return None
    rows = body.take(dtype, element.count)
    if (rows["size"] != size).any():
        body.at = start
        return None
    return {name: (rows["size"], rows["rows"].ravel())}


def _uneven_lists(element: _Element, body: _Body) -> dict[str, Any]:
    found: dict[str, tuple[list[int], list[Array]]] = {name: ([], []) for name, _, length in element.columns if length}
    for _ in range(element.count):
        for name, kind, length in element.columns:
            size = int(body.take(body.order + length, 1)[0]) if length else 1
            values = body.take(body.order + kind, size)
            if length:
                found[name][0].append(size)
                found[name][1].append(values)
    return {name: (np.array(s), np.concatenate(v) if v else np.empty(0)) for name, (s, v) in found.items()}


def _read_text(elements: list[_Element], data: bytes, where: str) -> dict[str, dict[str, Any]]:
    words = data.decode("ascii", errors="replace").split()
    tables, at = {}, 0
    for element in elements:
        if element.count * len(element.columns) > len(words) - at:
            raise FormatError(f"{where}: ends early; the PLY file is cut off")
        tables[element.name], at = _text_table(element, words, at, where)
    return tables


def _text_table(element: _Element, words: list[str], at: int, where: str) -> tuple[dict[str, Any], int]:
    width = len(element.columns)
    if not any(length for _, _, length in element.columns):
        block = numbers(words[at : at + element.count * width], where).reshape(element.count, width)
        return {name: block[:, k] for k, (name, _, _) in enumerate(element.columns)}, at + element.count * width
    sizes: dict[str, list[int]] = {name: [] for name, _, length in element.columns if length}
    rows: dict[str, list[str]] = {name: [] for name in sizes}
    for _ in range(element.count):
        for name, _, length in element.columns:
            size = _length(words, at, where) if length else 1
            at += bool(length)
            if length:
                sizes[name].append(size)
                rows[name] += words[at : at + size]
            at += size
    if at > len(words):
        raise FormatError(f"{where}: ends early; the PLY file is cut off")
    return {name: (np.array(sizes[name]), numbers(rows[name], where)) for name in sizes}, at


def _length(words: list[str], at: int, where: str) -> int:
    if at >= len(words) or not words[at].isdigit():
        raise FormatError(f"{where}: a list has no length; the PLY file is cut off or damaged")
    return int(words[at])


def part_numbers(path: Path, count: int) -> tuple[list[str], Array]:
    """Names and the owner of every vertex, as our sink writes them; one part for all where it did not."""
    order, elements, data = _header(path)
    said = [line.split(" ", 3) for line in _comments(path) if line.startswith("comment part ")]
    names = [words[3] for words in said if len(words) == 4]
    if order != "<" or not names or elements[0].name != "vertex" or "part" not in [c[0] for c in elements[0].columns]:
        return [path.stem], np.zeros(count, np.int64)
    owner = _binary_table(elements[0], _Body(str(path), data, order))["part"]
    return names, owner.astype(np.int64)


def _comments(path: Path) -> list[str]:
    return contents(path).split(b"end_header", 1)[0].decode("utf-8", errors="replace").splitlines()
