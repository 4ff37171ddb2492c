"""The node tree of a glTF file in time: where every node stands at a moment (specification, sections 3.5 and 3.11)."""

from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.sources.gltf_document import Document, local_matrix


class Track(NamedTuple):
    """One animated property."""

    times: Array
    values: Array  # (keys, …)
    step: bool

    def at(self, time: float) -> Array:
        k = int(np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 1))
        if k + 1 >= len(self.times) or self.step or time <= self.times[k]:
            return self.values[k]
        part = (time - self.times[k]) / (self.times[k + 1] - self.times[k])
        return self.values[k] + part * (self.values[k + 1] - self.values[k])


Tracks = dict[tuple[int, str], Track]  # of a node and its property


def tracks_of(document: Document) -> Tracks:
    """Everything the first animation moves."""
    animations = document.all("animations")
    found = {}
    for channel in animations[0]["channels"] if animations else []:
        sampler = animations[0]["samplers"][channel["sampler"]]
        how = sampler.get("interpolation", "LINEAR")
        times, values = document.accessor(sampler["input"]), document.accessor(sampler["output"])
        if how == "CUBICSPLINE":
            raise FormatError(f"{document.path}: cubic animation is not read back; bake it to linear")
        path, node = channel["target"]["path"], channel["target"].get("node")
        values = values.reshape(len(times), -1)
        found[node, path] = Track(times.astype(float), values.astype(float), how == "STEP")
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
