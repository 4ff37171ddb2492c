"""The page in a real browser: what a person sees and does, from the first frame to the saved file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant import Scene, Session
from studio.stage import COMPILING, Visitor, chromium, real_complaints, small_scene, studio, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with studio(small_scene(), tmp_path_factory.mktemp("out")) as page:
        yield page


@pytest.fixture(scope="module")
def visitor(browser: Any, stage: Any) -> Iterator[Visitor]:
    guest = Visitor(browser, stage.url)
    yield guest
    guest.close()


VERSION = """() => { const nodes = window.__viserMutable.nodeRefFromName;
const name = Object.keys(nodes).find((n) => n.endsWith('/sheet'));
return nodes[name].children[0].geometry.attributes.position.version; }"""
SHOWN_MAP = """() => { let map = -1;
window.__viserMutable.scene.traverse((o) => {
  const dress = o.material && o.material.userData && o.material.userData.pliant;
  if (dress) map = Math.max(map, dress.uMap.value); });
return map; }"""
SEND = """([id, value]) => window.__viserMutable.sendMessage({type: 'GuiUpdateMessage', uuid: id, updates: {value}})"""
DRESSED = "() => [...window.__pliantLook.known.values()].some((entry) => entry.state === 'here')"


def free_point(stage: Any) -> tuple[int, np.ndarray]:
    """Row and place of a point in the lower middle of the sheet."""
    row = 13 * 3 + 6
    return row, stage.runner.latest.frame["sheet"].points[row].copy()


def test_the_page_moves_by_itself_and_says_what_it_costs(stage: Any, visitor: Visitor) -> None:
    until(lambda: stage.runner.latest.serial > 5, "frames")
    first = visitor.page.evaluate(VERSION)
    until(lambda: visitor.page.evaluate(VERSION) > first, "new positions in the browser")
    visitor.page.get_by_text("× real time").wait_for()
    until(lambda: visitor.page.evaluate(DRESSED), "its look")
    visitor.shot("light")


def test_a_drag_moves_cloth_and_letting_go_frees_it(stage: Any, visitor: Visitor) -> None:
    row, before = free_point(stage)
    x, y = visitor.place(before)
    mouse = visitor.page.mouse
    mouse.move(x, y)
    mouse.down()
    for k in range(1, 8):
        mouse.move(x + 14 * k, y - 4 * k)
        visitor.page.wait_for_timeout(40)
    until(lambda: stage.act.hands.count == 1, "the hand")
    until(lambda: np.linalg.norm(free_point(stage)[1] - before) > 0.08, "the cloth follows")
    visitor.shot("drag")
    mouse.up()
    until(lambda: stage.act.hands.count == 0, "the hand opens")
    assert not stage.runner.session.hands
    assert stage.runner.session.state.inverse_mass[row] > 0.0
    assert np.isfinite(stage.runner.session.state.position).all()


def test_sliders_reach_the_scene(stage: Any, visitor: Visitor) -> None:
    visitor.tab("Tune")
    visitor.page.get_by_text("steps", exact=True).click()
    handle = stage.act.panels.handles["adjustments"]
    assert handle.value == 1
    visitor.page.evaluate(
        SEND,
        [handle._impl.uuid, 2],
    )
    until(lambda: stage.runner.session.scene.adjustments == 2, "the new value")
    fabric = stage.act.panels.handles["sheet.fabric.density"]
    visitor.page.evaluate(
        SEND,
        [fabric._impl.uuid, 0.4],
    )
    until(lambda: stage.runner.session.scene.parts["sheet"].fabric.density == 0.4, "the new density")
    visitor.shot("tune")


def test_colours_show_strain_without_a_new_mesh(stage: Any, visitor: Visitor) -> None:
    visitor.tab("See")
    stage.act.colors.value = "strain"
    for switch in stage.act.overlays.switches.values():
        switch.value = True
    until(lambda: visitor.page.evaluate(SHOWN_MAP) == 1, "the strain colours")
    visitor.shot("strain")
    stage.act.colors.value = "fabric"
    for switch in stage.act.overlays.switches.values():
        switch.value = False
    until(lambda: visitor.page.evaluate(SHOWN_MAP) == 0, "the fabric again")


def test_rewind_goes_back_and_keeps_what_was(stage: Any, visitor: Visitor) -> None:
    visitor.tab("Play")
    until(lambda: stage.runner.latest.reach > 1.0, "some past")
    visitor.page.get_by_role("button", name="pause", exact=True).click()
    until(lambda: not stage.runner.latest.playing, "the pause")
    now = stage.runner.latest.frame.time
    slider = stage.act.deck._back
    visitor.page.evaluate(
        SEND,
        [slider._impl.uuid, -0.5],
    )
    until(lambda: stage.runner.latest.frame.time < now - 0.4, "the past")
    assert abs(stage.runner.latest.frame.time - (now - 0.5)) < 0.05
    assert len(stage.act.deck._takes) == 1
    visitor.page.get_by_role("button", name="play", exact=True).click()
    until(lambda: stage.runner.latest.playing, "it goes on")


def test_a_recording_is_downloaded_and_plays_offline(
    stage: Any, visitor: Visitor, browser: Any, tmp_path: Path
) -> None:
    visitor.tab("Save")
    visitor.page.get_by_role("button", name="record", exact=True).click()
    until(lambda: stage.act.recorder.recording, "the recording")
    start = stage.runner.latest.frame.time
    until(lambda: stage.runner.latest.frame.time > start + 0.4, "some frames")
    with visitor.page.expect_download() as waiting:
        visitor.page.get_by_role("button", name="stop recording").click()
    target = tmp_path / "clip.html"
    waiting.value.save_as(target)
    offline = browser.new_context(offline=True)
    page = offline.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(target.as_uri())
    page.wait_for_selector("#bar:not([hidden])")
    page.wait_for_function("document.querySelector('#time').textContent.length > 0")
    assert wrong == []
    offline.close()


def test_a_saved_scene_repeats_the_run_bit_for_bit(stage: Any, visitor: Visitor, tmp_path: Path) -> None:
    visitor.tab("Save")
    stage.runner.ask(lambda runner: setattr(runner, "playing", False))
    with visitor.page.expect_download() as waiting:
        visitor.page.get_by_role("button", name="save as scene").click()
    target = tmp_path / "run.toml"
    waiting.value.save_as(target)
    frame, digest = stage.runner.ask(lambda runner: (runner.session.state.frame, runner.session.state.hash()))
    stage.runner.ask(lambda runner: setattr(runner, "playing", True))
    again = Session(Scene.load(target), history=False)
    again.step(frame)
    assert again.state.hash() == digest


def test_two_visitors_hold_at_once_and_one_vanishes(stage: Any, visitor: Visitor, browser: Any) -> None:
    second = Visitor(browser, stage.url)
    points = stage.runner.latest.frame["sheet"].points
    for guest, row in ((visitor, 13 * 2 + 2), (second, 13 * 2 + 10)):
        x, y = guest.place(points[row])
        guest.page.mouse.move(x, y)
        guest.page.mouse.down()
        for k in range(1, 5):
            guest.page.mouse.move(x + 6 * k, y + 3 * k)
            guest.page.wait_for_timeout(40)
    until(lambda: stage.act.hands.count == 2, "both hands")
    second.close()  # in the middle of its drag
    until(lambda: stage.act.hands.count == 1, "the hand of who left opens")
    visitor.page.mouse.up()
    until(lambda: stage.act.hands.count == 0, "all hands open")
    assert np.isfinite(stage.runner.session.state.position).all()


def test_a_dropped_connection_comes_back(stage: Any, visitor: Visitor) -> None:
    before = set(stage.server.get_clients())
    stage.server._websock_server.disconnect_all_clients()
    # the page may be back sooner than anybody looks, but as another client
    until(lambda: before.isdisjoint(stage.server.get_clients()), "the drop")
    until(lambda: len(stage.server.get_clients()) == 1, "the page comes back by itself")
    serial = stage.runner.latest.serial
    until(lambda: stage.runner.latest.serial > serial + 3, "the stage went on")
    visitor.page.wait_for_function("Object.keys(window.__viserMutable.nodeRefFromName).some(n => n.endsWith('/sheet'))")


def test_a_picture_opens_its_scene_and_the_dark_theme(stage: Any, visitor: Visitor) -> None:
    visitor.page.get_by_text("gallery", exact=False).first.click()
    card = visitor.page.locator("[data-pliant-value=marionette]")
    card.wait_for()
    visitor.shot("gallery")
    card.click()
    until(lambda: stage.name == "marionette", "the scene")
    until(lambda: stage.runner.latest.serial > 3, "it moves", COMPILING)
    stage.set_theme(True)
    visitor.page.wait_for_function("document.documentElement.dataset.mantineColorScheme === 'dark'")
    visitor.page.wait_for_timeout(1500)
    visitor.shot("dark")
    assert not [text for text in real_complaints(visitor) if "WebSocket" not in text]
