"""Judging a mesh: each function looks at one kind of trouble and gives findings."""

import numpy as np

from pliant.arrays import Array
from pliant.geometry import polygons
from pliant.geometry.surface import triangle_areas
from pliant.sources.doctor.crossings import crossing_triangles, junctions
from pliant.sources.doctor.facts import Edges, Facts, duplicates, facts_of, pinched, rims
from pliant.sources.doctor.finding import Finding, many, some
from pliant.sources.meshes import without_repeats
from pliant.sources.raw import RawMesh, rows_of, usable

LARGE, TALL, SMALL, FAR = (
    50.0,
    4.0,
    0.005,
    1000.0,
)  # [m] beyond these something is probably not what was meant
WARPED = 0.05  # of a polygon's size; less is rounding and gentle modelling


def sound(raw: RawMesh) -> tuple[RawMesh, list[Finding]]:
    """The faces that can be looked at further, and what is said of the others."""
    found = []
    finite = usable(raw.points)
    bad = np.flatnonzero(~finite)
    if bad.size:
        advice = "their faces are left out"
        what = f"{many(len(bad), 'point has', 'points have')} a coordinate that is no finite number below 1e9"
        found.append(Finding("error", "not-finite", what, some("point", bad), len(bad), advice, True))
    sizes = np.diff(raw.starts)
    face = np.repeat(np.arange(len(sizes)), sizes)
    outside = (raw.corners < 0) | (raw.corners >= len(raw.points))
    lost = np.unique(face[outside])
    if lost.size:
        what = f"{many(len(lost), 'face uses a point', 'faces use points')} that the file does not have"
        found.append(Finding("error", "bad-index", what, some("face", lost), len(lost), "they are left out", True))
    inside = np.where(outside, len(raw.points), raw.corners)
    drop = ~np.append(finite, False)[inside]  # a file may have corners and no point at all
    keep = np.ones(len(sizes), bool)
    keep[np.unique(face[drop])] = False
    raw = raw._replace(corners=raw.corners[keep[face]], starts=rows_of(sizes[keep]))
    clean, dropped = without_repeats(raw)
    if dropped:
        what = f"{many(dropped, 'face uses a point twice, without area', 'faces use a point twice, without area')}"
        found.append(Finding("warning", "degenerate", what, "", dropped, "dropped when read", True))
    return clean, found


def judge(raw: RawMesh, unit: float) -> tuple[Facts, list[Finding]]:
    """Everything about a surface whose indices are valid."""
    facts, edges = facts_of(raw), Edges.of(raw)
    triangles = polygons.triangulate(raw.points, raw.starts, raw.corners)
    found = [
        *_manifold(raw, edges, facts),
        *_sides(raw, edges, facts),
        *_borders(raw, edges, facts),
        *_extra(raw, facts),
        *_shapes(raw, triangles),
        *_touching(raw, edges, triangles),
        *_place(raw.points * unit),
    ]
    return facts, found


def _manifold(raw: RawMesh, edges: Edges, facts: Facts) -> list[Finding]:
    found = []
    if facts.nonmanifold_edges:
        rows = np.flatnonzero(edges.count[edges.edge] > 2)
        _, first = np.unique(edges.edge[rows], return_index=True)
        where = ", ".join(f"{edges.start[k]}-{edges.end[k]}" for k in rows[first][:3])
        what = f"{many(facts.nonmanifold_edges, 'edge has', 'edges have')} more than two faces"
        advice = "cloth bends freely there, a balloon cannot have any; split the surface along them"
        found.append(Finding("warning", "edge-fan", what, f"edge {where}", facts.nonmanifold_edges, advice))
    if facts.nonmanifold_vertices:
        rows = pinched(edges, len(raw.points))
        what = f"{many(len(rows), 'point joins', 'points join')} surfaces that share no edge there"
        advice = "they swing about the point like a hinge; double the point or add faces if that is not meant"
        found.append(Finding("warning", "pinched", what, some("point", rows), len(rows), advice))
    return found


