"""Pipes between pockets of gas."""

from typing import NamedTuple

from pliant.arrays import Array


class Pipes(NamedTuple):
    """Columns of all pipes of a world; a and b index State.moles."""

    a: Array  # (k,) pocket
    b: Array  # (k,) pocket
    opening: Array  # (k,) [m^2] cross-section times the discharge coefficient
    opens: Array  # (k,) [s]
    shuts: Array  # (k,) [s]
    pressure_a: Array  # (k,) [Pa] of the air outside the pocket
    pressure_b: Array  # (k,) [Pa]
    molar_mass: Array  # (k,) [kg/mol] of the gas in both
    adiabatic: Array  # (k,) bool
    names: tuple[tuple[str, str], ...]  # the parts
