"""A puppet inside a character: the 14 segments of a human where the character's bones are, as thick as its flesh."""

import itertools
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.scene.bodies import FRACTIONS, RANGES
from pliant.scene.figures.body import SIDES
from pliant.scene.figures.measures import Limb, Measures
from pliant.scene.figures.posing import shortest_turn
from pliant.scene.puppet import Joint, Segment

DOWN = np.array([0.0, -1.0, 0.0])
WIDE = 60.0  # [deg] of the arm from straight down, in the middle of its range


def figure_parts(
    m: Measures, mass: float, color: tuple[float, float, float]
) -> tuple[tuple[Segment, ...], tuple[Joint, ...]]:
    """Torso and head, then arms and legs, the right ones first, called as those of Puppet.human()."""
    if not (np.isfinite(mass) and mass > 0.0):
        raise SceneError(f"Puppet.from_character: mass = {mass}; must be > 0 [kg]")
    placed = [_torso(m), _head(m)]
    for side in reversed(SIDES):
        placed += [*_limb(m.arms[side], ("upperarm", "forearm"), side), _hand(m, side)]
    for side in reversed(SIDES):
        placed += [*_limb(m.legs[side], ("thigh", "shank"), side), _foot(m, side)]
    total = sum(FRACTIONS[one["name"].split("_")[0]] for one in placed)
    segments = tuple(
        Segment(**one, mass=mass * FRACTIONS[one["name"].split("_")[0]] / total, color=color) for one in placed
    )
    neck = m.body.at("head") if "neck" not in m.body.roles else 0.5 * (m.body.at("neck") + m.body.at("head"))
    joints = [Joint(parent="torso", child="head", anchor=tuple(neck), swing=45.0, twist=(-70.0, 70.0))]
    for side in reversed(SIDES):
        joints += _joints(m, side, m.arms[side], ("torso", "upperarm", "forearm", "hand"))
    for side in reversed(SIDES):
        joints += _joints(m, side, m.legs[side], ("torso", "thigh", "shank", "foot"))
    return segments, tuple(joints)


def _torso(m: Measures) -> dict[str, Any]:
    hips = np.mean([m.legs[side].joints[0] for side in SIDES], axis=0)
    top, low = float(m.neck[1]), float(hips[1]) - 0.06 * m.unit
    inside = (m.heights > low) & (m.heights < top - 0.05 * m.unit)
    half = 0.92 * np.median(m.trunk[inside, :2], axis=0)
    middle = np.median(m.trunk[inside, 2:], axis=0)
    size = (2.0 * half[0], top - low, 2.0 * half[1])
    return {"name": "torso", "shape": "box", "size": size, "center": (middle[0], 0.5 * (top + low), middle[1])}


def _head(m: Measures) -> dict[str, Any]:
    top = float(m.body.mesh.points[:, 1].max())
    base = m.body.at("head")
    radius = max(0.46 * (top - float(base[1])), 0.03 * m.unit)
    return {"name": "head", "shape": "sphere", "size": (radius,), "center": (base[0], top - radius, base[2])}


def _limb(limb: Limb, parts: tuple[str, str], side: str) -> list[dict[str, Any]]:
    """Two capsules; their own -y axis lies along the bone, as that of an arm hanging down."""
    made = []
    for k, part in enumerate(parts):
        start, end = limb.joints[k], limb.joints[k + 1]
        length = float(np.linalg.norm(end - start))
        radius = min(0.9 * float(limb.girth[k].mean()), 0.45 * length)
        made.append(
            {
                "name": f"{part}_{side}",
                "size": (radius, length),
                "center": tuple(0.5 * (start + end)),
                "rotation_xyzw": tuple(shortest_turn(DOWN, end - start)),
            }
        )
    return made


def _hand(m: Measures, side: str) -> dict[str, Any]:
    limb = m.arms[side]
    along = limb.joints[2] - limb.joints[1]
    along = along / np.linalg.norm(along)
    own = _own(m, f"hand_{side}", limb.joints[2])
    reach = float(np.quantile((own - limb.joints[2]) @ along, 0.98)) if len(own) > 3 else 0.17 * m.unit
    reach = float(np.clip(reach, 0.06 * m.unit, 0.25 * m.unit))
    return {
        "name": f"hand_{side}",
        "shape": "box",
        "size": (0.03 * m.unit, reach, 0.07 * m.unit),
        "center": tuple(limb.joints[2] + 0.5 * reach * along),
        "rotation_xyzw": tuple(shortest_turn(DOWN, along)),
    }


def _foot(m: Measures, side: str) -> dict[str, Any]:
    ankle = m.legs[side].joints[2]
    own = _own(m, f"foot_{side}", ankle)
    floor = float(m.body.mesh.points[:, 1].min())
    if len(own) > 3:
        low, high = np.quantile(own, 0.02, axis=0), np.quantile(own, 0.98, axis=0)
    else:
        low, high = ankle - (0.04 * m.unit, 0.0, 0.06 * m.unit), ankle + np.array([0.04, 0.0, 0.18]) * m.unit
    tall = max(min(float(ankle[1]) - floor, 0.09 * m.unit), 0.03 * m.unit)
    size = np.clip([high[0] - low[0], tall, high[2] - low[2]], 0.03 * m.unit, 0.32 * m.unit)
    center = (0.5 * (low[0] + high[0]), floor + 0.5 * tall, 0.5 * (low[2] + high[2]))
    return {"name": f"foot_{side}", "shape": "box", "size": tuple(size), "center": center}


def _own(m: Measures, role: str, near: Array) -> Array:
    """Points that a role's bone and those below it carry; around the joint where there is no such bone."""
    bones = m.body.bones_below(role)
    if not len(bones):
        return m.body.mesh.points[np.linalg.norm(m.body.mesh.points - near, axis=1) < 0.12 * m.unit]
    carried = (m.body.mesh.weights * np.isin(m.body.mesh.bones, bones)).sum(axis=1)
    return m.body.mesh.points[carried > 0.6]


def _joints(m: Measures, side: str, limb: Limb, chain: tuple[str, ...]) -> list[Joint]:
    """As those of a human; the middle of a shoulder's range is as far from the body as there, however it rests."""
    made = []
    for k, (parent, child) in enumerate(itertools.pairwise(chain)):
        axis, neutral, swing, twist = RANGES[child]
        sign = 1.0 if side == "left" else -1.0
        if child == "upperarm":
            along = limb.joints[1] - limb.joints[0]
            raised = float(np.degrees(np.arctan2(sign * along[0], -along[1])))
            neutral = (0, 0, WIDE - raised)
        made.append(
            Joint(
                parent=parent if parent == "torso" else f"{parent}_{side}",
                child=f"{child}_{side}",
                anchor=tuple(limb.joints[k]),
                axis=axis,
                neutral=(neutral[0], neutral[1], sign * neutral[2]),
                swing=swing,
                twist=twist,
            )
        )
    return made
