"""Clips as arrays: .npz of ours or of a cloth data set (`vertices_seq`, `faces`, `fps`), and Zarr stores.

An archive is never loaded whole: one frame is read at a time, straight from the zip.
"""

import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from pliant.arrays import Array
from pliant.constants import MAXIMUM_UPLOAD
from pliant.errors import FormatError, UnsupportedError
from pliant.sources.raw import damaged
from pliant.sources.recordings.recording import Moment, Recording, Role, checked_triangles
from pliant.world import Look

_SEQUENCES = ("vertices_seq", "velocities_seq", "rotations_seq", "centres_seq")


def open_npz(path: Path) -> Recording:
    with damaged(path, "npz"):
        with zipfile.ZipFile(path) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
            shapes = {name: _shape(archive, name) for name in _SEQUENCES if name in names}
            constants = {name: _constant(archive, name, path) for name in sorted(names - set(_SEQUENCES))}
        return _recording(path, shapes, constants, lambda: _npz_moments(path, shapes))


def open_zarr(path: Path) -> Recording:
    try:
        import zarr
    except ImportError:
        raise UnsupportedError(f"{path}: Zarr needs its library: pip install 'pliant[zarr]'") from None
    try:
        group: Any = zarr.open_group(str(path), mode="r")
        shapes = {name: group[name].shape for name in _SEQUENCES if name in group}
        large = [name for name in group.array_keys() if name not in _SEQUENCES and group[name].nbytes > MAXIMUM_UPLOAD]
        if large:
            raise FormatError(f"{path}: {large[0]} unpacks to more than {MAXIMUM_UPLOAD // 2**20} MiB; refused")
        constants = {name: group[name][...] for name in group.array_keys() if name not in _SEQUENCES}
        for name in ("names", "kinds", "fps", "body_names"):
            if name in group.attrs:
                constants[name] = np.array(group.attrs[name])
    except FormatError:
        raise
    except Exception as error:  # the library raises its own kinds; each means the same to the user
        raise FormatError(f"{path}: not a Zarr recording ({type(error).__name__})") from None
    return _recording(path, shapes, constants, lambda: _zarr_moments(group, shapes))


def _recording(path: Path, shapes: dict[str, tuple[int, ...]], constants: dict[str, Array], moments: Any) -> Recording:
    shape = shapes.get("vertices_seq")
    if shape is None or len(shape) != 3 or shape[2] != 3:
        raise FormatError(f"{path}: has no vertices_seq of shape (frames, points, 3); it is no recording")
    for name, other in shapes.items():
        if 8 * math.prod(other[1:]) > MAXIMUM_UPLOAD:
            raise FormatError(
                f"{path}: a frame of {name} has the shape {other[1:]}; it unpacks to too much and is refused"
            )
    for name, width in (("velocities_seq", 3), ("rotations_seq", 4), ("centres_seq", 3)):
        other = shapes.get(name, (shape[0], 0, width))
        if len(other) != 3 or other[0] != shape[0] or other[2] != width:
            raise FormatError(f"{path}: {name} has the shape {other}, vertices_seq has {shape}")
    with damaged(path, "recording"):
        fps = float(constants.get("fps", np.array(30.0)).reshape(()))
        times = constants.get("times", np.arange(shape[0]) / fps).astype(float).ravel()
        roles = _roles(constants, shape[1], str(path))
    if len(times) != shape[0] or not 0 < fps < 1e6:
        raise FormatError(f"{path}: {len(times)} times and fps {fps:g} for {shape[0]} frames")
    return Recording(path, fps, tuple(times.tolist()), roles, moments)


