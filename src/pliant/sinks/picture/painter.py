"""Frames in, pictures out: the stage, the camera and a renderer together."""

from typing import Any, Protocol

from pliant.arrays import Array
from pliant.errors import UnsupportedError
from pliant.sinks.picture.camera import Bounds, Camera, fitted
from pliant.sinks.picture.framing import Watch
from pliant.sinks.picture.lighting import theme_named
from pliant.sinks.picture.options import Options
from pliant.sinks.picture.shot import Shot, shot
from pliant.sinks.picture.stage import Stage
from pliant.sinks.picture.surface import Surface
from pliant.sinks.picture.trails import Trails
from pliant.world import Frame, World


class Renderer(Protocol):
    """Turns a shot and its surfaces into pixels."""

    def render(self, shot: Shot, surfaces: list[Surface]) -> Array:
        """(h, w, 3) uint8."""

    def release(self) -> None: ...


class Painter:
    """Paints any number of frames of one world; keeps lights where the first camera put them."""

    def __init__(
        self, world: World, options: Options | None = None, *, dither: float = 1.0, trails: Trails | None = None
    ) -> None:
        self.options = options or Options()
        self.stage = Stage(world)
        self.trails = trails or Trails(world)
        self.dither = dither
        self._theme = theme_named(self.options.theme)
        self._turn: float | None = None
        self._watch = Watch(self.options.view, self._aspect)
        self._renderer = renderer(self.options)

    def bounds(self, frame: Frame) -> Bounds:
        """Of the parts of one frame, a clip's first one first; join those of a clip and hand them to `paint`."""
        return self.stage.bounds(frame).joined(self.trails.bounds(frame.time))._replace(step=self._watch.step(frame))

    @property
    def _aspect(self) -> float:
        return self.options.size[0] / self.options.size[1]

    def paint(self, frame: Frame, parts: Bounds | None = None) -> Array:
        """(h, w, 3) uint8. `parts` is what the camera has to keep in view; this frame's own bounds by default."""
        shown = self.stage.framed(parts if parts is not None else self.bounds(frame))
        view = self.options.view
        camera = fitted(shown, self._aspect) if view is None else view.back(shown.step)
        self._turn = camera.azimuth if self._turn is None else self._turn
        surfaces = self.stage.surfaces(frame, shown.radius) + self.trails.surfaces(frame, shown.radius)
        taken = self._shot(camera, shown, self._aspect)
        return self._renderer.render(taken, surfaces)

    def _shot(self, camera: Camera, shown: Bounds, aspect: float) -> Shot:
        taken = shot(
            camera,
            shown,
            self.stage.floor(shown),
            aspect=aspect,
            theme=self._theme,
            ruled=self.stage.ground is not None,
            turn=self._turn or 0.0,
        )
        return taken._replace(dither=self.dither)

    def close(self) -> None:
        self._renderer.release()


def renderer(options: Options) -> Renderer:
    """As asked; `auto` takes OpenGL where it works and the plain renderer where it does not."""
    from pliant.sinks.picture.gl import GLRenderer

    if options.renderer != "software":
        try:
            return GLRenderer(options.size, wire=options.wire)
        except UnsupportedError:
            if options.renderer == "gl":
                raise
    from pliant.sinks.picture.software import SoftwareRenderer

    return SoftwareRenderer(options.size, wire=options.wire)


def paint(frame: Frame, world: World, **options: Any) -> Array:
    """One frame as (h, w, 3) uint8."""
    painter = Painter(world, Options.of(options))
    try:
        return painter.paint(frame)
    finally:
        painter.close()