def _sides(raw: RawMesh, edges: Edges, facts: Facts) -> list[Finding]:
    if not facts.orientable:
        advice = "cloth takes it; nothing closed can be made of it"
        return [Finding("warning", "one-sided", "the surface has one side, like a Moebius band", "", 1, advice)]
    if facts.inconsistent_winding_edges:
        first, second = edges.couples()
        rows = first[edges.start[first] == edges.start[second]]
        where = ", ".join(f"{edges.start[k]}-{edges.end[k]}" for k in rows[:3])
        what = f"neighbours across {many(len(rows), 'edge')} are wound in opposite ways"
        advice = "normals jump and pressure pushes both ways; turn faces around"
        return [Finding("error", "winding", what, f"edge {where}", len(rows), advice, True)]
    if facts.closed and facts.signed_volume < 0:
        what = f"every face looks inward, the volume is {facts.signed_volume:.4g}"
        return [Finding("error", "inside-out", what, "", facts.faces, "turn all faces around", True)]
    return []


def _borders(raw: RawMesh, edges: Edges, facts: Facts) -> list[Finding]:
    if not facts.boundary_edges:
        return []
    border = edges.border()
    open_points = np.unique(edges.start[border])
    places = np.unique(raw.points[open_points], axis=0)
    split = len(open_points) - len(places)
    if split:
        soup = facts.boundary_edges > 0.5 * facts.edges
        name = "a soup of loose faces" if soup else "split along seams"
        what = f"the surface is {name}: {len(open_points)} border points stand at only {len(places)} places"
        advice = "join them, or it will fall apart"
        return [Finding("error" if soup else "warning", "soup" if soup else "seams", what, "", split, advice, True)]
    what = f"{many(len(border), 'open edge')} in {many(rims(edges, border), 'hole or border', 'holes or borders')}"
    where = "edge " + ", ".join(f"{edges.start[k]}-{edges.end[k]}" for k in border[:3])
    advice = "fine for cloth; a balloon needs them closed [--fix OUT --close]"
    return [Finding("note", "open", what, where, len(border), advice)]


def _extra(raw: RawMesh, facts: Facts) -> list[Finding]:
    found = []
    twice = duplicates(raw)
    if twice.size:
        what = f"{many(len(twice), 'face repeats', 'faces repeat')} another one"
        found.append(Finding("warning", "duplicate", what, some("face", twice), len(twice), "drop them", True))
    unused = np.setdiff1d(np.arange(facts.vertices), raw.corners)
    if unused.size:
        what = f"{many(len(unused), 'point belongs', 'points belong')} to no face"
        advice = "they would fall by themselves; drop them"
        found.append(Finding("warning", "unused", what, some("point", unused), len(unused), advice, True))
    if facts.components > 1:
        what = f"{facts.components} pieces that share no point"
        found.append(Finding("note", "pieces", what, "", facts.components, "each moves on its own unless tied"))
    return found


def _shapes(raw: RawMesh, triangles: Array) -> list[Finding]:
    found = []
    area = triangle_areas(raw.points, triangles)
    flat = np.flatnonzero(area <= 1e-12 * max(float(area.max(initial=0.0)), 1e-300))
    if flat.size:
        what = f"{many(len(flat), 'triangle has', 'triangles have')} no area, three points in a line"
        advice = "they weigh nothing and have no normal; move a point or drop them"
        found.append(Finding("warning", "no-area", what, some("triangle", flat), len(flat), advice))
    bent = np.flatnonzero(polygons.concave(raw.points, raw.starts, raw.corners) & (np.diff(raw.starts) > 3))
    if bent.size:
        what = f"{many(len(bent), 'polygon is', 'polygons are')} not convex"
        found.append(Finding("note", "concave", what, some("face", bent), len(bent), "cut by ears, in a fixed order"))
    size = np.sqrt(np.linalg.norm(polygons.newell_normals(raw.points, raw.starts, raw.corners), axis=1))
    off = polygons.flatness(raw.points, raw.starts, raw.corners)
    warped = np.flatnonzero((np.diff(raw.starts) > 3) & (off > WARPED * size))
    if warped.size:
        worst = float((off[warped] / np.maximum(size[warped], 1e-300)).max())
        what = f"{many(len(warped), 'polygon is', 'polygons are')} warped, by up to {100 * worst:.0f} % of the size"
        advice = "the diagonal from its first corner decides the shape; triangulate it yourself if that matters"
        found.append(Finding("note", "warped", what, some("face", warped), len(warped), advice))
    return found


