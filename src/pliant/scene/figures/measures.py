"""A tailor's measures of a body at rest: widths by height, limbs and their girth, where waist, neck and knee are."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.geometry.nearest import SurfaceTree
from pliant.scene.figures.body import NEEDED, SIDES, Body, dense

TALL = 1.76  # [m] of the figure that sizes are said for
BANDS = 80  # heights the trunk is measured at
SHORTEST = 0.6  # share of a shank that trousers cover, whatever the foot
TURNS = 16  # directions a limb is measured in
UNLIKE = 1.2  # times as thick as the other side's that a limb may be
THICKER = 1.35  # than what lies around its bone, which a limb's points may say that it is; farther ones are the trunk's


class Limb(NamedTuple):
    """An arm or a leg: three joints and the girth of its two bones."""

    joints: Array  # (3, 3) [m]
    girth: Array  # (2, 2) [m] radius at the start and the end of either bone
    cuff: float = 1.0  # share of the second bone at which what hangs on it (the foot, the hand) begins


class Measures(NamedTuple):
    """Lengths [m] of one body."""

    body: Body
    tree: SurfaceTree
    trunk_tree: SurfaceTree  # the same without the head, which no garment is cut around
    unit: float  # its height over that of the standard figure
    heights: Array  # (k,) of the bands
    trunk: Array  # (k, 4) half width, half depth, x and z of the middle, without arms and head
    arms: dict[str, Limb]
    legs: dict[str, Limb]
    neck: Array  # (4,) x, y, z of the neck's base, and its radius
    waist: float
    crotch: float


def measured(body: Body) -> Measures:
    """Refuses a body whose bones do not tell arms, legs and head."""
    lacking = [role for role in NEEDED if role not in body.roles]
    if lacking:
        raise SceneError(
            f"the character's bones do not tell {', '.join(lacking[:3])}{' …' if len(lacking) > 3 else ''}; "
            f"name them: Character.load(path, roles={{'{lacking[0]}': bone}}) (has: {', '.join(body.names[:8])} …)"
        )
    _refuse_lying(body)
    table = dense(body.mesh, len(body.names))
    unit = body.height / TALL
    on_arm = sum(table[:, body.bones_below(f"upperarm_{side}")].sum(axis=1) for side in SIDES)
    on_head = table[:, body.bones_below("neck" if "neck" in body.roles else "head")].sum(axis=1)
    tree = SurfaceTree(body.mesh.points, body.mesh.triangles)
    legs = {side: _limb(body, table, tree, ("thigh", "shank", "foot"), side) for side in SIDES}
    arms = {side: _limb(body, table, tree, ("upperarm", "forearm", "hand"), side) for side in SIDES}
    _agree(legs)
    _agree(arms)
    heights, trunk = _trunk(body.mesh.points[(on_arm + on_head) < 0.5], unit)
    hips, spine = body.at("hips")[1], body.at("spine")[1]
    thigh = max(body.at(f"thigh_{side}")[1] for side in SIDES)
    if spine <= thigh + 0.02 * unit:
        spine = thigh + 0.15 * unit
    return Measures(
        body,
        tree,
        _headless(body, table),
        unit,
        heights,
        trunk,
        arms,
        legs,
        _neck(body, table, unit),
        float(max(hips, thigh) + 0.7 * (spine - max(hips, thigh))) if hips > thigh else float(thigh + 0.12 * unit),
        _crotch(body, unit, float(thigh), float(np.mean([limb.joints[1][1] for limb in legs.values()]))),
    )


def _headless(body: Body, table: Array) -> SurfaceTree:
    """The surface that the head does not carry. A collar cut around a wide head would run along its jaw."""
    off = table[:, body.bones_below("head")].sum(axis=1) < 0.5
    kept = off[body.mesh.triangles].any(axis=1)
    return SurfaceTree(body.mesh.points, body.mesh.triangles[kept])


def _refuse_lying(body: Body) -> None:
    way = body.at("head") - body.at("hips")
    if np.hypot(way[0], way[2]) > abs(way[1]):
        raise SceneError(
            "the character does not stand upright at rest (its head lies beside its hips); the cuts are for standing "
            "figures, bring a garment of its own: Garment.from_mesh(...)"
        )


def _crotch(body: Body, unit: float, hip: float, knee: float) -> float:
    """The lowest point of the trunk between the legs."""
    middle = float(np.mean([body.at(f"thigh_{side}")[0] for side in SIDES]))
    points = body.mesh.points
    inside = np.abs(points[:, 0] - middle) < 0.012 * unit
    inside &= (points[:, 1] > knee + 0.1 * unit) & (points[:, 1] < hip + 0.05 * unit)
    return float(points[inside, 1].min()) if inside.any() else hip - 0.08 * unit


def _trunk(points: Array, unit: float) -> tuple[Array, Array]:
    """Half widths and depths of the trunk and the legs below it, band by band."""
    low, high = points[:, 1].min(), points[:, 1].max()
    heights = np.linspace(low, high, BANDS)
    rows = np.full((BANDS, 4), np.nan)
    for k, y in enumerate(heights):
        near = points[np.abs(points[:, 1] - y) < 0.018 * unit]
        if len(near) >= 4:
            (x0, _, z0), (x1, _, z1) = near.min(axis=0), near.max(axis=0)
            rows[k] = 0.5 * (x1 - x0), 0.5 * (z1 - z0), 0.5 * (x0 + x1), 0.5 * (z0 + z1)
    good = np.isfinite(rows[:, 0])
    if good.sum() < 3:
        raise SceneError("the character's trunk has too few points to be measured; its weights may be wrong")
    return heights, np.stack([np.interp(heights, heights[good], rows[good, c]) for c in range(4)], axis=1)


def _limb(body: Body, table: Array, tree: SurfaceTree, parts: tuple[str, str, str], side: str) -> Limb:
    names = [f"{part}_{side}" for part in parts]
    start, middle = (body.joints[body.roles[name]] for name in names[:2])
    if names[2] in body.roles:
        end = body.joints[body.roles[names[2]]]
    else:  # as far as the skin goes
        own = body.mesh.points[table[:, body.bones_below(names[1])].sum(axis=1) > 0.5]
        along = (middle - start) / np.linalg.norm(middle - start)
        reach = (own - middle) @ along if len(own) else np.array([np.linalg.norm(middle - start)])
        end = middle + 0.85 * max(float(reach.max()), 1e-3) * along
    joints = np.stack([start, middle, end])
    girth = np.empty((2, 2))
    for k in range(2):
        girth[k] = _girth(body, table, tree, names[k], (joints[k], joints[k + 1]))
    beyond = body.mesh.points[table[:, body.bones_below(names[2])].sum(axis=1) > 0.5]
    bone = end - middle
    begins = float(np.quantile((beyond - middle) @ bone, 0.02)) / float(bone @ bone) if len(beyond) else 1.0
    return Limb(joints, girth, float(np.clip(begins, SHORTEST, 1.0)))


def _girth(body: Body, table: Array, tree: SurfaceTree, role: str, ends: tuple[Array, Array]) -> Array:
    """(2,) radius of a bone's flesh a fifth and four fifths along: of the points it carries most, but none that lies
    far beyond the flesh around the bone; where it carries none there, of that flesh."""
    below = set(body.bones_below(role).tolist())
    for other in ("forearm", "hand", "shank", "foot"):
        name = f"{other}_{role.split('_')[1]}"
        if name != role and name in body.roles and body.roles[name] in below:
            below -= set(body.bones_below(name).tolist())
    points = body.mesh.points[table[:, sorted(below)].sum(axis=1) > 0.6]
    start, end = ends
    length = float(np.linalg.norm(end - start))
    axis = (end - start) / length
    along = (points - start) @ axis
    away = np.linalg.norm(points - start - along[:, None] * axis, axis=1)
    found = []
    for share in (0.2, 0.85):
        near = np.abs(along / length - share) < 0.12
        flesh = _around(tree, start + share * length * axis, axis)
        if near.sum() >= 3:
            found.append(min(float(np.quantile(away[near], 0.9)), THICKER * flesh))
        elif np.isfinite(flesh):
            found.append(flesh)
        else:
            found.append(float(np.quantile(away, 0.9)) if len(away) >= 6 else 0.15 * length)
    return np.array(found)


def _agree(limbs: dict[str, Limb]) -> None:
    """Where one side seems much thicker than the other, its bone carries some of the trunk: the thinner holds."""
    left, right = (limbs[side].girth for side in SIDES)
    thin = np.minimum(left, right)
    odd = np.maximum(left, right) > UNLIKE * thin
    left[odd] = right[odd] = thin[odd]


def _around(tree: SurfaceTree, middle: Array, axis: Array) -> float:
    """[m] from a point inside to the skin, across an axis, in the middle of all directions; inf from one outside."""
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    turn = 2.0 * np.pi * np.arange(TURNS)[:, None] / TURNS
    way = np.cos(turn) * side + np.sin(turn) * np.cross(axis, side)
    far = np.zeros((TURNS, 1))
    for step in range(24):  # as far as there is certainly no skin, again and again (sphere tracing)
        inside = -tree.closest(middle + far * way).distance
        if step == 0 and inside[0] <= 0.0:
            return float("inf")
        far += np.maximum(inside, 0.0)[:, None]
    return float(np.median(far))


def _neck(body: Body, table: Array, unit: float) -> Array:
    """The neck's base: at its joint, as wide as the body is just above."""
    base = body.at("neck") if "neck" in body.roles else body.at("head") - (0.0, 0.06 * unit, 0.0)
    shoulders = np.mean([body.at(f"upperarm_{side}") for side in SIDES], axis=0)
    y = max(float(base[1]), float(shoulders[1]) + 0.03 * unit)
    arms = sum(
        table[:, body.bones_below(f"shoulder_{side}" if f"shoulder_{side}" in body.roles else f"upperarm_{side}")].sum(
            axis=1
        )
        for side in SIDES
    )
    on_head = table[:, body.bones_below("head")].sum(axis=1)
    top = float(body.at("head")[1])
    points = body.mesh.points[(arms < 0.3) & (on_head < 0.5)]
    if np.count_nonzero(points[:, 1] > y + 0.02 * unit) < 8:  # the head's bone carries the neck, too
        points = body.mesh.points[arms < 0.3]
    found = []
    for level in np.linspace(y + 0.02 * unit, max(top, y + 0.06 * unit), 6):  # the narrowest of it
        near = points[np.abs(points[:, 1] - level) < 0.015 * unit]
        if len(near) >= 4:
            low, high = near.min(axis=0), near.max(axis=0)
            found.append((0.5 * float(max(high[0] - low[0], high[2] - low[2])), 0.5 * (low + high)))
    if not found:
        return np.array([base[0], y, base[2], 0.055 * unit])
    radius, middle = min(found, key=lambda one: one[0])
    return np.array([middle[0], y, middle[2], float(np.clip(radius, 0.03 * unit, 0.09 * unit))])
