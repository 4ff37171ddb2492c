"""A hand draws cloth as far as it reaches: nothing is torn, and the hand is where it wants to be where it can."""

import numpy as np
import pytest

import pliant
from pliant.loop.pulling import Reach, ways_within
from pliant.world import rows_of, structural_strain


def curtain(**options):
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=20, rows=20, pinned="top-corners", **options)
    return pliant.Session(pliant.Scene(parts={"a": sheet}, fields=(pliant.Gravity(),)))


def strain(session):
    return structural_strain(session.stage.world.parts["a"], session.state.position)[0]


@pytest.mark.parametrize("radius", [0.0, 0.15])
@pytest.mark.parametrize("way", [(0.0, -5.0, 0.0), (1.0, 1.0, 4.0)])
def test_a_hand_that_draws_too_far_stretches_nothing(radius, way):
    session = curtain()
    session.step(20)
    handle = session.grab("a", 10 * 21 + 10, radius=radius)
    start = session.hands[handle].target.copy()
    worst = 0.0
    for k in range(90):
        session.move(handle, start + np.array(way) * min(1.0, k / 60.0))
        session.step()
        worst = max(worst, strain(session) if k > 5 else 0.0)
    assert worst < 0.08  # the limit is 5 %; unbounded, the hand made it 300 % and more
    session.move(handle, start)
    session.step(60)
    np.testing.assert_allclose(session.frame["a"].points[10 * 21 + 10], start, atol=2e-3)


def test_two_hands_cannot_pull_cloth_apart():
    session = curtain()
    session.pin("a", np.flatnonzero(session.state.inverse_mass == 0.0), held=False)
    hands = {session.grab("a", row, radius=0.1): side for row, side in ((210, -1.0), (230, 1.0))}
    places = {handle: session.hands[handle].target.copy() for handle in hands}
    for k in range(60):
        for handle, side in hands.items():
            session.move(handle, places[handle] + np.array([side * k / 30.0, 0.0, 0.0]))
        session.step()
    assert strain(session) < 0.12  # beside stiff patches; unbounded, it was drawn to three times its width
    apart = session.frame["a"].points[210] - session.frame["a"].points[230]
    assert 1.0 < np.linalg.norm(apart) < 1.1


def test_ways_are_straight_across_a_sheet_and_nearly_so_along_the_edges_of_a_mesh():
    session = curtain()
    part = session.stage.world.parts["a"]
    first, second = np.array([0]), np.array([20, 210, 440])
    sheet = ways_within(part, first, second)[0]
    np.testing.assert_allclose(sheet[0], 1.0)  # along a thread
    assert np.hypot(1, 1) < sheet[2] < 2.0  # askew: more than straight, less than along the threads
    del part.extra["grid"]
    mesh = ways_within(part, first, second)[0]
    straight = np.linalg.norm(part.rest_position[second] - part.rest_position[0], axis=1)
    assert (mesh >= straight - 1e-9).all()
    assert (mesh <= 1.09 * straight).all()


def test_nothing_bounds_a_hand_on_cloth_that_hangs_on_nothing_or_has_no_limit():
    session = curtain()
    part = session.stage.world.parts["a"]
    rows = rows_of(session.state, part)
    reach, far, here = Reach(part, np.array([220])), np.array([0.0, -9.0, 0.0]), np.zeros((1, 3))
    bounded = reach.bounded(far, here, rows)
    pins = np.flatnonzero(rows.inverse_mass == 0.0)
    assert (np.linalg.norm(bounded - rows.position[pins], axis=1) < 1.5).all()
    rows.inverse_mass[pins] = 1.0  # let go
    np.testing.assert_array_equal(reach.bounded(far, here, rows), far)
    rows.inverse_mass[pins] = 0.0
    part.extra["limit"] = None
    np.testing.assert_array_equal(Reach(part, np.array([220])).bounded(far, here, rows), far)
