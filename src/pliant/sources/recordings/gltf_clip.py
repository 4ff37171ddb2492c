"""glTF clips: surfaces moved by morph weights, nodes and skins, and the bodies of puppets.

Frames are taken at the rate the file names (`asset.extras.fps`, as our sink writes it), else at 30 per second.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.sources.gltf_document import Document, read_document
from pliant.sources.raw import damaged
from pliant.sources.recordings.gltf_nodes import Nodes, Track, Tracks, clips_of, tracks_of
from pliant.sources.recordings.recording import Moment, Recording, Role, checked_triangles
from pliant.world import Look

_TRIANGLES = 4


class _Surface(NamedTuple):
    """Points that morph, then follow their node or the joints of a skin."""

    node: int
    base: Array  # (n, 3)
    targets: list[Array]
    weights: Track | None
    joints: Array  # (n, w) nodes; empty without a skin
    shares: Array  # (n, w)
    inverse_bind: dict[int, Array]  # of each joint's node

    def at(self, time: float, world: Array) -> Array:
        points = self.base.astype(np.float64)
        if self.weights is not None:
            weights = self.weights.at(time)
            for k in np.flatnonzero(weights):
                points += float(weights[k]) * self.targets[k]
        if not self.joints.size:
            matrix = world[self.node]
            return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3], np.float32)
        bend = np.zeros((len(world), 3, 4))
        for node, inverse in self.inverse_bind.items():
            bend[node] = (world[node] @ inverse)[:3]
        blended = np.einsum("nw,nwij->nij", self.shares, bend[self.joints])
        return np.asarray(np.einsum("nij,nj->ni", blended[..., :3], points) + blended[..., 3], np.float32)


class _Body(NamedTuple):
    node: int
    name: str
    centre: Array  # (3,) [m] from the node, in its axes


def open_glb(path: Path, *, clip: str | None = None) -> Recording:
    document = read_document(path)
    with damaged(path, "glTF"):
        return _recording(document, clip)


def _recording(document: Document, clip: str | None) -> Recording:
    tracks, names = tracks_of(document, clip), clips_of(document)
    nodes = Nodes(document, tracks)
    bodies = _bodies(document)
    surfaces, roles = _surfaces(document, tracks, bodies)
    flat = [body for group in bodies.values() for body in group]
    if not roles:
        raise FormatError(f"{document.path}: has neither surfaces nor bodies")
    fps, begin, times = _clock(document, tracks)

    def moments() -> Iterator[Moment]:
        for time in times:
            world = nodes.at(time)
            points = [surface.at(time, world) for surface in surfaces]
            places = [world[body.node, :3, :3] @ body.centre + world[body.node, :3, 3] for body in flat]
            centres = np.array(places, np.float32).reshape(-1, 3)
            matrices = world[[body.node for body in flat], :3, :3]
            turns = rotation.from_matrix(matrices).astype(np.float32) if flat else np.empty((0, 4), np.float32)
            yield Moment(np.concatenate([*points, centres]), None, turns, centres)

    notes = (f"plays {clip or names[0]!r} of the clips {', '.join(names)}",) if len(names) > 1 else ()
    return Recording(document.path, fps, tuple(begin + time for time in times), tuple(roles), moments, notes)


def _surfaces(document: Document, tracks: Tracks, bodies: dict[str, list[_Body]]) -> tuple[list[_Surface], list[Role]]:
    """Every mesh, and a role for each part: a mesh with its bodies, or bodies alone."""
    surfaces: list[_Surface] = []
    roles: list[Role] = []
    first = dict(zip(bodies, np.cumsum([0, *map(len, bodies.values())]).tolist(), strict=False))
    start = 0
    for index, node in enumerate(document.all("nodes")):
        if "mesh" not in node:
            continue
        surface, role = _surface(document, index, node, tracks, start)
        if role.name in bodies:
            own = slice(first[role.name], first[role.name] + len(bodies[role.name]))
            role = role._replace(bodies=own, names=tuple(body.name for body in bodies[role.name]))
        surfaces.append(surface)
        roles.append(role)
        start += len(surface.base)
    seen = {role.name for role in roles}
    for part, group in bodies.items():
        own = slice(first[part], first[part] + len(group))
        rows = slice(start + own.start, start + own.stop)
        if part not in seen:
            none = np.empty((0, 3), Index)
            roles.append(Role(part, "puppet", rows, none, bodies=own, names=tuple(body.name for body in group)))
    return surfaces, roles


def _bodies(document: Document) -> dict[str, list[_Body]]:
    """Nodes that say which part's body they are, part by part."""
    found: dict[str, list[_Body]] = {}
    for index, node in enumerate(document.all("nodes")):
        about = node.get("extras") or {}
        if "body" in about:
            centre = np.array(about.get("centre", (0.0, 0.0, 0.0)), float).reshape(3)
            found.setdefault(str(about["part"]), []).append(_Body(index, str(about["body"]), centre))
    return found


def _clock(document: Document, tracks: Tracks) -> tuple[float, float, tuple[float, ...]]:
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


