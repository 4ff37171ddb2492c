"""Ties: both sides feel them, momentum is kept, strings go slack, hold their length, break and are cut."""

import numpy as np
import pytest

import pliant
from pliant.constraints import BoundTies
from pliant.geometry import rotation
from pliant.world import BODY

CHAIN = (
    pliant.Tie(a="ribbon:left", b="puppet:hand_right"),
    pliant.Tie(a="ribbon:right", b="balloon:nozzle", length=None),
)


def free_scene(**options):
    """A balloon tied to a ribbon tied to a puppet's hand, in vacuum."""
    puppet = pliant.Puppet.human(held=(), damping=0.0)
    ribbon = pliant.Ribbon(
        width=0.6, height=0.02, columns=24, rows=1, pinned=None, center=(-0.436, 0.433, 0.0), turn=180.0
    )
    gas = pliant.Gas(added_mass=0.0)
    balloon = pliant.Balloon.sphere(radius=0.1, center=(-0.8, 0.6, 0.0), gas=gas)
    parts = {"puppet": puppet, "ribbon": ribbon, "balloon": balloon}
    return pliant.Scene(parts=parts, fields=(), ties=CHAIN, contacts=False, **options)


def momenta(session):
    state, world = session.state, session.stage.world
    mass = 1.0 / state.inverse_mass
    part = world.parts["puppet"]
    own = rotation.rotate(rotation.inverse(state.rotation_xyzw), state.spin)
    turned = rotation.rotate(state.rotation_xyzw, part.inertia * own).sum(axis=0)
    linear = mass[:, None] * state.velocity
    return linear.sum(axis=0), np.cross(state.position, linear).sum(axis=0) + turned


@pytest.mark.parametrize("fps", [60, 30])
def test_a_free_chain_of_kinds_keeps_both_momenta(fps):
    session = pliant.Session(free_scene(), fps=fps)
    session.step()
    rows = {name: part.rows for name, part in session.stage.world.parts.items()}
    session.state.velocity[rows["balloon"]] += [0.3, 0.5, 0.2]
    session.state.velocity[rows["ribbon"]] += [-0.1, 0.2, 0.1]
    linear, angular = momenta(session)
    session.step(fps)
    after = momenta(session)
    assert np.abs(after[0] - linear).max() < 1e-6 * np.abs(linear).max()
    assert np.abs(after[1] - angular).max() < 1e-6 * np.abs(angular).max()
    assert np.abs(session.state.velocity[rows["puppet"]]).max() > 0.01  # the pull came through


def hanging(ties, **options):
    """A light ball of cloth hung below a heavy one, both free squares."""
    top = pliant.Cloth.sheet(width=0.2, height=0.2, columns=2, rows=2, center=(0, 2, 0), pinned="top")
    low = pliant.Cloth.sheet(width=0.2, height=0.2, columns=2, rows=2, center=(0, 1.5, 0), **options)
    return pliant.Scene(parts={"top": top, "low": low}, fields=(pliant.Gravity(),), ties=ties)


def distance(frame, a, b):
    return float(np.linalg.norm(frame[a[0]].points[a[1]] - frame[b[0]].points[b[1]]))


def test_a_string_goes_slack_and_holds_its_length():
    tie = pliant.Tie(a="top:1", b="low:7", length=0.5)
    frames = list(pliant.simulate(hanging((tie,)), seconds=3))
    apart = [distance(frame, ("top", 1), ("low", 7)) for frame in frames]
    assert min(apart[:5]) < 0.45  # slack at the start
    assert max(apart) < 0.5 * 1.02
    assert apart[-1] == pytest.approx(0.5, rel=5e-3)


def test_both_sides_feel_a_tie_by_their_masses():
    heavy = pliant.Fabric(density=10.0)
    a = pliant.Cloth.sheet(width=0.1, height=0.1, columns=1, rows=1, center=(0, 1, 0), fabric=heavy)
    b = pliant.Cloth.sheet(width=0.1, height=0.1, columns=1, rows=1, center=(0.5, 1, 0))
    tie = pliant.Tie(a="a:1", b="b:0", compliance=1e-3)
    scene = pliant.Scene(parts={"a": a, "b": b}, fields=(), ties=(tie,), contacts=False)
    first, world = next(pliant.simulate(scene, frames=1)), pliant.build(scene)
    moved = {n: abs(np.average(first[n].velocities[:, 0], weights=world.parts[n].mass)) for n in "ab"}
    assert moved["b"] / moved["a"] == pytest.approx(10.0 / 0.15, rel=1e-3)


