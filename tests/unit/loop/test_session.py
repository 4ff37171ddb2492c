"""Live use: grab, move, drop, set, save, load, rewind."""

import numpy as np
import pytest

import pliant
from pliant.gallery import load


@pytest.fixture
def session() -> pliant.Session:
    scene = pliant.Scene(
        parts={"a": pliant.Cloth.sheet(width=1, height=1, columns=8, rows=8, pinned="top-corners", lies="flat")},
        fields=(pliant.Gravity(), pliant.Wind()),
    )
    return pliant.Session(scene)


def test_a_grabbed_point_reaches_where_the_hand_is(session):
    handle = session.grab("a", 40)
    target = session.frame["a"].points[40] + np.array([0.05, 0.1, 0.0])
    session.move(handle, target)
    frame = session.step(3)
    np.testing.assert_allclose(frame["a"].points[40], target, atol=1e-6)


def test_a_dropped_sheet_flies_on():
    free = pliant.Cloth.sheet(width=1, height=1, columns=4, rows=4)
    session = pliant.Session(pliant.Scene(parts={"a": free}, fields=()))
    handle = session.grab("a", 12, radius=2.0)
    for _ in range(5):
        session.move(handle, session.frame["a"].points[12] + np.array([0.0, 0.05, 0.0]))
        session.step()
    session.drop(handle)
    before = session.frame["a"].points[:, 1]
    np.testing.assert_allclose(session.frame["a"].velocities[:, 1], 3.0, rtol=1e-4)
    np.testing.assert_allclose(session.step(6)["a"].points[:, 1], before + 0.3, rtol=1e-4)


def test_a_hand_that_jumps_does_not_tear_the_cloth(session):
    handle = session.grab("a", (0.5, 1.0, 0.5))
    session.move(handle, (5.0, 5.0, 5.0))
    for _ in range(30):
        frame = session.step()
        assert np.isfinite(frame["a"].points).all()
    session.drop(handle)
    session.step(120)
    world = session.stage.world
    strain, _ = pliant.world.structural_strain(world.parts["a"], session.state.position)
    assert strain < 0.3


def test_rewind_comes_back_and_goes_the_same_way(session):
    session.step(20)
    middle = session.save_state()
    session.step(20)
    end = session.state.hash()
    session.rewind(20 / 60)
    assert session.state.hash() == middle.hash()
    session.step(20)
    assert session.state.hash() == end
    session.load_state(middle)
    session.step(20)
    assert session.state.hash() == end


def test_what_a_hand_held_is_free_after_a_rewind(session):
    session.step(2)
    session.grab("a", 40)
    session.step(5)
    session.rewind(5 / 60)
    assert session.state.inverse_mass[40] > 0
    assert "hands" not in session.state.memory


def test_a_material_edit_changes_the_next_step_and_keeps_the_state(session):
    session.step(10)
    before = session.state.hash()
    handle = session.grab("a", 40)
    session.set("a.fabric.density", 0.5)
    assert session.state.position.tobytes()
    assert session.scene.parts["a"].fabric.density == 0.5
    session.move(handle, session.frame["a"].points[40])
    session.drop(handle)
    assert session.state.hash() != before  # the masses
    free = session.state.inverse_mass > 0
    total = session.stage.world.parts["a"].mass.sum()
    assert total == pytest.approx(0.5)
    np.testing.assert_allclose(1.0 / session.state.inverse_mass[free], session.stage.world.parts["a"].mass[free])


def test_an_edit_equals_a_fresh_build(session):
    session.set("a.fabric.stretch", 300.0)
    fresh = pliant.build(session.scene).parts["a"]
    edited = session.stage.world.parts["a"]
    for old, new in zip(edited.tables, fresh.tables, strict=True):
        np.testing.assert_array_equal(old.stiffness, new.stiffness)
    other = pliant.Session(session.scene)
    assert session.step(30)
    assert other.step(30)
    assert session.state.hash() == other.state.hash()


