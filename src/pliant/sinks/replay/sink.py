"""A clip as one self-contained HTML page that plays anywhere: no server, no network, no Python."""

import html
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside
from pliant.sinks.film import EARLY, as_rate
from pliant.sinks.picture.camera import Bounds, fitted
from pliant.sinks.picture.framing import Watch
from pliant.sinks.picture.gl import finish_uniforms, floor_uniforms, ground_uniforms, light_uniforms, shader
from pliant.sinks.picture.lighting import THEMES, theme_named
from pliant.sinks.picture.options import Options
from pliant.sinks.picture.shot import FLOOR_BLUR, FLOOR_SIZE, SHADOW_SIZE, SKY_BLUR, SKY_SIZE, Shot, shot
from pliant.sinks.picture.stage import Stage
from pliant.sinks.picture.surface import Surface
from pliant.sinks.replay.packing import Track
from pliant.world import Frame, World

USUAL_RATE = 30.0
ASPECT = 16.0 / 9.0  # that the first view is fitted to
VERSION = "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2DShadow;\n"
SHADERS = (
    *("surface.vert", "surface.frag", "ground.vert", "ground.frag"),
    *("depth.vert", "depth.frag", "blur.vert", "blur.frag", "floor.frag"),
)
_OF_THEME = ("key_color", "sky_color", "bounce_color", "rim_color", "floor_color", "horizon_color", "zenith_color")
_OF_PAGE = ("eye", "stand", "dither", "shadow_map", "sky_map", "floor_map", "unprojection", "depth_map", "line_color")


