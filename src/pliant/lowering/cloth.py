"""Cloth, sheets and ribbons: springs along and across the threads, hinges between triangles."""

import dataclasses
from typing import Any

import numpy as np

from pliant.arrays import Array, frozen
from pliant.constants import LENGTH_EPSILON
from pliant.errors import SceneError
from pliant.geometry import surface
from pliant.integrators import XPBD
from pliant.kernels import adjacency
from pliant.lowering.cuts import without
from pliant.lowering.kinds import Place, lower, overwrite, revise
from pliant.lowering.tears import SPARE_MASS, reserved, seams_of, torn
from pliant.scene import Cloth, Fabric, RawFabric, Ribbon, Sheet, SheetMesh, held_points
from pliant.world import BEND, SHEAR, STRUCTURAL, Hinges, Look, Part, Springs, Table

COLORS = {"cloth": (0.72, 0.16, 0.13), "ribbon": (0.10, 0.32, 0.75)}


@lower.register
def _cloth(cloth: Cloth, place: Place) -> Part:
    mesh = cloth.mesh()
    whole = np.ones(len(mesh.triangles), bool)
    whole[_cuts(cloth, mesh, place.name)] = False
    kind = "ribbon" if isinstance(cloth, Ribbon) else "cloth"
    spare = reserved(len(mesh.points)) if _tears(cloth) else 0
    count = len(mesh.points) + spare
    part = Part(
        name=place.name,
        kind=kind,
        rows=slice(place.rows, place.rows + count),
        bodies=slice(place.bodies, place.bodies),
        gases=slice(place.gases, place.gases),
        rest_position=frozen(mesh.points),
        mass=frozen(_masses(mesh, cloth, place.name)),
        held=frozen(_held(cloth, mesh, place.name)),
        triangles=frozen(mesh.triangles[whole]),
        tables=without(_tables(mesh, cloth.fabric), mesh.triangles, whole),
        thickness=cloth.fabric.thickness,
        friction=cloth.fabric.friction,
        integrator=cloth.integrator or XPBD(),
        uv=frozen(mesh.uv),
        look=Look(color=cloth.color or COLORS[kind], pattern=cloth.pattern),
        motion=cloth.motion,
        extra={"self_contact": cloth.self_contact, "follow": cloth.follow, **_limits(cloth)},
    )
    return _that_can_tear(part, mesh, whole, cloth, spare) if spare else part


def _tears(cloth: Cloth) -> bool:
    return isinstance(cloth.fabric, Fabric) and cloth.fabric.tear is not None


def _that_can_tear(part: Part, mesh: SheetMesh, whole: Array, cloth: Cloth, spare: int) -> Part:
    """With points in reserve, and what each triangle brings, from which everything follows when edges open."""
    tables = _tables(mesh, cloth.fabric)
    seams = seams_of(mesh.points, mesh.triangles, mesh.uv, whole, part.mass, tables)
    known = {"seams": seams, "tear": 0.01 * cloth.fabric.tear}  # type: ignore[union-attr,operator]
    with_spare = dataclasses.replace(
        part, mass=np.append(part.mass, np.full(spare, SPARE_MASS)), extra=part.extra | known
    )
    return torn(with_spare, seams.corners)


def _held(cloth: Cloth, mesh: SheetMesh, name: str) -> Array:
    """Points that are pinned, and points that a recording holds."""
    held = held_points(cloth.pinned, mesh.points, mesh.uv, name=name)
    if cloth.follow is None:
        return held
    if cloth.follow.rows.max(initial=0) >= len(mesh.points):
        raise SceneError(
            f"{name}.follow: point {cloth.follow.rows.max()} is to follow; the cloth has {len(mesh.points)} points"
        )
    away = np.linalg.norm(cloth.follow.track(0.0) - mesh.points[cloth.follow.rows], axis=1)
    if away.max(initial=0.0) > 0.5 * float(np.ptp(mesh.points, axis=0).max()):
        raise SceneError(
            f"{name}.follow: point {cloth.follow.rows[away.argmax()]} begins {away.max():.3g} m from where the cloth "
            f"has it; bring the clip to the cloth's place, axes and unit"
        )
    return np.union1d(held, cloth.follow.held).astype(np.uint32)


