"""USD as plain text, written without any USD library (grammar: OpenUSD, "Usda file format").

Nine digits bring every float32 back exactly. `--for` sets the up axis and metersPerUnit; USD knows no mirrored axes.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside, Spool
from pliant.sinks.conventions import convention
from pliant.sinks.usd_scene import ROOT, Attribute, Prim, UsdScene
from pliant.world import Frame, World


class Usda(Sink):
    """One .usda with time samples for usdview, Houdini, Blender, Unreal, Omniverse."""

    suffixes = (".usda",)
    summary = "USD as text: meshes with time samples, skeletons"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._axes = convention(target_app)
        self._file = Beside(self.target)
        self._scene: UsdScene | None = None
        self._kinds: dict[tuple[str, str], str] = {}
        self._spools: dict[tuple[str, str], Spool] = {}
        self._count = 0

    def write(self, frame: Frame) -> None:
        if self._scene is None:
            self._scene = UsdScene(frame, self.world, self._axes)
            self._kinds = {
                (p.path, a.name): a.kind for p in self._scene.prims() for a in p.attributes if a.value is None
            }
            self._spools = {key: Spool(self.target) for key in self._kinds}
        for key, value in self._scene.samples(frame).items():
            self._spools[key].write(f"{self._count}: {value_text(self._kinds[key], value)},\n".encode())
        self._count += 1

    def close(self) -> None:
        self._line(0, "#usda 1.0", "(", *(f"    {line}" for line in self._stage()), ")", "")
        self._line(0, f'def Xform "{ROOT[1:]}"', "{")
        depth = 1
        for prim in self._scene.prims() if self._scene else []:
            below = prim.path.count("/") - 1
            self._close_prims(depth, below)
            self._prim(prim, below)
            depth = below + 1
        self._close_prims(depth, 0)
        self._file.keep()
        self._release()

    def abandon(self) -> None:
        self._file.discard()
        self._release()

    def _release(self) -> None:
        for spool in self._spools.values():
            spool.close()

    def _line(self, depth: int, *lines: str) -> None:
        self._file.write("".join(f"{'    ' * depth}{line}\n" for line in lines).encode())

    def _close_prims(self, depth: int, to: int) -> None:
        for level in range(depth - 1, to - 1, -1):
            self._line(level, "}")

    def _stage(self) -> list[str]:
        return [
            f'defaultPrim = "{ROOT[1:]}"',
            f"endTimeCode = {max(self._count - 1, 0)}",
            f"framesPerSecond = {self.fps:.9g}",
            f"metersPerUnit = {1.0 / self._axes.units_per_metre:.9g}",
            "startTimeCode = 0",
            f"timeCodesPerSecond = {self.fps:.9g}",
            f'upAxis = "{self._axes.up}"',
        ]

    def _prim(self, prim: Prim, depth: int) -> None:
        about = [f"displayName = {_quoted(prim.display_name)}"] if prim.display_name else []
        if prim.schemas:
            about.append(f"prepend apiSchemas = [{', '.join(map(_quoted, prim.schemas))}]")
        name = prim.path.rsplit("/", 1)[1]
        self._line(depth, f'def {prim.kind} "{name}"{" (" if about else ""}')
        if about:
            self._line(depth, *(f"    {line}" for line in about), ")")
        self._line(depth, "{")
        for attribute in prim.attributes:
            self._attribute(prim.path, attribute, depth + 1)
        for name, path in prim.relations.items():
            self._line(depth + 1, f"rel {name} = <{path}>")

    def _attribute(self, path: str, attribute: Attribute, depth: int) -> None:
        head = f"{'uniform ' if attribute.uniform else ''}{attribute.kind} {attribute.name}"
        if attribute.value is not None:
            about = f' (interpolation = "{attribute.interpolation}")' if attribute.interpolation else ""
            self._line(depth, f"{head} = {value_text(attribute.kind, attribute.value)}{about}")
            return
        if attribute.interpolation:
            self._line(depth, f'{head} (interpolation = "{attribute.interpolation}")')
        self._line(depth, f"{head}.timeSamples = {{")
        self._file.take(self._spools[path, attribute.name])
        self._line(depth, "}")


def value_text(kind: str, value: Any) -> str:
    """A value as USD's text format has it."""
    if kind == "bool":
        return str(int(value))
    if kind == "token":
        return _quoted(value)
    if kind == "token[]":
        return f"[{', '.join(map(_quoted, value))}]"
    rows = np.asarray(value)
    if kind == "int[]":
        return f"[{', '.join(map(str, rows.tolist()))}]"
    if kind == "float[]":
        return f"[{', '.join(['%.9g'] * len(rows))}]" % tuple(rows.tolist())
    number = "%.17g" if rows.dtype == np.float64 else "%.9g"
    if kind.startswith("matrix4d"):
        row = f"({', '.join([number] * 4)})"
        item = f"( {', '.join([row] * 4)} )"
        if kind == "matrix4d":
            return item % tuple(rows.ravel().tolist())
    else:
        item = f"({', '.join([number] * rows.shape[1])})"
    return f"[{', '.join([item] * len(rows))}]" % tuple(rows.ravel().tolist())


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)
