"""Garments cut on any measured body: the level set of a shape around the body, cut open, meshed evenly.

The shape is the smooth union of an oval tube around the trunk, cones along the limbs and the body itself grown by a
small gap, so the garment is outside the body wherever the body is. Lengths are those of a figure 1.76 m tall.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.geometry.implicit import Cone, Ellipsoid, blend, distance
from pliant.geometry.isosurface import clipped, largest_piece, level_set
from pliant.geometry.remesh import to_count
from pliant.scene.figures.bands import band_of
from pliant.scene.figures.body import SIDES
from pliant.scene.figures.flat import texture
from pliant.scene.figures.measures import Limb, Measures

Kind = Literal["tshirt", "sweater", "trousers", "skirt", "dress", "cape"]
Size = Literal["XS", "S", "M", "L", "XL"]

CELL = 0.011  # [m] of the grid a garment is meshed on
FOOT = 0.35  # [m] around a shank within which a cut takes off what is below it
LEG = 0.035  # [m] radius for which trousers' legs are cut at least: those of a robot may be rods
_STEP = 0.009  # [m] of half a width from size to size
_SIZES = ("XS", "S", "M", "L", "XL")

Keep = Callable[[Array], Array]


class Style(NamedTuple):
    """What makes one kind of garment; lengths [m]."""

    room: float  # half a width more than the body, at the chest or the hips
    gap: float  # least distance from the body
    sleeves: tuple[float, float, float] | None  # room at shoulder, elbow, wrist
    sleeve_end: float  # bones of the arm that the sleeve covers: 0.75 of the upper arm, 1.9 almost to the wrist
    flare: float  # how much half a width grows per length downward, at least
    radial: bool
    wavelength: float
    height: float
    ease: tuple[float, float]
    layer: int
    triangles: int


STYLES: dict[str, Style] = {
    "tshirt": Style(0.017, 0.007, (0.020, 0.030, 0.03), 0.75, -0.12, False, 0.07, 0.011, (1.02, 1.01), 2, 6602),
    "sweater": Style(0.026, 0.010, (0.025, 0.026, 0.022), 1.93, -0.10, False, 0.08, 0.012, (1.02, 1.01), 3, 8814),
    "trousers": Style(0.012, 0.006, None, 0.0, 0.0, False, 0.07, 0.010, (1.02, 1.03), 1, 6602),
    "skirt": Style(0.010, 0.006, None, 0.0, 0.20, True, 0.13, 0.020, (1.06, 1.00), 1, 4400),
    "dress": Style(0.013, 0.006, (0.014, 0.020, 0.02), 0.32, 0.20, True, 0.10, 0.014, (1.04, 1.00), 2, 8800),
    "cape": Style(0.030, 0.014, (0.020, 0.03, 0.03), 0.40, 0.12, False, 0.13, 0.020, (1.04, 1.00), 4, 5000),
}


class Pattern(NamedTuple):
    """A finished cut: the mesh, and what is known of it."""

    points: Array  # (n, 3) [m]
    triangles: Array  # (m, 3)
    uv: Array  # (n, 2) [m] along the cloth
    band: Array  # (k,) points of waist and collar bands


def cut(m: Measures, kind: str, size: str, ease: float, triangles: int) -> Pattern:
    """A garment of a kind on a measured body."""
    style, u = STYLES[kind], m.unit
    room = (style.room + _STEP * (_SIZES.index(size) - 2)) * u
    longer = 1.0 + 0.02 * (_SIZES.index(size) - 2)
    width = float(np.interp(m.waist + 0.15 * u, m.heights, m.trunk[:, 0]))
    room = max(room + ease * width, style.gap * u)
    field, low, high, clips = _BUILDERS[kind](m, style, room, longer)
    points, faces = level_set(field, low, high, CELL * u)
    if not len(faces):
        raise SceneError(f"{kind}: nothing is left of it on this character; its bones may be in wrong places")
    for clip in clips:
        points, faces = clipped(points, faces, clip(points))
    points, faces = largest_piece(points, faces)
    if len(faces) < 200:
        raise SceneError(f"{kind}: only {len(faces)} triangles are left of it; the character's bones may be misplaced")
    points, faces = to_count(points, faces, triangles)
    points = _outside(m, points, style.gap * u)
    return Pattern(points, faces, texture(points, faces), band_of(m, points, faces, kind))


def _outside(m: Measures, points: Array, gap: float) -> Array:
    """No point nearer to the body than most of the gap."""
    for _ in range(2):
        near = m.tree.closest(points, 4.0 * gap)
        short = np.maximum(0.8 * gap - near.distance, 0.0)
        away = np.where((near.triangle != 0xFFFFFFFF)[:, None], near.normal, 0.0)
        points = points + short[:, None] * away
    return points


def _with_body(m: Measures, shape: Callable[[Array], Array], gap: float, soft: float) -> Callable[[Array], Array]:
    """The union of a shape with the body below the head grown by `gap`, which is asked only where it can matter."""

    def field(p: Array) -> Array:
        d = shape(p)
        asked = np.flatnonzero(d > -0.8 * soft)
        reach = gap + 6.0 * CELL * m.unit
        body = np.full(len(p), np.inf)
        body[asked] = m.trunk_tree.closest(p[asked], reach).distance - gap
        h = np.maximum(1.0 - np.abs(d - body) / soft, 0.0)
        h[np.isinf(body)] = 0.0
        return np.asarray(np.minimum(d, body) - soft * h**3 / 6.0)

    return field


def _rows(m: Measures, low: float, high: float, room: float, hang: float, chest: float) -> Array:
    """Profile of a tube around the trunk: the body and `room`, and below `chest` falling in no faster than -`hang`."""
    heights = np.arange(high, low - 0.02 * m.unit, -0.025 * m.unit)
    wide = np.stack([np.interp(heights, m.heights, m.trunk[:, c]) for c in range(4)], axis=1)
    tight = np.clip((heights - chest) / (0.18 * m.unit), 0.0, 1.0)  # little room at the shoulders
    wide[:, :2] += (room * (1.0 - 0.6 * tight))[:, None]
    for k in range(1, len(heights)):
        if heights[k] < chest:
            step = hang * (heights[k - 1] - heights[k])
            wide[k, :2] = np.maximum(wide[k, :2], wide[k - 1, :2] + step)
    wide[:, 2:] = _evened(wide[:, 2:])
    wide[:, :2] = _evened(wide[:, :2])
    return np.concatenate([heights[:, None], wide], axis=1)[::-1]


def _evened(rows: Array) -> Array:
    for _ in range(3):
        rows = np.concatenate([rows[:1], 0.25 * rows[:-2] + 0.5 * rows[1:-1] + 0.25 * rows[2:], rows[-1:]])
    return rows


def _sleeves(m: Measures, style: Style, room: float) -> list[Cone | Ellipsoid]:
    """Cones along shoulders and arms, past the cuff."""
    assert style.sleeves is not None
    made: list[Cone | Ellipsoid] = []
    u, extra = m.unit, room - style.room * m.unit
    x, y, z, radius = m.neck
    for side in SIDES:
        limb = m.arms[side]
        s = np.sign(limb.joints[0, 0] - x) or 1.0
        at_shoulder, at_elbow, at_wrist = (r * u + extra for r in style.sleeves)
        gap = style.gap * u
        top = max(limb.girth[0, 0], 0.03 * u)
        made.append(
            Cone((x + s * 0.55 * radius, y - 0.03 * u, z), limb.joints[0], (0.9 * radius + gap, top + gap), 0.05 * u)
        )
        made.append(Cone(limb.joints[0], limb.joints[1], (top + at_shoulder, limb.girth[0, 1] + at_elbow), 0.05 * u))
        if style.sleeve_end > 1.0:
            end = limb.joints[2] + 0.1 * (limb.joints[2] - limb.joints[1])
            radii = (limb.girth[1, 0] + at_elbow, limb.girth[1, 1] + at_wrist)
            made.append(Cone(limb.joints[1], end, radii, 0.03 * u))
    return made


def _cuffs(m: Measures, end: float) -> Keep:
    """Keeps what is above a cut across each arm."""

    def keep(p: Array) -> Array:
        kept = np.full(len(p), 0.1)
        for side in SIDES:
            limb = m.arms[side]
            bone, share = (0, end) if end <= 1.0 else (1, end - 1.0)
            reach = 0.16 * m.unit if bone else limb.girth[0].max() + 0.035 * m.unit  # not the chest beside the arm
            kept = np.minimum(kept, _across(p, limb, bone, share, reach))
        return kept

    return keep


def _across(p: Array, limb: Limb, bone: int, share: float, reach: float) -> Array:
    """>= 0 before the cut across a limb, everywhere far from the limb, and before the limb begins."""
    start, end = limb.joints[bone], limb.joints[bone + 1]
    length = np.linalg.norm(end - start)
    axis = (end - start) / length
    along = (p - start) @ axis
    lateral = np.linalg.norm(p - start - along[:, None] * axis, axis=1)
    near = (lateral < reach) & (along > 0.1 * share * length)
    return np.where(near, share * length - along, 0.1)


def _neckline(m: Measures, wider: float, lower: float) -> Keep:
    """Keeps what is outside a slanted oval around the neck and no steeper above it than shoulders rise to the side."""
    x, y, z, radius = m.neck
    u = m.unit
    r = radius + wider * u

    def keep(p: Array) -> Array:
        oval = np.sqrt(((p[:, 0] - x) / r) ** 2 + ((p[:, 2] - z) / (0.95 * r)) ** 2)
        front = np.exp(-(((p[:, 2] - z - 0.09 * u) / (0.05 * u)) ** 2))
        slanted = y - 0.30 * (p[:, 2] - z)
        aside = np.maximum(np.abs(p[:, 0] - x) - r, 0.0)
        rising = slanted + 0.015 * u + 1.2 * aside - p[:, 1]
        return np.maximum(slanted - lower * u * front - p[:, 1], np.minimum((oval - 1.0) * r, rising))

    return keep


def _above(y: float) -> Keep:
    return lambda p: p[:, 1] - y


def _below(y: float) -> Keep:
    return lambda p: y - p[:, 1]


def _box(m: Measures, low_y: float, high_y: float, end: float) -> tuple[Array, Array]:
    """A box around trunk, skirt and as much of the arms as the sleeves cover."""
    reach = [limb.joints[0] for limb in m.arms.values()]
    for limb in m.arms.values():
        reach.append(limb.joints[1] if end <= 1.0 else limb.joints[2])
    around = np.array(reach)
    wide = float(m.trunk[:, 0].max()) + 0.25 * m.unit
    deep = float(m.trunk[:, 1].max()) + 0.25 * m.unit
    middle = m.trunk[len(m.trunk) // 2, 2:]
    margin = 0.16 * m.unit
    low = np.array(
        [min(middle[0] - wide, around[:, 0].min() - margin), low_y, min(middle[1] - deep, around[:, 2].min() - margin)]
    )
    high = np.array(
        [
            max(middle[0] + wide, around[:, 0].max() + margin),
            max(high_y, around[:, 1].max() + margin),
            max(middle[1] + deep, around[:, 2].max() + margin),
        ]
    )
    return low, high


Built = tuple[Callable[[Array], Array], Array, Array, Sequence[Keep]]


def _top(m: Measures, style: Style, room: float, hem: float, wider: float, lower: float) -> Built:
    u = m.unit
    chest = float(np.mean([limb.joints[0][1] for limb in m.arms.values()])) - 0.13 * u
    shape = blend(
        _sleeves(m, style, room), _rows(m, hem - 0.04 * u, float(m.neck[1]) - 0.005 * u, room, style.flare, chest), 2.3
    )
    field = _with_body(m, lambda p: distance(p, shape), style.gap * u, 0.02 * u)
    low, high = _box(m, hem - 0.08 * u, float(m.neck[1]) + 0.12 * u, style.sleeve_end)
    return field, low, high, (_above(hem), _neckline(m, wider, lower), _cuffs(m, style.sleeve_end))


def _tshirt(m: Measures, style: Style, room: float, longer: float) -> Built:
    return _top(m, style, room, m.neck[1] - 0.612 * m.unit * longer, 0.024, 0.012)


def _sweater(m: Measures, style: Style, room: float, longer: float) -> Built:
    return _top(m, style, room, m.neck[1] - 0.625 * m.unit * longer, 0.018, 0.004)


def _dress(m: Measures, style: Style, room: float, longer: float) -> Built:
    u = m.unit
    hem = float(m.waist) - 0.50 * u * longer
    chest = float(np.mean([limb.joints[0][1] for limb in m.arms.values()])) - 0.13 * u
    rows = _rows(m, hem - 0.04 * u, float(m.neck[1]) - 0.005 * u, room, -0.45, chest)
    rows = _flared(rows, m.waist, style.flare)
    shape = blend(_sleeves(m, style, room), rows, 2.2)
    field = _with_body(m, lambda p: distance(p, shape), style.gap * u, 0.02 * u)
    low, high = _box(m, hem - 0.08 * u, float(m.neck[1]) + 0.12 * u, style.sleeve_end)
    return field, low, high, (_above(hem), _neckline(m, 0.040, 0.045), _cuffs(m, style.sleeve_end))


def _flared(rows: Array, top: float, flare: float) -> Array:
    """Rows that grow by at least `flare` per length below a height."""
    rows = rows.copy()
    for k in range(len(rows) - 2, -1, -1):
        if rows[k, 0] < top:
            grown = rows[k + 1, 1:3] + flare * (rows[k + 1, 0] - rows[k, 0])
            rows[k, 1:3] = np.maximum(rows[k, 1:3], grown)
    return rows


def _skirt(m: Measures, style: Style, room: float, longer: float) -> Built:
    u = m.unit
    hem = float(m.waist) - 0.53 * u * longer
    rows = _flared(_rows(m, hem - 0.04 * u, m.waist + 0.06 * u, room, 0.0, m.waist), m.waist - 0.10 * u, style.flare)
    shape = blend([], rows, 2.2)
    above = m.crotch + 0.02 * u

    def field(p: Array) -> Array:
        return np.where(p[:, 1] > above, whole(p), np.minimum(distance(p, shape), 1.0))

    whole = _with_body(m, lambda p: distance(p, shape), style.gap * u, 0.02 * u)
    low, high = _box(m, hem - 0.08 * u, m.waist + 0.05 * u, 0.0)
    high[1] = m.waist + 0.08 * u
    return field, low, high, (_above(hem), _below(m.waist))


def _trousers(m: Measures, style: Style, room: float, longer: float) -> Built:
    u = m.unit
    rows = _rows(m, m.crotch + 0.045 * u, m.waist + 0.06 * u, room, 0.0, -np.inf)
    members: list[Cone | Ellipsoid] = []
    for side in SIDES:
        limb = m.legs[side]
        hip, knee, ankle = limb.joints
        thigh, calf = (np.maximum(girth, LEG * u) for girth in limb.girth)
        start = hip + 0.09 * (knee - hip)
        end = ankle + 0.15 * (ankle - knee)
        middle = float(np.interp(knee[1], m.heights, m.trunk[:, 2]))
        wide = min(thigh[0] + 0.4 * room, abs(hip[0] - m.neck[0]) + 0.006 * u)
        # the legs stay apart
        at_knee = min(thigh[1] + 1.6 * room, max(abs(knee[0] - middle) - 0.012 * u, thigh[1] + style.gap * u))
        at_end = min(max(calf[1], 0.7 * calf[0]) + 2.2 * room, max(abs(ankle[0] - middle) - 0.012 * u, calf[1]))
        members.append(Cone(start, knee, (wide, at_knee), 0.015 * u))
        members.append(Cone(knee, end, (at_knee, at_end), 0.02 * u))
    shape = blend(members, rows, 2.3)
    field = _with_body(m, lambda p: distance(p, shape), style.gap * u, 0.012 * u)
    ankle_y = min(limb.joints[2][1] for limb in m.legs.values())
    low, high = _box(m, ankle_y - 0.2 * u, m.waist + 0.05 * u, 0.0)
    feet = np.concatenate([limb.joints for limb in m.legs.values()])
    low[0], high[0] = min(low[0], feet[:, 0].min() - 0.2 * u), max(high[0], feet[:, 0].max() + 0.2 * u)
    high[1] = m.waist + 0.08 * u

    def legs(p: Array) -> Array:
        kept = np.full(len(p), 0.1)
        for limb in m.legs.values():
            kept = np.minimum(kept, _across(p, limb, 1, min(0.95 * longer, limb.cuff + 0.02), FOOT * u))
        return kept

    return field, low, high, (_below(m.waist), legs)


def _cape(m: Measures, style: Style, room: float, longer: float) -> Built:
    u = m.unit
    hem = float(m.neck[1]) - 0.95 * u * longer
    shoulder = np.mean([limb.joints[0] for limb in m.arms.values()], axis=0)
    chest = float(shoulder[1]) - 0.06 * u
    rows = _rows(m, hem - 0.04 * u, float(m.neck[1]) - 0.005 * u, room, 0.0, chest)
    span = max(abs(limb.joints[0, 0] - m.neck[0]) for limb in m.arms.values()) + 0.05 * u
    rows[rows[:, 0] < chest, 1] = np.maximum(rows[rows[:, 0] < chest, 1], span)  # as wide as the shoulders
    rows = _flared(np.column_stack([rows[:, 0], _evened(rows[:, 1:])]), chest, style.flare)
    shape = blend(_sleeves(m, style, room), rows, 2.2)
    grown = _with_body(m, lambda p: distance(p, shape), style.gap * u, 0.03 * u)

    def field(p: Array) -> Array:
        return np.where(p[:, 1] > chest - 0.05 * u, grown(p), distance(p, shape))

    def behind(p: Array) -> Array:
        """Over the shoulders to the collar bones, and from there back behind the arms."""
        aside = np.clip((np.abs(p[:, 0] - m.neck[0]) - 0.6 * span) / (0.5 * span), 0.0, 1.0)
        drop = np.clip((shoulder[1] + (0.03 + 0.05 * aside) * u - p[:, 1]) / (0.12 * u), 0.0, 1.0)
        return (shoulder[2] + 0.05 * u - 0.095 * u * drop) - p[:, 2]

    def beside(p: Array) -> Array:
        """No sleeves: down from the ends of the shoulders, ever wider."""
        wide = span - 0.028 * u + 0.14 * np.maximum(shoulder[1] - p[:, 1], 0.0)
        return wide - np.abs(p[:, 0] - m.neck[0])

    low, high = _box(m, hem - 0.08 * u, float(m.neck[1]) + 0.12 * u, style.sleeve_end)
    return field, low, high, (_above(hem), _neckline(m, 0.026, 0.0), behind, beside)


_BUILDERS: dict[str, Callable[[Measures, Style, float, float], Built]] = {
    "tshirt": _tshirt,
    "sweater": _sweater,
    "trousers": _trousers,
    "skirt": _skirt,
    "dress": _dress,
    "cape": _cape,
}
