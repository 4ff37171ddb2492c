"""Usual puppets: a human of 14 segments, a marionette, a chain, and one from a character's skeleton.

The mass fractions of the human are those of an adult male after de Leva (1996), rounded; its proportions are a
puppet's, in parts of its height. Sources and joint ranges: spec of seed 003, section 1.
"""

from typing import Any, Literal

import numpy as np

from pliant.errors import SceneError
from pliant.geometry import rotation
from pliant.geometry.skeleton import Skeleton, forward
from pliant.scene.puppet import Joint, PuppetString, Segment

WOOD, SKIN, SHIRT, TROUSERS, SHOES = (
    (0.62, 0.40, 0.22), (0.86, 0.62, 0.42), (0.70, 0.12, 0.10), (0.10, 0.22, 0.48), (0.16, 0.09, 0.05),
)  # fmt: skip

# name, mass fraction, shape, size in parts of the height, centre of the left one, colour
_MIDDLE = (
    ("torso", 0.4346, "box", (0.220, 0.300, 0.130), (0.0, 0.680, 0.0), SHIRT),
    ("head", 0.0694, "sphere", (0.080,), (0.0, 0.915, 0.0), SKIN),
)
_PAIRS = (
    ("upperarm", 0.0271, "capsule", (0.026, 0.186), (0.136, 0.717, 0.0), SHIRT),
    ("forearm", 0.0162, "capsule", (0.021, 0.146), (0.136, 0.551, 0.0), SKIN),
    ("hand", 0.0061, "box", (0.024, 0.090, 0.044), (0.136, 0.433, 0.0), SKIN),
    ("thigh", 0.1416, "capsule", (0.045, 0.245), (0.060, 0.4075, 0.0), TROUSERS),
    ("shank", 0.0433, "capsule", (0.034, 0.246), (0.060, 0.162, 0.0), TROUSERS),
    ("foot", 0.0137, "box", (0.054, 0.039, 0.152), (0.060, 0.0195, 0.040), SHOES),
)
# parent, child, anchor of the left one, axis, neutral rotation of the left one, swing, twist
_JOINTS = (
    ("torso", "upperarm", (0.136, 0.810, 0.0), (0, 1, 0), (0, 0, 60), 100.0, (-80.0, 80.0)),
    ("upperarm", "forearm", (0.136, 0.624, 0.0), (1, 0, 0), (0, 0, 0), 0.0, (-145.0, 0.0)),
    ("forearm", "hand", (0.136, 0.478, 0.0), (0, 1, 0), (0, 0, 0), 60.0, (0.0, 0.0)),
    ("torso", "thigh", (0.060, 0.530, 0.0), (0, 1, 0), (-35, 0, 0), 70.0, (-40.0, 40.0)),
    ("thigh", "shank", (0.060, 0.285, 0.0), (1, 0, 0), (0, 0, 0), 0.0, (0.0, 140.0)),
    ("shank", "foot", (0.060, 0.039, 0.0), (0, 1, 0), (0, 0, 0), 40.0, (-15.0, 15.0)),
)
FRACTIONS = {row[0]: row[1] for row in (*_MIDDLE, *_PAIRS)}  # of the whole mass
RANGES: dict[str, tuple[Any, ...]] = {row[1]: row[3:] for row in _JOINTS}  # axis, neutral of the left one, swing, twist
_SIDES = (("_right", -1.0), ("_left", 1.0))


def human_parts(
    height: float, mass: float, masses: Literal["standard", "uniform"]
) -> tuple[tuple[Segment, ...], tuple[Joint, ...]]:
    """Torso, head, then arms and legs, the right one first; +x is the puppet's left, it looks along +z."""
    for name, value, unit in (("height", height, "m"), ("mass", mass, "kg")):
        if not (np.isfinite(value) and value > 0.0):
            raise SceneError(f"Puppet.human: {name} = {value}; must be > 0 [{unit}]")
    if masses not in ("standard", "uniform"):
        raise SceneError(f"Puppet.human: masses = {masses!r}; must be 'standard' or 'uniform'")
    rows = list(_MIDDLE)
    for limbs in (_PAIRS[:3], _PAIRS[3:]):
        for suffix, side in _SIDES:
            rows += [(n + suffix, f, s, d, (side * c[0], c[1], c[2]), k) for n, f, s, d, c, k in limbs]
    total = sum(row[1] for row in rows)
    segments = tuple(
        Segment(
            name=name,
            shape=shape,
            size=tuple(height * v for v in size),
            center=tuple(height * v for v in center),
            mass=mass * (fraction / total if masses == "standard" else 1.0 / len(rows)),
            color=color,
        )
        for name, fraction, shape, size, center, color in rows
    )
    neck = Joint(parent="torso", child="head", anchor=(0, 0.835 * height, 0), swing=45.0, twist=(-70.0, 70.0))
    joints = [neck]
    for ranges in (_JOINTS[:3], _JOINTS[3:]):
        for suffix, side in _SIDES:
            joints += [_joint(row, suffix, side, height) for row in ranges]
    return segments, tuple(joints)


def _joint(row: tuple[Any, ...], suffix: str, side: float, height: float) -> Joint:
    parent, child, anchor, axis, neutral, swing, twist = row
    return Joint(
        parent=parent if parent == "torso" else parent + suffix,
        child=child + suffix,
        anchor=(side * anchor[0] * height, anchor[1] * height, anchor[2] * height),
        axis=axis,
        neutral=(neutral[0], neutral[1], side * neutral[2]),
        swing=swing,
        twist=twist,
    )


