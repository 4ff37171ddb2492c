"""Ties: anchors by name become rows, bodies and places."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index, frozen
from pliant.errors import SceneError, unknown
from pliant.geometry import rotation
from pliant.geometry.nearest import SurfaceTree
from pliant.scene import Tie, held_points
from pliant.scene.pins import box_coordinates
from pliant.scene.tie import Anchor
from pliant.world import BODY, CLUSTER, FACE, FIXED, POINT, Ends, Part, Ties, Volumes

WHOLLY = np.array([1.0, 0.0, 0.0])  # weights of a tie at a point


class _End(NamedTuple):
    kind: int
    row: int
    stop: int
    body: int
    at: Array
    corners: Array
    weights: Array
    inertia: Array
    place: Array  # [m] where it is at the start
    part: str


def tie_table(ties: tuple[Tie, ...], parts: dict[str, Part]) -> Ties | None:
    """All ties of a scene; None if there are none."""
    pairs, said = [], []
    for number, tie in enumerate(ties):
        where = f"ties[{number}]"
        for a, b in _paired(_ends(tie.a, parts, where), _ends(tie.b, parts, where)):
            pairs.append((a, b))
            said.append(tie)
    if not pairs:
        return None
    apart = [float(np.linalg.norm(a.place - b.place)) for a, b in pairs]
    return Ties(
        a=_columns([a for a, _ in pairs]),
        b=_columns([b for _, b in pairs]),
        length=frozen(np.array([d if t.length is None else t.length for t, d in zip(said, apart, strict=True)])),
        compliance=frozen(np.array([t.compliance for t in said])),
        slack=frozen(np.array([t.slack for t in said])),
        breaks=frozen(np.array([np.inf if t.breaks is None else t.breaks for t in said])),
        until=frozen(np.array([np.inf if t.until is None else t.until for t in said])),
        names=tuple((a.part, b.part) for a, b in pairs),
    )


def _ends(anchor: Anchor, parts: dict[str, Part], where: str) -> list[_End]:
    if not anchor.part:
        place = np.array(anchor.at, float)
        return [_End(FIXED, 0, 0, 0, place, np.zeros(3), WHOLLY, np.ones(3), place, "")]
    if anchor.part not in parts:
        raise SceneError(f"{where}: {unknown('part', anchor.part, parts)}")
    part = parts[anchor.part]
    if len(part.inertia):
        return [_on_body(anchor, part, where)]
    if part.has(Volumes):
        return [_on_cluster(anchor, part, where)]
    if _is_place(anchor, part):
        return [_on_face(anchor, part)]
    return [_on_point(part, int(row)) for row in _points(anchor, part, where)]


def _on_body(anchor: Anchor, part: Part, where: str) -> _End:
    names = list(part.extra["names"])
    if anchor.name not in names:
        raise SceneError(f"{where}: part {part.name!r}: {unknown('segment', anchor.name, names)}")
    segment = names.index(anchor.name)
    turn = part.rest_rotation_xyzw[segment]
    offset = np.zeros(3) if anchor.at is None else np.array(anchor.at, float)
    local = rotation.rotate(rotation.inverse(turn), offset)
    row, body = part.rows.start + segment, part.bodies.start + segment
    place = part.rest_position[segment] + offset
    return _End(BODY, row, row + 1, body, local, np.full(3, row), WHOLLY, part.inertia[segment], place, part.name)


def _on_cluster(anchor: Anchor, part: Part, where: str) -> _End:
    gas: Volumes = part.table(Volumes)
    skin = len(gas.body)
    if _is_place(anchor, part):
        face = _on_face(anchor, part)
        return face._replace(kind=CLUSTER, row=part.rows.start, stop=part.rows.start + skin)
    if anchor.name == "nozzle" or (not anchor.name and anchor.point is None and anchor.at is None):
        patch = int(gas.nozzle[0])
    elif anchor.name == "string":
        return _on_point(part, len(part.mass) - 1)
    else:
        patch = int(_points(anchor, part, where)[0])
    if patch >= skin:
        return _on_point(part, patch)
    first = part.rows.start
    place = part.rest_position[patch]
    corners = np.full(3, first + patch)
    return _End(CLUSTER, first, first + skin, 0, np.zeros(3), corners, WHOLLY, np.ones(3), place, part.name)


def _is_place(anchor: Anchor, part: Part) -> bool:
    return anchor.at is not None and anchor.point is None and not anchor.name and len(part.triangles) > 0


def _on_face(anchor: Anchor, part: Part) -> _End:
    """The point of a part's surface that is nearest to a place."""
    near = SurfaceTree(part.rest_position, part.triangles).closest(np.array(anchor.at, float)[None])
    corners = part.triangles[near.triangle[0]].astype(np.int64)
    weights = near.weights[0]
    place = weights @ part.rest_position[corners]
    rows = part.rows.start + corners
    return _End(FACE, int(rows[0]), int(rows[0]) + 1, 0, np.zeros(3), rows, weights, np.ones(3), place, part.name)


def _on_point(part: Part, point: int) -> _End:
    row = part.rows.start + point
    place = part.rest_position[point]
    return _End(POINT, row, row + 1, 0, np.zeros(3), np.full(3, row), WHOLLY, np.ones(3), place, part.name)


def _points(anchor: Anchor, part: Part, where: str) -> Array:
    """Points of a part that has no bodies, by number, border, or the nearest to a place."""
    if anchor.point is not None:
        if anchor.point >= len(part.mass):
            raise SceneError(f"{where}: part {part.name!r} has points 0 to {len(part.mass) - 1}, not {anchor.point}")
        return np.array([anchor.point])
    if anchor.at is not None:
        return np.array([np.argmin(np.linalg.norm(part.rest_position - np.array(anchor.at), axis=1))])
    if not anchor.name:
        raise SceneError(f"{where}: no point of part {part.name!r} is named; write {part.name}:left or {part.name}:12")
    uv = part.uv if part.uv is not None else box_coordinates(part.rest_position)
    return held_points(anchor.name, part.rest_position, uv, name=f"{where}: {part.name}")


def _paired(a: list[_End], b: list[_End]) -> list[tuple[_End, _End]]:
    """Border with border: the nearest points. Border with one point: each keeps its place about the border's middle."""
    if len(a) == 1 and len(b) == 1:
        return [(a[0], b[0])]
    if len(a) > 1 and len(b) > 1:
        places = np.array([end.place for end in b])
        return [(end, b[int(np.argmin(np.linalg.norm(places - end.place, axis=1)))]) for end in a]
    many, one = (a, b[0]) if len(a) > 1 else (b, a[0])
    middle = np.mean([end.place for end in many], axis=0)
    return [(end, _shifted(one, end.place - middle)) for end in many]


def _shifted(end: _End, offset: Array) -> _End:
    if end.kind == FIXED:
        return end._replace(at=end.at + offset, place=end.place + offset)
    if end.kind == BODY:
        # at the start the body has its rest turn, which `at` already left behind
        return end._replace(at=end.at + offset, place=end.place + offset)
    return end


def _columns(ends: list[_End]) -> Ends:
    return Ends(
        kind=frozen(np.array([e.kind for e in ends], np.uint8)),
        row=frozen(np.array([e.row for e in ends], Index)),
        stop=frozen(np.array([e.stop for e in ends], Index)),
        body=frozen(np.array([e.body for e in ends], Index)),
        at=frozen(np.array([e.at for e in ends])),
        corners=frozen(np.array([e.corners for e in ends], Index)),
        weights=frozen(np.array([e.weights for e in ends])),
        inertia=frozen(np.array([e.inertia for e in ends])),
    )
