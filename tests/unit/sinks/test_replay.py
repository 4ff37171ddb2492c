import base64
import json
import re
import zlib

import numpy as np
import pytest

from hand_made import broken, clip, part, sheet, world
from pliant.colliders import Ground, Sphere
from pliant.errors import FormatError
from pliant.sinks import Replay
from pliant.sinks.picture import Options, Painter
from pliant.sinks.replay.packing import Track
from pliant.world import Frame, Look, part_frame

CHROMIUM = "/usr/bin/chromium"


def written(target, frames, of, **options):
    with Replay(target, of, **options) as sink:
        for one in frames:
            sink.write(one)
    return target.read_text(encoding="utf-8")


def scene_of(page):
    return json.loads(re.search(r'<script type="application/json" id="scene">(.*?)</script>', page).group(1))


def unpacked(page, told):
    """(frames, n, 3) [m] as the viewer finds them."""
    text = re.search(rf'id="{told["data"]}">(.*?)</script>', page).group(1)
    data = zlib.decompress(base64.b64decode(text, validate=True))[12 * told["faces"] + 8 * told["points"] :]
    values = 3 * told["points"]
    planes = np.frombuffer(data, np.uint8).reshape(told["count"], 2, values).astype(np.uint16)
    folded = planes[:, 0] | planes[:, 1] << 8
    left = (folded >> 1) ^ (0 - (folded & 1)).astype(np.uint16)
    levels = np.zeros((told["count"], values), np.uint16)
    for k in range(told["count"]):
        before = 0 if k == 0 else levels[0] if k == 1 else 2 * levels[k - 1] - levels[k - 2]
        levels[k] = left[k] + before
    return np.array(told["low"]) + np.array(told["step"]) * levels.reshape(told["count"], -1, 3)


def shaken(of, count, seed=3):
    random = np.random.default_rng(seed)
    for k in range(count):
        noise = {n: random.normal(0, 0.3, p.rest_position.shape) for n, p in of.parts.items()}
        parts = {n: part_frame(p, p.rest_position + noise[n], noise[n]) for n, p in of.parts.items()}
        yield Frame(k, k / 30, parts)


def test_positions_come_back_within_half_a_level(tmp_path):
    of = world(sheet())
    frames = list(shaken(of, 9))
    page = written(tmp_path / "a.html", frames, of, fps=30.0)
    (told,) = scene_of(page)["parts"]
    truth = np.stack([one["sheet"].points for one in frames])
    assert told["count"] == 9
    assert abs(unpacked(page, told) - truth).max() <= 0.51 * max(told["step"]) + 1e-7
    assert max(told["step"]) < np.ptp(truth, axis=(0, 1)).max() / 60000


def test_what_stands_is_stored_once_even_if_it_moves_later(tmp_path):
    of = world(sheet("still"), sheet("late"), colliders=[Sphere()])
    still = of.parts["still"]
    frames = clip(of, 10, fps=30.0)
    for k, one in enumerate(frames):
        one.parts["still"] = part_frame(still, still.rest_position, still.rest_position * 0)
        if k < 6:
            one.parts["late"] = frames[0].parts["late"]
    page = written(tmp_path / "a.html", frames, of, fps=30.0)
    told = {p["name"]: p for p in scene_of(page)["parts"]}
    assert {name: p["count"] for name, p in told.items()} == {"sphere": 1, "still": 1, "late": 10}
    truth = np.stack([one["late"].points for one in frames])
    assert abs(unpacked(page, told["late"]) - truth).max() < 1e-4


def test_frames_are_thinned_to_the_rate_asked_for(tmp_path):
    of = world(sheet(cells=2))
    assert scene_of(written(tmp_path / "a.html", clip(of, 60), of, fps=60.0))["frames"] == 30
    assert scene_of(written(tmp_path / "b.html", clip(of, 60), of, fps=60.0, rate=10))["frames"] == 10
    slow = scene_of(written(tmp_path / "c.html", clip(of, 24, fps=24.0), of, fps=24.0))
    assert (slow["frames"], slow["rate"]) == (24, 24.0)


def test_the_page_needs_nothing_but_itself(tmp_path):
    of = world(sheet(), colliders=[Ground()])
    page = written(tmp_path / "a.html", clip(of, 4), of)
    assert not re.search(r"(?:src|href)=[\"'](?!data:)", page)
    assert not re.search(r"\b(?:https?:)?//[a-z0-9-]+\.[a-z]", page)
    assert not re.search(r"\b(?:fetch|XMLHttpRequest|import)\s*\(", page)
    assert "{{" not in page.split("<script>")[0]


def test_titles_and_names_cannot_break_the_page(tmp_path):
    of = world(sheet("</script><b>"))
    page = written(tmp_path / "a.html", clip(of, 2), of, title='</title><script>alert("{{data}}")</script>')
    assert "<title>&lt;/title&gt;&lt;script&gt;" in page
    assert scene_of(page)["parts"][0]["name"] == "</script><b>"
    assert page.count("<script") == page.count("</script>") == 3


def test_equal_clips_are_equal_bytes(tmp_path):
    of = world(sheet(look=Look(pattern="stripes")), colliders=[Ground()])
    first, second = (written(tmp_path / f"{n}.html", clip(of, 8), of, title="one") for n in "ab")
    assert first == second


def test_a_moving_sheet_takes_about_a_byte_per_coordinate_and_frame(tmp_path):
    of = world(sheet(cells=30))
    page = written(tmp_path / "a.html", clip(of, 60, fps=30.0), of, fps=30.0)
    data = len(re.search(r'id="part-0">(.*?)</script>', page).group(1))
    assert data < 1.4 * 60 * 3 * 31 * 31


