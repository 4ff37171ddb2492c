"""USD through usd-core (the extra `usd`): .usd and .usdc binary, .usdz packed for the web and phones.

Samples go to disk every few frames, and Python keeps none; the finished layer is exported once, so that equal frames
give equal bytes.
"""

import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FormatError, UnsupportedError
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside, told
from pliant.sinks.conventions import convention
from pliant.sinks.usd_scene import ROOT, Prim, UsdScene
from pliant.world import Frame, World

_FLUSH = 16  # frames between two saves


class Usd(Sink):
    """One .usd, .usdc or .usdz."""

    suffixes = (".usd", ".usdc", ".usdz")
    summary = "USD binary and USDZ (extra: usd)"

    def __init__(
        self, target: str | Path, world: World, *, fps: float = 60.0, target_app: str | None = None, **options: Any
    ) -> None:
        super().__init__(target, world, fps=fps, **options)
        self._axes = convention(target_app)
        self._sdf = _pxr().Sdf
        Beside(self.target).discard()  # refuses a bad place before anything is computed
        self._draft = self.target.with_name(f"{self.target.stem}.draft.usdc")
        self._draft.unlink(missing_ok=True)
        self._layer: Any = self._tried(lambda: self._sdf.Layer.CreateNew(str(self._draft)))
        self._scene: UsdScene | None = None
        self._kinds: dict[tuple[str, str], str] = {}
        self._count = 0

    def write(self, frame: Frame) -> None:
        if self._scene is None:
            self._scene = UsdScene(frame, self.world, self._axes)
            self._define()
        for (path, name), value in self._scene.samples(frame).items():
            self._layer.SetTimeSample(f"{path}.{name}", self._count, _value(self._kinds[path, name], value))
        self._count += 1
        if self._count % _FLUSH == 0:
            self._tried(self._layer.Save)

    def close(self) -> None:
        self._layer.startTimeCode = 0
        self._layer.endTimeCode = max(self._count - 1, 0)
        self._tried(self._layer.Save)
        part = self.target.with_name(f"{self.target.stem}.part.usdc")
        self._tried(lambda: self._layer.Export(str(part)))
        self._forget()
        with told(self.target):
            if self.target.suffix.lower() == ".usdz":
                part = _packed(part, self.target)
            part.replace(self.target)

    def abandon(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._layer = None
        self._draft.unlink(missing_ok=True)

    def _tried(self, action: Callable[[], Any]) -> Any:
        """What the library gives; where it fails (a full disk, say) one line, and nothing is left."""
        try:
            if done := action():
                return done
            said = "no reason given"
        except _pxr().Tf.ErrorException as error:
            said = str(error).strip().splitlines()[0].rpartition(" : ")[2].strip("' ")
        self._forget()
        raise FormatError(f"{self.target}: {said}; nothing was written")

    def _define(self) -> None:
        sdf, layer = self._sdf, self._layer
        root = sdf.PrimSpec(layer, ROOT[1:], sdf.SpecifierDef, "Xform")
        layer.defaultPrim = root.name
        layer.framesPerSecond = layer.timeCodesPerSecond = self.fps
        layer.pseudoRoot.SetInfo("metersPerUnit", 1.0 / self._axes.units_per_metre)
        layer.pseudoRoot.SetInfo("upAxis", self._axes.up)
        for prim in self._scene.prims() if self._scene else []:
            self._prim(prim)

    def _prim(self, prim: Prim) -> None:
        sdf = self._sdf
        above, name = prim.path.rsplit("/", 1)
        spec = sdf.PrimSpec(self._layer.GetPrimAtPath(above), name, sdf.SpecifierDef, prim.kind)
        if prim.display_name:
            spec.SetInfo("displayName", prim.display_name)
        if prim.schemas:
            schemas = sdf.TokenListOp()
            schemas.prependedItems = list(prim.schemas)
            spec.SetInfo("apiSchemas", schemas)
        for attribute in prim.attributes:
            variability = sdf.VariabilityUniform if attribute.uniform else sdf.VariabilityVarying
            kind = sdf.ValueTypeNames.Find(attribute.kind)
            made = sdf.AttributeSpec(spec, attribute.name, kind, variability)
            if attribute.interpolation:
                made.SetInfo("interpolation", attribute.interpolation)
            if attribute.value is None:
                self._kinds[prim.path, attribute.name] = attribute.kind
            else:
                made.default = _value(attribute.kind, attribute.value)
        for name, path in prim.relations.items():
            sdf.RelationshipSpec(spec, name, custom=False).targetPathList.explicitItems = [path]


def _pxr() -> Any:
    try:
        import pxr
        import pxr.Sdf
        import pxr.Tf
    except ImportError:
        raise UnsupportedError("USD binary needs usd-core: pip install 'pliant[usd]'; .usda needs nothing") from None
    return pxr


def _value(kind: str, value: Any) -> Any:
    """A value as the library has it."""
    from pxr import Gf, Vt

    if kind in ("bool", "token"):
        return value
    if kind == "token[]":
        return Vt.TokenArray(list(value))
    if kind == "int[]":
        return Vt.IntArray.FromNumpy(np.ascontiguousarray(value, np.int32))
    if kind == "float[]":
        return Vt.FloatArray.FromNumpy(np.ascontiguousarray(value, np.float32))
    if kind == "matrix4d":
        return Gf.Matrix4d(np.asarray(value).tolist())
    if kind == "matrix4d[]":
        return Vt.Matrix4dArray([Gf.Matrix4d(rows.tolist()) for rows in value])
    if kind == "quatf[]":
        return Vt.QuatfArray([Gf.Quatf(*row) for row in np.asarray(value).tolist()])
    if kind == "half3[]":
        return Vt.Vec3hArray([Gf.Vec3h(*row) for row in np.asarray(value).tolist()])
    rows = np.ascontiguousarray(value, np.float32)
    return (Vt.Vec2fArray if rows.shape[1] == 2 else Vt.Vec3fArray).FromNumpy(rows)


def _packed(layer: Path, target: Path) -> Path:
    """A .usdz beside the target with this one layer in it: stored, aligned to 64 bytes, without a date."""
    package = target.with_name(f"{target.stem}.part.usdz")
    entry = zipfile.ZipInfo(f"{target.stem}.usdc")
    padding = -(30 + len(entry.filename.encode()) + 4) % 64
    entry.extra = struct.pack("<HH", 0x1986, padding) + bytes(padding)
    with zipfile.ZipFile(package, "w") as archive, archive.open(entry, "w") as inside, layer.open("rb") as outside:
        shutil.copyfileobj(outside, inside)
    layer.unlink()
    return package