@revise.register
def _revise_cloth(cloth: Cloth, part: Part) -> bool:
    mesh = cloth.mesh()
    whole = np.ones(len(mesh.triangles), bool)
    whole[list(cloth.cuts)] = False
    tables = without(_tables(mesh, cloth.fabric, part.tables), mesh.triangles, whole, part.tables)
    if (
        _tears(cloth)
        or len(mesh.points) != len(part.mass)
        or [type(t) for t in tables] != [type(t) for t in part.tables]
    ):
        return False
    overwrite(part.mass, _masses(mesh, cloth, part.name))
    part.extra.update(_limits(cloth))
    for old, new in zip(part.tables, tables, strict=True):
        assert isinstance(old, Springs | Hinges)
        assert isinstance(new, Springs | Hinges)
        if len(old[0]) != len(new[0]):
            return False
        overwrite(old.stiffness, new.stiffness)
        overwrite(old.damping, new.damping)
    return True


def _cuts(cloth: Cloth, mesh: SheetMesh, name: str) -> list[int]:
    wrong = [t for t in cloth.cuts if not 0 <= t < len(mesh.triangles)]
    if wrong:
        raise SceneError(f"{name}.cuts: triangle {wrong[0]} is not there; it has 0 to {len(mesh.triangles) - 1}")
    return list(cloth.cuts)


def _limits(cloth: Cloth) -> dict[str, Any]:
    """What only some methods know how to use: the grid of a regular sheet, its rigidity and its limits."""
    fabric = cloth.fabric
    if isinstance(fabric, RawFabric):
        return {}
    known: dict[str, Any] = {"bend": fabric.bend}
    for name in ("limit", "shear_limit"):
        percent = getattr(fabric, name)
        known[name] = None if percent is None else 0.01 * percent
    if isinstance(cloth, Sheet) and not cloth.cuts:
        known["grid"] = (cloth.columns, cloth.rows)
    return known


def _masses(mesh: SheetMesh, cloth: Cloth, name: str) -> Array:
    """Of the fabric, and of what hangs on it."""
    mass = _fabric_masses(mesh, cloth.fabric, name)
    if cloth.load > 0.0:
        loaded = held_points(cloth.loaded, mesh.points, mesh.uv, name=f"{name}.loaded")
        loaded = loaded if cloth.loaded is not None else np.arange(len(mass))
        mass[loaded] += cloth.load / len(loaded)
    return mass


def _fabric_masses(mesh: SheetMesh, fabric: Fabric | RawFabric, name: str) -> Array:
    """Area-lumped (spec of seed 000, section 1): a uniform mass would fold a free sheet in air."""
    if isinstance(fabric, RawFabric):
        return np.full(len(mesh.points), fabric.mass)
    mass = fabric.density * surface.vertex_areas(mesh.points, mesh.triangles)
    bare = np.flatnonzero(mass <= 0.0)
    if bare.size:
        raise SceneError(
            f"{name}: point {bare[0]} belongs to no triangle with an area, so it has no mass; "
            f"remove unused points and degenerate triangles (`pliant check FILE --fix OUT`)"
        )
    return mass


def _tables(mesh: SheetMesh, fabric: Fabric | RawFabric, known: tuple[Table, ...] = ()) -> tuple[Table, ...]:
    """Springs, and hinges where the fabric bends; `known` tables lend their adjacency."""
    if isinstance(fabric, RawFabric):
        groups = ((mesh.structural, fabric.structural), (mesh.shear, fabric.shear), (mesh.skip, fabric.bend))
        stiffness = [np.full(len(ends), k) for ends, k in groups]
        springs = _springs(mesh, [ends for ends, _ in groups], stiffness, None, known)
        return (springs._replace(damping=frozen(np.full(len(springs.ends), fabric.damping))),)
    ends = [mesh.structural, mesh.shear]
    along = _stretch_stiffness(mesh, fabric)
    springs = _springs(mesh, ends, [along, _shear_stiffness(mesh, fabric)], fabric.damping, known)
    hinges = _hinges(mesh, fabric)
    return (springs, hinges) if len(hinges.corners) else (springs,)


