"""glTF 2.0 binary (GLB): soft parts as morph targets played by weights, puppets as skins on joints.

Between two keys the weights move linearly, so the file plays the straight line between them; keys are chosen so that
no vertex is farther than `error` from the simulation (specification: Khronos glTF 2.0, sections 3.6, 3.7 and 3.11).
glTF is in metres, Y up and right-handed by its own rule, whatever program it is for. Players begin at 0; the
simulation's time of the first frame stands in `asset.extras.start`.
"""

from pathlib import Path
from typing import Any

from pliant.errors import FormatError
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside, Spool
from pliant.sinks.cast import Cast
from pliant.sinks.conventions import convention
from pliant.sinks.gltf_json import Buffers, packed
from pliant.sinks.gltf_parts import Bodies, Scene, Soft
from pliant.sinks.rig import Rigs
from pliant.world import Frame, World


class Glb(Sink):
    """One .glb for Blender, Unreal, Unity, Godot, three.js and the web."""

    suffixes = (".glb",)
    summary = "glTF 2.0 binary: morph targets for soft parts, skins for puppets"

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
        if error is not None and not (isinstance(error, int | float) and 0.0 <= error < 1e9):
            raise FormatError(f"{target}: error = {error!r}; must be 0 or more metres")
        self._error = error
        self._file, self._spool = Beside(self.target), Spool(self.target)
        self._buffers = Buffers(self._spool)
        self._cast: Cast | None = None
        self._start = 0.0  # [s]
        self._soft: dict[str, Soft] = {}
        self._rigs = Rigs(world)

    def write(self, frame: Frame) -> None:
        self._rigs.add(frame)
        if self._cast is None:
            self._cast, self._start = Cast.of(frame), frame.time
            for part in self._cast.surfaces:
                rig = self._rigs.rigs.get(part.name)
                if rig is None or rig.owner is None:
                    self._soft[part.name] = Soft(part, self._buffers, self._error)
        for part in self._cast.now(frame):
            if part.name in self._soft:
                self._soft[part.name].add(frame.time - self._start, part)

    def close(self) -> None:
        scene = Scene(self._buffers)
        for soft in self._soft.values():
            soft.finish(scene)
        drawn = {part.name: part for part in self._cast.surfaces} if self._cast else {}
        for name, rig in self._rigs.rigs.items():
            skinned = drawn.get(name) if name not in self._soft else None
            Bodies(rig, self._rigs.times, skinned).finish(scene)
        document = scene.document({"fps": self.fps, "start": self._start})
        self._file.write(packed(document, self._spool.size))
        self._file.take(self._spool)
        self._file.keep()
        self._spool.close()

    def abandon(self) -> None:
        self._file.discard()
        self._spool.close()
