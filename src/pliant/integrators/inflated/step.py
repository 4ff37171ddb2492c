"""One substep of a balloon, in one compiled call.

gas and skin agree on a volume, loads push the body, the skin is projected, velocities follow
"""

import math
from typing import NamedTuple

from pliant.constants import GAS_CONSTANT
from pliant.integrators.inflated import skin as sweeps
from pliant.integrators.inflated.gas import AIR, GIVE, LEVEL, MARK, SPIN, STILL, WARMTH, WEIGHT, flow, settled_volume
from pliant.integrators.inflated.rigid import (
    CENTER,
    MASS,
    MOMENT,
    apply_loads,
    correct_spin,
    finish,
    measure,
    predict,
    rotation_matrix,
    turned,
)
from pliant.kernels import kernel, serial

LENGTH, SEEN, VOLUME, GAUGE, RISE, RATIO, AREA, PINNED, MORE = range(24, 33)  # more of Scratch.body
SWELL = 2.0  # [m/s] a skin that was filled all at once swells no faster; sudden, it would leap through its neighbours
FIXED_BY = 3  # held rows, as many as leave no rigid motion
SPLIT, KEPT, PLAIN, PAPER = 0, 1, 2, 3  # Method.rotation

hold_edges, pull_pairs, push_along = serial(sweeps.hold_edges), serial(sweeps.pull_pairs), serial(sweeps.push_along)
virial, volume_and_lift = serial(sweeps.virial), serial(sweeps.volume_and_lift)
volume_gradient = serial(sweeps.volume_gradient)


class Method(NamedTuple):
    """The numbers of one method."""

    iterations: int
    floor: float  # beta; 0: the published projection with the stiffnesses below
    stretch: float  # per iteration, 0..1
    bend: float
    hold: float  # of the volume
    lag: bool  # pressure from the lag behind a volume that n sets, as published
    rotation: int
    softness: float  # mean 1 / k of the edges [m/N]
    rest_speed: float  # [m/s] slower than this it may fall asleep; 0: never
    rest_time: float  # [s] that it must have been so slow


class Pairs(NamedTuple):
    """Bending by distances, as published."""

    offset: object
    ends: object
    rest_length: object


@kernel
def look(x, skin, gas, work):
    """What skin and volume are now, into `work`."""
    volume = volume_and_lift(x, skin, work.gradient, work.lift, work.partial)
    pull, rise, length = virial(x, skin, gas.slack[0], work.partial)
    settle_measures(volume, pull, rise, length, work)


@kernel
def settle_measures(volume, pull, rise, length, work):
    work.body[VOLUME] = volume
    if volume > 0.0:
        work.body[GAUGE] = pull / (3.0 * volume)
        work.body[RISE] = rise / (9.0 * volume) - work.body[GAUGE]
    else:
        work.body[GAUGE] = work.body[RISE] = 0.0
    work.body[RATIO] = length / work.body[LENGTH]


@kernel
def prepare(rows, force, time, h, skin, gas, method, work):
    """Gas, masses, loads and the free flight; returns the volume to project to, negative for a balloon asleep."""
    x, v, w, body = rows.position, rows.velocity, rows.inverse_mass, work.body
    volume = body[VOLUME]
    gauge = max(body[GAUGE], 0.0)
    if method.lag and volume > 0.0:
        gauge = rows.moles[0] * GAS_CONSTANT * rows.pocket[0, WARMTH] / volume - gas.pressure[0]
    rows.pocket[0, LEVEL] = gauge
    push = flow(rows, gas, volume, gauge, body[RATIO], body[AREA], time, h)
    target = min(wanted_volume(rows, gas, method, body), max(volume, 0.0) + SWELL * h * body[AREA])
    air = weigh(w, rows.moles[0], volume, skin, gas, work)
    measure(x, v, work.mass, w, body)
    if method.floor > 0.0:  # the published method knows no air that moves along
        carry_air(x, v, w, air, rows.pocket[0], skin, work)
    gather_loads(rows, force, push / h, skin, gas, work)
    body[MORE] = rows.pocket[0, GIVE] = 0.0
    if sleeping(rows, h, method, work):
        v[: skin.share.shape[0]] = 0.0
        return -1.0
    soft = 2.0 * method.floor * h * h * skin.share.shape[0] / body[MASS]
    gain = min(1.0, method.softness / max(soft, 1e-300))
    body[MORE] = rows.pocket[0, GIVE] = 1.0 / gain - 1.0
    if method.rotation == PAPER:
        published_loads(rows, h, work)
    elif body[PINNED] >= FIXED_BY:
        hang(v, w, h, gain, gas.calm[0], work)
    else:
        apply_loads(x, v, work.mass, w, h, gain, work.load, body)
    if method.rotation == SPLIT and body[PINNED] == 0.0:
        predict(x, v, h, gas.calm[0], work.predicted, body)
    else:
        drift(x, v, h, work.predicted)
    return target


