import numpy as np
import pytest

import pliant
from hand_made import frame, part, sheet, world
from pliant.sinks.picture.stage import Stage
from pliant.sinks.picture.strings import PIECES, WIDTH, Span, strings
from pliant.world import Springs


def middle_line(surface):
    """(k, 3) centres of the tubes' ends, in order."""
    return surface.points.reshape(-1, 9, 3)[:, :-1].mean(axis=1).reshape(-1, 2, 3)


def test_a_taut_string_is_straight_and_slim():
    span = Span(np.array([[0.0, 0, 0]]), np.array([[0.0, 0, 2.0]]), np.array([1.5]))
    made = strings("s", span, 10.0)
    pieces = middle_line(made)
    assert len(pieces) == PIECES
    assert pieces[0, 0] == pytest.approx([0, 0, 0], abs=1e-6)
    assert pieces[-1, 1] == pytest.approx([0, 0, 2], abs=1e-6)
    assert abs(made.points[:, 1]).max() == pytest.approx(10.0 * WIDTH, rel=1e-5)


def test_a_slack_string_hangs_through_by_about_its_own_length():
    span = Span(np.array([[0.0, 1, 0]]), np.array([[1.0, 1, 0]]), np.array([1.1]))
    pieces = middle_line(strings("s", span, 0.01))
    assert np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1).sum() == pytest.approx(1.1, rel=0.01)
    assert pieces[PIECES // 2, 0, 1] == pytest.approx(1.0 - np.sqrt(0.375 * 0.1), abs=1e-3)


def test_springs_outside_every_triangle_are_drawn_as_a_thread():
    square = sheet(cells=1)
    points = np.vstack([square.rest_position, [[0.5, -0.5, 0], [0.5, -1.0, 0]]])
    ends = np.array([[0, 1], [1, 4], [4, 5]], np.uint32)
    springs = Springs(ends, np.ones(3), np.ones(3), np.zeros(3), np.zeros(3, np.uint8), None)
    of = world(part("kite", points, square.triangles, tables=(springs,)))
    surfaces = {s.name: s for s in Stage(of).surfaces(frame(of), 1.0)}
    assert set(surfaces) == {"kite", "kite string"}
    thread = surfaces["kite string"].points
    assert thread[:, 1].min() == pytest.approx(-1.0, abs=0.01)
    assert thread[:, 1].max() == pytest.approx(0.0, abs=0.01)


def test_a_rope_without_a_surface_is_as_thick_as_it_is():
    points = np.array([[0.0, 0, 0], [0, -1, 0], [0, -2, 0]])
    springs = Springs(
        np.array([[0, 1], [1, 2]], np.uint32), np.ones(2), np.ones(2), np.zeros(2), np.zeros(2, np.uint8), None
    )
    of = world(part("rope", points, np.empty((0, 3), np.uint32), tables=(springs,), thickness=0.05))
    (rope,) = Stage(of).surfaces(frame(of), 1.0)
    assert np.ptp(rope.points, axis=0) == pytest.approx([0.1, 2.0, 0.1], abs=1e-5)


def test_a_marionette_hangs_on_visible_strings():
    puppet = pliant.Puppet.marionette()
    of = pliant.build(pliant.Scene(parts={"doll": puppet}))
    (one,) = pliant.simulate(of, frames=1)
    surfaces = {s.name: s for s in Stage(of).surfaces(one, 1.0)}
    drawn = middle_line(surfaces["doll strings"]).reshape(len(puppet.strings), PIECES, 2, 3)
    hooks = np.array([string.hook for string in puppet.strings])
    assert drawn[:, -1, 1] == pytest.approx(hooks, abs=1e-5)
    length = np.linalg.norm(drawn[:, -1, 1] - drawn[:, 0, 0], axis=1)
    assert (length > 0.1).all()
    lows = surfaces["doll"].points
    for start in drawn[:, 0, 0]:  # each begins on the doll
        assert np.linalg.norm(lows - start, axis=1).min() < 0.08


def test_a_tie_with_a_length_is_drawn_until_it_is_cut():
    cloth = pliant.Cloth.sheet(width=1, height=1, columns=2, rows=2, fabric="cotton", pinned="top")
    tie = pliant.Tie(a="flag:0", b=(0.0, -3.0, 0.0), length=2.0, until=0.5)
    of = pliant.build(pliant.Scene(parts={"flag": cloth}, ties=(tie,)))
    first, *_, last = pliant.simulate(of, seconds=0.7, fps=10)
    stage = Stage(of)
    before, after = ({s.name: s for s in stage.surfaces(one, 1.0)}["strings"] for one in (first, last))
    pieces = middle_line(before)
    corner = first["flag"].points[0]
    assert pieces[0, 0] == pytest.approx(corner, abs=1e-4)
    assert pieces[-1, 1] == pytest.approx([0, -3, 0], abs=1e-5)
    assert np.ptp(after.points, axis=0).max() < 0.02
