"""OBJ and PLY sequences: a folder with a file per frame in the order of their names, or one file as one frame."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sources.meshes import MeshRecord, read_mesh, read_raw
from pliant.sources.ply import part_numbers
from pliant.sources.recordings.recording import Moment, Recording, Role, checked_triangles


def open_sequence(path: Path) -> Recording:
    files = sorted(path.glob(f"*{path.suffix}")) if path.is_dir() else [path]
    if not files:
        raise FormatError(f"{path}: the folder has no {path.suffix} files")
    first = read_mesh(files[0])
    corners = len(read_raw(files[0]).corners)
    fps, begin = _said(files[0])
    times = tuple(begin + k / fps for k in range(len(files)))

    def moments() -> Iterator[Moment]:
        for file in files:
            raw = read_raw(file)
            if len(raw.points) != len(first.points) or len(raw.corners) != corners:
                said = f"{len(raw.points)} points and {len(raw.corners)} corners"
                raise FormatError(
                    f"{file}: has {said}, the first frame has {len(first.points)} and {corners}; cut off?"
                )
            yield Moment(raw.points.astype(np.float32))

    return Recording(path, fps, times, _roles(first, files[0]), moments)


def _said(path: Path) -> tuple[float, float]:
    """Frame rate and first time from our remark at the top of a file; 30 frames/s from 0 without one."""
    with path.open("rb") as stream:
        head = stream.read(200)
    found = re.search(rb"time ([-+0-9.e]+) s, ([0-9.]+) frames/s", head)
    return (float(found[2]) or 30.0, float(found[1])) if found else (30.0, 0.0)


def _roles(mesh: MeshRecord, path: Path) -> tuple[Role, ...]:
    """A part for each object of an OBJ that owns a run of points, for each part of our PLY; else one for all."""
    names, owner = _owners(mesh, path)
    starts = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    whole = len(starts) == len(names) and (owner[mesh.triangles] == owner[mesh.triangles[:, :1]]).all()
    if not whole:
        names, owner, starts = [mesh.name], np.zeros(len(mesh.points), np.int64), np.array([0])
    ends, roles = [*starts[1:].tolist(), len(owner)], []
    uv = None if mesh.uv is None else mesh.uv.astype(np.float32)
    for k, (name, start, end) in enumerate(zip(names, starts.tolist(), ends, strict=True)):
        own = mesh.triangles[owner[mesh.triangles[:, 0]] == k].astype(np.int64) - start
        here = None if uv is None else uv[start:end]
        roles.append(Role(name, "cloth", slice(start, end), checked_triangles(own, end - start, str(path)), here))
    return tuple(roles)


def _owners(mesh: MeshRecord, path: Path) -> tuple[list[str], Array]:
    if path.suffix.lower() == ".ply":
        return part_numbers(path, len(mesh.points))
    owner = np.full(len(mesh.points), -1)
    for k, rows in enumerate(mesh.groups.values()):
        owner[rows] = k
    return list(mesh.groups), owner
