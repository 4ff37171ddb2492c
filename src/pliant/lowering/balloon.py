"""Balloons: edges and hinges of the skin, one pocket of gas."""

import math
from typing import Any

import numpy as np

from pliant.arrays import Array, frozen
from pliant.errors import SceneError
from pliant.geometry import surface
from pliant.integrators import PBD, XPBD, Integrator
from pliant.integrators.inflated import WARMTH, InflatedPBD, InflatedXPBD, Strand
from pliant.kernels import adjacency
from pliant.lowering.kinds import Place, lower, overwrite, revise
from pliant.scene import Balloon, FoilBalloon
from pliant.world import POCKET, STRUCTURAL, Hinges, Look, Part, Springs, Table, Volumes

COLORS = {"latex": (0.62, 0.04, 0.06), "foil": (0.55, 0.56, 0.62)}


@lower.register
def _balloon(balloon: Balloon, place: Place) -> Part:
    points, triangles = balloon.mesh()
    strand = balloon.string_points()
    count = len(points) + len(strand)
    volumes = _volumes(balloon, points, triangles)
    pocket = np.zeros((1, POCKET))
    pocket[0, WARMTH] = balloon.gas.temperature
    volume = balloon.gas.volume if balloon.gas.volume is not None else balloon.gas.fill * float(volumes.rest_volume[0])
    foil = isinstance(balloon, FoilBalloon)
    return Part(
        name=place.name,
        kind="balloon",
        rows=slice(place.rows, place.rows + count),
        bodies=slice(place.bodies, place.bodies),
        gases=slice(place.gases, place.gases + 1),
        rest_position=frozen(np.concatenate([points, strand])),
        mass=frozen(_masses(balloon, points, triangles, place.name)),
        held=frozen(_held(balloon, place.name, count)),
        triangles=frozen(triangles),
        tables=(*_tables(balloon, points, triangles), volumes),
        thickness=balloon.skin.thickness,
        friction=balloon.skin.friction,
        integrator=method_for(balloon.integrator),
        moles=frozen(np.array([balloon.gas.moles(volume)])),
        pocket=frozen(pocket),
        look=Look(
            color=balloon.color or COLORS["foil" if foil else "latex"], pattern="foil" if foil else balloon.pattern
        ),
        extra={
            "pinned_until": balloon.pinned_until,
            "drag": balloon.drag,
            "self_contact": _self_contact(balloon, float(volumes.rest_volume[0])),
            "traced": balloon.traced_rows(),
            "strand": _strand(balloon, volumes, len(points)),
        },
    )


@revise.register
def _revise_balloon(balloon: Balloon, part: Part) -> bool:
    points, triangles = balloon.mesh()
    tables = (*_tables(balloon, points, triangles, part.tables), _volumes(balloon, points, triangles))
    if len(points) != len(part.table(Volumes).body) or [type(t) for t in tables] != [type(t) for t in part.tables]:
        return False
    overwrite(part.mass, _masses(balloon, points, triangles, part.name))
    for old, new in zip(part.tables, tables, strict=True):
        columns = [(np.asarray(a), np.asarray(b)) for a, b in zip(old, new, strict=True) if isinstance(a, np.ndarray)]
        if any(a.shape != b.shape for a, b in columns):
            return False
        for a, b in columns:
            overwrite(a, b)
    return True


def method_for(chosen: Integrator | None) -> Integrator:
    """What a method's name means to a part that encloses gas."""
    if chosen is None or isinstance(chosen, XPBD):
        return InflatedXPBD()
    return InflatedPBD() if isinstance(chosen, PBD) else chosen


def _self_contact(balloon: Balloon, rest_volume: float) -> bool:
    return balloon.may_go_slack(rest_volume) if balloon.self_contact is None else balloon.self_contact


def _held(balloon: Balloon, name: str, count: int) -> Array:
    held = balloon.held_rows(name)
    return np.append(held, np.uint32(count - 1)) if balloon.string is not None and balloon.string.held else held


def _strand(balloon: Balloon, volumes: Volumes, first: int) -> Strand | None:
    if balloon.string is None:
        return None
    return Strand(first, balloon.string.length / balloon.string.segments, volumes.nozzle)


