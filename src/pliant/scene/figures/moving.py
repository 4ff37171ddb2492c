"""What moves a figure: key poses, a clip of another skeleton, or the segments of a puppet in the same scene."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError, unknown
from pliant.geometry import rotation
from pliant.geometry.skeleton import forward
from pliant.scene.figures import mannequin, posing
from pliant.scene.figures.body import PARENT_ROLE, ROLES, Body
from pliant.scene.figures.roles import roles_of
from pliant.world import Frame

SOFT, LINEAR, STEP = "soft", "linear", "step"


class Keys:
    """Poses at times; between two, every bone goes the shorter way."""

    def __init__(self, body: Body, times: Sequence[float], poses: Sequence[posing.Turns], between: str) -> None:
        self._body, self._times, self._between = body, np.array(times, float), between
        self._poses = [posing.checked(body, pose, f"pose {k}") for k, pose in enumerate(poses)]
        self.place: Array | None = None
        self.offset = np.zeros(3)

    def turns(self, time: float) -> dict[str, Array]:
        """Rotation vectors [deg] at a time; before the first and after the last key it rests there."""
        k = int(np.searchsorted(self._times, time, side="right")) - 1
        if k < 0 or k + 1 >= len(self._times) or self._between == STEP:
            return self._poses[min(max(k, 0), len(self._poses) - 1)]
        t = (time - self._times[k]) / (self._times[k + 1] - self._times[k])
        t = t * t * (3.0 - 2.0 * t) if self._between == SOFT else t
        return posing.between(self._poses[k], self._poses[k + 1], float(t))

    def matrices(self, frame: Frame) -> Array:
        return self.at(frame.time)

    def at(self, time: float) -> Array:
        made = posing.pose_matrices(self._body, self.turns(time), self.place)
        made[:, :, 3] += self.offset
        return made


class Followed:
    """A clip of another skeleton: its roles' turns away from the A pose are given to the figure's roles."""

    def __init__(self, body: Body, performance: Any, offset: Array) -> None:
        self._body, self._fps = body, float(performance.fps)
        source = _source(performance)
        self._offset = offset
        lacking = [role for role in ("hips", "head", "thigh_left", "thigh_right") if role not in source.roles]
        if lacking:
            raise SceneError(
                f"clip: its joints do not tell {', '.join(lacking)} (has: {', '.join(source.names[:8])} …)"
            )
        place, turn = forward(source.parents, performance.translations, performance.rotations_xyzw)
        rest = forward(source.parents, performance.rest_translations, performance.rest_rotations_xyzw)[1]
        self._turns = rotation.multiply(turn, rotation.inverse(rest)[None])  # away from the clip's rest
        self._ready = posing.upright_turns(source)
        self._source = source
        hips = source.roles["hips"]
        self._way = place[:, hips]
        scale = _leg(body) / max(_leg(source), 1e-9)
        floor = min(float(place[:, k, 1].min()) for k in range(len(source.names)))
        self._place = (self._way - (self._way[0, 0], floor, self._way[0, 2])) * scale

    def __len__(self) -> int:
        return len(self._turns)

    def matrices(self, frame: Frame) -> Array:
        return self.at(frame.time)

    def at(self, time: float) -> Array:
        sample = float(np.clip(time * self._fps, 0.0, len(self._turns) - 1))
        k = min(int(sample), max(len(self._turns) - 2, 0))
        n, t = min(k + 1, len(self._turns) - 1), sample - k
        turned = rotation.slerp(self._turns[k], self._turns[n], t)
        roles: dict[str, Array] = {"root": rotation.IDENTITY}
        for role in ROLES:
            if role in self._source.roles:
                away = turned[self._source.roles[role]]
                ready = self._ready.get(role, rotation.IDENTITY)
                roles[role] = rotation.multiply(away, rotation.inverse(ready))
            else:
                roles[role] = roles[PARENT_ROLE[role]] if role in PARENT_ROLE else rotation.IDENTITY
        place = (1.0 - t) * self._place[k] + t * self._place[n] + self._offset
        made = posing.matrices(self._body, posing.bone_turns(self._body, roles, {}), place)
        return made


def _source(performance: Any) -> Body:
    """The clip's skeleton as a body without a skin."""
    from pliant.geometry.rigged import Rigged

    joints, _ = forward(np.array(performance.parents), performance.rest_translations, performance.rest_rotations_xyzw)
    parents = np.array(performance.parents)
    empty = Rigged(joints, np.empty((0, 3), np.uint32), None, np.empty((0, 4), np.uint32), np.empty((0, 4)))
    return Body(empty, performance.names, parents, joints, roles_of(performance.names, parents, joints))


