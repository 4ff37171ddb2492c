"""A tree of joints, motion of it, and where the joints are: pure geometry, no masses."""

from dataclasses import dataclass

import numpy as np

from pliant.arrays import Array
from pliant.geometry import rotation


@dataclass(frozen=True)
class Skeleton:
    """Joints, parents before children, each placed relative to its parent."""

    names: tuple[str, ...]
    parents: Array  # (j,) int, -1 at a root
    translations: Array  # (j, 3) [m] rest, from the parent, in the parent's axes
    rotations_xyzw: Array  # (j, 4) rest, relative to the parent


@dataclass(frozen=True)
class Clip:
    """Motion of a skeleton: full local transforms, sampled evenly."""

    name: str
    fps: float
    translations: Array  # (f, j, 3) [m]
    rotations_xyzw: Array  # (f, j, 4)

    def __len__(self) -> int:
        return len(self.translations)


def forward(parents: Array, translations: Array, rotations_xyzw: Array) -> tuple[Array, Array]:
    """World positions (..., j, 3) and rotations (..., j, 4) of local transforms (..., j, 3) and (..., j, 4)."""
    position, turn = np.array(translations, float), np.array(rotations_xyzw, float)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            position[..., joint, :] = position[..., parent, :] + rotation.rotate(
                turn[..., parent, :], position[..., joint, :]
            )
            turn[..., joint, :] = rotation.multiply(turn[..., parent, :], turn[..., joint, :])
    return position, turn
