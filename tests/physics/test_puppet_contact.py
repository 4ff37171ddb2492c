"""Puppets against floors, steps, each other and themselves; hands, strings and loops."""

import numpy as np
import pytest

import pliant
from pliant.integrators.articulated.touching import nearest_of_segments
from reference.puppets import Run


def depth_below(run, height=0.0):
    """How far the deepest contact point is below a floor [m]."""
    from pliant.geometry import rotation

    points, start = run.part.extra["contact_points"], run.part.extra["contact_start"]
    row = np.repeat(np.arange(len(run.part.mass)), np.diff(start))
    y = rotation.rotate(run.rows.rotation_xyzw[row], points[:, :3])[:, 1] + run.rows.position[row, 1] - points[:, 3]
    return height - y.min()


def dropped(height, **options):
    puppet = pliant.Puppet.human(places=((0.0, height, 0.0),), damping=0.0, **options)
    return Run(puppet, colliders=(pliant.Ground(),))


def test_a_dropped_puppet_neither_sinks_in_nor_gains_energy():
    run = dropped(0.5)
    run.rows.spin[0] = (0.3, 0.0, 0.2)
    run.step(1 / 60)
    start, depth, most = run.energy(), 0.0, -np.inf
    for _ in range(150):
        run.step(1 / 60)
        depth, most = max(depth, depth_below(run)), max(most, run.energy())
    assert depth < 5e-4
    assert most <= start + 1e-3 * abs(start)
    assert run.gaps().max() < 2e-4
    assert np.abs(run.rows.velocity).max() < 0.5


def test_a_box_slides_and_stops_by_coulomb():
    """v^2 / (2 mu g) is the way of a sliding box."""
    box = pliant.Segment(name="box", shape="box", size=(0.4, 0.05, 0.4), center=(0, 0.025, 0), mass=1.0)
    run = Run(pliant.Puppet(segments=(box,), damping=0.0, friction=0.4), colliders=(pliant.Ground(friction=0.4),))
    run.rows.velocity[0] = (1.5, 0.0, 0.0)
    run.step(1 / 60, 90)
    assert run.rows.position[0, 0] == pytest.approx(1.5**2 / (2 * 0.4 * 9.81), rel=0.08)
    assert np.abs(run.rows.velocity[0]).max() < 5e-3


def test_a_box_sticks_on_a_slope():
    """tan 15 degrees is below the friction: it creeps by less than a millimetre per second."""
    turn = tuple(np.array([0.0, 0.0, np.sin(np.deg2rad(7.5)), np.cos(np.deg2rad(7.5))]))
    up = np.array([-np.sin(np.deg2rad(15.0)), np.cos(np.deg2rad(15.0)), 0.0])
    box = pliant.Segment(
        name="box", shape="box", size=(0.2, 0.1, 0.2), center=tuple(0.05 * up), rotation_xyzw=turn, mass=1.0
    )
    run = Run(
        pliant.Puppet(segments=(box,), damping=0.0, friction=0.6),
        colliders=(pliant.Ground(turn=(0, 0, 15.0), friction=0.6),),
    )
    run.step(1 / 60, 30)
    before = run.rows.position[0].copy()
    run.step(1 / 60, 60)
    assert np.linalg.norm(run.rows.position[0] - before) < 1e-3


@pytest.mark.parametrize(
    "obstacle",
    [
        pliant.Sphere(center=(0.0, 0.2, 0.0), radius=0.2),
        pliant.Box(center=(0.0, 0.2, 0.0), size=(0.6, 0.4, 0.6)),
        pliant.Cylinder(center=(0.0, 0.2, 0.0), radius=0.3, height=0.4),
    ],
)
def test_a_ball_comes_to_rest_on_every_solid(obstacle):
    ball = pliant.Segment(name="ball", shape="sphere", size=(0.1,), center=(0, 0.6, 0), mass=1.0)
    run = Run(pliant.Puppet(segments=(ball,), damping=0.0), colliders=(obstacle,)).step(1 / 60, 60)
    assert run.rows.position[0, 1] == pytest.approx(0.5, abs=1e-3)


