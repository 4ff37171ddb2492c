"""A clip of any skeleton for a puppet of other proportions: turns are taken over, places follow from its own joints.

A segment is turned as the source's bone is turned away from the source's rest pose, after a turn that lays the
segment along the bone at rest (the source may rest with its arms out). Which joint moves which segment is read from
names: `LeftForeArm`, `lForeArm`, `LoArm_L` and `elbow.L` are all the left forearm. Places are scaled by the length of
the legs; the figure looks along +z at the start, stands where the puppet stands, and its lowest foot on the puppet's
floor.
"""

import re
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError, unknown
from pliant.geometry import rotation
from pliant.geometry.skeleton import Clip, Skeleton, forward
from pliant.scene.gait import SIDES, Build, Pose, build_of, carry

# what a joint is called without its side; earlier patterns are preferred
_LIMBS = {
    "upperarm": (r"(up|upper)arm\d*", r"arm", r"shldr", r"shoulder"),
    "forearm": (r"(fore|lo|lower)arm\d*", r"elbow"),
    "hand": (r"hand", r"wrist"),
    "thigh": (r"(up|upper)leg\d*", r"thigh", r"hip"),
    "shank": (r"(lo|lower)leg\d*", r"shin", r"shank", r"calf", r"knee", r"leg"),
    "foot": (r"foot", r"ankle"),
}
_MIDDLE = {"torso": (r"hips", r"pelvis", r"hip", r"torso", r"root"), "head": (r"head",)}
_NECK = (r"neck\d*", r"head")


class Source(NamedTuple):
    """A skeleton's joints in the world at rest and in every frame, looking along +z."""

    names: tuple[str, ...]
    parents: Array
    rest: Array  # (j, 3)
    places: Array  # (f, j, 3)
    turned: Array  # (f, j, 4) away from rest


def joints_of(skeleton: Skeleton) -> dict[str, str]:
    """Which joint stands for which segment of `Puppet.human()`, as far as its names tell."""
    split = [_split(name) for name in skeleton.names]
    found = {}
    wanted = {f"{limb}{side}": (patterns, side) for side, _ in SIDES for limb, patterns in _LIMBS.items()}
    wanted |= {segment: (patterns, "") for segment, patterns in _MIDDLE.items()}
    for segment, (patterns, side) in wanted.items():
        row = _first(split, patterns, side)
        if row is not None:
            found[segment] = skeleton.names[row]
    return found


def _split(name: str) -> tuple[str, str]:
    """The name without decoration, and its side."""
    bare = re.sub(r"^.*[:|]", "", name)
    side = ""
    for letter, word in (("l", "left"), ("r", "right")):
        spelled = re.sub(word, "", bare, count=1, flags=re.IGNORECASE)
        short = re.sub(rf"^{letter}(?=[A-Z_])|[._ ]{letter}$", "", bare, count=1)
        short = re.sub(rf"^{letter.upper()}(?=[A-Z][a-z]|_)|[._ ]{letter.upper()}$", "", short, count=1)
        for shorter in (spelled, short):
            if shorter != bare and not side:
                bare, side = shorter, f"_{word}"
    return re.sub(r"[^a-z0-9]", "", bare.lower()), side


def _first(split: list[tuple[str, str]], patterns: tuple[str, ...], side: str) -> int | None:
    for pattern in patterns:
        for row, (bare, where) in enumerate(split):
            if where == side and re.fullmatch(pattern, bare):
                return row
    return None


def retargeted(puppet: Any, skeleton: Skeleton, clip: Clip, joints: dict[str, str]) -> Pose:
    """Places and turns of all segments of a human puppet."""
    body = build_of(puppet)
    rows = _rows(body, skeleton, joints)
    source = _looking_ahead(skeleton, clip, rows)
    turns = {name: _turn(body, source, rows, name) for name in body.center}
    legs = source.rest[[rows[f"{n}{s}"] for s, _ in SIDES for n in ("thigh", "shank", "foot")]].reshape(2, 3, 3)
    length = np.linalg.norm(np.diff(legs, axis=1), axis=2).sum(axis=1).mean()
    scale = (body.thigh + body.shank) / length
    hips = scale * source.places[:, [rows["thigh_left"], rows["thigh_right"]]].mean(axis=1)
    own = 0.5 * (body.anchor["thigh_left"] + body.anchor["thigh_right"])
    hips[:, [0, 2]] += (own - hips[0])[[0, 2]]
    pose = Pose(
        {"torso": hips + rotation.rotate(turns["torso"], body.center["torso"] - own)}, {"torso": turns["torso"]}
    )
    for child, parent in _order(puppet):
        carry(body, pose, parent, child, turns[child])
    sole = min(float(_lowest(body, pose, f"foot{s}").min()) for s, _ in SIDES)
    for place in pose.places.values():
        place[:, 1] += body.ground - sole
    return pose


def _rows(body: Build, skeleton: Skeleton, joints: dict[str, str]) -> dict[str, int]:
    for segment, joint in joints.items():
        if segment not in body.center:
            raise SceneError(f"Drive.retargeted: joints: {unknown('segment', segment, body.center)}")
        if joint not in skeleton.names:
            raise SceneError(f"Drive.retargeted: joints: {unknown('joint', joint, skeleton.names)}")
    found = joints_of(skeleton) | joints
    missing = [name for name in body.center if name not in found]
    if missing:
        has = ", ".join(skeleton.names[:12]) + (", …" if len(skeleton.names) > 12 else "")
        raise SceneError(
            f"Drive.retargeted: no joint looks like {missing[0]!r} (has: {has}); "
            f"name it: joints={{{missing[0]!r}: 'its joint'}}"
        )
    return {segment: skeleton.names.index(joint) for segment, joint in found.items()}


