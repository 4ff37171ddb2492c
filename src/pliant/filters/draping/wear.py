"""What one garment is to the draper, and what comes back: plain records."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.geometry.rigged import Rigged


class Wear(NamedTuple):
    """One garment on one body, ready to be draped."""

    mesh: Rigged  # the light garment at rest, bound to the body's bones
    layer: int  # 0 innermost
    threshold: float  # [m] closer to what lies beneath than this, the garment touches it
    gap: float  # [m] margin kept to what lies beneath; 4 mm is usual, 5 mm between layers
    wavelength: float  # [m] from fold to fold at phase constant 0.05
    height: float  # [m] of a fold at amplitude constant 1
    ease: tuple[float, float]  # pattern over rest length, around and along the body
    around: Array  # (m, 3) unit direction around the body of each triangle at rest
    pinned: Array  # (k,) uint32 points of waist and collar bands that stay with the skin
    radial: bool  # star-shaped about the body's axis (a skirt): pushed outward along rays from it
    free_bones: Array  # uint32 bones whose part of the body a radial push passes over (arms)
    parts: Array | None = None  # (b,) uint8 the part of the body, one bit each, that every bone belongs to
    foreign: Array | None = None  # (n,) uint8 bits of the parts that each point is not worn on, such as the arms


def parts_of(mesh: Rigged, parts: Array | None) -> Array:
    """(n,) uint8 bit of the part that carries most of each point; none where parts are not told apart."""
    if parts is None:
        return np.zeros(len(mesh.points), np.uint8)
    bits = np.unique(parts)
    carried = np.stack([np.where(parts[mesh.bones] == bit, mesh.weights, 0.0).sum(axis=1) for bit in bits])
    return np.asarray(bits[carried.argmax(axis=0)], np.uint8)


class Draped(NamedTuple):
    """One garment in one pose."""

    points: Array  # (N, 3) [m] of the mesh to show: subdivided, wrinkled, outside the body
    normals: Array  # (N, 3) unit
    triangles: Array  # (M, 3) uint32, the same in every pose
    uv: Array | None  # (N, 2), the same in every pose
    light: Array  # (n, 3) [m] the light garment without wrinkles
    amplitude: Array  # (n,) [m] of the wrinkles at each point of the light garment
    phase: Array  # (n,) [rad]
    contact: Array  # (n,) bool, where the light garment touches what lies beneath
