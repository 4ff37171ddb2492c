"""Every kind of thing against every other: what is thrown does not pass, and both sides feel it."""

import itertools

import numpy as np
import pytest

import pliant

SPEED = 1.5  # [m/s]


def cloth(x):
    return pliant.Cloth.sheet(width=0.4, height=0.4, columns=8, rows=8, center=(x, 1.0, 0.0), turn=90.0, fabric="denim")


def ribbon(x):
    return pliant.Ribbon(
        width=0.5, height=0.06, columns=12, rows=1, center=(x, 1.0, 0.0), turn=90.0, pinned=None, fabric="denim"
    )


def balloon(x):
    gas = pliant.Gas(kind="air", fill=1.2, added_mass=0.0)
    return pliant.Balloon.sphere(radius=0.12, detail=2, center=(x, 1.0, 0.0), gas=gas, drag=0.0)


def puppet(x):
    block = pliant.Segment(name="block", size=(0.05, 0.4), center=(x, 1.0, 0.0), mass=0.1)
    return pliant.Puppet(segments=(block,), damping=0.0)


KINDS = {"cloth": cloth, "ribbon": ribbon, "balloon": balloon, "puppet": puppet}
WIDE = {"cloth": 0.0, "ribbon": 0.0, "balloon": 0.12, "puppet": 0.05}  # [m] half size along x


def thrown(one, other):
    """The first flies at the second, both free, without air or weight."""
    gap = WIDE[one] + WIDE[other] + 0.05
    parts = {"a": KINDS[one](-gap), "b": KINDS[other](0.0)}
    session = pliant.Session(pliant.Scene(parts=parts, fields=()), history=False)
    rows = {name: part.rows for name, part in session.stage.world.parts.items()}
    session.step()  # from here on a balloon counts its gas
    session.state.velocity[rows["a"], 0] = SPEED
    return session, rows


def momentum(session):
    return (session.state.velocity / session.state.inverse_mass[:, None]).sum(axis=0)


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations_with_replacement(KINDS, 2)))
def test_two_kinds_thrown_together_do_not_pass_and_keep_momentum(one, other):
    session, rows = thrown(one, other)
    before, place = momentum(session), session.state.position[rows["a"]]
    across = np.linalg.norm((place - place.mean(axis=0))[:, 1:], axis=1)
    middle = across <= across.min() + 0.02
    session.step(24)
    x = session.state.position[:, 0]
    assert x[rows["a"]][middle].mean() < x[rows["b"]].mean()  # its borders may wrap round
    assert session.state.velocity[rows["b"], 0].mean() > 0.03 * SPEED  # the other one was pushed
    lost = np.abs(momentum(session) - before).max() / np.abs(before).max()
    assert lost < 1e-9, lost


OBSTACLES = {
    "box": pliant.Box(center=(0.0, 0.2, 0.0), size=(1.0, 0.4, 1.0), friction=0.9),
    "sphere": pliant.Sphere(center=(0.0, 0.1, 0.0), radius=0.3),
    "ground": pliant.Ground(height=0.4, turn=(0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_falls_on_every_obstacle_and_stays_above(kind, obstacle):
    scene = pliant.Scene(
        parts={"a": KINDS[kind](0.0)}, fields=(pliant.Gravity(), pliant.Wind()), colliders=(OBSTACLES[obstacle],)
    )
    *_, last = pliant.simulate(scene, seconds=0.6)
    top = 0.4
    low = np.asarray(last["a"].points, float)
    inside = OBSTACLES[obstacle].signed_distance(low)[0]
    assert inside.min() > -2e-3
    assert low[:, 1].max() > 0.3 * top


@pytest.mark.parametrize("kind", ["cloth", "ribbon", "balloon"])
def test_every_soft_kind_lands_on_a_character(kind):
    part = KINDS[kind](0.0).replace(center=(0.0, 2.05, 0.0))
    scene = pliant.Scene(parts={"figure": pliant.Actor(), "a": part}, fields=(pliant.Gravity(), pliant.Wind()))
    *_, last = pliant.simulate(scene, seconds=0.45)
    assert np.median(last["a"].points[:, 1]) > 1.2