@kernel
def wanted_volume(rows, gas, method, body):
    moles, theta = rows.moles[0], rows.pocket[0, WARMTH]
    if method.lag:
        return moles * GAS_CONSTANT * theta / gas.pressure[0]
    return settled_volume(moles, theta, body[VOLUME], body[GAUGE], body[RISE], gas)


@kernel
def weigh(w, moles, volume, skin, gas, work):
    """Masses: the skin's own, and by area the gas and the air that moves along, which is returned [kg]."""
    air = gas.added_mass[0] * gas.air_density[0] * max(volume, 0.0)
    light = moles * gas.molar_mass[0] + air
    held = 0
    for i in range(skin.share.shape[0]):
        work.mass[i] = skin.mass[i] + light * skin.share[i]
        if w[i] > 0.0:
            w[i] = 1.0 / work.mass[i]
        else:
            held += 1
    work.body[PINNED] = held
    return air


@kernel
def carry_air(x, v, w, air, pocket, skin, work):
    """A balloon that swells moves more air: its momentum and angular momentum stay, so it slows down, and back.

    (M + da) v' = M v;  gas that comes or goes brings or takes its own.
    """
    body, fresh = work.body, air - pocket[AIR]
    known, pocket[AIR] = pocket[AIR] > 0.0, air
    if not known or fresh == 0.0 or body[PINNED] > 0.0:
        return
    cx, cy, cz = body[CENTER], body[CENTER + 1], body[CENTER + 2]
    px = py = pz = lx = ly = lz = 0.0
    for i in range(skin.share.shape[0]):
        a = fresh * skin.share[i]
        rx, ry, rz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
        px, py, pz = px + a * v[i, 0], py + a * v[i, 1], pz + a * v[i, 2]
        lx += a * (ry * v[i, 2] - rz * v[i, 1])
        ly += a * (rz * v[i, 0] - rx * v[i, 2])
        lz += a * (rx * v[i, 1] - ry * v[i, 0])
    wx, wy, wz = turned(body, lx, ly, lz)
    px, py, pz = px / body[MASS], py / body[MASS], pz / body[MASS]
    for i in range(skin.share.shape[0]):
        rx, ry, rz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
        v[i, 0] -= px + wy * rz - wz * ry
        v[i, 1] -= py + wz * rx - wx * rz
        v[i, 2] -= pz + wx * ry - wy * rx
    measure(x, v, work.mass, w, body)


@kernel
def gather_loads(rows, force, thrust, skin, gas, work):
    """Fields, weight of the gas and of the air it displaces, thrust at the nozzle; all before any of it moves a row."""
    inside = rows.moles[0] * gas.molar_mass[0] / work.body[VOLUME] if work.body[VOLUME] > 0.0 else 0.0
    rise = (gas.air_density[0] - inside) * skin.up[3]
    for i in range(skin.share.shape[0]):
        for k in range(3):
            work.load[i, k] = force[i, k] + rise * work.lift[i, k]
    if thrust <= 0.0 or gas.nozzle.shape[0] == 0:
        return
    nx = ny = nz = total = 0.0
    for i in gas.nozzle:
        nx += work.gradient[i, 0]
        ny += work.gradient[i, 1]
        nz += work.gradient[i, 2]
        total += math.sqrt(work.gradient[i, 0] ** 2 + work.gradient[i, 1] ** 2 + work.gradient[i, 2] ** 2)
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size <= 0.0:
        return
    for i in gas.nozzle:
        area = math.sqrt(work.gradient[i, 0] ** 2 + work.gradient[i, 1] ** 2 + work.gradient[i, 2] ** 2)
        part = -thrust * area / (total * size)
        work.load[i, 0] += part * nx
        work.load[i, 1] += part * ny
        work.load[i, 2] += part * nz


@kernel
def hang(v, w, h, gain, calm, work):
    """Loads on a balloon that its held rows keep from moving as a whole: the floored skin carries all of them.

    All motion against the held rows is deformation, so `calm` [1/s] takes it away as in free flight.
    """
    keep, share = 1.0 / (1.0 + h * calm), 1.0 / work.body[PINNED]
    for k in range(3):
        along = 0.0
        for i in range(work.load.shape[0]):
            if w[i] == 0.0:
                along += share * v[i, k]
        for i in range(work.load.shape[0]):
            if w[i] > 0.0:
                v[i, k] = along + keep * (v[i, k] - along) + h * gain * work.load[i, k] / work.mass[i]


@kernel
def published_loads(rows, h, work):
    """Force to all rows alike; torque into one spin kept beside them, Eq. 13-14."""
    x, v, body = rows.position, rows.velocity, work.body
    fx = fy = fz = tx = ty = tz = 0.0
    for i in range(work.load.shape[0]):
        rx, ry, rz = x[i, 0] - body[CENTER], x[i, 1] - body[CENTER + 1], x[i, 2] - body[CENTER + 2]
        ax, ay, az = work.load[i, 0], work.load[i, 1], work.load[i, 2]
        fx, fy, fz = fx + ax, fy + ay, fz + az
        tx, ty, tz = tx + ry * az - rz * ay, ty + rz * ax - rx * az, tz + rx * ay - ry * ax
    rate = h / body[MASS]
    for i in range(work.load.shape[0]):
        if rows.inverse_mass[i] > 0.0:
            v[i, 0] += rate * fx
            v[i, 1] += rate * fy
            v[i, 2] += rate * fz
    wx, wy, wz = turned(body, tx, ty, tz)
    rows.pocket[0, SPIN] += h * wx
    rows.pocket[0, SPIN + 1] += h * wy
    rows.pocket[0, SPIN + 2] += h * wz


