"""What the gas does: its pressure, and how it comes and goes. Spec of seed 001, sections 4 and 5.

    n R T / V0 = P = P_air + max(p_skin(V0), 0),   p_skin(V0) = p + V p' (V0 / V - 1)     closure: solved for V0
    T = theta^gamma (n R / (V P_air))^(gamma - 1)                                         adiabatic, theta kept in State
    v_e = sqrt(2 (P - P_air) / rho),  rho = n M / V,  -dn/dt = C_d A rho v_e / M          Bernoulli, through the nozzle
    J = dn M v_e along the inward normal of the nozzle                                    thrust

`theta`, the potential temperature, is the temperature the gas would have at ambient pressure; it does not change while
gas leaves without friction, so a sealed gas keeps p V^gamma whatever else happens to the volume.
"""

import math

from pliant.constants import GAS_CONSTANT
from pliant.kernels import kernel

# columns of State.pocket; SPIN has three; GIVE is how much softer the skin is than its material, less 1
WARMTH, HOLE, STILL, MARK, WEIGHT, SPIN, LEVEL, AIR, GIVE = 0, 1, 2, 3, 4, 5, 8, 9, 10
TEAR = 0.02  # share of the skin that opens when it bursts


@kernel
def temperature_of(moles, volume, theta, gas):
    """[K] of the gas at this volume."""
    ratio = gas.heat_ratio[0]
    if ratio == 1.0 or volume <= 0.0 or moles <= 0.0:
        return theta
    return theta**ratio * (moles * GAS_CONSTANT / (volume * gas.pressure[0])) ** (ratio - 1.0)


@kernel
def settled_volume(moles, theta, volume, skin_pressure, rise, gas):
    """The volume at which gas and skin agree, with the skin's pressure linear in the volume."""
    if moles <= 0.0:
        return 0.0
    ratio, outside = gas.heat_ratio[0], gas.pressure[0]
    free = moles * GAS_CONSTANT * theta / outside  # at ambient pressure the gas has its potential temperature
    if volume <= 0.0:
        return free
    rise = max(rise, 0.0)
    if skin_pressure + rise * (free / volume - 1.0) <= 0.0:
        return free
    v0 = volume
    for _ in range(12):  # Newton on a rising, concave-free function of log V: three steps are usual
        skin = skin_pressure + rise * (v0 / volume - 1.0)
        slope = rise * v0 / volume
        if skin < 0.0:
            skin, slope = 0.0, 0.0
        total = outside + skin
        inner = outside * (free / v0) ** ratio
        step = (inner - total) / (slope + ratio * inner)
        v0 *= math.exp(min(max(step, -0.5), 0.5))
        if abs(step) < 1e-13:
            break
    return v0


@kernel
def pumped(moles, volume, time, h, gas):
    """[mol] that the pump moves in this substep, towards its target if it has one."""
    rate, start, end, breath, period = gas.pump[0, 0], gas.pump[0, 1], gas.pump[0, 2], gas.pump[0, 3], gas.pump[0, 4]
    if time < start or time >= end:
        return 0.0
    target = gas.target[0]
    if target < 0.0:
        return rate * h
    if breath > 0.0:
        target *= 1.0 + breath * math.sin(2.0 * math.pi * (time + h) / period)
    wanted = gas.pressure[0] * target / (GAS_CONSTANT * gas.temperature[0]) - moles
    most = abs(rate) * h
    return min(max(wanted, -most), most)


@kernel
def leaked(moles, volume, gauge, hole, time, h, gas):
    """([mol], [m/s]) that leave through nozzle or tear in this substep, and how fast."""
    opening = hole
    if gas.valve[0, 1] <= time < gas.valve[0, 2]:
        opening += gas.valve[0, 0] * gas.valve[0, 3]
    if opening <= 0.0 or gauge <= 0.0 or volume <= 0.0 or moles <= 0.0:
        return 0.0, 0.0
    molar = gas.molar_mass[0]
    density = moles * molar / volume
    speed = math.sqrt(2.0 * gauge / density)
    lost = gas.valve[0, 4] * opening * density * speed * h / molar
    return min(lost, max(moles - gas.rest_moles[0], 0.0)), speed


@kernel
def mixed(theta, moles, added, volume, gas):
    """Potential temperature after `added` moles of the pump's temperature, from the enthalpy they bring."""
    ratio = gas.heat_ratio[0]
    if ratio == 1.0:
        return gas.temperature[0]
    if added <= 0.0 or moles + added <= 0.0:
        return theta
    if volume <= 0.0 or moles <= 0.0:
        return gas.temperature[0]
    now = temperature_of(moles, volume, theta, gas)
    after = (moles * now + ratio * added * gas.temperature[0]) / (moles + added)
    total = moles + added
    return (after * (volume * gas.pressure[0] / (total * GAS_CONSTANT)) ** (ratio - 1.0)) ** (1.0 / ratio)


@kernel
def flow(rows, gas, volume, gauge, stretch, area, time, h):
    """Move gas in and out; return the thrust's impulse [N s]."""
    moles, theta = rows.moles[0], rows.pocket[0, WARMTH]
    added = pumped(moles, volume, time, h, gas)
    theta = mixed(theta, moles, added, volume, gas)
    moles = max(moles + added, 0.0)
    if stretch > gas.burst[0] and rows.pocket[0, HOLE] == 0.0:
        rows.pocket[0, HOLE] = TEAR * area
    lost, speed = leaked(moles, volume, gauge, rows.pocket[0, HOLE], time, h, gas)
    rows.moles[0] = moles - lost
    rows.pocket[0, WARMTH] = theta
    if added != 0.0 or lost > 1e-7 * moles:
        rows.pocket[0, STILL] = 0.0
    return lost * gas.molar_mass[0] * speed
