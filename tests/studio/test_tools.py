"""Reset, key poses, recordings, the camera: what stands beside the stage, without a browser."""

import math
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant import Actor, Character, Garment, Scene, Session, gallery
from pliant.errors import PliantError
from pliant.sinks import Sink
from pliant.studio.framing import PANEL, framed
from pliant.studio.page import status
from pliant.studio.panels import differences
from pliant.studio.poses import OWN, Poses
from pliant.studio.recording import Recording
from pliant.studio.runner import Runner
from pliant.studio.served import Served
from pliant.studio.shades import Shades
from pliant.studio.view import FIELD_OF_VIEW, StageView
from studio.stage import COMPILING, Widgets, small_scene, studio, until


def test_reset_brings_every_value_back_and_stops_nothing() -> None:
    runner = Runner(small_scene())
    first = runner.session.scene
    for path, value in (
        ("sheet.fabric.density", 0.4),
        ("wind.velocity", (3.0, 0.0, 1.0)),
        ("substeps", 3),
        ("contacts", False),
        ("sheet.integrator", "approximate"),
    ):
        runner.session.set(path, value)
    runner.session.cut("sheet", [3, 4, 5])
    found = dict(differences(runner.session.scene, first))
    assert set(found) == {
        "sheet.fabric.density",
        "wind.velocity",
        "substeps",
        "contacts",
        "sheet.integrator",
        "sheet.cuts",
    }
    for path, value in found.items():
        runner.change(path, value)
    for _ in range(30):
        runner.advance()
    assert runner.session.scene == first
    assert runner.session.state.frame == 30
    assert not runner.notices


@pytest.fixture(scope="module")
def figure() -> Scene:
    body = Character.mannequin()
    actor = Actor(character=body, garments=(Garment.tshirt(body),), poses=("upright", "turn"), times=(0.0, 2.0))
    return Scene(parts={"figure": actor})


def test_a_key_pose_is_taken_at_once_and_draped_as_if_it_had_always_stood_so(figure: Scene) -> None:
    runner = Runner(figure)
    runner.advance()
    stage = runner.session.stage
    poses = Poses(Widgets(), runner)
    own = figure.parts["figure"]
    assert isinstance(own, Actor)
    poses.take("figure", own, "raise")
    runner._obey()
    runner.advance()
    assert runner.session.stage is stage  # what it wears stays bound
    shirt = runner.latest.frame["figure_tshirt"].points
    still = Session(Scene(parts={"figure": own.replace(times=(), poses=("raise",))}), history=False)
    np.testing.assert_array_equal(shirt, still.step(2)["figure_tshirt"].points)
    poses.take("figure", own, OWN)
    runner._obey()
    assert runner.session.scene == figure
    runner.advance()
    again = Session(runner.session.recorded(), history=False).step(3)
    np.testing.assert_array_equal(again["figure_tshirt"].points, runner.latest.frame["figure_tshirt"].points)
    assert not runner.notices


def test_frames_that_are_drawn_beside_the_next_step_come_in_order_and_with_the_same_bits(figure: Scene) -> None:
    seen = []
    runner = Runner(figure)
    runner.on_frame.append(seen.append)
    runner.start()
    try:
        until(lambda: len(seen) > 6, "some frames", COMPILING)
        runner.ask(lambda r: setattr(r, "playing", False))
        until(lambda: runner.latest.frame.index == runner.session.state.frame, "the last of them")
    finally:
        runner.stop()
    assert [frame.index for frame in seen] == list(range(1, len(seen) + 1))
    alone = Session(figure, history=False)
    for frame in seen:
        np.testing.assert_array_equal(frame["figure_tshirt"].points, alone.step()["figure_tshirt"].points)


def test_rewinding_over_a_pose_keeps_the_clothes_bound(figure: Scene) -> None:
    session = Session(figure)
    session.step(3)
    before, stage = session.frame["figure_tshirt"].points.copy(), session.stage
    session.set("figure.times", ())
    session.set("figure.poses", ("raise",))
    session.step(2)
    np.testing.assert_array_equal(session.rewind(3 / 60)["figure_tshirt"].points, before)
    assert session.stage is stage
    assert session.scene == figure


@pytest.mark.parametrize("choice", ["wrinkle amplitude", "wrinkle phase"])
def test_wrinkles_colour_every_point_that_is_shown(figure: Scene, choice: str) -> None:
    session = Session(figure)
    frame = session.step()
    shades = Shades()
    shades.choice = choice
    found = shades.of(session.stage.world, frame)
    values = found["figure_tshirt"].values
    assert values.shape == (len(frame["figure_tshirt"].points),)
    assert np.ptp(values) > 0.5
    assert np.abs(values).max() <= 1.0 + 1e-6


class Slow(Sink):
    """Takes its time, or fails."""

    suffixes = (".slow",)
    summary = "a sink of the tests"
    pause, failing = 0.0, False

    def write(self, frame: Any) -> None:
        time.sleep(self.pause)
        if self.failing:
            raise PliantError("the disk is full")
        self.times = [*getattr(self, "times", []), frame.time]
        self.thread = threading.current_thread()

    def close(self) -> None:
        self.target.write_text(" ".join(map(str, self.times)))

    def abandon(self) -> None:
        self.gone = True


