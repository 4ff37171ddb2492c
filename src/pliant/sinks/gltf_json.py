"""The tables of a glTF file: buffer views and accessors over one growing buffer, and materials."""

from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.sinks.beside import Spool
from pliant.world import PartFrame

_FLOAT, _UINT = 5126, 5125
_VERTICES, _INDICES = 34962, 34963
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}


class Buffers:
    """Appends arrays to the binary chunk; every item is of four-byte numbers, so alignment comes by itself."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []

    def vertices(self, values: Array, *, bounds: bool = False) -> int:
        return self._add(np.ascontiguousarray(values, "<f4"), _FLOAT, _VERTICES, bounds)

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
    return {
        "name": part.name,
        "doubleSided": True,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*map(float, part.look.color), 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.8,
        },
    }