def _masses(balloon: Balloon, points: Array, triangles: Array, name: str) -> Array:
    mass = balloon.skin.density * surface.vertex_areas(points, triangles)
    bare = np.flatnonzero(mass <= 0.0)
    if bare.size:
        raise SceneError(f"{name}: point {bare[0]} belongs to no triangle with an area, so it has no mass; remove it")
    if balloon.string is not None:
        piece = balloon.string.density * balloon.string.length / balloon.string.segments
        mass = np.append(mass, np.full(balloon.string.segments, piece))
    return mass


def _volumes(balloon: Balloon, points: Array, triangles: Array) -> Volumes:
    gas, skin = balloon.gas, balloon.skin
    volume = max(surface.enclosed_volume(points, triangles), 0.0)
    nozzle = balloon.nozzle_rows()
    forever = math.inf

    def column(*values: Any) -> Array:
        return frozen(np.array(values, float))

    pump_until = forever if gas.pump_until is None else gas.pump_until
    valve_from = forever if gas.valve_from is None else gas.valve_from
    valve_until = forever if gas.valve_until is None else gas.valve_until
    area = math.pi * balloon.nozzle_radius**2
    return Volumes(
        rest_volume=column(volume),
        rest_moles=column(gas.moles(volume)),
        molar_mass=column(gas.molar_mass),
        heat_ratio=column(gas.heat_ratio),
        temperature=column(gas.temperature),
        pressure=column(gas.pressure),
        air_density=column(gas.air_density),
        added_mass=column(gas.added_mass),
        pump=column([gas.moles(gas.pump), gas.pump_from, pump_until, gas.breath, gas.breath_period]),
        target=column(-1.0 if gas.target is None else gas.target),
        valve=column([gas.valve, valve_from, valve_until, area, gas.discharge]),
        nozzle=frozen(nozzle),
        burst=column(forever if skin.burst is None else skin.burst),
        slack=column(skin.compression),
        calm=column(skin.calm),
        body=frozen(np.arange(len(points), dtype=np.uint32)),
    )


def _tables(balloon: Balloon, points: Array, triangles: Array, known: tuple[Table, ...] = ()) -> tuple[Table, ...]:
    """k = Y (A_1 + A_2) / l^2 of each edge, and hinges where the skin bends."""
    skin = balloon.skin
    ends = surface.edges(triangles)
    length = np.linalg.norm(points[ends[:, 1]] - points[ends[:, 0]], axis=1)
    k = skin.stretch * _areas_at(ends, points, triangles) / length**2
    old = next((table for table in known if isinstance(table, Springs)), None)
    springs = Springs(
        ends=frozen(ends),
        rest_length=frozen(length),
        stiffness=frozen(k),
        damping=frozen(np.zeros(len(k))),
        kind=frozen(np.full(len(k), STRUCTURAL, np.uint8)),
        adjacency=old.adjacency if old is not None else adjacency(ends, len(points)),
    )
    return (springs, _hinges(balloon, points, triangles))


def _areas_at(ends: Array, points: Array, triangles: Array) -> Array:
    """Area of the triangles at each edge."""
    pairs = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    keys = pairs.min(axis=1) * len(points) + pairs.max(axis=1)
    wanted = ends[:, 0].astype(np.int64) * len(points) + ends[:, 1]
    slot = np.searchsorted(wanted, keys)
    return np.bincount(slot, np.repeat(surface.triangle_areas(points, triangles), 3), minlength=len(ends))


def _hinges(balloon: Balloon, points: Array, triangles: Array) -> Hinges:
    """k = 3 B |e|^2 / (A_1 + A_2); at rest as the mesh is, but flat where a bag is sewn back on itself."""
    corners = surface.hinges(triangles)
    p, q, r, s = (points[corners[:, c]] for c in range(4))
    n2, n3 = np.cross(r - p, r - q), np.cross(s - q, s - p)
    edge = q - p
    length = np.linalg.norm(edge, axis=1)
    area = np.maximum(0.5 * (np.linalg.norm(n2, axis=1) + np.linalg.norm(n3, axis=1)), 1e-18)
    sine = np.einsum("ij,ij->i", np.cross(n2, n3), edge) / length
    angle = np.arctan2(sine, np.einsum("ij,ij->i", n2, n3))
    folded = np.abs(angle) > 3.1
    stiffness = np.where(folded, 0.0, 3.0 * balloon.skin.bend * length**2 / area)
    return Hinges(
        corners=frozen(corners),
        rest_angle=frozen(angle),
        stiffness=frozen(stiffness),
        damping=frozen(stiffness * balloon.skin.damping),
    )