def _looking_ahead(skeleton: Skeleton, clip: Clip, rows: dict[str, int]) -> Source:
    """All frames in the world, turned about the vertical so that the figure looks along +z at the start."""
    rest, rest_turn = forward(skeleton.parents, skeleton.translations, skeleton.rotations_xyzw)
    places, turn = forward(skeleton.parents, clip.translations, clip.rotations_xyzw)
    left, right = rows["thigh_left"], rows["thigh_right"]
    turned = rotation.multiply(turn, rotation.inverse(rest_turn)[None])
    ahead = []
    for across in (rest[left] - rest[right], places[0, left] - places[0, right]):
        ahead.append(rotation.from_rotation_vector(np.array([0.0, np.arctan2(across[2], across[0]), 0.0])))
    # the rest pose looks ahead too, so that "away from rest" is said in the puppet's axes
    turned = rotation.multiply(ahead[1], rotation.multiply(turned, rotation.inverse(ahead[0])))
    return Source(
        skeleton.names,
        np.asarray(skeleton.parents),
        rotation.rotate(ahead[0], rest),
        rotation.rotate(ahead[1], places),
        turned,
    )


def _turn(body: Build, source: Source, rows: dict[str, int], name: str) -> Array:
    """(f, 4) of one segment, laid along its bone at rest and then turned with it."""
    row = rows[name]
    own, along = _own_direction(body, name), _bone(source.rest, source, rows, name)
    turned = source.turned[:, row]
    if name == "torso":
        chest = source.parents[_neck(source)]
        turned = rotation.slerp(turned, source.turned[:, max(int(chest), 0)], 0.5)
    if name in ("head", "foot_left", "foot_right", "hand_left", "hand_right"):
        own = along  # their bones are short and askew: the turn alone is taken over
        if name.startswith("hand"):
            side = name[4:]
            own, along = _own_direction(body, f"forearm{side}"), _bone(source.rest, source, rows, f"forearm{side}")
    laid = rotation.multiply(turned, _arc(own[None], along[None]))
    if name in ("head", "foot_left", "foot_right", "hand_left", "hand_right"):
        return laid
    now = _bone(source.places, source, rows, name)
    return rotation.multiply(_arc(rotation.rotate(laid, own), now), laid)


def _neck(source: Source) -> int:
    row = _first([_split(name) for name in source.names], _NECK, "")
    if row is None:
        raise SceneError("Drive.retargeted: the skeleton has neither a neck nor a head")
    return row


_NEXT = {"upperarm": "forearm", "forearm": "hand", "thigh": "shank", "shank": "foot"}


def _bone(places: Array, source: Source, rows: dict[str, int], name: str) -> Array:
    """Unit directions of a segment's bone, from its joint to the next."""
    limb, _, side = name.partition("_")
    begin = places[..., rows[name], :]
    if name == "torso":
        begin = 0.5 * (places[..., rows["thigh_left"], :] + places[..., rows["thigh_right"], :])
        end = places[..., _neck(source), :]
    elif limb in _NEXT:
        end = places[..., rows[f"{_NEXT[limb]}_{side}"], :]
    else:
        children = np.flatnonzero(source.parents == rows[name])
        end = places[..., children[0], :] if len(children) else begin + np.array([0.0, 1.0, 0.0])
    way = end - begin
    return way / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-12)


def _own_direction(body: Build, name: str) -> Array:
    limb, _, side = name.partition("_")
    if name == "torso":
        way = body.anchor["head"] - 0.5 * (body.anchor["thigh_left"] + body.anchor["thigh_right"])
    elif limb in _NEXT:
        way = body.anchor[f"{_NEXT[limb]}_{side}"] - body.anchor[name]
    else:
        way = body.center[name] - body.anchor[name]
    return way / np.linalg.norm(way)


def _arc(a: Array, b: Array) -> Array:
    """The shortest turns (n, 4) from unit directions a to b (n, 3)."""
    axis = np.cross(a, b)
    sine = np.linalg.norm(axis, axis=1, keepdims=True)
    angle = np.arctan2(sine, (a * b).sum(axis=1, keepdims=True))
    return rotation.from_rotation_vector(axis / np.maximum(sine, 1e-12) * angle)


def _order(puppet: Any) -> list[tuple[str, str]]:
    """(child, parent) from the torso outwards."""
    done, waiting, order = {"torso"}, list(puppet.joints), []
    while waiting:
        ready = [j for j in waiting if j.parent in done]
        if not ready:
            break
        order += [(j.child, j.parent) for j in ready]
        done |= {j.child for j in ready}
        waiting = [j for j in waiting if j not in ready]
    return order


def _lowest(body: Build, pose: Pose, foot: str) -> Array:
    """(f,) height of the lower end of a foot's sole."""
    center = body.center[foot]
    ends = []
    for z in (-0.9, 0.9):
        corner = np.array([0.0, body.ground - center[1], z * abs(center[2] - body.anchor[foot][2]) * 2.0])
        ends.append(pose.places[foot][:, 1] + rotation.rotate(pose.turns[foot], corner)[:, 1])
    return np.minimum(ends[0], ends[1])