@kernel
def drift(x, v, h, predicted):
    for i in range(predicted.shape[0]):
        for k in range(3):
            x[i, k] += h * v[i, k]
            predicted[i, k] = x[i, k]


@kernel
def mark_of(x, n):
    """A sum that tells whether anybody else moved a row."""
    total = 0.0
    for i in range(n):
        total += x[i, 0] + x[i, 1] + x[i, 2]
    return total


@kernel
def sleeping(rows, h, method, work):
    """True while the balloon rests on something: it neither creeps nor starts to roll by itself.

    Slow and touched by something for a while, it sleeps; a push, another load or a flow of gas wakes it.
    """
    pocket, v, n = rows.pocket[0], rows.velocity, work.mass.shape[0]
    fx = fy = fz = square = 0.0
    for i in range(n):
        fx, fy, fz = fx + work.load[i, 0], fy + work.load[i, 1], fz + work.load[i, 2]
        square += work.mass[i] * (v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
    weight, speed = math.sqrt(fx * fx + fy * fy + fz * fz), math.sqrt(square / work.body[MASS])
    if method.rest_speed <= 0.0 or work.body[PINNED] > 0.0:
        return False
    if pocket[STILL] >= method.rest_time:
        if speed < 0.25 * method.rest_speed and abs(weight - pocket[WEIGHT]) <= 0.02 * weight:
            return True
        pocket[STILL] = 0.0
        return False
    touched = pocket[MARK] != work.body[SEEN]
    pocket[STILL] = pocket[STILL] + h if touched and speed < method.rest_speed else 0.0
    pocket[WEIGHT] = weight
    return pocket[STILL] >= method.rest_time


@kernel
def project(x, w, target, h, skin, gas, method, pairs, work):
    """Edges, bends and the volume, a few rounds."""
    work.multiplier[:] = 0.0
    for _ in range(method.iterations):
        if method.floor > 0.0:
            hold_edges(x, w, h, method.floor, gas.slack[0], skin, work.multiplier)
        else:
            pull_pairs(x, w, method.stretch, skin.offset, skin.ends, skin.rest_length)
        if method.bend > 0.0:
            pull_pairs(x, w, method.bend, pairs.offset, pairs.ends, pairs.rest_length)
        volume, weight = volume_gradient(x, w, skin, work.gradient, work.partial)
        if weight > 0.0:
            push_along(x, w, work.gradient, method.hold * (target - volume) / weight)


@kernel
def conclude(rows, h, method, work):
    """Velocities from what the projection did."""
    x, v, w, body = rows.position, rows.velocity, rows.inverse_mass, work.body
    n = work.mass.shape[0]
    if method.rotation == SPLIT and body[PINNED] == 0.0:
        finish(x, v, work.mass, w, h, work.predicted, body)
    else:
        lx, ly, lz = body[MOMENT], body[MOMENT + 1], body[MOMENT + 2]
        for i in range(n):
            if w[i] > 0.0:
                for k in range(3):
                    v[i, k] += (x[i, k] - work.predicted[i, k]) / h
        measure(x, v, work.mass, w, body)
        if method.rotation == KEPT and body[PINNED] == 0.0:
            correct_spin(x[:n], v[:n], lx, ly, lz, body)
        elif method.rotation == PAPER and body[PINNED] == 0.0:
            turn_body(x, h, rows.pocket[0], body, n)
    rows.pocket[0, MARK] = mark_of(x, n)


@kernel
def turn_body(x, h, pocket, body, n):
    """Rotate the positions with the spin kept beside them, after the velocity update (Eq. 15, normalised)."""
    turn = rotation_matrix(h * pocket[SPIN], h * pocket[SPIN + 1], h * pocket[SPIN + 2])
    for i in range(n):
        rx, ry, rz = x[i, 0] - body[CENTER], x[i, 1] - body[CENTER + 1], x[i, 2] - body[CENTER + 2]
        for k in range(3):
            x[i, k] = body[CENTER + k] + turn[k][0] * rx + turn[k][1] * ry + turn[k][2] * rz


@kernel
def advance(rows, force, time, h, skin, gas, method, pairs, work):
    """A whole substep."""
    x, w = rows.position, rows.inverse_mass
    work.body[SEEN] = mark_of(x, work.mass.shape[0])
    look(x, skin, gas, work)
    target = prepare(rows, force, time, h, skin, gas, method, work)
    if target >= 0.0:
        project(x, w, target, h, skin, gas, method, pairs, work)
        conclude(rows, h, method, work)
