"""A body as everybody here sees it: a rigged mesh, its bones, and what they mean."""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.geometry.rigged import Rigged

SIDES = ("left", "right")
MIDDLE = ("hips", "spine", "chest", "neck", "head")
PAIRED = ("shoulder", "upperarm", "forearm", "hand", "thigh", "shank", "foot", "toes")
ROLES = (*MIDDLE, *(f"{part}_{side}" for side in SIDES for part in PAIRED))
NEEDED = ("hips", "head", *(f"{p}_{s}" for s in SIDES for p in ("upperarm", "forearm", "thigh", "shank")))

PARENT_ROLE = {"spine": "hips", "chest": "spine", "neck": "chest", "head": "neck"}
for _side in SIDES:
    PARENT_ROLE |= {f"shoulder_{_side}": "chest", f"thigh_{_side}": "hips"}
    for _chain in (("shoulder", "upperarm", "forearm", "hand"), ("thigh", "shank", "foot", "toes")):
        PARENT_ROLE |= {f"{b}_{_side}": f"{a}_{_side}" for a, b in itertools.pairwise(_chain)}


class Body(NamedTuple):
    """A character at rest. Bones stand parents first."""

    mesh: Rigged
    names: tuple[str, ...]
    parents: Array  # (b,) int, -1 at a root
    joints: Array  # (b, 3) [m] where each bone begins at rest
    roles: Mapping[str, int]  # what each bone is to a human figure, where it is known

    @property
    def height(self) -> float:
        return float(np.ptp(self.mesh.points[:, 1]))

    def at(self, role: str) -> Array:
        """(3,) [m] where a role's bone begins; of a missing one, where the one above it does."""
        while role not in self.roles:
            role = PARENT_ROLE[role]
        return self.joints[self.roles[role]]

    def bones_below(self, role: str) -> Array:
        """The bone of a role and all that hang on it."""
        found = np.zeros(len(self.parents), bool)
        if role in self.roles:
            found[self.roles[role]] = True
        for bone, parent in enumerate(self.parents):
            if parent >= 0 and found[parent]:
                found[bone] = True
        return np.flatnonzero(found)


def four_strongest(weights: Array) -> tuple[Array, Array]:
    """(n, 4) bones and weights of a dense (n, b) table, each row scaled to a sum of one."""
    if weights.shape[1] < 4:
        weights = np.pad(weights, ((0, 0), (0, 4 - weights.shape[1])))
    bones = np.argsort(-weights, axis=1, kind="stable")[:, :4]
    kept = np.take_along_axis(weights, bones, axis=1)
    return np.ascontiguousarray(bones.astype(np.uint32)), kept / kept.sum(axis=1, keepdims=True)


def dense(mesh: Rigged, count: int) -> Array:
    """(n, b) weights of a rigged mesh."""
    table = np.zeros((len(mesh.points), count))
    np.add.at(table, (np.arange(len(table))[:, None], mesh.bones), mesh.weights)
    return table