def _leg(body: Body) -> float:
    hip, knee = body.at("thigh_left"), body.at("shank_left")
    return float(np.linalg.norm(knee - hip) + np.linalg.norm(body.at("foot_left") - knee))


# segment of a human puppet -> role
SEGMENT_ROLES = {"torso": "chest", "pelvis": "hips", "head": "head"} | {
    f"{part}_{side}": f"{part}_{side}"
    for side in ("left", "right")
    for part in ("upperarm", "forearm", "hand", "thigh", "shank", "foot")
}


class Led:
    """A puppet of the same scene: it carries the bones, or lends its turns where it is of other proportions."""

    def __init__(self, body: Body, name: str, puppet: Any) -> None:
        self._name, self._body = name, body
        self._center = np.array([s.center for s in puppet.segments])
        self._rest = rotation.normalized(np.array([s.rotation_xyzw for s in puppet.segments]))
        self._rows = _segments_of(body, puppet, name)
        self._fits = _fits(body, puppet)
        self._segment_ready = {} if self._fits else _segment_turns(body, puppet)
        self._hips = _hips(body, puppet)
        self._anchors = [] if self._fits else _anchors(body, puppet)

    def matrices(self, frame: Frame) -> Array:
        poses = frame[self._name].poses
        position = np.array([pose.position for pose in poses[: len(self._center)]], float)
        turn = np.array([pose.rotation_xyzw for pose in poses[: len(self._center)]], float)
        return self.at(position, turn)

    def at(self, position: Array, turn: Array) -> Array:
        """Of segments' places (s, 3) and orientations (s, 4)."""
        away = rotation.multiply(turn, rotation.inverse(self._rest))
        if self._fits:
            return self._carried(position, away)
        roles: dict[str, Array] = {"root": rotation.IDENTITY}
        for role in ROLES:
            leading = self._segment_ready.get(role)
            above = roles[PARENT_ROLE[role]] if role in PARENT_ROLE else away[self._rows[self._body.roles["hips"]]]
            roles[role] = above if leading is None else rotation.multiply(away[leading[0]], leading[1])
        trunk = self._rows[self._body.roles["hips"]]
        place = position[trunk] + rotation.rotate(away[trunk], self._hips - self._center[trunk])
        made = posing.matrices(self._body, posing.bone_turns(self._body, roles, {}), place)
        for bone, below, segment, anchor in self._anchors:
            goal = position[segment] + rotation.rotate(away[segment], anchor - self._center[segment])
            made[below, :, 3] += goal - (made[bone, :, :3] @ self._body.joints[bone] + made[bone, :, 3])
        return made

    def _carried(self, position: Array, away: Array) -> Array:
        """Every bone with its segment; a collar bone gives way by a part of its arm's turn."""
        rows = self._rows
        made = np.empty((len(rows), 3, 4))
        turned = away[rows]
        made[:, :, :3] = rotation.to_matrix(turned)
        made[:, :, 3] = position[rows] - rotation.rotate(turned, self._center[rows])
        for side in ("left", "right"):
            collar, arm = self._body.roles.get(f"shoulder_{side}"), self._body.roles.get(f"upperarm_{side}")
            if collar is None or arm is None:
                continue
            part = rotation.multiply(rotation.inverse(turned[collar]), turned[arm])
            share = rotation.from_rotation_vector(0.2 * rotation.to_rotation_vector(part))
            bent = rotation.multiply(turned[collar], share)
            pivot = made[collar, :, :3] @ self._body.joints[collar] + made[collar, :, 3]
            made[collar, :, :3] = rotation.to_matrix(bent)
            made[collar, :, 3] = pivot - made[collar, :, :3] @ self._body.joints[collar]
        return made