def _surface(document: Document, index: int, node: dict[str, Any], tracks: Tracks, start: int) -> tuple[_Surface, Role]:
    mesh = document.one("meshes", node["mesh"])
    pieces = [_piece(document, node, primitive) for primitive in mesh["primitives"]]
    base = np.concatenate([piece.base for piece in pieces])
    if len({len(piece.targets) for piece in pieces}) > 1:
        raise FormatError(f"{document.path}: the pieces of mesh {mesh.get('name')!r} have different morph targets")
    targets = [np.concatenate(of) for of in zip(*(piece.targets for piece in pieces), strict=True)]
    weights = tracks.get((index, "weights"))
    if weights is not None and weights.values.shape[-1] != len(targets):
        raise FormatError(f"{document.path}: {weights.values.shape[-1]} weights for {len(targets)} morph targets")
    first = np.cumsum([0, *(len(piece.base) for piece in pieces)])
    triangles = np.concatenate([piece.triangles + at for piece, at in zip(pieces, first, strict=False)])
    textures = [piece.uv for piece in pieces if piece.uv is not None]
    about = node.get("extras") or {}
    role = Role(
        str(about.get("part") or node.get("name") or f"mesh{index}"),
        str(about.get("kind", "cloth")),
        slice(start, start + len(base)),
        checked_triangles(triangles.astype(Index), len(base), str(document.path)),
        np.concatenate(textures) if len(textures) == len(pieces) else None,
        _look(document, mesh["primitives"][0]),
    )
    width = max(piece.joints.shape[1] for piece in pieces)
    joints = np.concatenate([_wide(piece.joints, width) for piece in pieces])
    shares = np.concatenate([_wide(piece.shares, width) for piece in pieces])
    return _Surface(index, base, targets, weights, joints, shares, _inverse_bind(document, node)), role


class _Piece(NamedTuple):
    """One material's share of a mesh."""

    base: Array
    triangles: Array
    targets: list[Array]
    uv: Array | None
    joints: Array  # (n, w) nodes
    shares: Array  # (n, w)


def _piece(document: Document, node: dict[str, Any], primitive: dict[str, Any]) -> _Piece:
    if primitive.get("mode", _TRIANGLES) != _TRIANGLES:
        raise FormatError(f"{document.path}: a mesh of lines, points or strips; only triangles are a recording")
    attributes = primitive["attributes"]
    base = document.accessor(attributes["POSITION"])
    targets = [document.accessor(target["POSITION"]) for target in primitive.get("targets", [])]
    if any(target.shape != base.shape for target in targets):
        raise FormatError(f"{document.path}: a morph target has another number of points than its mesh")
    faces = document.accessor(primitive["indices"]) if "indices" in primitive else np.arange(len(base))
    triangles = checked_triangles(faces.astype(Index).reshape(-1, 3), len(base), str(document.path))
    uv = None
    if "TEXCOORD_0" in attributes:
        u, v = document.accessor(attributes["TEXCOORD_0"]).T
        uv = np.stack([u, 1.0 - v], axis=1).astype(np.float32)
    return _Piece(base, triangles.astype(np.int64), targets, uv, *_skin(document, node, attributes))


def _wide(columns: Array, width: int) -> Array:
    return np.pad(columns, ((0, 0), (0, width - columns.shape[1])))


def _skin(document: Document, node: dict[str, Any], attributes: dict[str, Any]) -> tuple[Array, Array]:
    """(n, w) nodes and (n, w) shares of each point."""
    sets = sorted(name for name in attributes if name.startswith("JOINTS_"))
    if "skin" not in node or not sets:
        return np.empty((0, 0), np.int64), np.empty((0, 0))
    bones = _joints(document, node)
    columns = np.hstack([document.accessor(attributes[name]) for name in sets]).astype(np.int64)
    shares = np.hstack([document.accessor(attributes[name.replace("JOINTS", "WEIGHTS")]) for name in sets])
    if (bones < 0).any() or columns.max(initial=0) >= len(bones) or columns.shape != shares.shape:
        raise FormatError(f"{document.path}: a skin names joints that are not there")
    total = shares.sum(axis=1, keepdims=True, dtype=float)
    return bones[columns], shares / np.where(total > 0, total, 1.0)


def _joints(document: Document, node: dict[str, Any]) -> Array:
    count = len(document.all("nodes"))
    joints = document.one("skins", node["skin"])["joints"]
    return np.array([joint if 0 <= joint < count else -1 for joint in joints], np.int64)


def _inverse_bind(document: Document, node: dict[str, Any]) -> dict[int, Array]:
    """The inverse bind matrix of each joint's node."""
    if "skin" not in node:
        return {}
    skin, bones = document.one("skins", node["skin"]), _joints(document, node)
    inverse = np.tile(np.eye(4), (len(bones), 1, 1))
    if "inverseBindMatrices" in skin:
        inverse = document.accessor(skin["inverseBindMatrices"]).astype(float).reshape(-1, 4, 4).swapaxes(1, 2)
    if len(inverse) != len(bones):
        raise FormatError(f"{document.path}: a skin has {len(bones)} joints and {len(inverse)} bind matrices")
    return dict(zip(bones.tolist(), inverse, strict=True))


def _look(document: Document, primitive: dict[str, Any]) -> Look:
    if "material" not in primitive:
        return Look()
    surface = document.one("materials", primitive["material"]).get("pbrMetallicRoughness", {})
    r, g, b, _ = surface.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0))
    return Look((float(r), float(g), float(b)))