def _touching(raw: RawMesh, edges: Edges, triangles: Array) -> list[Finding]:
    found = []
    loose = junctions(raw, edges)
    if loose.size:
        what = f"{many(len(loose), 'border point lies', 'border points lie')} within an edge instead of at its end"
        advice = "the surface tears there; split the edge at the point"
        found.append(Finding("warning", "t-junction", what, some("point", loose), len(loose), advice, True))
    crossing = crossing_triangles(raw.points, triangles)
    if crossing is None:
        found.append(Finding("note", "tangled", "too many faces lie on one another to count what cuts through what"))
    elif crossing.size:
        what = f"{many(len(crossing), 'triangle passes', 'triangles pass')} through another part of the surface"
        advice = "self contact will push them apart at once; pull them apart or leave self contact off"
        found.append(Finding("warning", "crossing", what, some("triangle", crossing), len(crossing), advice))
    return found


def _place(points: Array) -> list[Finding]:
    """Unit, up axis and origin, judged in metres."""
    found = []
    extent = np.ptp(points, axis=0)
    size, away = float(extent.max()), float(np.linalg.norm(points.mean(axis=0)))
    if size > LARGE or 0.0 < size < SMALL:
        unit = next((n for n, f in (("cm", 0.01), ("mm", 0.001)) if SMALL < size * f < 3.0), "cm")
        advice = f"it is read as metres; say unit='{unit}'" if size > LARGE else "say its unit, it is read as metres"
        found.append(Finding("warning", "unit", f"it is {size:.4g} m large", "", 1, advice))
    if TALL < size <= LARGE:
        advice = "right for a sail or a hall; a body or a garment is probably in decimetres, unit='dm'"
        found.append(Finding("note", "unit", f"it is {size:.3g} m large", "", 1, advice))
    if extent[2] > 1.5 * extent[1] and extent[2] > 1.5 * extent[0] and extent[1] > 1e-3 * size:
        what = f"it is longest along Z ({extent[2]:.3g} against {extent[1]:.3g} along Y)"
        found.append(Finding("note", "up-axis", what, "", 1, "if it should stand upright say up='z'"))
    if away > max(FAR, 100.0 * size) or (away > 100.0 * size > 0):
        what = f"it stands {away:.4g} m from the origin and is {size:.4g} m large"
        found.append(Finding("warning", "far", what, "", 1, "small numbers drown there; move it to the origin", True))
    return found


def uses(facts: Facts, found: list[Finding]) -> tuple[str, ...]:
    """What the surface serves for as it is."""
    errors = [finding.what for finding in found if finding.severity == "error" and finding.code != "inside-out"]
    cloth = "no, " + errors[0] if errors else "yes"
    against = list(errors)
    if facts.boundary_edges:
        against.append(f"it is open along {many(facts.boundary_edges, 'edge')}")
    if facts.nonmanifold_edges:
        against.append(f"{many(facts.nonmanifold_edges, 'edge has', 'edges have')} more than two faces")
    if not facts.orientable:
        against.append("it has one side")
    if facts.closed and facts.signed_volume < 0 and not errors:
        against.append("its faces look inward")
    return (f"as cloth: {cloth}", f"as balloon: {'no, ' + against[0] if against else 'yes'}")
