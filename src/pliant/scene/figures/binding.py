"""A garment bound to a body: weights of the skin beneath, without the bones it must not follow, smoothed."""

import warnings
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.filters.draping.wear import Wear
from pliant.geometry.cotangent import spread
from pliant.geometry.rigged import Rigged
from pliant.scene.figures.body import SIDES, Body, dense, four_strongest
from pliant.scene.figures.cutting import STYLES, Pattern
from pliant.scene.figures.measures import Measures

FAR = 0.5  # [m] of a figure 1.76 m tall: a garment whose middle is farther from the skin is not on the body
UNDER = 0.15  # [m] of the same: one that reaches this far below the feet does not stand where it is worn
DEEP, MUCH = 0.01, 0.05  # [m] of the same, share of its points: more of it deeper inside is said, for it is pushed out

LIMBS = tuple(f"{part}_{side}" for part in ("upperarm", "thigh") for side in SIDES)
WORN, NONE = 0.5, 0.2  # share of a limb's bones in a point's weights: above it is worn there, below it is not
SLEEVE = 0.09  # [m] of the same, beyond the arm's flesh: cloth farther away is no sleeve
BEYOND = 0.35  # bones past the end of a sleeve that its cloth may lie beside, when it is as wide as it is long

# role whose bones a garment must not follow -> the one that gets their share
_TOP = (
    {"neck": "chest", "head": "chest"}
    | {f"thigh_{s}": "hips" for s in SIDES}
    | {f"hand_{s}": f"forearm_{s}" for s in SIDES}
)
_BOTTOM = {"chest": "spine"} | {f"foot_{s}": f"shank_{s}" for s in SIDES}
MASKS: dict[str, dict[str, str]] = {
    "tshirt": _TOP,
    "sweater": _TOP,
    "trousers": _BOTTOM,
    "skirt": {"chest": "spine"} | {f"thigh_{s}": "hips" for s in SIDES},
    "dress": _TOP,
    "cape": {"neck": "chest", "head": "chest"}
    | {f"thigh_{s}": "hips" for s in SIDES}
    | {f"upperarm_{s}": f"shoulder_{s}" for s in SIDES},
}
_REACH = {"skirt": 0.15, "cape": 0.12, "dress": 0.05}  # [m] over which weights are smoothed; 3 cm by default


def bound(m: Measures, pattern: Pattern, kind: str) -> Rigged:
    """Weights of the closest skin, masked, then spread along the cloth."""
    body = m.body
    near = m.tree.closest(pattern.points)
    corners = body.mesh.triangles[near.triangle]
    table = np.einsum("nk,nkb->nb", near.weights, dense(body.mesh, len(body.names))[corners])
    style = STYLES.get(kind)
    _off_arms(m, pattern.points, table, style.sleeve_end if style is not None and style.sleeves else np.inf)
    for role, heir in MASKS.get(kind, {}).items():
        _fold(body, table, role, heir)
    table = np.maximum(spread(pattern.points, pattern.triangles, table, _REACH.get(kind, 0.03) * m.unit), 0.0)
    bones, weights = four_strongest(table)
    return Rigged(pattern.points, pattern.triangles, pattern.uv, bones, weights)


def _fold(body: Body, table: Array, role: str, heir: str) -> None:
    """Give the share of a role's bone, and of all below it, to another's; a missing heir leaves it to the one above."""
    from pliant.scene.figures.body import PARENT_ROLE

    if role not in body.roles:
        return
    while heir not in body.roles:
        heir = PARENT_ROLE[heir]
    if body.roles[heir] == body.roles[role]:
        return
    below = body.bones_below(role)
    share = table[:, below].sum(axis=1)
    table[:, below] = 0.0
    table[:, body.roles[heir]] += share


def _off_arms(m: Measures, points: Array, table: Array, end: float) -> None:
    """Cloth of the trunk that hangs near an arm is none of its sleeve: it is too far from the arm's axis, or beside a
    part of the arm that no sleeve reaches; `end` counts bones, 0.75 is three quarters of the upper arm."""
    for side in SIDES:
        limb, below = m.arms[side], m.body.bones_below(f"upperarm_{side}")
        away, beside = np.full((2, len(points)), np.inf), np.zeros((2, len(points)))
        for k in range(2):
            start, along = limb.joints[k], limb.joints[k + 1] - limb.joints[k]
            t = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
            away[k] = np.linalg.norm(points - start - t[:, None] * along, axis=1)
            beside[k] = k + t
        near = np.argmin(away, axis=0)
        columns = np.arange(len(points))
        lost = away[near, columns] > limb.girth.max(axis=1)[near] + SLEEVE * m.unit
        lost |= beside[near, columns] > end + BEYOND
        share = table[np.ix_(lost, below)].sum(axis=1)
        table[np.ix_(lost, below)] = 0.0
        rows = np.flatnonzero(lost)
        table[rows, m.body.roles.get("chest", m.body.roles["hips"])] += share