def recording(tmp_path: Path, runner: Runner, **kind: Any) -> tuple[Recording, list[Slow]]:
    opened: list[Slow] = []

    def opening() -> Sink:
        sink = type("Kind", (Slow,), kind)(tmp_path / "x.slow", runner.session.stage.world)
        opened.append(sink)
        return sink

    made = Recording(opening, runner.session.frame)
    made.begin()
    return made, opened


def test_the_stage_does_not_wait_for_a_film_and_the_film_lacks_nothing(tmp_path: Path) -> None:
    runner = Runner(small_scene())
    film, opened = recording(tmp_path, runner, pause=0.05)
    runner.on_frame.append(film.take)
    runner.advance()
    for _ in range(20):
        runner.advance()
    assert film.waiting > 5  # they wait in the queue, not on the stage
    path = film.finish()
    times = [float(t) for t in path.read_text().split()]
    np.testing.assert_allclose(times, np.arange(1, 22) / 60.0, atol=1e-9)
    assert opened[0].thread is film


def test_a_film_that_fails_is_given_up_and_the_stage_goes_on(tmp_path: Path) -> None:
    runner = Runner(small_scene())
    film, opened = recording(tmp_path, runner, failing=True)
    runner.on_frame.append(film.take)
    for _ in range(5):
        runner.advance()
    with pytest.raises(PliantError, match="disk is full"):
        film.finish()
    assert opened[0].gone
    assert runner.session.state.frame == 5


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080), (820, 560), (700, 900), (390, 780)])
@pytest.mark.parametrize("name", ["curtain", "ribbon"])
def test_the_whole_scene_stands_in_what_the_panel_leaves_free(name: str, size: tuple[float, float]) -> None:
    session = Session(gallery.load(name), history=False)
    view = StageView(Widgets(), Served(), session.stage.world, session.frame)
    width, height = size
    eye, target = framed(view, None, width, height)
    back = (eye - target) / np.linalg.norm(eye - target)
    right = np.cross((0.0, 1.0, 0.0), back)
    right /= np.linalg.norm(right)
    away = view.bounds.corners - eye
    depth = -(away @ back)
    half = math.tan(0.5 * FIELD_OF_VIEW)
    x = (away @ right) / depth / half * 0.5 * height + 0.5 * width
    y = (away @ np.cross(back, right)) / depth / half
    assert depth.min() > 0.0
    assert np.abs(y).max() < 1.0
    assert x.min() > 0.0
    assert x.max() < (width - min(PANEL, 0.45 * width) if width > 640 else width)


def test_a_twin_is_seen_too() -> None:
    session = Session(gallery.load("curtain"), history=False)
    made = [StageView(Widgets(), Served(), session.stage.world, session.frame, offset=x) for x in (0.0, 3.0)]
    alone, _ = framed(made[0], gallery.load("flag").view, 1280, 800)
    both, target = framed(made[0], gallery.load("flag").view, 1280, 800, beside=made[1])
    assert np.linalg.norm(both - target) > 1.3 * made[0].bounds.radius
    assert not np.allclose(both, alone)
    back = (both - target) / np.linalg.norm(both - target)
    right = np.cross((0.0, 1.0, 0.0), back)
    right /= np.linalg.norm(right)
    far = made[0].bounds.corners + np.array([3.0, 0.0, 0.0]) - both
    x = (far @ right) / -(far @ back) / math.tan(0.5 * FIELD_OF_VIEW) * 400.0 + 640.0
    assert x.max() < 1280.0 - PANEL


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pose_jump", "show", "balloon", "hanging_square", "puppet"])
def test_every_kind_of_scene_opens_and_shows_everything(name: str, tmp_path: Path) -> None:
    with studio(name, tmp_path) as page:
        page.act.shades.choice = "force"
        for switch in page.act.overlays.switches.values():
            switch.value = True
        until(lambda: page._published > 8, "instants for the page", 300.0)
        page.act.shades.choice = "wrinkle phase"
        shown = page._published
        until(lambda: page._published > shown + 4, "more of them", 300.0)
        assert not page.act.runner.notices
        assert bool(page.act.poses.choices) == (name == "pose_jump")


@pytest.mark.slow
def test_an_error_of_what_is_shown_is_told_and_the_page_goes_on(tmp_path: Path) -> None:
    with studio(small_scene(), tmp_path) as page:
        told: list[str] = []
        page.notify = lambda text, **_: told.append(text)
        until(lambda: page._published > 2, "instants")
        page.act.overlays._makers["wind"] = lambda *given: 1 / 0
        page.act.overlays.switches["wind"].value = True
        until(lambda: bool(told), "the word")
        shown = page._published
        until(lambda: page._published > shown + 5, "the page goes on")
        assert len(told) == 1
        assert "division" in told[0]


def test_the_page_says_how_slow_a_slow_stage_is() -> None:
    runner = Runner(small_scene())
    runner.advance()
    runner._costs.extend([0.4] * 100)
    runner.publish()
    assert "0.04 × real time" in status(runner.latest)