def _shear_stiffness(mesh: SheetMesh, fabric: Fabric) -> Array:
    """k = G d^2 / (2 a b) of each diagonal d of a cell a x b: two of them resist a shear strain with the modulus G."""
    span = (
        np.abs(mesh.points[mesh.shear[:, 1]] - mesh.points[mesh.shear[:, 0]]) if len(mesh.shear) else np.empty((0, 3))
    )
    square = np.sum(span**2, axis=1)
    lengths = np.linalg.norm(mesh.points[mesh.structural[:, 1]] - mesh.points[mesh.structural[:, 0]], axis=1)
    if not len(span):
        return np.empty(0)
    area = lengths[0] * lengths[-1]  # a regular sheet: first an edge along its rows, last one across
    return fabric.shear * square / (2.0 * area)


def _thread_modulus(mesh: SheetMesh, fabric: Fabric) -> float:
    """What the structural edges carry, so that a strip along the threads has the modulus Y, diagonals included.

    A cell with edges K and diagonals G has C11 = K + G, C12 = G; Y = C11 - C12^2 / C11 gives
    K = (Y + sqrt(Y^2 + 4 G^2)) / 2 - G.
    """
    shear = fabric.shear if len(mesh.shear) else 0.0
    return 0.5 * (fabric.stretch + float(np.hypot(fabric.stretch, 2.0 * shear))) - shear


def _stretch_stiffness(mesh: SheetMesh, fabric: Fabric) -> Array:
    """k = K (A_1 + A_2) / l^2 of each structural edge: the same sheet at any resolution.

    In a grid the two triangles at a thread sum to l^2, so k = K inside and K / 2 at the rim.
    """
    corners = mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    count = len(mesh.points)
    low, high = corners.min(axis=1), corners.max(axis=1)
    areas = np.repeat(surface.triangle_areas(mesh.points, mesh.triangles), 3)
    keys, where = np.unique(low * count + high, return_inverse=True)
    total = np.bincount(where.ravel(), areas)
    wanted = mesh.structural.astype(np.int64)
    slot = np.searchsorted(keys, wanted.min(axis=1) * count + wanted.max(axis=1))
    length = np.linalg.norm(mesh.points[wanted[:, 1]] - mesh.points[wanted[:, 0]], axis=1)
    return _thread_modulus(mesh, fabric) * total[slot] / np.maximum(length, LENGTH_EPSILON) ** 2


def _springs(
    mesh: SheetMesh,
    groups: list[Array],
    stiffness: list[Array],
    damping_time: float | None,
    known: tuple[Table, ...],
) -> Springs:
    ends = np.sort(np.concatenate(groups), axis=1)
    kind = np.concatenate(
        [np.full(len(e), k, np.uint8) for e, k in zip(groups, (STRUCTURAL, SHEAR, BEND), strict=False)]
    )
    length = np.linalg.norm(mesh.points[ends[:, 1]] - mesh.points[ends[:, 0]], axis=1)
    k = np.concatenate(stiffness)
    old = next((table for table in known if isinstance(table, Springs)), None)
    return Springs(
        ends=frozen(ends),
        rest_length=frozen(length),
        stiffness=frozen(k),
        damping=frozen(k * (damping_time or 0.0)),
        kind=frozen(kind),
        adjacency=old.adjacency if old is not None else adjacency(ends, len(mesh.points)),
    )


def _hinges(mesh: SheetMesh, fabric: Fabric) -> Hinges:
    """k = B |e|^2 / (A_1 + A_2), flat at rest where the mesh is flat.

    With it a sheet rolled along its threads stores B / (2 R^2) per area, as a plate does. The factor 3 of Grinspun et
    al. 2003, "Discrete shells", counts one family of edges where a grid has threads and diagonals that bend together.
    """
    corners = surface.hinges(mesh.triangles)
    x = mesh.points
    p, q, r, s = (x[corners[:, c]] for c in range(4))
    n2, n3 = np.cross(r - p, r - q), np.cross(s - q, s - p)
    edge = q - p
    length = np.linalg.norm(edge, axis=1)
    area = 0.5 * (np.linalg.norm(n2, axis=1) + np.linalg.norm(n3, axis=1))
    sine = np.einsum("ij,ij->i", np.cross(n2, n3), edge) / np.maximum(length, LENGTH_EPSILON)
    stiffness = fabric.bend * length**2 / np.maximum(area, LENGTH_EPSILON**2)
    return Hinges(
        corners=frozen(corners),
        rest_angle=frozen(np.arctan2(sine, np.einsum("ij,ij->i", n2, n3))),
        stiffness=frozen(stiffness),
        damping=frozen(stiffness * fabric.damping),
    )
