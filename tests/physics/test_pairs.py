"""Every kind of thing against every other: what is thrown does not pass, and both sides feel it."""

import itertools

import numpy as np
import pytest

import pliant
from pliant.geometry import rotation
from pliant.geometry.closed import sphere
from pliant.geometry.nearest import SurfaceTree

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


def reach_into(surface, state, part):
    """[m] how deep the axes of a puppet's segments, with their radii, are in a closed surface: (points, triangles)."""
    tree, capsules = SurfaceTree(*surface), part.extra["capsules"]
    x, q = state.position[part.rows], state.rotation_xyzw[part.bodies]
    ends = [x + rotation.rotate(q, capsules[:, k : k + 3]) for k in (0, 3)]
    share = np.linspace(0.0, 1.0, 13)[:, None, None]
    along = ends[0] + share * (ends[1] - ends[0])
    near = tree.closest(along.reshape(-1, 3)).distance.reshape(13, -1)
    return float((capsules[:, 6] - near).max())


def test_a_puppet_falls_on_a_closed_mesh_and_stays_out():
    points, triangles = sphere(3)
    points = 0.5 * points + (0.0, 0.5, 0.0)
    doll = pliant.Puppet.human(height=1.0, mass=5.0, places=((0.1, 1.2, 0.05),))
    colliders = (pliant.Ground(), pliant.MeshCollider(points=points, triangles=triangles))
    session = pliant.Session(pliant.Scene(parts={"doll": doll}, fields=(pliant.Gravity(),), colliders=colliders))
    depth, part = [], session.stage.world.parts["doll"]
    for _ in range(120):
        session.step()
        depth.append(reach_into((points, triangles), session.state, part))
    assert max(depth) > -0.01  # it met the ball
    assert max(depth) < 5e-3


def test_a_character_that_turns_pushes_a_puppet_along():
    figure = pliant.Actor(poses=("upright", {"root": (0.0, 120.0, 0.0)}), times=(0.2, 0.8))
    doll = pliant.Puppet.human(height=0.5, mass=1.0, held=(), places=((0.0, 0.9, 0.4),), damping=0.0)
    alone = pliant.Scene(parts={"doll": doll}, fields=())
    session, still = pliant.Session(alone.replace(parts={"figure": figure, "doll": doll})), pliant.Session(alone)
    depth, part = [], session.stage.world.parts["doll"]
    for _ in range(72):
        frame = session.step()
        still.step()
        surface = (frame["figure"].points, frame["figure"].triangles)
        depth.append(reach_into(surface, session.state, part))
    assert max(depth) < 0.02  # its arm comes at 3 m/s
    moved = session.state.position[part.rows] - still.state.position[still.stage.world.parts["doll"].rows]
    assert np.linalg.norm(moved.mean(axis=0)) > 0.05
