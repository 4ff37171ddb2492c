"""A recording as USD prims and attributes, said once for the text writer and the binary one.

Surfaces are Meshes with time-sampled points, normals and extents. A part with bodies is a SkelRoot with a Skeleton and
its animation, each body a joint at its centre of mass, and carries its surface as a skin. Time codes are frames.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.geometry import rotation
from pliant.sinks.cast import Cast, identifier, unit_normals
from pliant.sinks.conventions import Convention
from pliant.sinks.rig import Rig, bodies_of
from pliant.world import Frame, PartFrame, World

ROOT = "/scene"


class Attribute(NamedTuple):
    """One attribute of a prim; without a value it is sampled in time."""

    name: str
    kind: str  # as USD writes it: point3f[], token …
    value: Any = None
    uniform: bool = False
    interpolation: str = ""


@dataclass
class Prim:
    """A prim below the root."""

    path: str
    kind: str
    attributes: list[Attribute] = field(default_factory=list)
    relations: dict[str, str] = field(default_factory=dict)
    display_name: str = ""
    schemas: tuple[str, ...] = ()


Sampled = dict[tuple[str, str], Array]  # (prim path, attribute) -> value


class UsdScene:
    """Fixed by its first frame; gives the values of each frame."""

    def __init__(self, frame: Frame, world: World, axes: Convention) -> None:
        self._axes = axes.right_handed()
        self._cast = Cast.of(frame)
        taken: set[str] = set()
        self._first = frame
        self._paths = {part.name: f"{ROOT}/{identifier(part.name, taken)}" for part in self._cast.surfaces}
        self._rigs = {
            f"{ROOT}/{identifier(f'{name}_rig', taken)}": bodies_of(part, world.parts.get(name))
            for name, part in frame.items()
            if len(part.rotations_xyzw)
        }

    def prims(self) -> list[Prim]:
        surfaces = {part.name: part for part in self._cast.surfaces}
        skinned = self._skinned()
        found = [_mesh(path, surfaces[name], self._axes) for name, path in self._paths.items() if name not in skinned]
        for path, rig in self._rigs.items():
            places, turns = rig.at(self._first[rig.part])
            found += _skeleton(path, rig, places, turns, self._axes)
            if rig.part in skinned:
                found.append(_skin(path, rig, surfaces[rig.part], self._axes))
        return found

    def _skinned(self) -> set[str]:
        """Parts whose every drawn point is known to ride on one body; a puppet that wears a figure draws none."""
        return {rig.part for rig in self._rigs.values() if rig.owner is not None and rig.part in self._paths}

    def samples(self, frame: Frame) -> Sampled:
        values: Sampled = {}
        skinned = self._skinned()
        for part in self._cast.now(frame):
            if part.name in skinned:
                continue
            path = self._paths[part.name]
            points = self._axes.points(part.points)
            values[path, "extent"] = np.stack([points.min(axis=0), points.max(axis=0)])
            values[path, "points"] = points
            values[path, "normals"] = self._axes.directions(unit_normals(part))
        for path, rig in self._rigs.items():
            places, turns = _local(rig, *rig.at(frame[rig.part]), self._axes)
            values[f"{path}/motion", "translations"] = places.astype(np.float32)
            values[f"{path}/motion", "rotations"] = turns[:, [3, 0, 1, 2]].astype(np.float32)
        return values


def _mesh(path: str, part: PartFrame, axes: Convention) -> Prim:
    triangles = axes.triangles(part.triangles)
    attributes = [
        Attribute("doubleSided", "bool", True, uniform=True),
        Attribute("extent", "float3[]"),
        Attribute("faceVertexCounts", "int[]", np.full(len(triangles), 3)),
        Attribute("faceVertexIndices", "int[]", triangles.ravel()),
        Attribute("normals", "normal3f[]", interpolation="vertex"),
        Attribute("points", "point3f[]"),
        Attribute(
            "primvars:displayColor", "color3f[]", np.array([part.look.color], np.float32), interpolation="constant"
        ),
        Attribute("subdivisionScheme", "token", "none", uniform=True),
    ]
    if part.uv is not None:
        uv = np.asarray(part.uv, np.float32)
        attributes.insert(-1, Attribute("primvars:st", "texCoord2f[]", uv, interpolation="vertex"))
    return Prim(path, "Mesh", attributes, display_name=part.name)


def _skin(path: str, rig: Rig, part: PartFrame, axes: Convention) -> Prim:
    """The surface as it is in the first frame, bound to the joints, one to each point."""
    prim = _mesh(f"{path}/surface", part, axes)
    points = axes.points(part.points)
    fixed = {
        "extent": np.stack([points.min(axis=0), points.max(axis=0)]),
        "points": points,
        "normals": axes.directions(unit_normals(part)),
    }
    row = np.argsort(rig.order())
    prim.attributes = [a._replace(value=fixed[a.name]) if a.value is None else a for a in prim.attributes]
    prim.attributes += [
        Attribute("primvars:skel:geomBindTransform", "matrix4d", np.eye(4)),
        Attribute("primvars:skel:jointIndices", "int[]", row[rig.owner], interpolation="vertex"),
        Attribute("primvars:skel:jointWeights", "float[]", np.ones(len(points), np.float32), interpolation="vertex"),
    ]
    prim.relations, prim.schemas = {"skel:skeleton": f"{path}/skeleton"}, ("SkelBindingAPI",)
    return prim


def _skeleton(path: str, rig: Rig, places: Array, turns: Array, axes: Convention) -> list[Prim]:
    """Bound and at rest in the given pose, that of the first frame."""
    order = rig.order()
    names = _joint_paths(rig, order)
    joints = Attribute("joints", "token[]", names, uniform=True)
    bind = _matrices(*_turned(places[order], turns[order], axes))
    rest = _matrices(*_local(rig, places, turns, axes))
    scales = Attribute("scales", "half3[]", np.ones((len(order), 3), np.float32))
    return [
        Prim(path, "SkelRoot", display_name=rig.part),
        Prim(
            f"{path}/skeleton",
            "Skeleton",
            [
                Attribute("bindTransforms", "matrix4d[]", bind, uniform=True),
                joints,
                Attribute("restTransforms", "matrix4d[]", rest, uniform=True),
            ],
            {"skel:animationSource": f"{path}/motion"},
            schemas=("SkelBindingAPI",),
        ),
        Prim(
            f"{path}/motion",
            "SkelAnimation",
            [joints, Attribute("rotations", "quatf[]"), scales, Attribute("translations", "float3[]")],
        ),
    ]


def _joint_paths(rig: Rig, order: list[int]) -> list[str]:
    taken: set[str] = set()
    paths: dict[int, str] = {}
    for body in order:
        name, parent = identifier(rig.names[body], taken), int(rig.parents[body])
        paths[body] = f"{paths[parent]}/{name}" if parent >= 0 else name
    return [paths[body] for body in order]


def _turned(places: Array, turns: Array, axes: Convention) -> tuple[Array, Array]:
    """Positions and rotations in the file's axes."""
    quarter = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]) if axes.up == "Z" else rotation.IDENTITY
    turns = rotation.normalized(turns)
    return rotation.rotate(quarter, places) * axes.units_per_metre, rotation.multiply(quarter, turns)


def _local(rig: Rig, places: Array, turns: Array, axes: Convention) -> tuple[Array, Array]:
    """(b, 3) and (b, 4) relative to the parent, in joint order."""
    places, turns = _turned(np.asarray(places, float), np.asarray(turns, float), axes)
    found_places, found_turns = [], []
    for body in rig.order():
        parent = int(rig.parents[body])
        place, turn = places[body], turns[body]
        if parent >= 0:
            back = rotation.inverse(turns[parent])
            place, turn = rotation.rotate(back, place - places[parent]), rotation.multiply(back, turn)
        found_places.append(place)
        found_turns.append(turn if turn[3] >= 0 else -turn)
    return np.array(found_places), rotation.normalized(np.array(found_turns))


def _matrices(places: Array, turns: Array) -> Array:
    """(b, 4, 4) for row vectors, as USD has them."""
    matrices = np.tile(np.eye(4), (len(places), 1, 1))
    matrices[:, :3, :3] = np.swapaxes(rotation.to_matrix(turns), 1, 2)
    matrices[:, 3, :3] = places
    return matrices
