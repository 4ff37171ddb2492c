"""The published draping method on a square hung by two corners, where everything about it can be measured."""

import numpy as np
import pytest

from pliant.errors import SceneError
from pliant.filters.draping import Harmonic
from pliant.filters.draping.net import net_of
from pliant.filters.draping.square import draped_square, hanging_square
from pliant.geometry.surface import grid
from pliant.kernels import maximum_thread_count, set_thread_count

FINE = 57  # cells: 6,498 triangles, as in the paper
UNLIMITED = 1e9


@pytest.fixture(scope="module")
def square():
    return hanging_square(Harmonic(refine=0))


def gradients(points, triangles, corner):
    """(m, 3) of values at the corners of each triangle."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    edges = np.stack([c - b, a - c, b - a], axis=1)
    return np.einsum("mkd,mk->md", np.cross(n[:, None], edges), corner) / (n**2).sum(axis=1)[:, None]


def gradients_of_both(square):
    """Amplitude potential and phase; the phase of a corner is that of its point, unwound along the triangle."""
    s, x, t = square.conjugate.solved, square.light, square.conjugate._net.triangles
    theta, omega = square.folds.phase[t], square.conjugate.omega
    lifted = theta.copy()
    for k in (1, 2):
        expected = np.einsum("md,md->m", omega, x[t[:, k]] - x[t[:, 0]])
        turn = theta[:, k] - theta[:, 0] - expected
        lifted[:, k] = theta[:, 0] + expected + turn - 2 * np.pi * np.round(turn / (2 * np.pi))
    inside = s.region.inside
    area = square.conjugate.area[inside]
    return gradients(x, t, s.amplitude[t])[inside], gradients(x, t, lifted)[inside], area, x[t].mean(axis=1)[inside]


def obliqueness(square):
    a, b, area, centre = gradients_of_both(square)
    dots = np.abs((a * b).sum(axis=1))
    return dots / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-300), area, centre


def test_the_amplitude_is_harmonic_and_nothing_at_the_contacts(square):
    s = square.conjugate.solved
    assert square.conjugate.residual() < 1e-11
    assert (s.amplitude[s.region.contact] == 0.0).all()
    assert (square.folds.amplitude[s.region.contact] == 0.0).all()
    assert s.amplitude.min() >= 0.0


def test_the_phase_closes_without_cuts(square):
    s = square.conjugate.solved
    assert square.conjugate.closure() < 1e-9
    assert s.waves.sum() == 0
    assert (s.waves == np.round(s.waves)).all()


def test_isolines_cross_at_right_angles(square):
    cosines, area, _ = obliqueness(square)
    assert np.median(cosines) <= 0.005
    assert (cosines * area).sum() / area.sum() <= 0.02
    assert np.quantile(cosines, 0.99) <= 0.15  # at the stagnation point both gradients vanish: no bound on the maximum


def test_gradients_of_amplitude_and_phase_are_equally_long(square):
    a, b, area, centre = gradients_of_both(square)
    ratio = np.linalg.norm(b, axis=1) / (square.conjugate.scale * np.linalg.norm(a, axis=1))
    away = np.minimum(*(np.linalg.norm(centre - [x, 1.0, 0.0], axis=1) for x in (-0.5, 0.5))) > 0.1
    assert (ratio * area)[away].sum() / area[away].sum() == pytest.approx(1.0, abs=0.01)


def test_orthogonality_converges_in_first_order():
    found = []
    for cells in (16, 32, 64):
        uv, triangles = grid(cells, cells)
        points = np.column_stack([uv - [0.5, 0.0], np.zeros(len(uv))])
        random = np.random.default_rng(0)
        inner = ((uv > 1e-9) & (uv < 1 - 1e-9)).all(axis=1)
        points[inner, :2] += random.uniform(-0.2, 0.2, (inner.sum(), 2)) / cells
        cosines, area, centre = obliqueness(draped_square(Harmonic(refine=0), points, triangles, 0.08))
        away = np.minimum(*(np.linalg.norm(centre - [x, 1.0, 0.0], axis=1) for x in (-0.5, 0.5))) > 0.15
        low = away & (centre[:, 1] < 0.9)
        found.append((cosines * area)[low].sum() / area[low].sum())
    assert found[0] / found[1] > 1.6
    assert found[1] / found[2] > 1.6
    assert found[2] < 0.02


def hem_waves(square):
    hem = np.flatnonzero(square.light[:, 1] < 1e-9)
    hem = hem[np.argsort(square.light[hem, 0])]
    x, theta, wave = square.light[hem], square.folds.phase[hem], square.folds.wave[hem]
    expected = (0.5 * (wave[1:] + wave[:-1]) * (x[1:] - x[:-1])).sum(axis=1)
    turn = np.diff(theta) - expected
    return abs((expected + turn - 2 * np.pi * np.round(turn / (2 * np.pi))).sum()) / (2 * np.pi)


def test_waves_along_the_hem_are_its_flux():
    counts = {}
    for density in ("low", "medium", "high"):
        hung = hanging_square(Harmonic.preset(density).replace(refine=0))
        hem = hung.light[:, 1] < 1e-9
        flux = hung.conjugate.solved.load[hem].sum() * hung.conjugate.scale / (2 * np.pi)
        counts[density] = hem_waves(hung)
        assert counts[density] == pytest.approx(flux, abs=0.5)
    assert counts["medium"] / counts["low"] == pytest.approx(2.0, rel=0.1)
    assert counts["high"] / counts["medium"] == pytest.approx(2.5, rel=0.1)


def test_amplitude_goes_as_one_over_its_constant():
    heights = [
        k
        * hanging_square(Harmonic(refine=0, amplitude_constant=k, slope=UNLIMITED), cells=24, patch=0.1).folds.amplitude
        for k in (0.5, 1.0, 2.0, 3.0)
    ]
    for other in heights[1:]:
        np.testing.assert_allclose(other, heights[0], rtol=1e-12)


def test_wave_number_goes_as_one_over_its_constant():
    waves = [hanging_square(Harmonic(refine=0, phase_constant=k), cells=24, patch=0.1).folds.wave for k in (0.04, 0.08)]
    length = [np.linalg.norm(w, axis=1).mean() for w in waves]
    assert length[0] / length[1] == pytest.approx(2.0, rel=0.05)  # whole numbers of waves: not exactly


def test_control_volumes_are_cotangents(square):
    """Flux of the linear interpolant through the two median-dual segments of each corner."""
    x, t = square.light, square.conjugate._net.triangles
    values = np.random.default_rng(1).normal(size=len(x))
    grad = gradients(x, t, values[t])
    normal = np.cross(x[t[:, 1]] - x[t[:, 0]], x[t[:, 2]] - x[t[:, 0]])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    centre, flux = x[t].mean(axis=1), np.zeros(len(x))
    for k in range(3):
        i, j, m = (t[:, (k + s) % 3] for s in range(3))
        one, two = (x[i] + x[j]) / 2, (x[i] + x[m]) / 2
        outward = np.cross(centre - one, normal) + np.cross(two - centre, normal)
        flux -= np.bincount(i, (outward * grad).sum(axis=1), minlength=len(x))
    net, w = square.conjugate._net, square.conjugate._weights
    a, b = net.edges[:, 0].astype(int), net.edges[:, 1].astype(int)
    flow = w * (values[a] - values[b])
    mine = np.bincount(a, flow, minlength=len(x)) - np.bincount(b, flow, minlength=len(x))
    np.testing.assert_allclose(mine, flux, atol=1e-12)


def test_the_same_bits_twice_and_for_any_number_of_threads():
    once = hanging_square(Harmonic(refine=1, noise=1.0))
    again = hanging_square(Harmonic(refine=1, noise=1.0))
    assert np.array_equal(once.points, again.points)
    try:
        for threads in range(1, maximum_thread_count() + 1):
            set_thread_count(threads)
            assert np.array_equal(hanging_square(Harmonic(refine=1, noise=1.0)).points, once.points)
    finally:
        set_thread_count(maximum_thread_count())


def test_noise_leaves_the_contacts_alone():
    plain = hanging_square(Harmonic(refine=0), cells=24, patch=0.12)
    noisy = hanging_square(Harmonic(refine=0, noise=1.0), cells=24, patch=0.12)
    contact = noisy.conjugate.solved.region.contact
    assert (noisy.folds.amplitude[contact] == 0.0).all()
    assert not np.allclose(noisy.folds.amplitude, plain.folds.amplitude)
    other = hanging_square(Harmonic(refine=0, noise=1.0, seed=8), cells=24, patch=0.12)
    assert not np.array_equal(other.folds.amplitude, noisy.folds.amplitude)


def test_area_compensation_takes_in_what_the_folds_take_up():
    """On the square the folds take up area to second order: drawn in, less than a third of it is left."""
    hung = hanging_square(Harmonic(refine=2))
    c, x, mesh = hung.conjugate, hung.light, hung.triangles
    distance = np.where(c.solved.region.contact, 0.0, 1.0)
    _, shift = c(x, distance)

    def area(points, triangles):
        p = points[triangles]
        return 0.5 * np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1).sum()

    flat, wavy = area(x, c._net.triangles), area(hung.points, mesh)
    drawn = area(x + shift, c._net.triangles)
    assert wavy > flat
    assert drawn < flat
    assert abs(wavy - flat + drawn - flat) < (wavy - flat) / 3


def test_a_square_that_hangs_nowhere_is_refused():
    uv, triangles = grid(8, 8)
    points = np.column_stack([uv - [0.5, 0.0], np.zeros(len(uv))])
    with pytest.raises(SceneError, match="touches nowhere"):
        draped_square(Harmonic(refine=0), points, triangles, -1.0)


def test_unknown_preset_is_named():
    with pytest.raises(SceneError, match="no preset 'dense'"):
        Harmonic.preset("dense")


def test_half_edges_find_their_twins():
    _, triangles = grid(5, 4)
    net = net_of(triangles, 30)
    corners = net.triangles.ravel()
    ends = net.triangles[:, [1, 2, 0]].ravel()
    inner = np.flatnonzero(net.twin >= 0)
    assert (corners[net.twin[inner]] == ends[inner]).all()
    assert (ends[net.twin[inner]] == corners[inner]).all()
    assert (net.twin < 0).sum() == 2 * (5 + 4)
