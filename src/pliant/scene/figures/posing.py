"""Poses: rotations said by role or by bone, brought onto any skeleton, and out come the matrices that skinning takes.

A pose is said against the A pose of the mannequin, in the figure's own axes (X its left, Y up, Z front): each entry
turns a bone about its joint, in the frame its parent was turned to. A figure that stands otherwise at rest (a T pose,
say) is first brought to the A pose by the shortest turns of its limbs, so one pose looks alike on every figure.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError, unknown
from pliant.geometry import rotation
from pliant.scene.figures import mannequin
from pliant.scene.figures.body import PARENT_ROLE, ROLES, SIDES, Body

Turns = Mapping[str, Sequence[float] | Array]  # role or bone -> rotation vector [deg]

_NEXT = {"upperarm": "forearm", "forearm": "hand", "thigh": "shank", "shank": "foot"}
_FOLLOWS = {"hand": "forearm"}  # what stands as the bone above it does


Vector = tuple[float, float, float]


def mirrored(turns: Mapping[str, Vector]) -> dict[str, Vector]:
    """The same pose with left and right changed over."""
    other = {"left": "right", "right": "left"}
    made = {}
    for role, (x, y, z) in turns.items():
        part, _, side = role.rpartition("_")
        made[f"{part}_{other[side]}" if side in other else role] = (x, -y, -z)
    return made


def then(*turns: Vector) -> Vector:
    """One rotation vector [deg] for several turns, carried out in the order given."""
    whole = rotation.IDENTITY
    for vector in turns:
        whole = rotation.multiply(_quaternion(np.array(vector)), whole)
    x, y, z = np.rad2deg(rotation.to_rotation_vector(whole)).tolist()
    return (x, y, z)


def _quaternion(vector: Array) -> Array:
    return rotation.from_rotation_vector(np.deg2rad(vector))


_HANG = (0.0, 0.0, -28.0)  # a left arm from the A pose to the side of the body
_DOWN: dict[str, Vector] = {
    "upperarm_left": then((0.0, 0.0, -28.0), (4.0, 0.0, 0.0)),
    "forearm_left": (-14.0, 0.0, 0.0),
    "shoulder_left": (0.0, 0.0, -4.0),
}
_ARM_UP: dict[str, Vector] = {
    "shoulder_left": (0.0, 0.0, 24.0),
    "upperarm_left": (0.0, 0.0, 66.0),
    "forearm_left": (0.0, 0.0, 18.0),
}
_OVERHEAD: dict[str, Vector] = {
    "shoulder_left": (0.0, 0.0, 28.0),
    "upperarm_left": then((0.0, 0.0, 92.0), (-8.0, 0.0, 0.0)),
    "forearm_left": (-12.0, 0.0, 6.0),
}

POSES: dict[str, dict[str, Vector]] = {
    "A": {},
    "T": {
        "upperarm_left": (0.0, 0.0, 38.0),
        "upperarm_right": (0.0, 0.0, -38.0),
        "shoulder_left": (0.0, 0.0, 4.0),
        "shoulder_right": (0.0, 0.0, -4.0),
    },
    "upright": {**_DOWN, **mirrored(_DOWN)},
    "raise": {**_ARM_UP, **mirrored(_DOWN), "head": (0.0, -15.0, 0.0)},
    "walk": {
        "thigh_left": (-30.0, 0.0, 0.0),
        "shank_left": (14.0, 0.0, 0.0),
        "foot_left": (-2.0, 0.0, 0.0),
        "thigh_right": (20.0, 0.0, 0.0),
        "shank_right": (28.0, 0.0, 0.0),
        "foot_right": (10.0, 0.0, 0.0),
        "shoulder_left": (0.0, 0.0, -4.0),
        "shoulder_right": (0.0, 0.0, 4.0),
        "upperarm_left": then(_HANG, (24.0, 0.0, 0.0)),
        "upperarm_right": then((0.0, 0.0, 28.0), (-28.0, 0.0, 0.0)),
        "forearm_left": (-18.0, 0.0, 0.0),
        "forearm_right": (-32.0, 0.0, 0.0),
        "spine": (2.0, -6.0, 0.0),
        "chest": (0.0, -8.0, 0.0),
        "head": (0.0, 10.0, 0.0),
    },
    "bend": {
        "hips": (14.0, 0.0, 0.0),
        "spine": (22.0, 0.0, 0.0),
        "chest": (22.0, 0.0, 0.0),
        "head": (-12.0, 0.0, 0.0),
        "thigh_left": (-30.0, 0.0, 0.0),
        "thigh_right": (-30.0, 0.0, 0.0),
        "shank_left": (22.0, 0.0, 0.0),
        "shank_right": (22.0, 0.0, 0.0),
        "foot_left": (-6.0, 0.0, 0.0),
        "foot_right": (-6.0, 0.0, 0.0),
        "upperarm_left": then((0.0, 0.0, -26.0), (-46.0, 0.0, 0.0)),
        "upperarm_right": then((0.0, 0.0, 26.0), (-46.0, 0.0, 0.0)),
        "forearm_left": (-18.0, 0.0, 0.0),
        "forearm_right": (-18.0, 0.0, 0.0),
    },
    "turn": {
        "root": (0.0, 35.0, 0.0),
        "spine": (0.0, 8.0, 4.0),
        "chest": (0.0, 12.0, 4.0),
        "head": (0.0, -15.0, 0.0),
        **_ARM_UP,
        "shoulder_right": (0.0, 0.0, 4.0),
        "upperarm_right": (0.0, 0.0, 27.0),
        "forearm_right": (-35.0, 0.0, 0.0),
    },
    "reach": {**_OVERHEAD, **mirrored(_OVERHEAD), "chest": (-4.0, 0.0, 0.0), "head": (-8.0, 0.0, 0.0)},
    "lunge": {
        "hips": (6.0, -10.0, 0.0),
        "spine": (4.0, 6.0, 0.0),
        "thigh_left": (-48.0, 8.0, 6.0),
        "shank_left": (54.0, 0.0, 0.0),
        "foot_left": (-10.0, 0.0, 0.0),
        "thigh_right": (26.0, 10.0, -4.0),
        "shank_right": (16.0, 0.0, 0.0),
        "foot_right": (12.0, 0.0, 0.0),
        "upperarm_left": then((0.0, 0.0, 24.0), (20.0, 0.0, 0.0)),
        "upperarm_right": then((0.0, 0.0, -24.0), (-22.0, 0.0, 0.0)),
        "forearm_left": (-10.0, 0.0, 8.0),
        "forearm_right": (-15.0, 0.0, -8.0),
    },
}


def named_pose(name: str) -> Turns:
    if name not in POSES:
        raise SceneError(unknown("pose", name, POSES))
    return POSES[name]


def checked(body: Body, turns: Turns, where: str = "pose") -> dict[str, Array]:
    """Rotation vectors [deg] of roles and bones that exist, all finite."""
    known = ("root", *ROLES, *body.names)
    found = {}
    for name, vector in turns.items():
        if name not in known:
            raise SceneError(f"{where}: {unknown('bone', name, known)}")
        value = np.array(vector, float)
        if value.shape != (3,) or not np.isfinite(value).all():
            raise SceneError(f"{where}: {name} is {vector}; a rotation vector is three finite numbers [deg]")
        found[name] = value
    return found


def between(a: Mapping[str, Array], b: Mapping[str, Array], t: float) -> dict[str, Array]:
    """Each bone by the shorter way from pose a (t = 0) to pose b (t = 1), rotation vectors [deg]."""
    still = np.zeros(3)
    mixed = {}
    for name in sorted(set(a) | set(b)):
        one, two = (rotation.from_rotation_vector(np.deg2rad(pose.get(name, still))) for pose in (a, b))
        mixed[name] = np.rad2deg(rotation.to_rotation_vector(rotation.slerp(one, two, t)))
    return mixed


def upright_turns(body: Body) -> dict[str, Array]:
    """(4,) for each role: the turn from the figure's rest to the mannequin's A pose, world axes."""
    at = mannequin.joints()
    found: dict[str, Array] = {}
    for side in SIDES:
        for part, following in _NEXT.items():
            role, end = f"{part}_{side}", f"{following}_{side}"
            if role in body.roles and end in body.roles:
                here = body.joints[body.roles[end]] - body.joints[body.roles[role]]
                found[role] = shortest_turn(here, at[end] - at[role])
        for part, above in _FOLLOWS.items():
            if f"{above}_{side}" in found:
                found[f"{part}_{side}"] = found[f"{above}_{side}"]
    return found


def shortest_turn(a: Array, b: Array) -> Array:
    """(4,) that leads direction a to direction b."""
    a, b = a / max(np.linalg.norm(a), 1e-12), b / max(np.linalg.norm(b), 1e-12)
    across = np.cross(a, b)
    sine, cosine = float(np.linalg.norm(across)), float(a @ b)
    if sine < 1e-12:
        return rotation.IDENTITY.copy() if cosine > 0 else np.array([0.0, 1.0, 0.0, 0.0])
    return rotation.from_rotation_vector(across / sine * np.arctan2(sine, cosine))


def role_turns(turns: Mapping[str, Array]) -> dict[str, Array]:
    """(4,) world turn of every role away from the A pose: each in its parent's turned frame, the root above all."""
    still = np.zeros(3)
    found: dict[str, Array] = {}
    for role in ROLES:
        above = found[PARENT_ROLE[role]] if role in PARENT_ROLE else _quaternion(turns.get("root", still))
        found[role] = rotation.multiply(above, _quaternion(turns.get(role, still)))
    return found