def test_nearest_points_of_segments():
    """Against a dense search over both segments."""
    random = np.random.default_rng(3)
    t = np.linspace(0.0, 1.0, 201)
    for _ in range(20):
        p1, q1, p2, q2 = random.uniform(-1, 1, (4, 3))
        a, b = nearest_of_segments(tuple(p1), tuple(q1), tuple(p2), tuple(q2))
        one, two = p1 + t[:, None] * (q1 - p1), p2 + t[:, None] * (q2 - p2)
        dense = np.linalg.norm(one[:, None] - two[None], axis=2).min()
        assert np.linalg.norm(np.subtract(a, b)) <= dense + 1e-12
        assert np.linalg.norm(np.subtract(a, b)) == pytest.approx(dense, abs=2e-2)


def crossed_legs(touches):
    """Two legs swung against each other in free flight; returns the deepest contact and the change of momenta."""
    run = Run(pliant.Puppet.human(damping=0.0, touches_itself=touches), gravity=(0, 0, 0))
    run.rows.spin[8] = (0.0, 0.0, 6.0)
    run.rows.spin[11] = (0.0, 0.0, -6.0)
    run.step(1e-4)
    before, deepest = run.momentum(), 0.0
    from pliant.integrators.articulated.touching import Touching

    probe = Touching([run.part])
    for _ in range(120):
        run.step(1 / 240)
        still = run.rows._replace(velocity=run.rows.velocity.copy(), spin=run.rows.spin.copy())
        deepest = max(deepest, probe.push_apart(still, 1 / 240))
    return deepest, np.abs(np.subtract(run.momentum(), before)).max()


def test_legs_keep_out_of_each_other():
    through, _ = crossed_legs(False)
    apart, drift = crossed_legs(True)
    assert through > 0.02
    assert apart < 0.01
    assert drift < 1e-5


def test_a_hand_draws_softly_and_the_joints_hold():
    """Two hands pulled apart beyond reach: the joints keep closed, the hands give."""
    run = Run(pliant.Puppet.human(damping=2.0))
    pulls = run.stepper.pulls
    keys = [pulls.hand(row, np.zeros(3), run.rows.position[row]) for row in (4, 7)]
    home = run.rows.position[[4, 7]].copy()
    for frame in range(240):
        t = min(1.0, (frame + 1) / 120)
        for key, place, side in zip(keys, home, (-1.0, 1.0), strict=True):
            pulls.aim(key, place + t * np.array([side * 0.5, 0.3, 0.0]))
        run.step(1 / 60)
        assert run.gaps().max() < 2e-4
        assert np.rad2deg(run.limit_excess().max()) < 0.5
    assert np.isfinite(run.rows.position).all()
    assert np.abs(run.rows.velocity).max() < 3.0  # stretched limbs quiver; they do not fly


def test_a_hand_reaches_its_goal():
    run = Run(pliant.Puppet.human(damping=2.0))
    goal = run.rows.position[4] + [0.05, 0.1, 0.05]
    key = run.stepper.pulls.hand(4, np.zeros(3), run.rows.position[4])
    run.stepper.pulls.aim(key, goal)
    run.step(1 / 60, 180)
    assert np.linalg.norm(run.rows.position[4] - goal) < 5e-3
    run.stepper.pulls.drop(key)
    run.step(1 / 60, 30)
    assert run.rows.position[4, 1] < goal[1] - 0.1


def test_a_string_holds_and_goes_slack():
    ball = pliant.Segment(name="ball", shape="sphere", size=(0.05,), center=(0.6, 1.0, 0), mass=1.0)
    string = pliant.PuppetString(segment="ball", hook=(0, 1, 0), length=1.0)
    session = pliant.Session(
        pliant.Scene(parts={"ball": pliant.Puppet(segments=(ball,), strings=(string,), damping=0.0)})
    )
    distances = []
    for _ in range(120):
        position = session.step()["ball"].poses[0].position
        distances.append(float(np.linalg.norm(position - [0, 1, 0])))
    assert max(distances) < 1.003
    assert min(distances[:5]) < 0.7


def ring(count=4):
    """Rods in a closed square, hanging from one corner."""
    corners = [(0.0, 1.0), (0.2, 0.8), (0.0, 0.6), (-0.2, 0.8)]
    segments, joints = [], []
    for k in range(count):
        (ax, ay), (bx, by) = corners[k], corners[(k + 1) % count]
        direction = np.array([bx - ax, by - ay, 0.0])
        length = float(np.linalg.norm(direction))
        angle = np.arctan2(-direction[0], direction[1])
        turn = (0.0, 0.0, float(np.sin(angle / 2)), float(np.cos(angle / 2)))
        segments.append(
            pliant.Segment(
                name=f"rod{k}",
                size=(0.01, length),
                center=(0.5 * (ax + bx), 0.5 * (ay + by), 0),
                rotation_xyzw=turn,
                mass=0.1,
            )
        )
    for k in range(count):
        x, y = corners[(k + 1) % count]
        joints.append(pliant.Joint(parent=f"rod{k}", child=f"rod{(k + 1) % count}", anchor=(x, y, 0)))
    return pliant.Puppet(segments=tuple(segments), joints=tuple(joints), damping=0.2)