def marionette_parts(
    height: float, mass: float, lift: float
) -> tuple[tuple[Segment, ...], tuple[Joint, ...], tuple[PuppetString, ...]]:
    """A human, lifted, with seven strings to a cross above its head."""
    segments, joints = human_parts(height, mass, "standard")
    up = np.array([0.0, lift, 0.0])
    segments = tuple(s.replace(center=tuple(np.array(s.center) + up)) for s in segments)
    joints = tuple(j.replace(anchor=tuple(np.array(j.anchor) + up)) for j in joints)
    at = {segment.name: np.array(segment.center) for segment in segments}
    top = lift + 1.6 * height
    tied = [("head", (side * 0.075, 0.02, 0.0)) for side in (-1, 1)]
    tied += [("torso", (side * 0.09, 0.24, -0.05)) for side in (-1, 1)]
    tied += [(f"hand{suffix}", (0.0, 0.02, 0.02)) for suffix, _ in _SIDES]
    tied += [(f"thigh{suffix}", (0.0, -0.10, 0.05)) for suffix, _ in _SIDES]
    strings = []
    for name, place in tied:
        local = height * np.array(place)
        point = at[name] + local
        strings.append(PuppetString(segment=name, at=tuple(local), hook=(point[0], top, point[2])))
    return segments, joints, tuple(strings)


def chain_parts(
    count: int, length: float, mass: float, top: tuple[float, float, float]
) -> tuple[tuple[Segment, ...], tuple[Joint, ...]]:
    """A bead at `top` and `count` rods below it."""
    if count != int(count) or not 1 <= count <= 10000:
        raise SceneError(f"Puppet.chain: count = {count}; must be 1 to 10000")
    count = int(count)
    radius = 0.06 * length
    x, y, z = (float(v) for v in top)
    segments = [Segment(name="bead", shape="sphere", size=(1.4 * radius,), center=(x, y, z), mass=mass)]
    joints = []
    for k in range(count):
        center = (x, y - (k + 0.5) * length, z)
        segments.append(Segment(name=f"rod{k + 1}", size=(radius, length), center=center, mass=mass))
        joints.append(Joint(parent=segments[k].name, child=f"rod{k + 1}", anchor=(x, y - k * length, z)))
    return tuple(segments), tuple(joints)


def skeleton_parts(skeleton: Skeleton, mass: float) -> tuple[tuple[Segment, ...], tuple[Joint, ...]]:
    """A capsule from every joint to the middle of its children, its mass by volume; names are the joints'."""
    position, _ = forward(skeleton.parents, skeleton.translations, skeleton.rotations_xyzw)
    parents = np.asarray(skeleton.parents)
    count = len(parents)
    ends = np.array([_bone_end(k, parents, position) for k in range(count)])
    length = np.maximum(np.linalg.norm(ends - position, axis=1), 1e-3)
    volume = length**3
    segments, joints = [], []
    for k in range(count):
        radius = min(0.18 * length[k], 0.06 * length.max())
        segments.append(
            Segment(
                name=skeleton.names[k],
                size=(radius, max(length[k], 2.0 * radius)),
                center=tuple(0.5 * (position[k] + ends[k])),
                rotation_xyzw=tuple(_turn_y_to(ends[k] - position[k])),
                mass=max(mass * volume[k] / volume.sum(), 1e-3 * mass / count),
            )
        )
        if parents[k] >= 0:
            joints.append(Joint(parent=skeleton.names[parents[k]], child=skeleton.names[k], anchor=tuple(position[k])))
    return tuple(segments), tuple(joints)


def _bone_end(k: int, parents: Any, position: Any) -> Any:
    children = np.flatnonzero(parents == k)
    if len(children):
        return position[children].mean(axis=0)
    along = position[k] - position[parents[k]] if parents[k] >= 0 else np.array([0.0, 0.1, 0.0])
    return position[k] + 0.5 * along


def _turn_y_to(direction: Any) -> Any:
    """The shortest rotation that takes +y to a direction."""
    n = float(np.linalg.norm(direction))
    if n < 1e-9:
        return rotation.IDENTITY
    d = direction / n
    axis = np.cross([0.0, 1.0, 0.0], d)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-9:
        return rotation.IDENTITY if d[1] > 0 else np.array([1.0, 0.0, 0.0, 0.0])
    return rotation.from_rotation_vector(axis / sine * np.arctan2(sine, d[1]))


def turned_parts(
    segments: tuple[Segment, ...], joints: tuple[Joint, ...], turn: Any, about: Any
) -> tuple[tuple[Segment, ...], tuple[Joint, ...]]:
    """Everything turned by a rotation vector [deg] about a place."""
    q, middle = rotation.from_rotation_vector(np.deg2rad(np.array(turn, float))), np.array(about, float)

    def place(p: Any) -> tuple[float, ...]:
        return tuple((middle + rotation.rotate(q, np.array(p) - middle)).tolist())

    return (
        tuple(
            s.replace(center=place(s.center), rotation_xyzw=tuple(rotation.multiply(q, np.array(s.rotation_xyzw))))
            for s in segments
        ),
        tuple(
            j.replace(anchor=place(j.anchor), neutral=tuple(rotation.rotate(q, np.array(j.neutral)).tolist()))
            for j in joints
        ),
    )
