"""A pipe between two pockets of gas: it flows from the higher pressure to the lower, and no mole is lost.

    v = sqrt(2 |p_a - p_b| / rho),  rho of the gas where it comes from,  -dn_a/dt = dn_b/dt = C_d A rho v / M

Near equal pressures v grows with the difference itself, so that an explicit step comes to rest there. The pressures
are those of the last substep. Both pockets hold the same gas; where it is adiabatic, the potential temperatures mix.
"""

import math

from pliant.constants import GAS_CONSTANT
from pliant.integrators.inflated.gas import LEVEL, STILL, WARMTH
from pliant.kernels import kernel

SOFT = 5.0  # [Pa] below, the flow is proportional to the difference
MOST = 0.2  # of a pocket's gas that may leave within one substep


@kernel
def pass_through(moles, pocket, pipes, time, h):
    """Move gas through all pipes, one after the other."""
    for p in range(pipes.a.shape[0]):
        a, b = pipes.a[p], pipes.b[p]
        if time < pipes.opens[p] or time >= pipes.shuts[p]:
            continue
        difference = pipes.pressure_a[p] + pocket[a, LEVEL] - pipes.pressure_b[p] - pocket[b, LEVEL]
        source, goal, pressure = a, b, pipes.pressure_a[p] + pocket[a, LEVEL]
        if difference < 0.0:
            source, goal, pressure = b, a, pipes.pressure_b[p] + pocket[b, LEVEL]
        if moles[source] <= 0.0 or difference == 0.0:
            continue
        density = pressure * pipes.molar_mass[p] / (GAS_CONSTANT * pocket[source, WARMTH])
        speed = math.sqrt(2.0 / density) * abs(difference) / math.sqrt(abs(difference) + SOFT)
        moved = min(pipes.opening[p] * density * speed * h / pipes.molar_mass[p], MOST * moles[source])
        if pipes.adiabatic[p]:
            share = moved / (moles[goal] + moved)
            pocket[goal, WARMTH] += share * (pocket[source, WARMTH] - pocket[goal, WARMTH])
        moles[source] -= moved
        moles[goal] += moved
        if moved > 1e-7 * moles[source]:
            pocket[a, STILL] = pocket[b, STILL] = 0.0