def test_a_closed_loop_holds_and_keeps_momentum():
    run = Run(ring(), gravity=(0, 0, 0))
    run.rows.spin[:] = (0.3, 0.2, 2.0)
    run.rows.velocity[:] = np.cross([0.3, 0.2, 2.0], run.rows.position - run.centre())
    run.rows.velocity[:] += 0.3 * np.sign(run.rows.position - run.centre()) * [1, -1, 0]
    run.stepper._settings[0] = 0.0
    run.step(1e-4)
    before = run.momentum()
    for _ in range(120):
        run.step(1 / 60)
        assert run.gaps().max() < 1e-5
    after = run.momentum()
    assert np.abs(after[0] - before[0]).max() < 1e-12
    assert np.linalg.norm(after[1] - before[1]) < 1e-4 * np.linalg.norm(before[1])


def test_two_hands_on_one_bar():
    """A human that hangs by both hands on a held bar: a loop of seven joints."""
    human = pliant.Puppet.human(damping=2.0)
    low = human.segments[human.index("hand_left")].center
    bar = pliant.Segment(
        name="bar", size=(0.01, 0.4), center=(0, low[1] - 0.03, 0.0), rotation_xyzw=(0, 0, 0.5**0.5, 0.5**0.5), mass=0.2
    )
    grips = tuple(
        pliant.Joint(parent="bar", child=f"hand_{side}", anchor=(x * low[0], bar.center[1], 0.0))
        for side, x in (("right", -1.0), ("left", 1.0))
    )
    puppet = human.replace(segments=(*human.segments, bar), joints=(*human.joints, *grips), held=("bar",))
    run = Run(puppet)
    for _ in range(120):
        run.step(1 / 60)
        assert run.gaps().max() < 2e-4
    assert run.rows.position[0, 1] < bar.center[1]


def test_held_hands_that_part_beyond_reach_do_not_explode():
    """Several hard pins that cannot all hold: the joint at the second hand gives, the others stay closed."""
    apart = np.array([[[0.08, 0.26, 0.0], [-0.08, 0.26, 0.0]], [[1.0, 0.5, 0.0], [-1.0, 0.5, 0.0]]])
    drive = pliant.Drive(
        segments=("hand_left", "hand_right"), fps=1, positions=apart, rotations_xyzw=np.tile([0, 0, 0, 1.0], (2, 2, 1))
    )
    session = pliant.Session(pliant.Scene(parts={"p": pliant.Puppet.human(drive=drive, damping=1.0)}), history=False)
    part = session.stage.world.parts["p"]
    free = session.state.inverse_mass > 0.0
    for frame in range(150):
        session.step()
        speed = np.abs(session.state.velocity[free]).max()
        assert speed < (20.0 if frame < 90 else 4.0)  # one jolt where the arms go taut, then rest
    assert np.abs(session.state.position).max() <= 1.0 + 1e-9
    joints, x, q = part.tables[0], session.state.position, session.state.rotation_xyzw
    from pliant.geometry import rotation

    gaps = np.linalg.norm(
        x[joints.parent] + rotation.rotate(q[joints.parent], joints.parent_anchor)
        - x[joints.child] - rotation.rotate(q[joints.child], joints.child_anchor), axis=1
    )  # fmt: skip
    assert np.sort(gaps)[-2] < 1e-3


def test_many_points_of_flat_feet_throw_nothing():
    """Three puppets hand in hand dance on strings: nearly rigid points that push and pull must not throw them up."""
    from pliant.gallery import load

    session = pliant.Session(load("puppets_holding_hands"), history=False)
    stepper = session.stage.parts["puppets"].stepper
    fastest = highest = 0.0
    for _ in range(300):
        session.step()
        fastest = max(fastest, np.linalg.norm(session.state.velocity, axis=1).max())
        highest = max(highest, session.state.position[:, 1].max())
    assert fastest < 3.0
    assert highest < 0.65
    assert stepper.counts[:, 1].sum() < 0.02 * stepper.counts[:, 0].sum()  # the cautious solver is for emergencies
