"""The parts of a GLB scene: a soft surface with its morph targets, a puppet with its joints and skin."""

from typing import Any

import numpy as np

from pliant.geometry import rotation
from pliant.sinks.cast import unit_normals
from pliant.sinks.gltf_json import Buffers, material, surface_attributes
from pliant.sinks.morphs import Key, KeyFrames
from pliant.sinks.rig import Rig
from pliant.world import PartFrame

_RELATIVE_ERROR = 1e-4  # of a part's size; invisible, and about a third of the frames of a calm flag


class Scene:
    """Nodes, meshes, skins and one animation, in the order in which they come."""

    def __init__(self, buffers: Buffers) -> None:
        self.buffers = buffers
        self.nodes: list[dict[str, Any]] = []
        self.roots: list[int] = []
        self._lists: dict[str, list[dict[str, Any]]] = {"meshes": [], "materials": [], "skins": []}
        self._channels: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []

    def add(self, kind: str, item: dict[str, Any]) -> int:
        self._lists[kind].append(item)
        return len(self._lists[kind]) - 1

    def node(self, node: dict[str, Any], *, root: bool = True) -> int:
        self.nodes.append(node)
        if root:
            self.roots.append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def mesh(self, part: PartFrame, primitive: dict[str, Any], **more: Any) -> int:
        primitive = primitive | {"material": self.add("materials", material(part))}
        return self.add("meshes", {"name": part.name, "primitives": [primitive], **more})

    def animate(self, node: int, path: str, times: int, values: int) -> None:
        self._channels.append({"sampler": len(self._samplers), "target": {"node": node, "path": path}})
        self._samplers.append({"input": times, "output": values, "interpolation": "LINEAR"})

    def document(self, about: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {"asset": {"version": "2.0", "generator": "pliant", "extras": about}, "scene": 0}
        found["scenes"] = [{"nodes": self.roots}] if self.roots else [{}]
        found |= {"nodes": self.nodes} if self.nodes else {}
        found |= {kind: items for kind, items in self._lists.items() if items}
        if self._channels:
            clip = {"name": "simulation", "channels": self._channels, "samplers": self._samplers}
            found["animations"] = [clip]
        return found | self.buffers.document()


class Soft:
    """One deforming surface: base mesh, morph targets, weights."""

    def __init__(self, part: PartFrame, buffers: Buffers, error: float | None) -> None:
        self._first, self._buffers = part, buffers
        size = float(np.linalg.norm(np.ptp(part.points, axis=0)))
        self._keys = KeyFrames(_RELATIVE_ERROR * size if error is None else error)
        self._base: Key | None = None
        self._primitive: dict[str, Any] = {}
        self._targets: list[dict[str, int]] = []
        self._times: list[float] = []

    def add(self, time: float, part: PartFrame) -> None:
        key = self._keys.add(Key(time, part.points, unit_normals(part)))
        if key is not None:
            self._keep(key)

    def finish(self, scene: Scene) -> None:
        last = self._keys.last()
        if last is not None:
            self._keep(last)
        about = {"part": self._first.name, "kind": self._first.kind}
        node = {"name": self._first.name, "extras": about}
        count = len(self._targets)
        if not count:
            scene.node(node | {"mesh": scene.mesh(self._first, self._primitive)})
            return
        names = {"targetNames": [f"t{time:.4f}" for time in self._times[1:]]}
        primitive = self._primitive | {"targets": self._targets}
        mesh = scene.mesh(self._first, primitive, weights=[0.0] * count, extras=names)
        weights = np.eye(count + 1, dtype=np.float32)[:, 1:]  # at key k target k is fully on, at the first none
        times = self._buffers.scalars(np.array(self._times, np.float32), bounds=True)
        scene.animate(scene.node(node | {"mesh": mesh}), "weights", times, self._buffers.scalars(weights.ravel()))

    def _keep(self, key: Key) -> None:
        self._times.append(key.time)
        if self._base is None:
            self._base = key
            attributes = surface_attributes(self._first, self._buffers)
            self._primitive = {"attributes": attributes, "indices": self._buffers.indices(self._first.triangles)}
            return
        self._targets.append(
            {
                "POSITION": self._buffers.vertices(key.points - self._base.points, bounds=True),
                "NORMAL": self._buffers.vertices(key.normals - self._base.normals),
            }
        )


class Bodies:
    """A puppet: a node per segment at the point where it hangs on its parent, and the surface they carry as a skin."""

    def __init__(self, rig: Rig, times: list[float], surface: PartFrame | None) -> None:
        self._rig, self._times, self._surface = rig, times, surface

    def finish(self, scene: Scene) -> None:
        rig, buffers = self._rig, scene.buffers
        places, turns = rig.bones()
        above = scene.node({"name": f"{rig.part}_rig"})
        first = len(scene.nodes)
        scene.nodes[above]["children"] = [first + body for body in np.flatnonzero(rig.parents < 0).tolist()]
        for body, name in enumerate(rig.names):
            children = [first + child for child in np.flatnonzero(rig.parents == body).tolist()]
            about = {"part": rig.part, "body": name, "centre": (0.0 - rig.pivots[body]).tolist()}
            node = {"name": f"{rig.part}.{name}", "extras": about} | ({"children": children} if children else {})
            place, turn = (np.float32(track[0, body]).tolist() for track in (places, turns))
            scene.node(node | {"translation": place, "rotation": turn}, root=False)
        if len(self._times) > 1:
            times = buffers.scalars(np.array(self._times, np.float32), bounds=True)
            for body in range(len(rig.names)):
                scene.animate(first + body, "translation", times, buffers.scalars(places[:, body]))
                scene.animate(first + body, "rotation", times, buffers.scalars(turns[:, body]))
        if self._surface is not None:
            self._skin(scene, above, first, self._surface)

    def _skin(self, scene: Scene, above: int, first: int, surface: PartFrame) -> None:
        rig, buffers, count = self._rig, scene.buffers, len(surface.points)
        rows, shares = np.zeros((count, 4), np.uint16), np.zeros((count, 4), np.float32)
        rows[:, 0], shares[:, 0] = 0 if rig.owner is None else rig.owner, 1.0
        attributes = surface_attributes(surface, buffers)
        attributes |= {"JOINTS_0": buffers.joints(rows), "WEIGHTS_0": buffers.vertices(shares)}
        mesh = scene.mesh(surface, {"attributes": attributes, "indices": buffers.indices(surface.triangles)})
        skin = {
            "inverseBindMatrices": buffers.scalars(self._inverse_bind()),
            "joints": list(range(first, first + len(rig.names))),
            "skeleton": above,
        }
        about = {"part": surface.name, "kind": surface.kind}
        scene.node({"name": surface.name, "mesh": mesh, "skin": scene.add("skins", skin), "extras": about})

    def _inverse_bind(self) -> np.ndarray:
        """(b, 16) column by column: from the surface as it is in the first frame to each joint."""
        rig = self._rig
        places, turns = (track[0].astype(np.float64) for track in rig.tracks())
        origins = places + rotation.rotate(turns, rig.pivots)
        back = rotation.to_matrix(rotation.inverse(rotation.normalized(turns)))
        matrices = np.tile(np.eye(4), (len(origins), 1, 1))
        matrices[:, :3, :3] = back
        matrices[:, :3, 3] = -np.einsum("bij,bj->bi", back, origins)
        return matrices.swapaxes(1, 2).reshape(-1, 16)