def test_a_tie_breaks_at_its_force_and_not_below():
    weight = 0.15 * 0.04 * 9.81
    for factor, together in ((8.0, True), (0.5, False)):
        tie = pliant.Tie(a="top:1", b="low:7", length=None, breaks=factor * weight)
        *_, last = pliant.simulate(hanging((tie,)), seconds=2)
        assert (distance(last, ("top", 1), ("low", 7)) < 0.4) == together


def test_a_tie_is_cut_at_its_time():
    tie = pliant.Tie(a="top:1", b="low:7", length=0.5, until=1.0)
    frames = list(pliant.simulate(hanging((tie,)), seconds=2))
    assert distance(frames[58], ("top", 1), ("low", 7)) < 0.52
    assert distance(frames[-1], ("top", 1), ("low", 7)) > 2.0


def test_a_rewind_mends_what_broke():
    session = pliant.Session(hanging((pliant.Tie(a="top:1", b="low:7", length=0.5, until=0.5),)))
    session.step(20)
    middle = session.save_state()
    session.step(60)
    end = session.state.hash()
    session.load_state(middle)
    session.step(60)
    assert session.state.hash() == end


def test_a_far_away_part_changes_no_bit_of_tied_ones():
    near = hanging((pliant.Tie(a="top:1", b="low:7", length=0.5),))
    far = pliant.Cloth.sheet(width=1, height=1, columns=12, rows=12, center=(40, 1, 0), pinned="top", lies="flat")
    *_, alone = pliant.simulate(near, frames=30)
    *_, both = pliant.simulate(near.replace(parts={**near.parts, "far": far}), frames=30)
    for name in ("top", "low"):
        assert alone[name].points.tobytes() == both[name].points.tobytes()


@pytest.mark.parametrize(
    ("tie", "message"),
    [
        ({"a": "tpo:1", "b": "low:7"}, r"ties\[0\]: no part 'tpo'.*did you mean 'top'"),
        ({"a": "top:99", "b": "low:7"}, r"ties\[0\]: part 'top' has points 0 to 8, not 99"),
        ({"a": "top:lft", "b": "low:7"}, r"ties\[0\]: top.pinned: no border 'lft'"),
        ({"a": "top:", "b": "low:7"}, r"ties\[0\]: no point of part 'top' is named"),
    ],
)
def test_wrong_anchors_are_one_line(tie, message):
    with pytest.raises(pliant.SceneError, match=message):
        pliant.build(hanging((pliant.Tie(**tie),)))


def test_an_anchor_needs_a_part_or_a_place():
    with pytest.raises(pliant.SceneError, match="neither a part nor a place"):
        pliant.Tie(a="", b="low:7")


FREE = {
    "cloth": lambda x: pliant.Cloth.sheet(width=0.3, height=0.3, columns=4, rows=4, center=(x, 1, 0), pinned=None),
    "balloon": lambda x: pliant.Balloon.sphere(radius=0.12, center=(x, 1, 0), gas=pliant.Gas(added_mass=0.0)),
    "puppet": lambda x: pliant.Puppet.human(held=(), damping=0.0, places=((x, 0.0, 0.0),)),
}


def inside(name, x):
    """An anchor that is no point of the mesh: within a triangle, or off the centre of a segment."""
    if name == "puppet":
        return {"part": name, "name": "torso", "at": (0.07, 0.05, 0.1)}
    return {"part": name, "at": (x + 0.043, 1.021, 0.11)}


def pair(a, b, **options):
    parts = {a: FREE[a](0.0), b: FREE[b](1.0)}
    tie = pliant.Tie(a=inside(a, 0.0), b=inside(b, 1.0), **options)
    return pliant.Scene(parts=parts, fields=(), ties=(tie,), contacts=False)


def whole_momenta(session):
    """Linear and angular momentum of every part together."""
    state, parts = session.state, session.stage.world.parts.values()
    linear = state.velocity / state.inverse_mass[:, None]
    turned = np.zeros(3)
    for part in parts:
        q, inertia = state.rotation_xyzw[part.bodies], part.inertia.reshape(-1, 3)
        own = rotation.rotate(rotation.inverse(q), state.spin[part.bodies])
        turned += rotation.rotate(q, inertia * own).sum(axis=0)
    return linear.sum(axis=0), np.cross(state.position, linear).sum(axis=0) + turned