def _roles(constants: dict[str, Array], count: int, where: str) -> tuple[Role, ...]:
    names = [str(name) for name in constants.get("names", np.array(["mesh"])).ravel()]
    kinds = [str(kind) for kind in constants.get("kinds", np.array(["cloth"] * len(names))).ravel()]
    triangles = checked_triangles(constants.get("faces", np.empty((0, 3), np.uint32)), count, where)
    points = _starts(constants.get("part_starts"), len(names), count, where)
    faces = _starts(constants.get("face_starts"), len(names), len(triangles), where)
    bodies = _starts(constants.get("body_starts"), len(names), None, where)
    body_names = [str(name) for name in constants.get("body_names", np.empty(0)).ravel()]
    uv, colors = constants.get("uv"), constants.get("colors")
    roles = []
    for k, name in enumerate(names):
        rows = slice(points[k], points[k + 1])
        counted = triangles[faces[k] : faces[k + 1]].astype(np.int64) - points[k]
        own = checked_triangles(counted, rows.stop - rows.start, where)
        here = None if uv is None or len(uv) != count or np.isnan(uv[rows]).any() else np.asarray(uv[rows], np.float32)
        look = Look() if colors is None or len(colors) != len(names) else Look(_color(colors[k]))
        held = slice(bodies[k], bodies[k + 1])
        roles.append(Role(name, kinds[k], rows, own, here, look, held, tuple(body_names[held])))
    return tuple(roles)


def _color(values: Array) -> tuple[float, float, float]:
    r, g, b = (float(x) for x in values)
    return r, g, b


def _starts(values: Array | None, parts: int, end: int | None, where: str) -> list[int]:
    if values is None:
        return [0] * parts + [end or 0]
    starts = [int(x) for x in values.ravel()]
    if (
        len(starts) != parts + 1
        or starts[0] != 0
        or sorted(starts) != starts
        or (end is not None and starts[-1] != end)
    ):
        raise FormatError(f"{where}: its parts do not fit its points; the recording is damaged")
    return starts


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(stream)
    if fortran or dtype.hasobject:
        raise ValueError("arrays must be plain and in C order")
    return shape, dtype


def _shape(archive: zipfile.ZipFile, name: str) -> tuple[int, ...]:
    with archive.open(f"{name}.npy") as stream:
        shape, dtype = _header(stream)
    if dtype.kind != "f":
        raise ValueError(f"{name} holds {dtype}, not floating-point numbers")
    return shape


def _constant(archive: zipfile.ZipFile, name: str, path: Path) -> Array:
    if archive.getinfo(f"{name}.npy").file_size > MAXIMUM_UPLOAD:
        raise FormatError(f"{path}: {name} unpacks to more than {MAXIMUM_UPLOAD // 2**20} MiB; refused")
    with archive.open(f"{name}.npy") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _npz_moments(path: Path, shapes: dict[str, tuple[int, ...]]) -> Iterator[Moment]:
    with zipfile.ZipFile(path) as archive:
        streams = {name: archive.open(f"{name}.npy") for name in shapes}
        kinds = {name: _header(stream)[1] for name, stream in streams.items()}
        for index in range(shapes["vertices_seq"][0]):
            rows = {}
            for name, stream in streams.items():
                width = shapes[name][1:]
                size = kinds[name].itemsize * width[0] * width[1]
                data = stream.read(size)
                if len(data) < size:
                    raise FormatError(f"{path}: {name} ends in frame {index}; the archive is cut off")
                rows[name] = np.frombuffer(data, kinds[name]).reshape(width).astype(np.float32, copy=False)
            yield _moment(rows)


def _zarr_moments(group: Any, shapes: dict[str, tuple[int, ...]]) -> Iterator[Moment]:
    step = 16
    for first in range(0, shapes["vertices_seq"][0], step):
        blocks = {name: np.asarray(group[name][first : first + step], np.float32) for name in shapes}
        for k in range(len(blocks["vertices_seq"])):
            yield _moment({name: block[k] for name, block in blocks.items()})


def _moment(rows: dict[str, Array]) -> Moment:
    turns = rows.get("rotations_seq", np.empty((0, 4), np.float32))
    return Moment(rows["vertices_seq"], rows.get("velocities_seq"), turns, rows.get("centres_seq"))
