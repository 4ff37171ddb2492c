"""glTF clips: surfaces moved by morph weights, and animated nodes. Skins are another reader's.

Frames are taken at the rate the file names (`asset.extras.fps`, as our sink writes it), else at 30 per second.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.sources.gltf_document import Document, read_document
from pliant.sources.raw import damaged
from pliant.sources.recordings.recording import Moment, Recording, Role, checked_triangles
from pliant.world import Look


class _Track(NamedTuple):
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


class _Surface(NamedTuple):
    base: Array  # (n, 3)
    targets: list[Array]
    weights: _Track | None

    def at(self, time: float) -> Array:
        points = self.base.astype(np.float64)
        if self.weights is not None:
            weights = self.weights.at(time)
            for k in np.flatnonzero(weights):
                points += float(weights[k]) * self.targets[k]
        return points.astype(np.float32)


class _Body(NamedTuple):
    place: _Track
    turn: _Track


def open_glb(path: Path) -> Recording:
    document = read_document(path)
    with damaged(path, "glTF"):
        return _recording(document)


def _recording(document: Document) -> Recording:
    tracks = _tracks(document)
    surfaces, roles, start = [], [], 0
    for index, node in enumerate(document.all("nodes")):
        if "mesh" in node:
            surface, role = _surface(document, index, node, tracks, start)
            surfaces.append(surface)
            roles.append(role)
            start += len(surface.base)
    bodies: list[_Body] = []
    for role, found in _puppets(document, tracks, start, 0):
        roles.append(role)
        bodies += found
        start += len(found)
    if not roles:
        raise FormatError(f"{document.path}: has neither surfaces nor bodies")
    fps, begin, times = _clock(document, tracks)

    def moments() -> Iterator[Moment]:
        for time in times:
            places = np.array([body.place.at(time) for body in bodies], np.float32).reshape(-1, 3)
            turns = np.array([rotation.normalized(body.turn.at(time)) for body in bodies], np.float32).reshape(-1, 4)
            yield Moment(np.concatenate([*(surface.at(time) for surface in surfaces), places]), None, turns)

    return Recording(document.path, fps, tuple(begin + time for time in times), tuple(roles), moments)


def _clock(document: Document, tracks: dict[tuple[int, str], _Track]) -> tuple[float, float, tuple[float, ...]]:
    """Frames per second, the simulation's time at the first of them, and the file's own times."""
    about = document.json["asset"].get("extras") or {}
    fps, start = float(about.get("fps", 30.0)), float(about.get("start", 0.0))
    if not (0.0 < fps < 1e6 and abs(start) < 1e9):
        raise FormatError(f"{document.path}: fps is {fps:g}")
    first = min((float(track.times[0]) for track in tracks.values()), default=0.0)
    last = max((float(track.times[-1]) for track in tracks.values()), default=0.0)
    count = round((last - first) * fps) + 1
    if count > 10**6:
        raise FormatError(f"{document.path}: lasts {last - first:g} s; more than a million frames are refused")
    return fps, start, tuple(first + k / fps for k in range(count))


def _tracks(document: Document) -> dict[tuple[int, str], _Track]:
    """(node, property) -> track, of the first animation."""
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
        found[node, path] = _Track(times.astype(float), values.astype(float), how == "STEP")
    return found


def _surface(
    document: Document, index: int, node: dict[str, Any], tracks: dict[tuple[int, str], _Track], start: int
) -> tuple[_Surface, Role]:
    mesh = document.one("meshes", node["mesh"])
    if len(mesh["primitives"]) != 1 or node.get("skin") is not None:
        raise FormatError(f"{document.path}: mesh {mesh.get('name')!r} has several materials or a skin")
    primitive = mesh["primitives"][0]
    base = document.accessor(primitive["attributes"]["POSITION"])
    targets = [document.accessor(target["POSITION"]) for target in primitive.get("targets", [])]
    weights = tracks.get((index, "weights"))
    if weights is not None and weights.values.shape[1] != len(targets):
        raise FormatError(f"{document.path}: {weights.values.shape[1]} weights for {len(targets)} morph targets")
    if any(target.shape != base.shape for target in targets):
        raise FormatError(f"{document.path}: a morph target has another number of points than its mesh")
    where = str(document.path)
    faces = document.accessor(primitive["indices"]) if "indices" in primitive else np.arange(len(base))
    triangles = checked_triangles(faces.astype(Index).reshape(-1, 3), len(base), where)
    uv = None
    if "TEXCOORD_0" in primitive["attributes"]:
        u, v = document.accessor(primitive["attributes"]["TEXCOORD_0"]).T
        uv = np.stack([u, 1.0 - v], axis=1).astype(np.float32)
    about = node.get("extras") or {}
    role = Role(
        str(about.get("part") or node.get("name") or f"mesh{index}"),
        str(about.get("kind", "cloth")),
        slice(start, start + len(base)),
        triangles,
        uv,
        _look(document, primitive),
    )
    return _Surface(base, targets, weights), role


def _look(document: Document, primitive: dict[str, Any]) -> Look:
    if "material" not in primitive:
        return Look()
    surface = document.one("materials", primitive["material"]).get("pbrMetallicRoughness", {})
    r, g, b, _ = surface.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0))
    return Look((float(r), float(g), float(b)))


def _puppets(
    document: Document, tracks: dict[tuple[int, str], _Track], start: int, first: int
) -> Iterator[tuple[Role, list[_Body]]]:
    """Nodes that say which part's body they are, gathered part by part."""
    nodes = [(k, node) for k, node in enumerate(document.all("nodes")) if "body" in (node.get("extras") or {})]
    for part, group in groupby(nodes, key=lambda item: str(item[1]["extras"]["part"])):
        bodies, names = [], []
        for index, node in group:
            names.append(str(node["extras"]["body"]))
            place = np.array([node.get("translation", (0, 0, 0))], float)
            turn = np.array([node.get("rotation", (0, 0, 0, 1))], float)
            bodies.append(
                _Body(
                    tracks.get((index, "translation"), _Track(np.zeros(1), place, False)),
                    tracks.get((index, "rotation"), _Track(np.zeros(1), turn, False)),
                )
            )
        count = len(bodies)
        none = np.empty((0, 3), Index)
        rows, own = slice(start, start + count), slice(first, first + count)
        yield Role(part, "puppet", rows, none, None, Look(), own, tuple(names)), bodies
        start, first = start + count, first + count
