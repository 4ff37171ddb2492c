"""The first figure of the published method: a square of cloth that hangs by two corners."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.filters.draping.conjugate import Conjugate
from pliant.filters.draping.finer import finer, subdivided
from pliant.filters.draping.methods import Harmonic
from pliant.filters.draping.net import net_of, point_normals
from pliant.filters.draping.waves import Folds, raise_folds
from pliant.filters.draping.wear import Wear
from pliant.geometry.rigged import Rigged
from pliant.geometry.surface import grid

NEAR = 0.01  # [m] contact threshold; points of the patches lie at 0, all others far
LEVELS = 20  # isolines of the amplitude
LINES = 2  # isolines of the phase to a wave: its crests and its valleys
THICK = 0.0035  # [m] of an isoline
CLOTH, AMPLITUDE, PHASE = (0.80, 0.80, 0.77), (0.05, 0.20, 0.55), (0.75, 0.10, 0.05)  # linear RGB


class Square(NamedTuple):
    """The draped square."""

    points: Array  # (N, 3) [m]
    normals: Array  # (N, 3) unit
    triangles: Array  # (M, 3) uint32
    colors: Array  # (N, 3) linear RGB with isolines of amplitude and phase drawn in
    light: Array  # (n, 3) [m] the flat square
    conjugate: Conjugate  # the potentials, for whoever wants to look at them
    folds: Folds


def hanging_square(
    method: Harmonic | None = None, *, cells: int = 57, patch: float = 0.035, side: float = 1.0
) -> Square:
    """A square of `side` [m], held where it is nearer than `patch` [m] to its upper corners."""
    method = method or Harmonic(refine=2)
    uv, triangles = grid(cells, cells)
    return draped_square(method, side * np.column_stack([uv - [0.5, 0.0], np.zeros(len(uv))]), triangles, patch)


def draped_square(method: Harmonic, points: Array, triangles: Array, patch: float) -> Square:
    """The same on a mesh of one's own, flat in the plane z = 0."""
    triangles = np.ascontiguousarray(triangles, Index)
    net = net_of(triangles, len(points))
    low, high = points.min(axis=0), points.max(axis=0)
    away = np.minimum(*(np.linalg.norm(points - [x, high[1], 0.0], axis=1) for x in (low[0], high[0])))
    distance = np.where(away <= patch + 1e-9, 0.0, 1.0)
    bones = np.zeros((len(points), 4), Index), np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))
    wear = Wear(
        mesh=Rigged(points, triangles, None, *bones),
        layer=0,
        threshold=NEAR,
        gap=0.0,
        wavelength=0.06,
        height=0.011,
        ease=(1.0, 1.0),
        around=np.tile([1.0, 0.0, 0.0], (len(triangles), 1)),
        pinned=np.zeros(0, Index),
        radial=False,
        free_bones=np.zeros(0, Index),
    )
    conjugate = Conjugate(net, wear, method, least=1, level=0.0)  # the sides hang straight and carry nothing
    conjugate.calibrate(points, distance)
    folds, _ = conjugate(points, distance)
    mesh = finer(triangles, len(points), method.refine)
    y = subdivided(mesh, points, [np.empty((len(level.start) - 1, 3)) for level in mesh.levels])
    flat = np.tile([0.0, 0.0, 1.0], (len(points), 1))
    out, height, normals = np.empty_like(y), np.empty(len(y)), np.empty_like(y)
    raise_folds(y, mesh.owner, mesh.corner, triangles, points, flat, *folds, out, height)
    fine = net_of(mesh.triangles, len(out))
    point_normals(fine, out, np.empty((len(mesh.triangles), 3)), normals)
    colors = _isolines(mesh.owner, mesh.corner, triangles, (y, points, flat), folds, conjugate)
    return Square(out, normals, mesh.triangles, colors, points, conjugate, folds)


def _isolines(
    owner: Array,
    corner: Array,
    triangles: Array,
    places: tuple[Array, Array, Array],
    folds: Folds,
    conjugate: Conjugate,
) -> Array:
    """Colours of the fine points: isolines of amplitude potential and phase over plain cloth."""
    y, points, flat = places
    n = len(y)
    ones, waste, circle = np.ones(len(points)), np.empty((n, 3)), np.empty((2, n))
    for k in range(2):
        raise_folds(
            y, owner, corner, triangles, points, flat, ones, folds.phase - 0.5 * k * np.pi, folds.wave, waste, circle[k]
        )
    phase = np.arctan2(circle[1], circle[0])
    solved = conjugate.solved
    assert solved is not None
    corners = triangles[owner]
    potential = np.einsum("nc,nc->n", corner, solved.amplitude[corners])
    wave = np.linalg.norm(np.einsum("nc,ncd->nd", corner, folds.wave[corners]), axis=1)
    step = potential.max() / LEVELS
    slope = np.maximum(wave / conjugate.scale, 1e-9)  # |grad Phi0|, but for the contacts' own constants
    colors = np.tile(CLOTH, (n, 1))
    for value, per_metre, color in (
        (potential / step, slope / step, AMPLITUDE),
        (phase * LINES / (2.0 * np.pi), np.maximum(wave, 1e-9) * LINES / (2.0 * np.pi), PHASE),
    ):
        off = np.abs(value - np.round(value)) / per_metre
        ink = np.clip(1.5 - off / (0.5 * THICK), 0.0, 1.0)[:, None]
        colors = colors * (1.0 - ink) + ink * np.asarray(color)
    return colors