def _segments_of(body: Body, puppet: Any, name: str) -> Array:
    """(b,) segment that carries each bone: by role or by name, else its parent's."""
    names = [segment.name for segment in puppet.segments]
    by_role = {role: k for k, segment in enumerate(names) for role in (SEGMENT_ROLES.get(segment),) if role}
    by_role.setdefault("hips", by_role.get("chest", -1))
    trunk = by_role["hips"] if by_role["hips"] >= 0 else 0
    role_of = {bone: role for role, bone in body.roles.items()}
    rows = np.full(len(body.names), trunk)
    found = 0
    for bone, parent in enumerate(body.parents):
        role = role_of.get(bone)
        if role in by_role:
            rows[bone], found = by_role[role], found + 1
        elif body.names[bone] in names:
            rows[bone], found = names.index(body.names[bone]), found + 1
        elif parent >= 0:
            rows[bone] = rows[parent]
    if found < 2:
        raise SceneError(
            f"puppet {name!r}: {unknown('segment', 'torso', names)}; the figure's bones follow segments named "
            f"as those of Puppet.human()"
        )
    return rows


def _fits(body: Body, puppet: Any) -> bool:
    """Whether the puppet stands where the figure does at rest: then bones are simply carried."""
    center = {segment.name: np.array(segment.center) for segment in puppet.segments}
    for side in ("left", "right"):
        for part, following in (("upperarm", "forearm"), ("thigh", "shank")):
            segment = f"{part}_{side}"
            if segment not in center or segment not in body.roles or f"{following}_{side}" not in body.roles:
                continue
            middle = 0.5 * (body.at(segment) + body.at(f"{following}_{side}"))
            if np.linalg.norm(middle - center[segment]) > 0.03 * body.height:
                return False
    return True


def _segment_turns(body: Body, puppet: Any) -> dict[str, tuple[int, Array]]:
    """(segment, turn from the A pose to the puppet's rest) of each role that a segment leads."""
    names = [segment.name for segment in puppet.segments]
    anchors = {joint.child: np.array(joint.anchor) for joint in puppet.joints}
    at = mannequin.joints()
    found: dict[str, tuple[int, Array]] = {}
    ends = {"upperarm": "forearm", "forearm": "hand", "thigh": "shank", "shank": "foot"}
    for k, segment in enumerate(names):
        role = SEGMENT_ROLES.get(segment)
        if role is None:
            continue
        ready = rotation.IDENTITY
        part, _, side = segment.partition("_")
        following = f"{ends.get(part, '')}_{side}"
        if following in anchors and segment in anchors:
            ready = posing.shortest_turn(at[following] - at[role], anchors[following] - anchors[segment])
        elif part == "hand" and f"forearm_{side}" in found:
            ready = found[f"forearm_{side}"][1]
        found[role] = (k, ready)
    if "chest" in found and "hips" not in found:
        found["hips"] = found["spine"] = found["chest"]
    return found


def _hips(body: Body, puppet: Any) -> Array:
    """Where the figure's hips are in the puppet's rest pose: between its hip joints, as in the figure."""
    anchors = [np.array(joint.anchor) for joint in puppet.joints if joint.child.startswith("thigh")]
    if not anchors:
        return np.array(puppet.segments[0].center)
    own = np.mean([body.at(f"thigh_{side}") for side in ("left", "right")], axis=0)
    return np.asarray(np.mean(anchors, axis=0) + body.at("hips") - own)


def _anchors(body: Body, puppet: Any) -> list[tuple[int, Array, int, Array]]:
    """(bone, it and all below, segment, joint) of limbs that begin where the puppet's do, so that hands meet hands.

    Only of a puppet of nearly the figure's size; one of another size would tear it.
    """
    anchors = {joint.child: np.array(joint.anchor) for joint in puppet.joints}
    found = []
    for part, following in (("upperarm", "forearm"), ("thigh", "shank")):
        ends = [f"{part}_left", f"{following}_left"]
        if not all(end in anchors and end in body.roles for end in ends):
            return []
        own = np.linalg.norm(body.at(ends[1]) - body.at(ends[0]))
        if not 0.8 < np.linalg.norm(anchors[ends[1]] - anchors[ends[0]]) / own < 1.25:
            return []
    names = [segment.name for segment in puppet.segments]
    for role in ROLES:
        if role in anchors and role in body.roles and role in names:
            segment = names.index(role)
            found.append((body.roles[role], body.bones_below(role), segment, anchors[role]))
    return found