def around(m: Measures, mesh: Rigged) -> Array:
    """(m, 3) unit direction around the limb or trunk of each triangle: bone axis x normal."""
    body = m.body
    axis = np.tile(np.array([0.0, 1.0, 0.0]), (len(body.names), 1))
    for side in SIDES:
        for limb, roles in ((m.arms, ("upperarm", "forearm")), (m.legs, ("thigh", "shank"))):
            for b, role in enumerate(roles):
                along = limb[side].joints[b] - limb[side].joints[b + 1]
                axis[body.bones_below(f"{role}_{side}")] = along / np.linalg.norm(along)
    at = np.einsum("nk,nki->ni", mesh.weights, axis[mesh.bones])
    along = at[mesh.triangles].sum(axis=1)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    p = mesh.points[mesh.triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    across = np.cross(along, normal)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    flat = np.where(
        length > 1e-9 * np.linalg.norm(normal, axis=1, keepdims=True),
        across / np.maximum(length, 1e-30),
        p[:, 1] - p[:, 0],
    )
    return np.asarray(flat / np.linalg.norm(flat, axis=1, keepdims=True))


class Fit(NamedTuple):
    """How a garment is to be draped, beyond its mesh."""

    layer: int
    wavelength: float | None  # [m]
    radial: bool | None


def wear(m: Measures, pattern: Pattern, mesh: Rigged, kind: str, fit: Fit) -> Wear:
    """Everything the draper asks of one garment."""
    style = STYLES.get(kind, STYLES["tshirt"])
    u = m.unit
    rest_gap = float(np.quantile(m.tree.closest(pattern.points, 0.5 * u).distance, 0.001))
    arms = [m.body.bones_below(f"{'shoulder' if f'shoulder_{s}' in m.body.roles else 'upperarm'}_{s}") for s in SIDES]
    return Wear(
        mesh=mesh,
        layer=fit.layer,
        threshold=max(rest_gap, 0.0) + 0.003 * u,
        gap=(0.004 if fit.layer == 0 else 0.005) * u,
        wavelength=fit.wavelength if fit.wavelength is not None else style.wavelength * u,
        height=style.height * u,
        ease=style.ease,
        around=around(m, mesh),
        pinned=pattern.band,
        radial=style.radial if fit.radial is None else fit.radial,
        free_bones=np.unique(np.concatenate(arms)).astype(np.uint32),
        parts=_parts(m.body),
        foreign=_foreign(m.body, mesh),
    )


def _parts(body: Body) -> Array:
    """(b,) uint8 the trunk with the head, each arm and each leg as one bit."""
    bits = np.ones(len(body.names), np.uint8)
    for k, role in enumerate(LIMBS):
        bits[body.bones_below(role)] = 2 << k
    return bits


def _foreign(body: Body, mesh: Rigged) -> Array:
    """(n,) uint8 limbs that each point is not worn on: arms, of what has no weight on them in a garment with sleeves or
    one of the lower body; the other leg, of a leg of trousers. A skirt is worn on both legs, a cape over the arms."""
    table = dense(mesh, len(body.names))
    on = {role: table[:, body.bones_below(role)].sum(axis=1) for role in LIMBS}
    foreign = np.zeros(len(mesh.points), np.uint8)
    low = mesh.points[:, 1].max() < np.mean([body.at(f"upperarm_{side}")[1] for side in SIDES]) - 0.1 * body.height
    for k, role in enumerate(LIMBS):
        if role.startswith("upperarm"):
            if low or on[role].max() > WORN:
                foreign[on[role] < NONE] |= np.uint8(2 << k)
        else:
            other = on[f"thigh_{'right' if role.endswith('left') else 'left'}"]
            foreign[(on[role] < NONE) & (other > WORN)] |= np.uint8(2 << k)
    return foreign


def refuse_misfit(m: Measures, points: Array, triangles: Array, name: str) -> None:
    """A garment that is nowhere near the body, or faces inward, is refused with what to do; a tight one is said."""
    near = m.tree.closest(points, 20.0 * m.unit)
    middle = float(np.median(np.abs(near.distance)))
    if middle > FAR * m.unit:
        raise SceneError(
            f"{name}: lies {middle:.3g} m from the character's skin; bring it to where it is worn at rest "
            f"(Y up, metres), or give scale= and offset="
        )
    under = float(m.body.mesh.points[:, 1].min() - points[:, 1].min())
    if under > UNDER * m.unit:
        raise SceneError(
            f"{name}: reaches {under:.3g} m below the character's feet; bring it to where it is worn at rest "
            f"with offset= (the character's notes say by how much itself was moved)"
        )
    p = points[triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    out = (np.sign(near.distance)[:, None] * (points - near.point))[triangles].mean(axis=1)  # of the skin beneath
    facing = np.einsum("ij,ij->i", normal, out)
    inside = float(np.mean(near.distance < -DEEP * m.unit))
    if inside > 0.5:
        raise SceneError(f"{name}: {100 * inside:.0f} % of it lies inside the body; make it larger, or move it outward")
    if float(np.sum(facing > 0)) < 0.4 * len(facing):
        raise SceneError(f"{name}: its triangles face inward; turn them over (triangles[:, ::-1])")
    if inside > MUCH:
        warnings.warn(
            f"{name}: {100 * inside:.0f} % of it lies inside the body, up to {-1e3 * near.distance.min():.0f} mm deep, "
            "and is pushed out; if it was made for another figure, fit it to this one, or use scale= and offset=",
            stacklevel=2,
        )
