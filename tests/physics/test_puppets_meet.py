"""One puppet against another: both sides feel it, nothing passes through, momentum stays."""

import numpy as np
import pytest

import pliant
from pliant.colliders.islands import islands
from pliant.geometry import rotation

WEIGHTLESS = (pliant.Gravity(acceleration=(0.0, 0.0, 0.0)),)


def momentum(session):
    """Linear and angular momentum about the origin, and the kinetic energy, of everything."""
    state, parts = session.state, session.stage.world.parts.values()
    m = np.concatenate([p.mass for p in parts])[:, None]
    inertia = np.concatenate([p.inertia for p in parts])
    turn = state.rotation_xyzw
    own = rotation.rotate(turn, inertia * rotation.rotate(rotation.inverse(turn), state.spin))
    angular = (m * np.cross(state.position, state.velocity)).sum(axis=0) + own.sum(axis=0)
    energy = 0.5 * (m * state.velocity**2).sum() + 0.5 * (state.spin * own).sum()
    return (m * state.velocity).sum(axis=0), angular, float(energy)


def deepest(session):
    """Depth of the worst contact between segments of different parts [m]."""
    from pliant.integrators.articulated.touching import nearest_of_segments

    ends = []
    for part in session.stage.world.parts.values():
        capsules = part.extra["capsules"]
        x, q = session.state.position[part.rows], session.state.rotation_xyzw[part.bodies]
        ends.append([(x + rotation.rotate(q, capsules[:, k : k + 3]), capsules[:, 6]) for k in (0, 3)])
    (a0, ra), (a1, _) = ends[0]
    (b0, rb), (b1, _) = ends[1]
    worst = -np.inf
    for i in range(len(ra)):
        for j in range(len(rb)):
            p, q = nearest_of_segments(tuple(a0[i]), tuple(a1[i]), tuple(b0[j]), tuple(b1[j]))
            worst = max(worst, ra[i] + rb[j] - float(np.linalg.norm(np.subtract(p, q))))
    return worst


def thrown_together(speed=1.0, mass=1.5, **options):
    """Two humans in free flight that meet head on, a little beside each other."""
    parts = {
        "left": pliant.Puppet.human(damping=0.0, **options),
        "right": pliant.Puppet.human(damping=0.0, mass=mass, places=((0.6, 0.05, 0.02),), **options),
    }
    session = pliant.Session(pliant.Scene(parts=parts, fields=WEIGHTLESS))
    session.state.velocity[:14, 0], session.state.velocity[14:, 0] = speed, -speed
    return session


@pytest.mark.parametrize(("speed", "mass", "turn"), [(1.0, 1.5, 1e-6), (3.0, 0.15, 1e-4)])
def test_two_puppets_collide_and_keep_both_momenta(speed, mass, turn):
    """The violent blow makes use of the cautious solver, which keeps angular momentum less well."""
    session = thrown_together(speed, mass)
    p0, l0, e0 = momentum(session)
    depth = 0.0
    for _ in range(60):
        session.step()
        depth = max(depth, deepest(session))
    p1, l1, e1 = momentum(session)
    assert np.abs(p1 - p0).max() < 1e-13
    assert np.abs(l1 - l0).max() < turn * (speed * 0.6 * (1.5 + mass))
    of_meeting = 0.5 * (1.5 * mass / (1.5 + mass)) * (2.0 * speed) ** 2
    assert 0.6 * of_meeting < e0 - e1 < of_meeting  # nothing bounces
    assert depth < 5e-3


def test_contact_can_be_switched_off():
    session = thrown_together()
    session = pliant.Session(session.scene.replace(contacts=False))
    session.state.velocity[:14, 0], session.state.velocity[14:, 0] = 1.0, -1.0
    depth = 0.0
    for _ in range(40):
        session.step()
        depth = max(depth, deepest(session))
    assert depth > 0.05


def test_two_balls_meet_as_in_a_book():
    """Inelastic, head on, masses 1 : 3: both go on with the common velocity; a glancing slide is slowed by mu times the
    push and sets both spinning."""
    balls = {
        name: pliant.Puppet(
            segments=(pliant.Segment(name="ball", shape="sphere", size=(0.1,), center=(x, 0, 0), mass=mass),),
            damping=0.0,
            friction=0.2,
        )
        for name, x, mass in (("a", 0.0, 1.0), ("b", 0.2005, 3.0))
    }
    session = pliant.Session(pliant.Scene(parts=balls, fields=WEIGHTLESS))
    session.state.velocity[0] = (2.0, 0.0, 0.3)
    session.step(2)
    v = session.state.velocity
    assert v[:, 0] == pytest.approx([0.5, 0.5], abs=2e-3)  # (1 x 2) / 4
    push = 1.0 * (2.0 - 0.5)
    slip = 0.2 * push
    give = 1.0 + 1.0 / 3.0 + 2.5 + 2.5 / 3.0  # across: 1/m + r^2 / I of both, I = 2/5 m r^2
    wanted = min(slip, 0.3 / give)
    assert v[1, 2] * 3.0 == pytest.approx(wanted, rel=0.02)
    assert session.state.spin[0, 1] * session.state.spin[1, 1] > 0.0


def test_a_puppet_lies_on_another():
    """Dropped across one that lies on the floor, it comes to rest above it and stays there."""
    lying = pliant.Segment(name="log", size=(0.08, 0.8), center=(0, 0.08, 0), rotation_xyzw=(0.5**0.5, 0, 0, 0.5**0.5),
                           mass=3.0)  # fmt: skip
    beam = pliant.Segment(name="beam", size=(0.06, 0.7), center=(0, 0.30, 0), rotation_xyzw=(0, 0, 0.5**0.5, 0.5**0.5),
                          mass=1.0)  # fmt: skip
    parts = {name: pliant.Puppet(segments=(one,), damping=0.5) for name, one in (("log", lying), ("beam", beam))}
    session = pliant.Session(pliant.Scene(parts=parts, colliders=(pliant.Ground(),)))
    session.step(120)
    height = session.state.position[1, 1]
    assert height == pytest.approx(0.16 + 0.06, abs=2e-3)
    session.step(60)
    assert session.state.position[1, 1] == pytest.approx(height, abs=5e-4)
    assert np.abs(session.state.velocity).max() < 0.05


def test_a_held_puppet_pushes_and_is_not_pushed():
    wall = pliant.Segment(name="arm", size=(0.05, 0.6), center=(0.3, 0.3, 0), mass=1.0)
    motion = pliant.KeyMotion(times=(0.0, 1.0), offsets=((0, 0, 0), (-0.4, 0, 0)))
    parts = {
        "human": pliant.Puppet.human(damping=1.0),
        "arm": pliant.Puppet(segments=(wall,), held=("arm",), motion=motion),
    }
    session = pliant.Session(pliant.Scene(parts=parts, fields=WEIGHTLESS))
    for _ in range(90):
        session.step()
        assert deepest(session) < 5e-3
    assert session.state.position[14] == pytest.approx([-0.1, 0.3, 0.0], abs=1e-9)
    assert session.state.position[:14, 0].mean() < -0.15


def test_far_puppets_stay_alone_and_near_ones_share_an_island():
    session = thrown_together()
    world, state = session.stage.world, session.state
    assert islands(world, state, 1 / 60) == [["left"], ["right"]]
    state.position[14:, 0] -= 0.35
    assert islands(world, state, 1 / 60) == [["left", "right"]]


def test_meeting_twice_gives_equal_bits():
    hashes = []
    for _ in range(2):
        session = thrown_together()
        session.step(40)
        hashes.append(session.state.hash())
    assert hashes[0] == hashes[1]