def bone_turns(body: Body, roles: Mapping[str, Array], own: Mapping[str, Array]) -> Array:
    """(b, 4) world turn of every bone away from rest: a role's own, other bones as their parent does.

    `roles` are turns away from the A pose; `own` adds rotation vectors [deg] of bones that have no role.
    """
    ready = upright_turns(body)
    by_bone = {body.roles[role]: role for role in body.roles}
    turned = np.tile(rotation.IDENTITY, (len(body.names), 1))
    for bone, parent in enumerate(body.parents):
        if bone in by_bone:
            role = by_bone[bone]
            turned[bone] = rotation.multiply(roles[role], ready.get(role, rotation.IDENTITY))
        elif parent >= 0:
            turned[bone] = turned[parent]
        else:
            turned[bone] = roles["hips"] if "hips" not in body.roles else _root(roles)
        if body.names[bone] in own and bone not in by_bone:
            turned[bone] = rotation.multiply(turned[bone], _quaternion(own[body.names[bone]]))
    return turned


def _root(roles: Mapping[str, Array]) -> Array:
    return roles.get("root", rotation.IDENTITY)


def matrices(body: Body, turned: Array, place: Array | None = None, *, grounded: bool = True) -> Array:
    """(b, 3, 4) rest -> posed of turns (b, 4); hips go to `place`, or the lowest foot stays on its floor."""
    hips = body.roles.get("hips", 0)
    joint = np.array(body.joints)
    for bone, parent in enumerate(body.parents):
        if parent >= 0:
            joint[bone] = joint[parent] + rotation.rotate(turned[parent], body.joints[bone] - body.joints[parent])
    shift = body.joints[hips] - joint[hips]
    if place is not None:
        shift = place - joint[hips]
    elif grounded:
        feet = [body.roles[f"{p}_{s}"] for p in ("foot", "toes") for s in SIDES if f"{p}_{s}" in body.roles]
        if feet:
            drop = min(float((joint[k] + shift)[1] - body.joints[k][1]) for k in feet)
            shift = shift - (0.0, drop, 0.0)
    made = np.empty((len(body.names), 3, 4))
    made[:, :, :3] = rotation.to_matrix(turned)
    made[:, :, 3] = joint + shift - np.einsum("bij,bj->bi", made[:, :, :3], body.joints)
    return made


def pose_matrices(body: Body, turns: Turns, place: Array | None = None, *, grounded: bool = True) -> Array:
    """(b, 3, 4) of a pose said in rotation vectors."""
    said = checked(body, turns)
    for role, bone in body.roles.items():  # a bone may be called by its own name, too
        name = body.names[bone]
        if name != role and name in said:
            said.setdefault(role, said.pop(name))
    roles = role_turns(said) | {"root": _quaternion(said.get("root", np.zeros(3)))}
    return matrices(body, bone_turns(body, roles, said), place, grounded=grounded)
