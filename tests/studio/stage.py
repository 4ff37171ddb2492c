"""What the studio's tests share: a studio, a real Chromium, and a place for pictures."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pliant import Cloth, Gravity, Ground, Scene, Wind
from pliant.studio import Studio

PICTURES = Path(__file__).parents[2] / "out" / "studio-tests"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
KNOWN = ("preventDefault inside passive event", "favicon")  # viser's own, of every page
COMPILING = 400.0  # [s] that the first frame of a fresh checkout may take there
PATIENCE = 60.0  # [s] that a loaded machine may take for anything
PLACED = "Math.abs((window.__viserMutable?.camera?.fov ?? 0) - 28) < 0.5"  # the studio's own lens
STAGED = "Object.keys(window.__viserMutable?.nodeRefFromName ?? {}).some((name) => name.startsWith('/stage'))"


def small_scene() -> Scene:
    """Two cloths in still air: cheap enough for a machine that also plays the browser."""
    sheet = Cloth.sheet(width=1, height=1, columns=12, rows=12, pinned="top", center=(0, 1.2, 0))
    return Scene(parts={"sheet": sheet}, fields=(Gravity(), Wind()), colliders=(Ground(),), title="Small", seconds=3.0)


@contextlib.contextmanager
def studio(scene: Any, folder: Path, **options: Any) -> Iterator[Studio]:
    """A studio on a port of its own."""
    page = Studio(scene, port=0, folder=folder, **options)
    try:
        until(lambda: page.runner.latest.serial > 1, "the first frame", COMPILING)
        yield page
    finally:
        page.close()


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser."""
    from playwright.sync_api import sync_playwright

    assert CHROMIUM is not None, "these tests need Chromium: apt-get install chromium"
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """One page of a browser on a studio; remembers what its console complains of."""

    def __init__(self, browser: Any, url: str) -> None:
        self.context = browser.new_context(viewport={"width": 820, "height": 560}, accept_downloads=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(1e3 * PATIENCE)
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(url)
        self.page.wait_for_function(STAGED)
        self.page.wait_for_function(PLACED)

    def shot(self, name: str) -> None:
        """A picture for whoever looks at them later."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.evaluate("document.querySelectorAll('.mantine-Notification-closeButton').forEach((x) => x.click())")
        self.page.screenshot(path=PICTURES / f"{name}.png")

    def place(self, point: Any) -> tuple[float, float]:
        """Where on the page a point [m] of the scene is."""
        x, y = self.page.evaluate(
            """(p) => { const v = window.__viserMutable, box = v.canvas.getBoundingClientRect();
            v.camera.updateMatrixWorld();
            const far = v.scene.position.clone().set(...p);
            const world = v.scene.localToWorld(far).project(v.camera);
            return [box.left + (world.x + 1) / 2 * box.width, box.top + (1 - world.y) / 2 * box.height]; }""",
            [float(value) for value in point],
        )
        return float(x), float(y)

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).last.click()

    def close(self) -> None:
        self.context.close()


def until(condition: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
    """Wait for something; fail with its name."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.05)


def soak_seconds() -> float:
    return float(os.environ.get("PLIANT_SOAK_SECONDS", "15"))


def real_complaints(visitor: "Visitor") -> list[str]:
    """What the browser's console said that is not of every such page."""
    return [text for text in visitor.complaints if not any(known in text for known in KNOWN)]


class Widgets:
    """Stands for the page's panel where nobody looks at it."""

    def __getattr__(self, name: str) -> Any:
        return Widgets()

    def __call__(self, *given: Any, **named: Any) -> Any:
        return Widgets()
