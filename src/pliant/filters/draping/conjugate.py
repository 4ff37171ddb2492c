"""The published method: amplitude and phase of the folds as conjugate harmonic functions.

M. K. Kang, "A Non-consecutive Cloth Draping Simulation Algorithm using Conjugate Harmonic Functions" (2005). At a
contact the paper prescribes both the amplitude and its gradient, which no harmonic function can meet. Here the data are
split: the amplitude potential Phi0 vanishes at the contacts and takes the cloth's weight through its open edges; the
phase potential Phi1 = Phi0 + sum_l c_l h_l gives each contact a constant of its own, so that a whole number of waves
passes every loop and the phase has no cut.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.filters.draping.drawn_in import drawn_in
from pliant.filters.draping.free import LEAST, Free, free_region
from pliant.filters.draping.ldl import Factor
from pliant.filters.draping.methods import Harmonic
from pliant.filters.draping.net import Net
from pliant.filters.draping.noise import noise_of
from pliant.filters.draping.phase import along, at_points, closure, gradients
from pliant.filters.draping.potential import (
    corner_values,
    gather_diagonal,
    gather_weights,
    hem_flux,
    loop_fluxes,
    right_hand_sides,
    stiffness,
    whole_numbers,
)
from pliant.filters.draping.waves import QUARTER, Folds
from pliant.filters.draping.wear import Wear
from pliant.geometry.surface import vertex_areas
from pliant.kernels import kernel, span, sweep

LEVEL = 0.1  # least flux of an open edge, of that of one from which the cloth hangs straight down
USUAL = 0.05  # phase constant at which folds are one wavelength apart


class Solved(NamedTuple):
    """What the potentials came out as, for pictures and tests."""

    region: Free
    amplitude: Array  # (n,) Phi0
    corner: Array  # (m, 3) Phi1
    load: Array  # (n,) g after the loops were given whole numbers of waves
    waves: Array  # (loops,) whole numbers
    scale: float  # grad Psi per grad Phi
    shift: float  # largest |c_l|, of the largest Phi0


class Conjugate:
    """The folds of one garment."""

    def __init__(self, net: Net, wear: Wear, method: Harmonic, *, least: int = LEAST, level: float = LEVEL) -> None:
        self._net, self._wear, self._method = net, wear, method
        self._least, self._level = least, level
        rest, n, m = wear.mesh.points, net.size, len(net.triangles)
        self._factor = Factor(net, rest)
        self._sides, self._rims = _sides(net)
        if len(self._rims) == 0:
            raise SceneError("Harmonic: the garment has no open edge through which its weight could leave; use Strain")
        self.half, self.area, self._normal = np.empty((m, 3)), np.empty(m), np.empty((m, 3))
        self._weights, self._diagonal = np.empty(len(net.edges)), np.empty(n)
        self._g, self._mass = np.empty(n), vertex_areas(rest, net.triangles)
        self.psi, self.omega = np.zeros(m), np.empty((m, 3))
        self._circle = np.empty((n, 2))
        self._unit = (1.0, 1.0)  # N1, N2
        self._reference = np.zeros((n, 2))
        self._louder, self._later = np.ones(n), np.zeros(n)
        self.scale = 2.0 * np.pi / wear.wavelength * USUAL / method.phase_constant
        self.solved: Solved | None = None

    def calibrate(self, x: Array, distance: Array) -> None:
        """Units from the rest pose: mean |grad Phi0| weighted by Phi0, its 90 % quantile, and the phase there."""
        self._unit = (1.0, 1.0)
        solved = self._potentials(x, distance)
        if not solved.region.contact.any():
            raise SceneError(
                f"Harmonic: at rest the garment touches nowhere within {1e3 * self._wear.threshold:.3g} mm (nearest "
                f"{1e3 * float(distance.min()):.3g} mm); raise its contact threshold, or use Strain"
            )
        t = self._net.triangles
        inside = solved.region.inside
        corner = np.where(solved.region.contact[t], 0.0, solved.amplitude[t])
        gradients(t, x, self.area, inside, corner, 1.0, self.omega)
        share = np.abs(corner).mean(axis=1) * self.area * inside
        slope = float((np.linalg.norm(self.omega, axis=1) * share).sum() / max(share.sum(), 1e-300))
        high = solved.amplitude[~solved.region.contact]
        height = float(np.quantile(high, 0.9)) if len(high) else 0.0
        if slope <= 0.0 or height <= 0.0:
            raise SceneError("Harmonic: no part of the garment hangs free of the body at rest; use Strain")
        self._unit = (slope, height)
        self._reference = np.tile([1.0, 0.0], (self._net.size, 1))
        folds, _ = self(x, distance)
        noise = noise_of(
            self._net, self._wear.mesh.points, solved.region.contact, self._method.seed, self._method.noise
        )
        self._louder, self._later = np.abs(noise), np.angle(noise)
        turn = folds.phase + QUARTER
        self._reference = np.stack([np.cos(turn), np.sin(turn)], axis=1)

    def __call__(self, x: Array, distance: Array) -> tuple[Folds, Array]:
        """Folds of the posed points, and the (n, 3) displacement that draws the cloth in."""
        method, t, n = self._method, self._net.triangles, self._net.size
        solved = self.solved = self._potentials(x, distance)
        region, net = solved.region, self._net
        along(region.order, region.came, net.twin, self.half, solved.corner, self.scale, self.psi)
        gradients(t, x, self.area, region.inside, solved.corner, self.scale, self.omega)
        folds = Folds(np.empty(n), np.empty(n), np.empty((n, 3)))
        at_points(
            folds.wave,
            net.fan_start,
            net.fan,
            t,
            x,
            self.half,
            self.area,
            region.inside,
            self.psi,
            self.omega,
            self._circle,
        )
        turned = self._gauge(solved.amplitude)
        height = self._wear.height / method.amplitude_constant * self._unit[0] / self._unit[1]
        limited(
            folds.amplitude, folds.phase, solved.amplitude, self._circle, folds.wave, (height, method.slope, turned)
        )
        folds.amplitude[:] *= self._louder
        folds.phase[:] += self._later
        if not method.area:
            return folds, np.zeros((0, 3))
        return folds, self._draw_in(x, folds, distance)

    def closure(self) -> float:
        """Largest misfit of the phase over all free edges [rad]."""
        assert self.solved is not None
        s = self.solved
        return float(closure(self._net.twin, s.region.inside, self.half, s.corner, self.scale, self.psi))

    def residual(self) -> float:
        """Largest |K Phi0 - g| at a free point, of the largest |g|."""
        assert self.solved is not None
        net, w, amplitude, load = self._net, self._weights, self.solved.amplitude, self.solved.load
        a, b = net.edges[:, 0].astype(np.int64), net.edges[:, 1].astype(np.int64)
        flow = w * (amplitude[a] - amplitude[b])
        total = np.bincount(a, flow, minlength=net.size) - np.bincount(b, flow, minlength=net.size)
        free = ~self._masked
        return float(np.abs(total - load)[free].max(initial=0.0) / max(np.abs(load).max(), 1e-300))

    def _gauge(self, amplitude: Array) -> float:
        """Turn by which the phase agrees best with that of the rest pose."""
        p, q = agreement(amplitude, self._circle, self._reference)
        return float(np.arctan2(q, p))

    def _draw_in(self, x: Array, folds: Folds, distance: Array) -> Array:
        assert self.solved is not None
        t, region = self._net.triangles, self.solved.region
        load = np.zeros((self._net.size, 3))
        drawn_in(t, x, self._normal, self.area, region.inside, folds.amplitude, self.omega, load)
        load[self._masked] = 0.0
        return self._factor.solve(load)

    def _potentials(self, x: Array, distance: Array) -> Solved:
        net, t = self._net, self._net.triangles
        stiffness(t, x, self.half, self._normal, self.area)
        gather_weights(self._weights, self._sides, self.half)
        gather_diagonal(self._diagonal, net.start, net.row, self._weights)
        region = free_region(net, distance < self._wear.threshold, self._least)
        masked = self._masked = self._without_contact(region) | region.contact
        self._factor.make(self._diagonal, self._weights, masked)
        g = self._g
        hem_flux(t, x, self._normal, self._rims, masked, self._level, g)
        g /= self._unit[0]
        load = np.where(masked, 0.0, self._mass)
        loops = len(region.touching)
        columns = _columns(region.touching)
        right = np.empty((net.size, loops + 2))
        right_hand_sides(t, region, self.half, g, load, columns, right)
        right[masked] = 0.0
        solution = self._factor.solve(right)
        flux = np.empty((loops, loops + 2))
        loop_fluxes(t, region, self.half, columns, solution, flux)
        return self._combined(region, columns, (g, right, solution, flux))

    def _combined(self, region: Free, columns: Array, tables: tuple[Array, Array, Array, Array]) -> Solved:
        """Whole numbers of waves through every loop, and the potentials that carry them."""
        g, right, solution, flux = tables
        loops, touching = len(columns), region.touching
        quantum = 2.0 * np.pi / self.scale
        plain = flux[:, columns[~touching]].sum(axis=1) + flux[:, loops]
        waves = whole_numbers(self._shares(plain, flux, g, region) / quantum, region)
        parts = np.zeros(loops + 2)
        parts[loops] = 1.0
        own = plain[~touching]
        carried = np.abs(own) > 1e-12 * max(float(np.abs(plain).max(initial=0.0)), 1e-300)
        parts[columns[~touching]] = np.where(carried, waves[~touching] * quantum / np.where(carried, own, 1.0), 1.0)
        amplitude = solution @ parts
        left = waves * quantum - flux @ parts
        c = np.zeros(loops)
        if touching.any():
            capacity = flux[np.ix_(touching, columns[touching])]
            c[touching] = np.linalg.pinv(capacity, rcond=1e-6) @ left[touching]
        units = np.zeros(loops + 2)
        units[columns[touching]] = c[touching]
        corner = np.empty(self.half.shape)
        total = amplitude + solution @ units
        corner_values(self._net.triangles, region.loop, region.contact, total, c, corner)
        load = right @ parts
        top = max(float(np.abs(amplitude).max()), 1e-300)
        return Solved(
            region,
            amplitude,
            corner,
            load,
            waves,
            self.scale,
            float(np.abs(c).max(initial=0.0)) / top,
        )

    def _shares(self, plain: Array, flux: Array, g: Array, region: Free) -> Array:
        """Flux of each loop before rounding: its own, or by the share of the weight its contact points carry."""
        match = self._method.stress_match
        if match == 0.0:
            return plain
        loops = len(plain)
        carried = np.where(region.touching, -flux[:, loops + 1], 0.0)
        own = np.zeros(loops)
        at = np.full(self._net.size, -1)
        rim = region.loop >= 0
        at[self._net.triangles[rim]] = region.loop[rim]
        np.add.at(own, at[at >= 0], np.where(self._masked[at >= 0], 0.0, g[at >= 0]))
        target = plain.copy()
        for piece in np.unique(region.piece_of):
            of = region.piece_of == piece
            weight = carried[of].sum()
            if weight > 0.0:
                target[of] = own[of] - own[of].sum() * carried[of] / weight
        return (1.0 - match) * plain + match * target

    def _without_contact(self, region: Free) -> Array:
        """(n,) points of pieces that touch nowhere: they stay without folds."""
        dry = np.zeros(self._net.size, bool)
        for piece in np.unique(region.piece_of):
            if not region.touching[region.piece_of == piece].any():
                dry[self._net.triangles[region.piece == piece]] = True
        return dry


def _columns(touching: Array) -> Array:
    """(loops,) right-hand side of each loop."""
    return np.arange(len(touching), dtype=np.int32)


def _sides(net: Net) -> tuple[Array, Array]:
    """(e, 2) half-edges of each edge, and the half-edges without a twin."""
    t = net.triangles.astype(np.int64)
    start, end = t.ravel(), t[:, [1, 2, 0]].ravel()
    keys = net.edges[:, 0].astype(np.int64) * net.size + net.edges[:, 1]
    of = np.searchsorted(keys, np.minimum(start, end) * net.size + np.maximum(start, end))
    sides = np.full((len(keys), 2), -1, np.int32)
    forward = start < end
    h = np.arange(len(start))
    sides[of[forward], 0] = h[forward]
    sides[of[~forward], 1] = h[~forward]
    return sides, np.flatnonzero(net.twin < 0)


@kernel
def agreement(amplitude, circle, reference):
    """Sum of |Phi0| exp i(theta - theta_ref)."""
    p, q = 0.0, 0.0
    for i in range(len(amplitude)):
        size = np.sqrt(circle[i, 0] ** 2 + circle[i, 1] ** 2)
        if size > 0.0:
            share = abs(amplitude[i]) / size
            p += share * (circle[i, 0] * reference[i, 0] + circle[i, 1] * reference[i, 1])
            q += share * (circle[i, 1] * reference[i, 0] - circle[i, 0] * reference[i, 1])
    return p, q


@sweep
def limited(amplitude, phase, potential, circle, wave, amounts):
    """a = height Phi0, bent down where a |kappa| would pass the slope; height a sin(Psi) written as a cosine."""
    height, slope, turned = amounts
    for i in span(len(amplitude)):
        a = height * potential[i]
        k = np.sqrt(wave[i, 0] ** 2 + wave[i, 1] ** 2 + wave[i, 2] ** 2)
        amplitude[i] = a / np.sqrt(1.0 + (a * k / slope) ** 2)
        phase[i] = np.arctan2(circle[i, 1], circle[i, 0]) - turned - QUARTER
