"""USD clips (the extra `usd`): every Mesh with its time samples."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FormatError
from pliant.geometry.polygons import triangulate
from pliant.sources.raw import RawMesh
from pliant.sources.recordings.recording import Moment, Recording, Role, checked_triangles
from pliant.sources.usd import intact, meshes_of, open_stage, points_of
from pliant.world import Look


def open_usd(path: Path) -> Recording:
    stage, pxr = open_stage(path)
    fps = float(stage.GetTimeCodesPerSecond())
    first, last = stage.GetStartTimeCode(), stage.GetEndTimeCode()
    if not np.isfinite([fps, first, last]).all():
        raise FormatError(f"{path}: its time codes are no finite numbers")
    count = round(last - first) + 1 if stage.HasAuthoredTimeCodeRange() else 1
    if not (0 < fps < 1e6 and 1 <= count <= 10**6):
        raise FormatError(f"{path}: {count} frames at {fps:g}/s are refused")
    with intact(path, pxr):
        meshes = list(meshes_of(stage, pxr, path))
    starts = np.cumsum([0, *(len(raw.points) for _, raw in meshes)])
    with intact(path, pxr):
        pairs = zip(meshes, starts[:-1].tolist(), strict=True)
        roles = tuple(_role(prim, raw, start, pxr) for (prim, raw), start in pairs)

    def moments() -> Iterator[Moment]:
        for k in range(count):
            with intact(path, pxr):
                points = [points_of(prim, pxr, stage, first + k) for prim, _ in meshes]
            if [len(p) for p in points] != np.diff(starts).tolist():
                raise FormatError(f"{path}: frame {k} has another number of points than the first")
            yield Moment(np.concatenate(points).astype(np.float32))

    return Recording(path, fps, tuple(k / fps for k in range(count)), roles, moments)


def _role(prim: Any, raw: RawMesh, start: int, pxr: Any) -> Role:
    triangles = triangulate(raw.points, raw.starts, raw.corners)
    color = pxr.UsdGeom.Gprim(prim).GetDisplayColorAttr().Get()
    look = Look((float(color[0][0]), float(color[0][1]), float(color[0][2]))) if color else Look()
    name = prim.GetMetadata("displayName") or prim.GetName()
    rows = slice(start, start + len(raw.points))
    uv = None if raw.uv is None else raw.uv.astype(np.float32)
    return Role(str(name), "cloth", rows, checked_triangles(triangles, len(raw.points), str(prim.GetPath())), uv, look)
