"""What the bones of a file mean: found by the names that are about, and by how the bones hang together.

`LeftForeArm`, `mixamorig:LeftForeArm`, `lForeArm`, `forearm.L`, `lowerarm01.L`, `LoArm_L`, `Skeleton_arm_joint_L__3_`
are all the left forearm. What names leave open, the tree decides: of bones called arm or leg the first is the upper.
"""

import re
from collections.abc import Sequence

import numpy as np

from pliant.arrays import Array
from pliant.scene.figures.body import SIDES

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_LEFT, _RIGHT = {"left", "l"}, {"right", "r"}
_NOISE = {"skeleton", "joint", "mixamorig", "bone", "b", "jnt", "bip", "def", "rig", "end"}

# words (joined, without side) -> part; the first bone on the way down from the root that fits is taken
_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("forearm", ("forearm", "lowerarm", "loarm", "elbow")),
    ("upperarm", ("upperarm", "uparm", "shldr")),
    ("shoulder", ("clavicle", "collar", "shoulder")),
    ("hand", ("hand", "wrist", "palm")),
    ("shank", ("shank", "shin", "calf", "lowerleg", "loleg", "knee")),
    ("thigh", ("thigh", "upleg", "upperleg")),
    ("foot", ("foot", "ankle")),
    ("toes", ("toes", "toe", "toebase", "ball")),
)
_NOT = ("twist", "finger", "thumb", "index", "middle", "mid", "ring", "pinky", "target", "roll", "eye", "jaw", "ik")


def words_of(name: str) -> tuple[str, str]:
    """(side or "", the rest joined in lower case) of a bone's name."""
    found = [word.lower() for word in _WORD.findall(name.rsplit(":", 1)[-1])]
    side = "left" if set(found) & _LEFT else "right" if set(found) & _RIGHT else ""
    return side, "".join(word for word in found if word not in _LEFT | _RIGHT | _NOISE)


def roles_of(names: Sequence[str], parents: Array, places: Array) -> dict[str, int]:
    """Bones by role, as far as they are known; `places` (b, 3) with Y up."""
    roles: dict[str, int] = {}
    spoken = [words_of(name) for name in names]
    for side in SIDES:
        mine = [k for k, (s, core) in enumerate(spoken) if s == side and not any(word in core for word in _NOT)]
        _limbs(roles, side, mine, spoken, parents)
    heads = [k for k, (side, core) in enumerate(spoken) if not side and core in ("head", "skull")]
    necks = [k for k, (side, core) in enumerate(spoken) if not side and core.startswith("neck")]
    if not heads and len(necks) > 1:
        heads = necks[-1:]
    if heads:
        roles["head"] = heads[0]
    _trunk(roles, parents, places, necks)
    return roles


def _limbs(roles: dict[str, int], side: str, mine: list[int], spoken: list[tuple[str, str]], parents: Array) -> None:
    for part, words in _PARTS:
        for k in mine:
            core = spoken[k][1]
            if any(core == word or core.startswith(word) for word in words):
                roles.setdefault(f"{part}_{side}", k)
    plain = {limb: [k for k in mine if spoken[k][1] == limb] for limb in ("arm", "leg")}
    for limb, chain in (("arm", ("upperarm", "forearm", "hand")), ("leg", ("thigh", "shank", "foot", "toes"))):
        # the first bone of the name is the upper one, unless another name says which that is
        free = [part for part in chain if f"{part}_{side}" not in roles]
        for part, k in zip(free, plain[limb], strict=False):
            roles[f"{part}_{side}"] = k
    if f"upperarm_{side}" not in roles and f"shoulder_{side}" in roles and f"forearm_{side}" in roles:
        roles[f"upperarm_{side}"] = roles.pop(f"shoulder_{side}")


def _trunk(roles: dict[str, int], parents: Array, places: Array, necks: list[int]) -> None:
    """Hips where head and legs meet; spine and chest a quarter and half of the way up from there to the neck."""
    legs = [roles[f"thigh_{side}"] for side in SIDES if f"thigh_{side}" in roles]
    if "head" not in roles or len(legs) < 2:
        return
    up = _ancestors(roles["head"], parents)
    shared = [k for k in up if all(k in _ancestors(leg, parents) for leg in legs)]
    if not shared:
        return
    roles["hips"] = shared[0]
    between = [k for k in reversed(up[1 : up.index(shared[0])]) if k not in necks]
    neck = next((k for k in necks if k in up[1:]), None)
    if neck is not None:
        roles["neck"] = neck
    arms = [roles[f"upperarm_{side}"] for side in SIDES if f"upperarm_{side}" in roles]
    carries = [k for k in between if all(k in _ancestors(arm, parents) for arm in arms)]
    if not carries:
        return
    low, high = places[shared[0], 1], places[neck if neck is not None else roles["head"], 1]
    share = [(places[k, 1] - low) / max(high - low, 1e-9) for k in carries]
    chest = carries[int(np.argmin(np.abs(np.array(share) - 0.55)))]
    roles["chest"] = chest
    lower = carries[: carries.index(chest)]
    if lower:
        roles["spine"] = lower[int(np.argmin(np.abs(np.array(share[: len(lower)]) - 0.25)))]


def _ancestors(bone: int, parents: Array) -> list[int]:
    chain = [bone]
    while parents[chain[-1]] >= 0:
        chain.append(int(parents[chain[-1]]))
    return chain
