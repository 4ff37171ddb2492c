"""Element tables: columns in SI units, indices local to the part, neutral between the families of integrators.

A force-family integrator reads a table through its force, a position-family one through its constraint
(compliance = 1 / stiffness). Tables are named tuples because kernels take them whole.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.kernels import Adjacency
from pliant.world.joints import Joints

STRUCTURAL, SHEAR, BEND = 0, 1, 2  # Springs.kind


class Springs(NamedTuple):
    """Pairs of particles that resist a change of length."""

    ends: Array  # (s, 2) particle indices, ends[:, 0] < ends[:, 1], sorted
    rest_length: Array  # (s,) [m]
    stiffness: Array  # (s,) [N/m]
    damping: Array  # (s,) [N s/m]
    kind: Array  # (s,) uint8, STRUCTURAL, SHEAR or BEND
    adjacency: Adjacency  # each particle's own springs


class Hinges(NamedTuple):
    """Pairs of triangles that resist a change of the angle between them."""

    corners: Array  # (h, 4) edge start, edge end, opposite vertex of either triangle
    rest_angle: Array  # (h,) [rad], 0 = flat
    stiffness: Array  # (h,) [N m], energy = stiffness (angle - rest)^2 / 2
    damping: Array  # (h,) [N m s]


class Volumes(NamedTuple):
    """Pockets of gas (g of them, today one per part) enclosed by the part's triangles."""

    rest_volume: Array  # (g,) [m^3] of the unstretched skin; 0 for a flat bag
    rest_moles: Array  # (g,) [mol] that fill it at ambient pressure: a leak goes no lower
    molar_mass: Array  # (g,) [kg/mol]
    heat_ratio: Array  # (g,) [-] ratio of specific heats of an adiabatic gas; 1 = isothermal
    temperature: Array  # (g,) [K] of an isothermal gas, and of what the pump brings
    pressure: Array  # (g,) [Pa] of the air outside
    air_density: Array  # (g,) [kg/m^3] of the air outside
    added_mass: Array  # (g,) [-] share of the displaced air that moves along
    pump: Array  # (g, 5) flow [mol/s], from [s], until [s], breath [-], period [s]
    target: Array  # (g,) [m^3] volume the pump keeps at ambient pressure; negative: none
    valve: Array  # (g, 5) open 0..1, from [s], until [s], nozzle area [m^2], discharge coefficient [-]
    nozzle: Array  # (k,) rows of the patch through which the gas leaves
    burst: Array  # (g,) [-] stretch of the mean edge at which the skin tears; inf: never
    slack: Array  # (g,) [-] stiffness of the skin in compression over that in tension: 0 wrinkles freely
    calm: Array  # (g,) [1/s] rate at which vibrations of the skin die
    body: Array  # (b,) first rows of the part that are skin; the rest is string


Table = Springs | Hinges | Volumes | Joints


def structural(springs: Springs) -> Array:
    """Rows of the structural edges, over which strain is reported."""
    return np.flatnonzero(springs.kind == STRUCTURAL)