@pytest.mark.parametrize(("a", "b"), [("cloth", "balloon"), ("cloth", "puppet"), ("balloon", "puppet")])
def test_a_tie_inside_a_triangle_keeps_momentum_and_its_length(a, b):
    session = pliant.Session(pair(a, b, length=None))
    session.step()
    table, rows = session.stage.world.ties, {n: p.rows for n, p in session.stage.world.parts.items()}
    session.state.velocity[rows[a]] += [-0.4, 0.3, 0.1]
    session.state.velocity[rows[b]] += [0.2, -0.1, 0.3]
    before = whole_momenta(session)
    apart = []
    for _ in range(30):
        session.step()
        apart.append(float(np.linalg.norm(end_place(session.state, table.a) - end_place(session.state, table.b))))
    after = whole_momenta(session)
    assert np.abs(after[0] - before[0]).max() < 1e-12 * np.abs(before[0]).max()
    assert np.abs(after[1] - before[1]).max() < 1e-9 * np.abs(before[1]).max()
    assert max(apart) == pytest.approx(table.length[0], rel=5e-3)  # pulled taut, and no farther


@pytest.mark.parametrize("b", ["cloth", "puppet"])
def test_one_push_on_a_triangle_is_equal_and_opposite(b):
    """To rounding: what the tie gives to both ends, as impulses m dx / h + m dv and their moments."""
    other = pliant.Cloth.sheet(width=0.3, height=0.3, columns=3, rows=3, center=(1, 1, 0.4), pinned=None)
    parts = {"a": FREE["cloth"](0.0), b: other if b == "cloth" else FREE["puppet"](1.0)}
    tie = pliant.Tie(a={"part": "a", "at": (0.043, 1.021, 0.0)}, b=inside(b, 1.0), length=0.2)
    session, h = pliant.Session(pliant.Scene(parts=parts, fields=(), ties=(tie,), contacts=False)), 1e-3
    state, world = session.state, session.stage.world
    ties, x, spin = BoundTies(world.ties, np.array([0])), state.position.copy(), state.spin.copy()
    ties.begin(state, 0.0)
    ties.project(state, h)
    linear, angular = impulse(world, state, x, spin, h)
    pulled = np.abs((state.position - x)[: len(world.parts["a"].mass)] / h).max() * world.parts["a"].mass.max()
    assert pulled > 0.1
    assert np.abs(linear).max() < 1e-12 * pulled
    assert np.abs(angular).max() < 1e-12 * pulled


def impulse(world, state, x, spin, h):
    """Of all rows together: linear, and angular about the origin."""
    push = ((state.position - x) / h + state.velocity) / state.inverse_mass[:, None]
    turned = np.zeros(3)
    for part in world.parts.values():
        q = state.rotation_xyzw[part.bodies]
        own = rotation.rotate(rotation.inverse(q), (state.spin - spin)[part.bodies])
        turned += rotation.rotate(q, part.inertia.reshape(-1, 3) * own).sum(axis=0)
    return push.sum(axis=0), np.cross(x, push).sum(axis=0) + turned


def end_place(state, side):
    """Where the first tie's end is."""
    if side.kind[0] == BODY:
        return state.position[side.row[0]] + rotation.rotate(state.rotation_xyzw[side.body[0]], side.at[0])
    return side.weights[0] @ state.position[side.corners[0]]


def test_corners_share_the_pull_by_where_in_the_triangle_it_is():
    sheet = pliant.Cloth.sheet(width=0.3, height=0.3, columns=1, rows=1, pinned=None, center=(0, 1, 0))
    tie = pliant.Tie(a={"part": "sheet", "at": (-0.05, 1.02, 0.3)}, b=(-0.05, 1.02, 1.0), length=0.9)
    session = pliant.Session(pliant.Scene(parts={"sheet": sheet}, fields=(), ties=(tie,)))
    state, world = session.state, session.stage.world
    corners, weights = world.ties.a.corners[0], world.ties.a.weights[0]
    assert weights @ state.position[corners] == pytest.approx([-0.05, 1.02, 0.0], abs=1e-12)
    ties = BoundTies(world.ties, np.array([0]))
    ties.begin(state, 0.0)
    ties.project(state, 1e-3)
    moved = state.position[corners, 2] / (weights * state.inverse_mass[corners])
    assert moved == pytest.approx(np.full(3, moved[0]), rel=1e-12)
    assert weights @ state.position[corners] == pytest.approx([-0.05, 1.02, 0.1], abs=1e-12)


def test_a_tie_in_a_triangle_breaks_at_its_force_and_not_below():
    weight = 0.15 * 0.09 * 9.81
    for factor, together in ((8.0, True), (0.5, False)):
        at = {"part": "cloth", "at": (0.03, 1.11, 0)}
        tie = pliant.Tie(a=at, b=(0.03, 1.5, 0), length=None, breaks=factor * weight)
        scene = pliant.Scene(parts={"cloth": FREE["cloth"](0.0)}, fields=(pliant.Gravity(),), ties=(tie,))
        *_, last = pliant.simulate(scene, seconds=1)
        assert (last["cloth"].points[:, 1].max() > 1.0) == together
