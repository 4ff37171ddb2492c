"""The stage behind the page: changes that never jerk, runs that repeat, brushes that do what they say."""

import numpy as np
import pytest

from pliant import Balloon, Cloth, Gravity, Ground, Scene, Session, Wind
from pliant.constants import HAND_SPEED
from pliant.studio.hands import crossed, struck
from pliant.studio.plots import energies, strains
from pliant.studio.runner import BUDGET, SLOWEST, Runner, paced
from pliant.world import rows_of

EYE = np.array([0.0, 1.0, 4.0])


def hanging() -> Scene:
    sheet = Cloth.sheet(width=1, height=1, columns=10, rows=10, pinned="top", center=(0, 1.2, 0))
    return Scene(parts={"sheet": sheet}, fields=(Gravity(), Wind()), colliders=(Ground(),))


def run(runner: Runner, frames: int) -> tuple[float, float]:
    """(greatest kinetic energy [J], greatest strain) on the way."""
    moving, stretched = 0.0, 0.0
    for _ in range(frames):
        runner.advance()
        frame, world = runner.latest.frame, runner.session.stage.world
        moving = max(moving, energies(world, frame)[0])
        stretched = max(stretched, strains(world, frame)[0])
    return moving, stretched


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("sheet.fabric.stretch", 5e4),
        ("sheet.fabric.stretch", 50.0),
        ("sheet.fabric.density", 2.0),
        ("sheet.fabric.density", 0.02),
        ("sheet.fabric.bend", 1e-3),
        ("sheet.fabric.damping", 0.02),
        ("sheet.fabric.limit", 0.5),
        ("sheet.integrator", "approximate"),
        ("substeps", 2),
        ("adjustments", 4),
        ("wind.shelter", 0.0),
    ],
)
def test_a_change_never_jerks(path: str, value: object) -> None:
    runner = Runner(hanging())
    run(runner, 30)
    rest, _ = run(runner, 30)
    runner.change(path, value)
    moving, stretched = run(runner, 60)
    weight = float(runner.session.stage.world.parts["sheet"].mass.sum()) * 9.81
    assert moving < rest + 0.05 * weight  # a jump of 5 cm of the whole sheet would be more
    assert stretched < 0.35
    assert runner.playing
    assert not runner.notices


def test_a_gust_by_hand_moves_the_cloth_and_stays_bounded() -> None:
    runner = Runner(hanging())
    run(runner, 20)
    before = runner.latest.frame["sheet"].points.copy()
    runner.change("wind.velocity", (0.0, 0.0, 12.0))
    _, stretched = run(runner, 60)
    assert np.abs(runner.latest.frame["sheet"].points - before).max() > 0.2
    assert stretched < 0.35


def test_a_wrong_value_is_one_line_and_changes_nothing() -> None:
    runner = Runner(hanging())
    scene = runner.session.scene
    runner.put(lambda r: r.change("sheet.fabric.density", -1.0))
    runner._obey()
    (said,) = runner.notices
    assert "density" in said
    assert "\n" not in said
    assert runner.session.scene is scene


def test_everything_done_is_repeated_bit_for_bit(tmp_path: object) -> None:
    runner = Runner(hanging())
    session = runner.session
    run(runner, 5)
    handle = runner.grab("sheet", (0.0, 0.9, 0.0), radius=0.1)
    runner.aim(handle, (0.3, 1.0, 0.4))
    run(runner, 5)
    runner.change("sheet.fabric.density", 0.4)
    run(runner, 20)
    runner.drop(handle)
    session.push("sheet", (0.0, 0.9, 0.0), (0.0, 0.0, 2.0), radius=0.4)
    session.pinch("sheet", (0.1, 0.9, 0.0), radius=0.4, speed=0.5)
    session.freeze("sheet", (0.4, 0.8, 0.0), radius=0.15)
    run(runner, 3)
    session.cut("sheet", [4, 5, 24, 25, 44, 45])
    run(runner, 5)
    path = tmp_path / "run.toml"  # type: ignore[operator]
    session.recorded().save(path)
    again = Session(Scene.load(path), history=False)
    again.step(session.state.frame)
    assert again.state.hash() == session.state.hash()


def test_a_branch_is_come_back_to_exactly() -> None:
    session = Session(hanging())
    session.step(10)
    session.push("sheet", (0, 1, 0), (0, 0, 1), radius=0.5)
    session.step(5)
    mark, there = session.bookmark(), session.state.hash()
    session.rewind(session.state.time - 0.1)
    session.set("sheet.fabric.density", 0.5)
    session.step(10)
    assert session.state.hash() != there
    session.go(mark)
    assert session.state.hash() == there
    session.step(4)
    again = Session(session.recorded(), history=False)
    again.step(session.state.frame)
    assert again.state.hash() == session.state.hash()


