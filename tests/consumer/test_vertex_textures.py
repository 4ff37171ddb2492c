"""The vertex-animation texture and its shader for three.js, played by three.js in headless Chromium."""

import base64
import functools
import http.server
import io
import os
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hand_made import frame, sheet, world
from pliant.sinks.vertex_textures import VertexTextures

FPS, COUNT, PIXELS, REACH = 30.0, 5, 256, 4.0  # the camera sees REACH metres across
MODULES = Path(os.environ.get("NODE_PATH", "none"), "three")
PAGE = """<!doctype html><canvas id="stage" width="256" height="256"></canvas>
<script type="importmap">
{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}
</script>
<script type="module">
import * as THREE from "three";
import { play } from "/clip.vat/three.js";
const canvas = document.getElementById("stage");
const renderer = new THREE.WebGLRenderer({ canvas, preserveDrawingBuffer: true });
const scene = new THREE.Scene();
const camera = new THREE.OrthographicCamera(-2, 2, 2, -2, 0.1, 100);
camera.position.set(0, 0, 50);
const cloth = await play("/clip.vat/", "clip.json", 0, [1, 0, 0]);
scene.add(cloth.mesh);
window.seen = (seconds) => { cloth.at(seconds); renderer.render(scene, camera); return canvas.toDataURL("image/png"); };
</script>"""
pytestmark = [pytest.mark.consumer, pytest.mark.browser, pytest.mark.slow]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A folder, three.js beside it, and nothing on the terminal."""

    def translate_path(self, path):
        inside = path.split("?")[0].removeprefix("/three/")
        return str(MODULES / inside) if path.startswith("/three/") else super().translate_path(path)

    def log_message(self, *_):
        pass


@pytest.fixture
def clip():
    part = sheet(cells=6)
    of = world(part)
    return of, [frame(of, k, fps=FPS, move=(0.3 * k - 1.0, 0.05 * k * k - 1.0, 0.3 * k)) for k in range(COUNT)]


@pytest.fixture
def page(clip, tmp_path):
    if not MODULES.is_dir():
        pytest.skip("needs the package three in NODE_PATH")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    of, frames = clip
    with VertexTextures(tmp_path / "clip.vat", of, fps=FPS) as sink:
        for each in frames:
            sink.write(each)
    (tmp_path / "index.html").write_text(PAGE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    flags = "--headless --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
    try:
        with playwright.sync_playwright() as running:
            program = shutil.which("chromium") or shutil.which("chromium-browser")
            if program is None:
                pytest.skip("Chromium is not installed")
            browser = running.chromium.launch(executable_path=program, args=flags.split())
            opened = browser.new_page()
            complaints = []
            opened.on("pageerror", lambda error: complaints.append(str(error)))
            opened.goto(f"http://127.0.0.1:{server.server_port}/index.html")
            opened.wait_for_function("window.seen", timeout=60_000)
            yield opened
            assert complaints == []
            browser.close()
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("moment", [0.0, 2.0, 2.5, 3.75])
def test_three_draws_the_cloth_where_it_was(page, clip, moment):
    """Between two frames it goes straight from one to the next."""
    url = page.evaluate(f"window.seen({moment / FPS})")
    with Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))) as picture:
        red = np.asarray(picture.convert("RGB"))[..., 0] > 40
    rows, columns = np.nonzero(red)
    found = np.array([columns.min(), columns.max() + 1, rows.min(), rows.max() + 1]) / PIXELS * REACH - REACH / 2
    before, after = (clip[1][k]["sheet"].points.astype(float) for k in (int(moment), int(np.ceil(moment))))
    points = before + (moment % 1.0) * (after - before)
    low, high = points.min(axis=0), points.max(axis=0)
    np.testing.assert_allclose(found, [low[0], high[0], -high[1], -low[1]], atol=1.5 * REACH / PIXELS)
