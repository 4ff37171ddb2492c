"""glTF 2.0 binary (GLB): soft parts as morph targets played by weights, bodies as animated nodes. Written from scratch.

Between two keys the weights move linearly, so the file plays the straight line between them; keys are chosen so that
no vertex is farther than `error` from the simulation (specification: Khronos glTF 2.0, sections 3.6, 3.7 and 3.11).
glTF is in metres, Y up and right-handed by its own rule, whatever program it is for.
"""

from pathlib import Path
from typing import Any

import numpy as np

from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside, Spool
from pliant.sinks.cast import Cast, unit_normals
from pliant.sinks.conventions import convention
from pliant.sinks.gltf_json import Buffers, material, packed, surface_attributes
from pliant.sinks.morphs import Key, KeyFrames
from pliant.sinks.rig import Rigs
from pliant.world import Frame, PartFrame, World

_RELATIVE_ERROR = 1e-4  # of a part's size; invisible, and about a third of the frames of a calm flag


class Glb(Sink):
    """One .glb for Blender, Unreal, Unity, Godot, three.js and the web."""

    suffixes = (".glb",)
    summary = "glTF 2.0 binary: morph targets for soft parts, animated nodes for bodies"

    def __init__(
        self,
        target: str | Path,
        world: World,
        *,
        fps: float = 60.0,
        target_app: str | None = None,
        error: float | None = None,
        **options: Any,
    ) -> None:
        """`error` [m]: the farthest a vertex may be from the simulation; None: 1e-4 of its size, 0: every frame."""
        super().__init__(target, world, fps=fps, **options)
        convention(target_app)  # refuses an unknown name
        self._error = error
        self._file, self._spool = Beside(self.target), Spool(self.target)
        self._buffers = Buffers(self._spool)
        self._cast: Cast | None = None
        self._start = 0.0  # [s] of the first frame; players begin at 0
        self._parts: list[_Soft] = []
        self._rigs = Rigs(world)

    def write(self, frame: Frame) -> None:
        if self._cast is None:
            self._cast, self._start = Cast.of(frame), frame.time
            self._parts = [_Soft(part, self._buffers, self._error) for part in self._cast.surfaces]
        for soft, part in zip(self._parts, self._cast.now(frame), strict=True):
            soft.add(frame.time - self._start, part)
        self._rigs.add(frame)

    def close(self) -> None:
        self._file.write(packed(self._document(), self._spool.size))
        self._file.take(self._spool)
        self._file.keep()
        self._spool.close()

    def abandon(self) -> None:
        self._file.discard()
        self._spool.close()

    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "pliant", "extras": {"fps": self.fps, "start": self._start}},
            "scene": 0,
        }
        channels: list[dict[str, Any]] = []
        samplers: list[dict[str, Any]] = []
        nodes: list[dict[str, Any]] = []
        meshes: list[dict[str, Any]] = []
        for soft in self._parts:
            mesh, sampler = soft.finish()
            about = {"part": soft.name, "kind": soft.first.kind}
            nodes.append({"name": soft.name, "mesh": len(meshes), "extras": about})
            meshes.append(mesh | {"primitives": [mesh["primitives"][0] | {"material": len(meshes)}]})
            if sampler is not None:
                channels.append({"sampler": len(samplers), "target": {"node": len(nodes) - 1, "path": "weights"}})
                samplers.append(sampler)
        for node, animated in self._rigs.gltf(self._buffers):
            for path, sampler in animated:
                channels.append({"sampler": len(samplers), "target": {"node": len(nodes), "path": path}})
                samplers.append(sampler)
            nodes.append(node)
        document["scenes"] = [{"nodes": list(range(len(nodes)))}] if nodes else [{}]
        if nodes:
            document["nodes"] = nodes
        if meshes:
            document |= {"meshes": meshes, "materials": [material(soft.first) for soft in self._parts]}
        if channels:
            document["animations"] = [{"name": "simulation", "channels": channels, "samplers": samplers}]
        return document | self._buffers.document()


class _Soft:
    """One deforming surface: base mesh, morph targets, weights."""

    def __init__(self, part: PartFrame, buffers: Buffers, error: float | None) -> None:
        self.name, self.first = part.name, part
        self._buffers = buffers
        size = float(np.linalg.norm(np.ptp(part.points, axis=0)))
        self._keys = KeyFrames(_RELATIVE_ERROR * size if error is None else error)
        self._base: Key | None = None
        self._attributes: dict[str, int] = {}
        self._indices = 0
        self._targets: list[dict[str, int]] = []
        self._times: list[float] = []

    def add(self, time: float, part: PartFrame) -> None:
        key = self._keys.add(Key(time, part.points, unit_normals(part)))
        if key is not None:
            self._keep(key)

    def _keep(self, key: Key) -> None:
        self._times.append(key.time)
        if self._base is None:
            self._base = key
            self._attributes = surface_attributes(self.first, self._buffers)
            self._indices = self._buffers.indices(self.first.triangles)
        else:
            self._targets.append(
                {
                    "POSITION": self._buffers.vertices(key.points - self._base.points, bounds=True),
                    "NORMAL": self._buffers.vertices(key.normals - self._base.normals),
                }
            )

    def finish(self) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """The mesh, and the sampler of its weights."""
        last = self._keys.last()
        if last is not None:
            self._keep(last)
        primitive: dict[str, Any] = {"attributes": self._attributes, "indices": self._indices}
        mesh: dict[str, Any] = {"name": self.name, "primitives": [primitive]}
        if not self._targets:
            return mesh, None
        count = len(self._targets)
        primitive["targets"] = self._targets
        mesh["weights"] = [0.0] * count
        mesh["extras"] = {"targetNames": [f"t{time:.4f}" for time in self._times[1:]]}
        weights = np.eye(count + 1, dtype=np.float32)[:, 1:]  # at key k target k is fully on, at the first none
        sampler = {
            "input": self._buffers.scalars(np.array(self._times, np.float32), bounds=True),
            "output": self._buffers.scalars(weights.ravel()),
            "interpolation": "LINEAR",
        }
        return mesh, sampler
