"""A balloon on a string: the string holds its length, pulls the whole balloon, and swings as a pendulum does."""

import numpy as np
import pytest

import pliant
from pliant import Balloon, Gas, Skin, String
from pliant.loop import Stage
from pliant.lowering import build
from pliant.world import rows_of

PARTY = Skin(density=3e-3 / (4 * np.pi * 0.05**2))


def staged(balloon, fields):
    world = build(pliant.Scene(parts={"b": balloon}, fields=fields))
    stage, state = Stage(world), world.initial_state()
    return stage, state, rows_of(state, world.parts["b"])


def test_a_helium_balloon_stands_on_its_string():
    balloon = Balloon.sphere(0.12, skin=PARTY, gas=Gas(fill=4.0), string=String(length=0.6))
    stage, state, rows = staged(balloon, (pliant.Gravity(), pliant.Wind()))
    end = rows.position[-1].copy()
    for _ in range(240):
        stage.step(state, 1 / 60)
    np.testing.assert_array_equal(rows.position[-1], end)
    line = rows.position[642:]
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    assert steps.max() < 1.01 * 0.6 / 12
    knot = rows.position[stage.parts["b"].part.extra["strand"].knot].mean(axis=0)
    assert np.linalg.norm(knot - end) == pytest.approx(0.6, rel=0.01)
    assert knot[1] - end[1] == pytest.approx(0.6, rel=0.02)
    assert np.linalg.norm(rows.velocity[:642].mean(axis=0)) < 0.05


def test_a_free_string_is_carried_along():
    balloon = Balloon.sphere(0.12, skin=PARTY, gas=Gas(fill=4.0), string=String(length=0.6, held=False))
    stage, state, rows = staged(balloon, (pliant.Gravity(), pliant.Wind()))
    start = rows.position[-1, 1]
    for _ in range(60):
        stage.step(state, 1 / 60)
    assert rows.position[-1, 1] > start + 0.3
    below = rows.position[:642, 1].min() - rows.position[-1, 1]
    assert below == pytest.approx(0.6, abs=0.05)


def test_an_upside_down_pendulum_swings_with_its_period():
    length, gas = 0.5, Gas(fill=4.0)
    string = String(length=length, density=1e-6)
    stage, state, rows = staged(Balloon.sphere(0.1, skin=PARTY, gas=gas, string=string), (pliant.Gravity(),))
    for _ in range(60):
        stage.step(state, 1 / 60)
    m = 1.0 / rows.inverse_mass[:642]
    rows.velocity[:642] = 0.0
    rows.velocity[:642, 0] = 0.3
    way = []
    for _ in range(300):
        stage.step(state, 1 / 60)
        way.append((m @ rows.position[:642] / m.sum())[0])
    frame = pliant.loop.picture(stage.world, state)["b"]
    skin = stage.parts["b"].part.mass[:642].sum()
    inside, outside = frame.moles * gas.molar_mass, gas.air_density * frame.volume
    total, lift = skin + inside + 0.5 * outside, (outside - skin - inside) * 9.81
    radius = (frame.volume * 3 / (4 * np.pi)) ** (1 / 3)
    arm = length + radius  # the knot turns with the string: a rigid pendulum of the ball about the held end
    inertia = total * (arm**2 + 2.0 / 3.0 * radius**2)
    expected = 2 * np.pi * np.sqrt(inertia / (lift * arm))
    turns = np.flatnonzero(np.diff(np.sign(way)) != 0)
    assert len(turns) >= 2
    assert 2 * np.diff(turns).mean() / 60 == pytest.approx(expected, rel=0.1)


def test_a_string_that_cannot_reach_is_refused():
    balloon = Balloon.sphere(0.1, string=String(length=0.3, end=(0, -2, 0)))
    with pytest.raises(pliant.SceneError, match=r"String.end = .* farther than the string is long"):
        build(pliant.Scene(parts={"b": balloon}))


def test_twelve_balloons_carry_a_puppet_off():
    run = pliant.Session(pliant.gallery.load("balloon_lifts_puppet"), fps=60)
    start = run.frame["puppet"].points[:, 1].mean()
    run.step(90)
    middle = run.frame["puppet"].points[:, 1].mean()
    run.step(30)
    assert middle > start + 0.2
    assert run.frame["puppet"].points[:, 1].mean() > middle + 0.1  # and it goes on rising