def test_a_push_gives_its_velocity_and_fades_to_the_rim() -> None:
    session = Session(hanging())
    rows = rows_of(session.state, session.stage.world.part("sheet"))
    session.push("sheet", (0.0, 0.9, 0.0), (0.0, 0.0, 3.0), radius=0.3)
    away = np.linalg.norm(rows.position - (0.0, 0.9, 0.0), axis=1)
    share = np.clip(1.0 - (away / 0.3) ** 2, 0.0, None) ** 2 * (rows.inverse_mass > 0)
    np.testing.assert_allclose(rows.velocity[:, 2], 3.0 * share, atol=1e-12)


def test_a_cut_lets_what_hangs_on_nothing_fall() -> None:
    session = Session(hanging())
    frame = session.step(20)
    lowest = frame["sheet"].points[:, 1].min()
    row = [t for t in range(200) if 100 <= t < 120]  # one row of cells, from side to side
    session.cut("sheet", row)
    frame = session.step(30)
    assert len(frame["sheet"].triangles) == 180
    assert frame["sheet"].points[:, 1].min() < lowest - 0.3
    assert frame["sheet"].points[:, 1].max() > 1.6  # the upper half stays
    assert strains(session.stage.world, frame)[0] < 0.2


def test_the_knife_meets_what_the_mouse_crossed() -> None:
    corners = np.array([[[x, 1.0, 0.0], [x + 0.2, 1.0, 0.0], [x, 1.2, 0.0]] for x in (-1.0, 0.0, 1.0)])
    found = crossed(corners, EYE, np.array([-0.3, 1.05, 0.0]), np.array([0.5, 1.06, 0.0]))
    assert found.tolist() == [1]
    assert crossed(corners, EYE, EYE * 0.5, EYE * 0.5).tolist() == []


def test_a_brush_strikes_the_nearest_layer() -> None:
    layers = np.array([[0.0, 1.0, 0.5], [0.0, 1.0, -0.5], [3.0, 1.0, 3.0]])
    np.testing.assert_array_equal(struck(layers, EYE, np.array([0.0, 1.0, 0.0]), 1.0), layers[0])
    assert struck(layers, EYE, np.array([0.0, 3.0, 0.0]), 1.0) is None


def test_pump_and_valve_change_the_gas_without_a_jerk() -> None:
    ball = Balloon.sphere(0.1, gas="air", pinned="nozzle")
    runner = Runner(Scene(parts={"ball": ball}, fields=(Gravity(), Wind())))
    run(runner, 20)
    moles = float(runner.latest.frame["ball"].moles)
    runner.change("ball.gas.pump", 2e-3)
    run(runner, 30)
    fuller = float(runner.latest.frame["ball"].moles)
    assert fuller > 1.05 * moles
    runner.change("ball.gas.pump", 0.0)
    runner.session.set("ball.gas.valve_from", 0.0)
    run(runner, 40)
    assert float(runner.latest.frame["ball"].moles) < fuller
    assert np.isfinite(runner.latest.frame["ball"].points).all()


def test_a_twin_stands_beside_in_step() -> None:
    from pliant.studio.twin import Twin

    runner = Runner(hanging())
    runner.twin = Twin(runner.session, "approximate")
    run(runner, 5)
    runner.session.push("sheet", (0.0, 0.9, 0.0), (0.0, 0.0, 2.0), radius=0.4)
    run(runner, 5)
    twin = runner.twin.session
    assert twin.state.frame == runner.session.state.frame == 10
    assert twin.stage.world.parts["sheet"].integrator.name == "approximate"
    assert np.abs(twin.state.position[:, 2]).max() > 0.02
    runner.session.rewind(runner.session.state.time - 0.05)
    run(runner, 1)
    assert twin.state.frame == runner.session.state.frame


def test_hands_slow_down_with_the_frames_and_gather_speed_again() -> None:
    assert paced(HAND_SPEED, 0.5 * BUDGET) == HAND_SPEED
    assert SLOWEST < paced(HAND_SPEED, 2.0 * BUDGET) <= 0.5 * HAND_SPEED
    pace = HAND_SPEED
    for _ in range(10):
        pace = paced(pace, 50.0 * BUDGET)
    assert pace == SLOWEST
    for _ in range(60):
        pace = paced(pace, 0.5 * BUDGET)
    assert pace == HAND_SPEED


def test_a_hand_on_a_stage_that_falls_behind_goes_no_faster_than_its_pace() -> None:
    runner = Runner(hanging())
    name = next(iter(runner.session.stage.world.parts))
    handle = runner.grab(name, 40)
    start = runner._where[handle].copy()
    runner._pace = SLOWEST
    runner.aim(handle, start + np.array([0.0, 0.0, 1.0]))
    runner._follow()
    np.testing.assert_allclose(np.linalg.norm(runner._where[handle] - start), SLOWEST / runner.session.fps)