def test_an_error_leaves_nothing(tmp_path):
    of = world(sheet())
    with pytest.raises(RuntimeError, match="the run broke"):
        written(tmp_path / "a.html", broken(clip(of, 2)), of)
    with pytest.raises(FormatError, match="no frame arrived"):
        written(tmp_path / "a.html", [], of)
    assert list(tmp_path.iterdir()) == []


def test_points_that_are_not_finite_are_refused(tmp_path):
    track = Track("flag", np.zeros((1, 3)), [np.zeros((3, 2))], tmp_path / "a.html")
    track.add(np.zeros((3, 3)))
    with pytest.raises(FormatError, match="part 'flag': frame 1 has points that are not finite"):
        track.add(np.full((3, 3), np.inf))
    with pytest.raises(FormatError, match="part 'flag': 4 points after 3"):
        track.add(np.zeros((4, 3)))
    track.close()


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    flags += " --disable-component-update --disable-sync --use-gl=angle --use-angle=swiftshader"
    with playwright.sync_playwright() as running:
        try:
            opened = running.chromium.launch(
                executable_path=CHROMIUM, args=[*flags.split(), "--enable-unsafe-swiftshader"]
            )
        except playwright.Error:
            pytest.skip("Chromium is not installed")
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def played():
    flag = sheet("flag", look=Look((0.7, 0.02, 0.02)))
    points = flag.rest_position * 0.4 + [0.8, 0, 0.4]
    card = part("card", points, flag.triangles, look=Look((0.02, 0.1, 0.7), pattern="check"), uv=flag.uv)
    of = world(flag, card, colliders=[Ground(), Sphere(center=(-0.8, 0.2, 0.3), radius=0.2)])
    return of, clip(of, 31, fps=30.0, move=(0, 0.02, 0))


@pytest.fixture
def opened(browser, tmp_path, played):
    of, frames = played
    written(tmp_path / "a.html", frames, of, fps=30.0, title="Flag & card")
    page = browser.new_page(viewport={"width": 640, "height": 360})
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "a.html").as_uri() + "#still")
    page.wait_for_function("window.replay", timeout=60_000)
    yield page
    assert complaints == []
    page.close()


def seen(page):
    """(h, w, 3) of the canvas as it is drawn now."""
    from io import BytesIO

    from PIL import Image

    url = page.evaluate("(replay.draw(), document.getElementById('stage').toDataURL('image/png'))")
    return np.asarray(Image.open(BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGB")).astype(int)


def redness(picture):
    return (picture[..., 0] - picture[..., 2] > 60) & (picture[..., 0] > 90)


@pytest.mark.browser
def test_the_page_draws_plays_and_scrubs(opened):
    assert opened.title() == "Flag & card"
    first = seen(opened)
    assert redness(first).mean() > 0.02
    opened.evaluate("replay.seek(30)")
    later = seen(opened)
    height = [np.average(np.arange(len(p)), weights=redness(p).sum(axis=1)) for p in (first, later)]
    assert height[1] < height[0] - 10  # it has risen
    assert opened.locator("#time").text_content() == "1.00 / 1.00 s"
    opened.evaluate("replay.seek(0)")
    assert np.array_equal(seen(opened), first)
    opened.click("#play")
    opened.wait_for_function("replay.playing && replay.moment > 0.5", timeout=30_000)
    opened.click("#play")
    assert not opened.evaluate("replay.playing")


@pytest.mark.browser
def test_the_scrubber_the_keys_and_the_mouse_work(opened):
    opened.locator("#scrub").fill("15")
    assert opened.evaluate("replay.moment") == 15
    opened.locator("#stage").focus()
    opened.keyboard.press("ArrowRight")
    assert opened.evaluate("replay.moment") == 16
    before = seen(opened)
    opened.mouse.move(320, 150)
    opened.mouse.down()
    opened.mouse.move(420, 170, steps=3)
    opened.mouse.up()
    assert opened.evaluate("replay.camera.azimuth") < np.deg2rad(32) - 0.4
    assert abs(seen(opened) - before).mean() > 1.0
    distance = opened.evaluate("replay.camera.distance")
    opened.mouse.wheel(0, 300)
    opened.wait_for_function(f"replay.camera.distance > {1.2 * distance}", timeout=10_000)
    opened.click("#home")
    assert np.array_equal(seen(opened), before)


@pytest.mark.browser
def test_parts_and_themes_can_be_switched(opened):
    bright = seen(opened)
    opened.get_by_role("button", name="flag").click()
    assert redness(seen(opened)).mean() < 0.001
    opened.get_by_role("button", name="flag").click()
    assert np.array_equal(seen(opened), bright)
    opened.click("#theme")
    assert seen(opened)[:20].mean() < 60 < bright[:20].mean()


@pytest.mark.browser
def test_the_page_looks_like_the_picture(opened, played):
    """The same shaders under another driver: close, but for the samples at edges."""
    of, frames = played
    painter = Painter(of, Options((640, 360)))
    whole = painter.bounds(frames[0]).joined(painter.bounds(frames[-1]))
    apart = abs(seen(opened) - painter.paint(frames[0], whole)).max(axis=2)
    assert apart.mean() < 2.0
    assert (apart > 24).mean() < 0.02


@pytest.mark.browser
def test_without_webgl_the_page_says_so(browser, tmp_path):
    of = world(sheet(cells=2))
    written(tmp_path / "a.html", clip(of, 2), of)
    page = browser.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto((tmp_path / "a.html").as_uri())
    page.locator("#message").wait_for(timeout=20_000)
    assert "WebGL 2" in page.locator("#message").text_content()
    page.close()