class Replay(Sink):
    """Options: rate (frames per second kept, 30), title, theme (light, dark), view (eye and target)."""

    suffixes = (".html",)
    keywords = ("rate", "title", "theme", "view")
    summary = "page that plays in any browser, offline: turn, zoom, scrub"

    def __init__(self, target: str | Path, world: World, *, fps: float = 60.0, **options: Any) -> None:
        super().__init__(target, world, fps=fps)
        self.rate = min(fps, as_rate(options.get("rate", USUAL_RATE), high=240.0))
        self.title = str(options.get("title") or self.target.stem.replace("_", " "))
        self.options = Options.of(options, also=("rate", "title"))
        self._stage = Stage(world)
        self._bounds = Bounds.of(np.empty((0, 3)))
        self._watch = Watch(self.options.view, ASPECT)
        self._radius = 0.0
        self._tracks: list[Track] = []
        self._surfaces: list[Surface] = []
        self._next_time: float | None = None
        self._file = Beside(self.target)

    def write(self, frame: Frame) -> None:
        bounds = self._stage.bounds(frame)._replace(step=self._watch.step(frame))
        self._bounds = self._bounds.joined(bounds)
        if self._next_time is not None and frame.time < self._next_time - EARLY:
            return
        first = self._next_time is None
        self._next_time = (frame.time if self._next_time is None else self._next_time) + 1.0 / self.rate
        try:
            self._radius = self._radius or self._stage.framed(bounds).radius
            surfaces = self._stage.surfaces(frame, self._radius)
            if first:
                self._surfaces = surfaces
                self._tracks = [Track(s.name, s.triangles, _attributes(s), self.target) for s in surfaces]
            if [s.name for s in surfaces] != [s.name for s in self._surfaces]:
                raise FormatError(
                    f"{self.target}: the parts changed at t = {frame.time:.3f} s; a replay needs the same in all"
                )
            for track, surface, known in zip(self._tracks, surfaces, self._surfaces, strict=True):
                if len(surface.points) != len(known.points) or len(surface.triangles) != len(known.triangles):
                    raise FormatError(
                        f"{self.target}: part {surface.name!r} changed its size at t = {frame.time:.3f} s; a "
                        f"replay keeps its points (.mp4, .obj and .ply take what is cut)"
                    )
                track.add(surface.points)
        except BaseException:
            self.abandon()
            raise

    def close(self) -> None:
        try:
            if not self._tracks:
                raise FormatError(f"{self.target}: no frame arrived; a replay needs at least one")
            self._page()
        except BaseException:
            self.abandon()
            raise
        self._file.keep()
        self._release()

    def abandon(self) -> None:
        self._file.discard()
        self._release()

    def _release(self) -> None:
        for track in self._tracks:
            track.close()

    def _page(self) -> None:
        """Template and data, the data in pieces."""
        folder = files("pliant.sinks.replay")
        texts = {name: (folder / name).read_text(encoding="utf-8") for name in ("page.html", "page.css", "viewer.js")}
        scene = json.dumps(self._scene(), separators=(",", ":"), sort_keys=True).replace("</", "<\\/")
        values = {
            "title": html.escape(self.title),
            "theme": self.options.theme,
            "style": texts["page.css"].strip(),
            "scene": scene,
            "viewer": texts["viewer.js"].strip(),
        }
        before, after = (_filled(half, values) for half in texts["page.html"].split("{{data}}"))
        self._file.write(before.encode())
        for k, track in enumerate(self._tracks):
            self._file.write(f'<script type="text/plain" id="part-{k}">'.encode())
            for piece in track.encoded():
                self._file.write(piece)
            self._file.write(b"</script>\n")
        self._file.write(after.encode())

    def _shot(self) -> Shot:
        shown = self._stage.framed(self._bounds)
        view = self.options.view
        camera = fitted(shown, ASPECT) if view is None else view.back(shown.step)
        return shot(
            camera,
            shown,
            self._stage.floor(shown),
            aspect=ASPECT,
            theme=theme_named(self.options.theme),
            ruled=self._stage.ground is not None,
            turn=camera.azimuth,
        )

    def _scene(self) -> dict[str, Any]:
        """What viewer.js reads."""
        taken = self._shot()
        light = {k: v for k, v in light_uniforms(taken).items() if k not in (*_OF_THEME, *_OF_PAGE)}
        ground = {k: v for k, v in (ground_uniforms(taken) | floor_uniforms(taken)).items() if k not in _OF_PAGE}
        camera = taken.camera
        view = {"eye": camera.eye, "target": camera.target, "field_of_view": camera.field_of_view, "aspect": ASPECT}
        return _plain(
            {
                "format": 1,
                "frames": max(track.count for track in self._tracks),
                "rate": self.rate,
                "camera": view,
                "light": light,
                "ground": ground,
                "themes": {name: _theme(name) for name in THEMES},
                "sizes": {
                    "shadow": SHADOW_SIZE,
                    "sky": SKY_SIZE,
                    "sky_blur": SKY_BLUR,
                    "floor": FLOOR_SIZE,
                    "floor_blur": FLOOR_BLUR,
                },
                "shaders": {name: shader(name, version=VERSION) for name in SHADERS},
                "parts": [self._part(k, taken) for k in range(len(self._tracks))],
            }
        )

    def _part(self, k: int, taken: Shot) -> dict[str, Any]:
        track, surface = self._tracks[k], self._surfaces[k]
        return {
            "name": track.name,
            "data": f"part-{k}",
            "points": len(surface.points),
            "faces": len(surface.triangles),
            "count": track.frames,
            "tinted": surface.tint is not None,
            "low": track.low,
            "step": track.step,
            "finish": finish_uniforms(surface) | {"push": taken.yielding if surface.yields else 0.0},
        }


def _attributes(surface: Surface) -> list[Array]:
    return [surface.pattern] if surface.tint is None else [surface.pattern, surface.tint]


def _theme(name: str) -> dict[str, Any]:
    theme = theme_named(name)
    return {f"{key}_color": value for key, value in theme._asdict().items()}


def _filled(template: str, values: dict[str, str]) -> str:
    """Each {{name}} in one pass, so that nothing inside a value is taken for another name."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)


def _plain(value: Any) -> Any:
    """For JSON: matrices column by column, as WebGL takes them."""
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, np.ndarray):
        return [float(f"{v:.9g}") for v in value.T.ravel()]
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return float(f"{value:.9g}") if isinstance(value, float | np.floating) else value
