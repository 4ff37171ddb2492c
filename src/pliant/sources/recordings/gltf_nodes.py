"""The node tree of a glTF file in time: where every node stands at a moment (specification, sections 3.5 and 3.11)."""

from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError, unknown
from pliant.geometry import rotation
from pliant.sources.gltf_document import Document, local_matrix
from pliant.sources.raw import usable


class Track(NamedTuple):
    """One animated property."""

    times: Array
    values: Array  # (keys, w); (keys, 3, w) with the tangents of a cubic one: in, value, out
    kind: str = "LINEAR"
    turns: bool = False  # a rotation: the shorter way on the sphere

    def at(self, time: float) -> Array:
        k = int(np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 1))
        cubic = self.kind == "CUBICSPLINE"
        key = self.values[:, 1] if cubic else self.values
        if k + 1 >= len(self.times) or self.kind == "STEP" or time <= self.times[k]:
            return np.asarray(key[k])
        span = float(self.times[k + 1] - self.times[k])
        t = (time - float(self.times[k])) / span
        if cubic:  # Hermite (specification, appendix C.4)
            a, b = (2 * t**3 - 3 * t**2 + 1) * key[k], (3 * t**2 - 2 * t**3) * key[k + 1]
            leaving, arriving = span * self.values[k, 2], span * self.values[k + 1, 0]
            return np.asarray(a + b + (t**3 - 2 * t**2 + t) * leaving + (t**3 - t**2) * arriving)
        if self.turns:
            return rotation.slerp(rotation.normalized(key[k]), rotation.normalized(key[k + 1]), t)
        return np.asarray(key[k] + t * (key[k + 1] - key[k]))


Tracks = dict[tuple[int, str], Track]  # of a node and its property


def clips_of(document: Document) -> list[str]:
    """Names of the animations, as `tracks_of` knows them."""
    return [str(animation.get("name", k)) for k, animation in enumerate(document.all("animations"))]


def tracks_of(document: Document, clip: str | None = None) -> Tracks:
    """Everything one animation moves; the first one without a name."""
    animations, names = document.all("animations"), clips_of(document)
    if clip is not None and clip not in names:
        raise FormatError(f"{document.path}: {unknown('clip', clip, names)}")
    chosen = animations[names.index(clip) if clip is not None else 0] if animations else {"channels": []}
    found = {}
    for channel in chosen["channels"]:
        sampler = chosen["samplers"][channel["sampler"]]
        kind = str(sampler.get("interpolation", "LINEAR"))
        times, values = document.accessor(sampler["input"]).astype(float), document.accessor(sampler["output"])
        if not len(times) or (np.diff(times) <= 0.0).any() or not np.isfinite(times).all():
            raise FormatError(f"{document.path}: the times of an animation do not rise")
        path, node = channel["target"]["path"], channel["target"].get("node")
        if not usable(values.reshape(-1, 1)).all() or (path == "rotation" and not values.any(axis=-1).all()):
            raise FormatError(f"{document.path}: an animation holds values that are no finite numbers, or no rotation")
        shape = (len(times), 3, -1) if kind == "CUBICSPLINE" else (len(times), -1)
        found[node, path] = Track(times, values.astype(float).reshape(shape), kind, path == "rotation")
    return found


class Nodes:
    """World matrices of all nodes at any time."""

    def __init__(self, document: Document, tracks: Tracks) -> None:
        self._nodes, self._tracks = document.all("nodes"), tracks
        document.matrices()  # refuses a tree with loops
        self.parents = {int(child): k for k, node in enumerate(self._nodes) for child in node.get("children", [])}
        self._moved = {node for node, path in tracks if path != "weights"}
        self._rest = [local_matrix(node) for node in self._nodes]
        self._order = sorted(range(len(self._nodes)), key=self._depth)

    def at(self, time: float) -> Array:
        """(k, 4, 4)."""
        world = np.empty((len(self._nodes), 4, 4))
        for node in self._order:
            local = self._local(node, time) if node in self._moved else self._rest[node]
            world[node] = world[self.parents[node]] @ local if node in self.parents else local
        return world

    def _depth(self, node: int) -> int:
        depth = 0
        while node in self.parents:
            node, depth = self.parents[node], depth + 1
        return depth

    def _local(self, node: int, time: float) -> Array:
        said: dict[str, Any] = dict(self._nodes[node])
        for path in ("translation", "rotation", "scale"):
            if (node, path) in self._tracks:
                said[path] = self._tracks[node, path].at(time)
        said["rotation"] = rotation.normalized(np.asarray(said.get("rotation", (0.0, 0.0, 0.0, 1.0)), float))
        return local_matrix(said)
