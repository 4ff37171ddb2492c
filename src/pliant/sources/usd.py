"""USD stages (the extra `usd`): every Mesh, skinned ones too, in metres and Y up whatever the stage says.

A package (.usdz) is looked at before it is opened: entries must be stored, not compressed, and of a sane size, as its
specification demands, so that no small file unpacks into a large one.
"""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.constants import MAXIMUM_UPLOAD
from pliant.errors import FormatError, UnsupportedError
from pliant.sources.raw import RawMesh, damaged, rows_of
from pliant.sources.units import upward


def read_usd_mesh(path: Path) -> RawMesh:
    """All meshes of the first frame as one surface, with a note on units and axes."""
    stage, pxr = open_stage(path)
    with intact(path, pxr):
        meshes = [raw for _, raw in meshes_of(stage, pxr, path)]
    starts = np.cumsum([0, *(len(raw.points) for raw in meshes)])
    corners = np.concatenate([raw.corners + start for raw, start in zip(meshes, starts[:-1], strict=True)])
    sizes = np.concatenate([np.diff(raw.starts) for raw in meshes])
    textures = [raw.uv for raw in meshes if raw.uv is not None]
    uv = np.concatenate(textures) if len(textures) == len(meshes) else None
    up, unit = pxr.UsdGeom.GetStageUpAxis(stage), pxr.UsdGeom.GetStageMetersPerUnit(stage)
    note = f"the stage is {up} up with {unit:g} m per unit; brought to Y up and metres"
    groups = {
        name: np.arange(start, start + len(raw.points))
        for raw, start in zip(meshes, starts[:-1].tolist(), strict=True)
        for name in raw.groups
    }
    return RawMesh(np.concatenate([raw.points for raw in meshes]), rows_of(sizes), corners, uv, groups, (note,))


def open_stage(path: Path) -> tuple[Any, Any]:
    """The stage and the library, or one line."""
    if path.suffix.lower() == ".usdz":
        _refuse_bomb(path)
    try:
        import pxr
        import pxr.Tf
        import pxr.Usd
        import pxr.UsdGeom
        import pxr.UsdSkel
        import pxr.Vt
    except ImportError:
        raise UnsupportedError(f"{path}: USD needs usd-core: pip install 'pliant[usd]'") from None
    try:
        if path.stat().st_size > MAXIMUM_UPLOAD:
            raise FormatError(f"{path}: {path.stat().st_size / 2**20:.0f} MiB; files above 256 MiB are refused")
        stage = pxr.Usd.Stage.Open(str(path))
    except (pxr.Tf.ErrorException, OSError) as error:
        raise FormatError(f"{path}: not a USD file ({_said(error)})") from None
    return stage, pxr


@contextmanager
def intact(path: Path, pxr: Any) -> Iterator[None]:
    """Whatever trips over the inside of a stage, the library or we, means the same to the user: it is damaged."""
    try:
        with damaged(path, "USD"):
            yield
    except pxr.Tf.ErrorException as error:
        raise FormatError(f"{path}: the USD file is damaged ({_said(error)})") from None


def _said(error: Exception) -> str:
    """The library's last words; it cannot always say them itself, where a file is no text."""
    try:
        lines = str(error).strip().splitlines()
    except UnicodeDecodeError:
        return "it holds bytes that are no text"
    last = lines[-1].strip() if lines else type(error).__name__
    return last.rpartition(" : ")[2].strip("' ")[:120]  # without the library's own file and line


def _refuse_bomb(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as package:
            entries = package.infolist()
    except (OSError, zipfile.BadZipFile) as error:
        raise FormatError(f"{path}: not a USDZ package ({error})") from None
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        raise FormatError(f"{path}: its entries are compressed, which USDZ forbids; refused")
    if sum(entry.file_size for entry in entries) > MAXIMUM_UPLOAD:
        raise FormatError(f"{path}: unpacks to more than {MAXIMUM_UPLOAD // 2**20} MiB; refused")


def meshes_of(stage: Any, pxr: Any, path: Path) -> Iterator[tuple[Any, RawMesh]]:
    found = 0
    for prim in stage.Traverse():
        if not prim.IsA(pxr.UsdGeom.Mesh):
            continue
        mesh = pxr.UsdGeom.Mesh(prim)
        when = pxr.Usd.TimeCode.EarliestTime()
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get(when) or [], np.int64)
        corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(when) or [], np.int64)
        points = points_of(prim, pxr, stage, when.GetValue())
        ok, why = pxr.UsdGeom.Mesh.ValidateTopology(_ints(corners), _ints(counts), len(points))
        if not ok:
            raise FormatError(f"{path}: mesh {prim.GetPath()}: {why}")
        if mesh.GetOrientationAttr().Get() == "leftHanded":
            corners = np.concatenate([ring[::-1] for ring in np.split(corners, np.cumsum(counts)[:-1])])
        found += 1
        uv = _uv(prim, pxr, len(points))
        yield prim, RawMesh(points, rows_of(counts), corners, uv, {prim.GetName(): np.arange(len(points))})
    if not found:
        raise FormatError(f"{path}: has no meshes")


def _ints(values: Array) -> Any:
    from pxr import Vt

    return Vt.IntArray.FromNumpy(values.astype(np.int32))


def points_of(prim: Any, pxr: Any, stage: Any, when: float) -> Array:
    """(n, 3) in the world, metres, Y up."""
    values = pxr.UsdGeom.Mesh(prim).GetPointsAttr().Get(when)
    frame = pxr.UsdGeom.XformCache(when)
    world = np.array(frame.GetLocalToWorldTransform(prim))
    skin = _skin_of(prim, pxr)
    if skin is not None and values is not None:
        skeleton, query = skin
        values = pxr.Vt.Vec3fArray(values)  # a copy, bent in place
        query.ComputeSkinnedPoints(skeleton.ComputeSkinningTransforms(when), values, when)
        world = np.array(frame.GetLocalToWorldTransform(skeleton.GetPrim()))
    points = np.array(values if values is not None else [], np.float64).reshape(-1, 3)
    if not np.array_equal(world, np.eye(4)):
        points = points @ world[:3, :3] + world[3, :3]
    up = str(pxr.UsdGeom.GetStageUpAxis(stage)).lower()
    return upward(points, up) * pxr.UsdGeom.GetStageMetersPerUnit(stage)


def _skin_of(prim: Any, pxr: Any) -> tuple[Any, Any] | None:
    """What bends a skinned mesh: its skeleton's and its own query."""
    root = pxr.UsdSkel.Root.Find(prim)
    if not root:
        return None
    cache = pxr.UsdSkel.Cache()
    cache.Populate(root, pxr.Usd.PrimDefaultPredicate)
    query = cache.GetSkinningQuery(prim)
    skeleton = pxr.UsdSkel.BindingAPI(prim).GetInheritedSkeleton()
    if not query or not query.HasJointInfluences() or not skeleton:
        return None
    return cache.GetSkelQuery(skeleton), query


def _uv(prim: Any, pxr: Any, count: int) -> Array | None:
    """Texture coordinates where there is one for each point."""
    said = pxr.UsdGeom.PrimvarsAPI(prim).GetPrimvar("st")
    if not said or said.GetInterpolation() not in ("vertex", "varying"):
        return None
    values = said.ComputeFlattened()
    return np.array(values, np.float64) if values is not None and len(values) == count else None
