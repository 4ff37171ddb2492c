"""A puppet that does not like being pulled: seeded noise on the segments near the pulling hand.

Seed 003, section 6 adds noise(amplitude) noise(frequency) to positions, which depends on the frame rate. Here it is an
acceleration (spec of seed 003, section 7):

    a_i = A min(F / F0, 1) sin(r_i, F) e^(-0.35 hop) perlin(psi_i),   psi_i += h nu (1 + cos(v_i, F)) / 2 e^(-0.35 hop)

F is the pull, r_i the segment's direction, v_i its velocity, hop its distance in joints from the held segment.
No pull, no resistance; the same seed gives the same motion.
"""

import math

import numpy as np

from pliant.arrays import Array
from pliant.integrators.articulated import columns as c
from pliant.integrators.articulated.plan import Plan
from pliant.kernels import kernel
from pliant.kernels.vectors import cross, dot, get3, get4, norm, scale, turn
from pliant.world import Part, Rows

RATE = 2.5  # [1/s] fastest noise
FADE = 0.35  # per joint
PULL = 2.0  # weights at which the resistance is full
GRAVITY = 9.81


class Resistance:
    """The noise's clocks of one part."""

    def __init__(self, part: Part, strength: float, seed: int) -> None:
        self._strength, self._seed = strength, seed
        self._mass = part.mass
        self.clock = np.zeros(len(part.mass))
        self._hops = np.zeros(len(part.mass))
        self._origin = np.full(len(part.mass), -1, np.int64)

    def follow(self, plan: Plan) -> None:
        """Count joints from the held segment of every tree."""
        hops = np.zeros(len(plan.integers))
        origin = np.full(len(plan.integers), -1, np.int64)
        for low, high in zip(plan.start[:-1].tolist(), plan.start[1:].tolist(), strict=True):
            for k in range(low + 1, high):
                hops[k] = hops[low + plan.integers[k, c.UP]] + 1.0
            origin[low:high] = plan.integers[low, c.ROW]
        row = plan.integers[:, c.ROW]
        self._hops[row], self._origin[row] = hops, origin

    def add(self, rows: Rows, force: Array, damping: float, h: float) -> None:
        """Add the resistance [N] to the outer force."""
        numbers = np.array([self._strength, float(self._mass.sum()), damping, h])
        _resist(rows, force, self._mass, self._hops, self._origin, self.clock, numbers, self._seed)


@kernel
def _hash(i, seed):
    """A number in -1 .. 1 of an integer and a seed."""
    x = (np.uint64(i) * np.uint64(0x9E3779B1) + np.uint64(seed) * np.uint64(0x85EBCA6B)) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    x = (x * np.uint64(0x7FEB352D)) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(15)
    x = (x * np.uint64(0x846CA68B)) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    return float(x) / 2147483648.0 - 1.0


@kernel
def gradient_noise(t, seed):
    """Perlin's noise in one dimension, within -1 .. 1, twice differentiable."""
    i = math.floor(t)
    f = t - i
    u = f * f * f * (f * (6.0 * f - 15.0) + 10.0)
    a = _hash(np.int64(i), seed) * f
    b = _hash(np.int64(i) + 1, seed) * (f - 1.0)
    return 2.0 * (a + (b - a) * u)


@kernel
def _resist(rows, force, mass, hops, origin, clock, numbers, seed):
    strength, total, damping, h = numbers[0], numbers[1], numbers[2], numbers[3]
    for i in range(len(mass)):
        root = origin[i]
        if root == i or root < 0 or rows.inverse_mass[root] != 0.0 or rows.inverse_mass[i] == 0.0:
            continue
        pull = scale(total * damping, get3(rows.velocity, root, 0))
        size = norm(pull)
        if size < 1e-9:
            continue
        bone = turn(get4(rows.rotation_xyzw, i, 0), (0.0, -1.0, 0.0))
        v = get3(rows.velocity, i, 0)
        speed = norm(v)
        cosine = 0.0 if speed < 1e-4 else dot(v, pull) / (speed * size)
        fade = math.exp(-FADE * hops[i])
        clock[i] += h * RATE * 0.5 * (1.0 + cosine) * fade
        amount = mass[i] * strength * min(size / (PULL * total * GRAVITY), 1.0)
        amount *= norm(cross(bone, pull)) / size * fade
        for t in range(3):
            force[i, t] += amount * gradient_noise(clock[i] + 17.3 * i + 5.1 * t, seed + 31 * i + t)
