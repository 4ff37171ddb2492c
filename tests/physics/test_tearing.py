"""Cloth that tears: at its strength, along edges, with equal bits, through rewinds, edits and files."""

import numpy as np
import pytest

import pliant
from pliant.lowering.tears import torn
from pliant.scene import set_path
from pliant.world import Hinges, Springs, edge_strain

STRETCH, WIDTH = 500.0, 0.4


def hung(load, *, tear=5.0, **options):
    """A strip that carries a load [kg] along its lower border; its threads stretch by load g / (width stretch)."""
    fabric = pliant.Fabric(density=0.15, stretch=STRETCH, bend=1e-6, damping=1e-3, limit=None, tear=tear)
    given = {"columns": 4, "rows": 6, "pinned": "top", "load": load, "loaded": "bottom"} | options
    cloth = pliant.Cloth.sheet(width=WIDTH, height=0.6, fabric=fabric, center=(0, 1, 0), **given)
    return pliant.Scene(parts={"c": cloth}, fields=(pliant.Gravity(),))


def frames_of(scene, count=40):
    return list(pliant.simulate(scene, frames=count))


def test_cloth_does_not_tear_unless_asked():
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=5, rows=5)
    assert sheet.fabric.tear is None
    part = pliant.build(pliant.Scene(parts={"c": sheet})).parts["c"]
    assert len(part.mass) == 36
    assert "torn" not in frames_of(pliant.Scene(parts={"c": sheet}), 1)[0]["c"].quantities


@pytest.mark.parametrize(("share", "tears"), [(0.25, False), (1.3, True)])
def test_a_strip_tears_where_its_load_is_beyond_its_strength(share, tears):
    """Let go at once a load swings to twice its static stretch, and the rim has 1.6 times the mean: 0.25 holds."""
    load = share * 0.05 * STRETCH * WIDTH / 9.81
    last = frames_of(hung(load))[-1]["c"]
    assert (last.torn > 0) == tears
    fallen = last.points[:, 1].min() < -0.5
    assert fallen == tears


def test_an_untorn_cloth_that_could_tear_has_the_tables_of_one_that_could_not():
    scene = hung(0.0)
    one = pliant.build(scene).parts["c"]
    plain = set_path(scene, "c.fabric.tear", None)
    two = pliant.build(plain).parts["c"]
    assert np.array_equal(one.triangles, two.triangles)
    assert one.mass[: len(two.mass)].sum() == pytest.approx(two.mass.sum())
    for kind, ends in ((Springs, "ends"), (Hinges, "corners")):
        a, b = one.table(kind), two.table(kind)
        in_order = [np.lexsort(np.asarray(getattr(t, ends)).T) for t in (a, b)]
        for name in (ends, "stiffness", "damping"):
            assert getattr(a, name)[in_order[0]] == pytest.approx(getattr(b, name)[in_order[1]])


def test_what_was_cut_out_brings_nothing():
    parts = [
        pliant.build(scene).parts["c"]
        for scene in (hung(0.0, cuts=(3, 10)), set_path(hung(0.0, cuts=(3, 10)), "c.fabric.tear", None))
    ]
    assert np.array_equal(parts[0].triangles, parts[1].triangles)
    assert parts[0].mass.sum() == pytest.approx(parts[1].mass.sum())
    pairs = [{tuple(sorted(pair)) for pair in part.table(Springs).ends.tolist()} for part in parts]
    assert pairs[0] == pairs[1]


def test_a_meshs_edges_bring_halves_as_well():
    scene = hung(0.0)
    points, triangles = scene.parts["c"].mesh().points, scene.parts["c"].mesh().triangles
    cloth = pliant.Cloth.from_mesh(points, triangles, fabric=pliant.Fabric(tear=5.0))
    part = pliant.build(pliant.Scene(parts={"c": cloth})).parts["c"]
    plain = pliant.build(pliant.Scene(parts={"c": cloth.replace(fabric="cotton")})).parts["c"]
    assert np.sort(part.table(Springs).stiffness) == pytest.approx(np.sort(plain.table(Springs).stiffness))


def torn_session(count=30):
    session = pliant.Session(hung(1.3 * 0.05 * STRETCH * WIDTH / 9.81), threads=1)
    session.step(count)
    return session


def test_tears_keep_mass_shapes_and_clean_rims():
    session = torn_session()
    part = session.stage.world.parts["c"]
    start = pliant.build(session.scene).parts["c"]
    assert session.frame["c"].torn > 0
    assert part.mass.sum() == pytest.approx(start.mass.sum(), rel=1e-6)
    assert len(part.triangles) == len(start.triangles)
    assert len(part.mass) == len(start.mass)
    for row in np.unique(part.triangles):  # the triangles at a point hang together over edges
        fan = part.triangles[(part.triangles == row).any(axis=1)].tolist()
        group, left = [fan[0]], fan[1:]
        for t in group:
            joined = [s for s in left if len(set(t) & set(s)) > 1]
            group += joined
            left = [s for s in left if s not in joined]
        assert not left
    assert np.abs(edge_strain(part, session.frame["c"].points)).max() < 0.2


def test_the_same_tears_twice_after_a_rewind_and_from_a_saved_state(tmp_path):
    one, two = torn_session(), torn_session(2)
    saved = two.save_state()
    two.step(28)
    assert two.state.hash() == one.state.hash()
    two.load_state(saved)
    assert two.frame["c"].torn == 0
    two.step(28)
    assert two.state.hash() == one.state.hash()
    one.state.save(tmp_path / "state.npz")
    again = pliant.Session(one.scene, threads=1)
    again.load_state(type(one.state).load(tmp_path / "state.npz"))
    assert again.frame["c"].torn == one.frame["c"].torn
    again.step(3)
    one.step(3)
    assert again.state.hash() == one.state.hash()


def test_edits_leave_tears_as_they_are():
    session = torn_session()
    before = session.frame["c"]
    session.set("c.fabric.tear", 50.0)
    after = session.frame["c"]
    assert after.torn == before.torn
    assert np.array_equal(after.points, before.points)
    assert np.isfinite(session.step(2)["c"].points).all()


def test_files_keep_their_points_while_cloth_tears(tmp_path):
    scene = hung(1.3 * 0.05 * STRETCH * WIDTH / 9.81)
    pliant.save(scene, tmp_path / "torn.npz", frames=30)
    pliant.save(scene, tmp_path / "torn.glb", frames=30)
    frames = list(pliant.load_recording(tmp_path / "torn.npz"))
    last = frames[-1]["c"]
    assert len(last.points) == 3 * len(last.triangles) == len(frames[0]["c"].points)
    sides = last.points[last.triangles] - last.points[np.roll(last.triangles, 1, axis=1)]
    assert np.linalg.norm(sides, axis=2).max() < 0.17  # a diagonal is 0.141 m: no triangle spans a tear


def test_a_part_stands_as_its_corners_say():
    part = pliant.build(hung(0.0)).parts["c"]
    seams = part.extra["seams"]
    corners = seams.corners.copy()
    corners[0, 0] = int(part.extra["idle"][0])
    opened = torn(part, corners)
    assert opened.rest_position[corners[0, 0]] == pytest.approx(part.rest_position[seams.corners[0, 0]])
    assert len(opened.table(Springs).ends) >= len(part.table(Springs).ends)
    assert len(opened.extra["idle"]) == len(part.extra["idle"]) - 1
    assert opened.mass.sum() == pytest.approx(part.mass.sum(), rel=1e-6)
