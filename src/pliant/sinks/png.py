"""PNG pictures: the last frame, or a contact sheet of moments spread evenly over the clip."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sinks.base import Sink
from pliant.sinks.beside import Beside
from pliant.sinks.picture import Options, Painter, captioned, columns_for, sheet
from pliant.sinks.picture.options import as_count
from pliant.sinks.picture.trails import Trails
from pliant.world import Frame, World

CELL = (640, 360)  # [px] of a contact sheet
MOST = 64  # moments


class Moments:
    """Keeps `count` frames spread evenly over a stream, first and last among them.

    With a known `total` just those are kept. Without, every stride-th frame is; when too many are, every other one goes
    and the stride doubles.
    """

    def __init__(self, count: int, total: int | None = None) -> None:
        self.count = count
        self._wanted = None if total is None else set(np.linspace(0, total - 1, count).round().astype(int).tolist())
        self._kept: list[Frame] = []
        self.first: Frame | None = None
        self._last: Frame | None = None
        self._seen = 0
        self._stride = 1

    def add(self, frame: Frame) -> None:
        wanted = self._seen % self._stride == 0 if self._wanted is None else self._seen in self._wanted
        if self.count > 1 and wanted:
            self._kept.append(frame)
            if len(self._kept) > 16 * self.count:
                self._kept = self._kept[::2]
                self._stride *= 2
        self._seen += 1
        self.first = self.first or frame
        self._last = frame

    def chosen(self) -> list[Frame]:
        if self._last is None:
            return []
        if self.count == 1:
            return [self._last]
        kept = self._kept if self._kept and self._kept[-1] is self._last else [*self._kept, self._last]
        times = np.array([frame.time for frame in kept])
        wanted = np.linspace(times[0], times[-1], min(self.count, len(kept)))
        rows = np.unique([int(np.argmin(np.abs(times - t))) for t in wanted])
        return [kept[k] for k in rows]


class Png(Sink):
    """`moments=1` is the last frame; more make a contact sheet with the time of each.

    Options: moments, columns, size (of one picture), theme (light, dark), wire, renderer (auto, gl, software),
    view (eye and target).
    """

    suffixes = (".png",)
    keywords = ("moments", "columns", "frames", "size", "theme", "wire", "renderer", "view")
    summary = "picture of the last frame, or of several moments (moments=6) on one sheet"

    def __init__(self, target: str | Path, world: World, *, fps: float = 60.0, **options: Any) -> None:
        super().__init__(target, world, fps=fps)
        moments = as_count("moments", options.get("moments", 1), low=1, high=MOST)
        self._columns = as_count("columns", options.get("columns", columns_for(moments)), low=1, high=MOST)
        size = (1280, 720) if moments == 1 else CELL
        self.options = Options.of(options, size=size, also=("moments", "columns", "frames"))
        total = options.get("frames")
        self._moments = Moments(moments, None if total is None else as_count("frames", total, low=1, high=10**9))
        self._trails = Trails(world)
        self._file = Beside(self.target)

    def write(self, frame: Frame) -> None:
        self._trails.see(frame)
        self._moments.add(frame)

    def close(self) -> None:
        try:
            self._file.write(encoded(self._picture()))
        except BaseException:
            self._file.discard()
            raise
        self._file.keep()

    def abandon(self) -> None:
        self._file.discard()

    def _picture(self) -> Array:
        frames = self._moments.chosen()
        if not frames:
            raise FormatError(f"{self.target}: no frame arrived; a picture needs at least one")
        painter = Painter(self.world, self.options, trails=self._trails)
        try:
            painter.bounds(self._moments.first or frames[0])  # what a scene's view leaves out at the start may stay out
            bounds = painter.bounds(frames[0])
            for frame in frames[1:]:
                bounds = bounds.joined(painter.bounds(frame))
            pictures = [painter.paint(frame, bounds) for frame in frames]
        finally:
            painter.close()
        if self._moments.count == 1:
            return pictures[0]
        theme = self.options.theme
        cells = [
            captioned(picture, f"{frame.time:.2f} s", theme=theme)
            for picture, frame in zip(pictures, frames, strict=True)
        ]
        return sheet(cells, min(self._columns, len(cells)), theme=theme)


def encoded(picture: Array) -> bytes:
    """As a PNG file; nothing but pixels is in it, so equal pictures are equal files."""
    from PIL import Image

    stream = BytesIO()
    Image.fromarray(picture).save(stream, "PNG", compress_level=6)
    return stream.getvalue()