def test_wind_and_integrator_may_change_between_steps(session):
    session.step(5)
    session.set("wind.velocity", (5.0, 0.0, 0.0))
    session.step(5)
    time = session.state.time
    session.set("substeps", 12)
    session.step(5)
    assert session.state.time == pytest.approx(time + 5 / 60)


def test_a_wrong_edit_leaves_everything_as_it_was(session):
    before, scene = session.state.hash(), session.scene
    for path, value in (("a.fabric.density", -1), ("a.fabric.dnsity", 1), ("a.pinned", [999])):
        with pytest.raises(pliant.SceneError):
            session.set(path, value)
    assert session.state.hash() == before
    assert session.scene == scene
    session.step()


def test_another_mesh_rebuilds_the_part_only(session):
    session.step(10)
    session.set("a.columns", 4)
    assert len(session.step()["a"].points) == 5 * 9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.grab("b", 0), "no part 'b'"),
        (lambda s: s.grab("a", 4000), "has points 0 to 80, not 4000"),
        (lambda s: s.grab("a", (0, np.nan, 0)), "three finite numbers"),
        (lambda s: s.grab("a", "left"), "three finite numbers"),
        (lambda s: s.move(99, (0, 0, 0)), "no handle '99'"),
        (lambda s: s.drop(99), "no handle '99'"),
        (lambda s: s.load_state(pliant.build(load("curtain")).initial_state()), "belongs to another scene"),
    ],
)
def test_wrong_commands_are_one_line(session, call, message):
    with pytest.raises(pliant.SceneError, match=message):
        call(session)


def test_pins_hold_and_let_go(session):
    session.step(5)
    where = session.frame["a"].points[40]
    session.pin("a", 40)
    np.testing.assert_array_equal(session.step(10)["a"].points[40], where)
    session.pin("a", [40], held=False)
    assert session.step(10)["a"].points[40, 1] < where[1]


def test_the_recorded_scene_repeats_the_run_bit_for_bit(session, tmp_path):
    session.step(3)
    handle = session.grab("a", 40, radius=0.2)
    for k in range(12):
        session.move(handle, (0.1, 1.0 + 0.02 * k, 0.1))
        session.step()
    session.set("a.fabric.density", 0.3)
    session.rewind(8 / 60)
    session.step(4)
    session.pin("a", 70)
    session.set("wind.velocity", (3.0, 0.0, 1.0))
    session.step(10)
    session.recorded().save(tmp_path / "run.toml")
    repeated = pliant.Session(pliant.Scene.load(tmp_path / "run.toml"))
    repeated.step(session.state.frame)
    assert repeated.state.hash() == session.state.hash()
    *_, last = pliant.simulate(pliant.Scene.load(tmp_path / "run.toml"), frames=session.state.frame)
    np.testing.assert_array_equal(last["a"].points, session.frame["a"].points)


def test_a_session_that_diverges_stays_at_the_last_good_frame_and_can_go_on():
    fabric = pliant.RawFabric.uniform(stiffness=50.0)
    rag = pliant.Cloth.sheet(
        width=1, height=1, columns=6, rows=6, fabric=fabric, pinned="top", integrator="explicit", self_contact=False
    )
    session = pliant.Session(pliant.Scene(parts={"rag": rag}, substeps=1))
    with pytest.raises(pliant.UnstableError, match="part 'rag', particle"):
        session.step(5000)
    good, frame = session.state.hash(), session.state.frame
    assert np.abs(session.frame["rag"].points).max() < 1e4
    assert session.state.time == pytest.approx(frame / 60)
    with pytest.raises(pliant.UnstableError):
        session.step()
    assert session.state.hash() == good
    session.rewind(frame / 60 - 0.3)  # just before it breaks it is wild already
    session.set("rag.integrator", "xpbd")
    session.step(60)
    assert np.abs(session.frame["rag"].points).max() < 3.0
