"""Animated GIF: one palette for the whole clip, and of each picture only what changed.

The palette comes from the first pictures, so that everything after can be written as it arrives. Pictures are dithered
by the ordered pattern the renderer puts on them, which stands still and therefore compresses.
"""

import struct
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.sinks.film import Film

COLORS = 255  # one of 256 is kept for "as before"
SAME = 255
PALETTE_PICTURES = 12  # that the palette is made from
_TABLE_BITS = 6  # of each channel in the lookup from colours to palette entries


class Gif(Film):
    """Options: size, rate (pictures per second, at most 50), theme, wire, renderer, view."""

    suffixes = (".gif",)
    summary = "animated picture with one palette, for pages that take no video"
    usual_size = (640, 360)
    usual_rate = 25.0
    fastest = 50.0
    dither = 4.0

    _palette: Any = None
    _lookup: Array | None = None
    _before: Array | None = None
    _early: list[Array] | None = None
    _delay_left = 0.0

    def _add(self, picture: Array) -> None:
        if self._palette is None:
            self._early = [*(self._early or []), picture]
            if len(self._early) >= PALETTE_PICTURES:
                self._begin()
            return
        self._append(picture)

    def _finish(self) -> None:
        if self._palette is None:
            self._begin()
        self._file.write(b";")

    def _begin(self) -> None:
        """Header, palette, endless loop, and the pictures that waited for them."""
        early, self._early = self._early or [], None
        self._palette, self._lookup = _palette_of(early)
        width, height = self.options.size
        self._file.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0))
        self._file.write(self._palette.tobytes())
        self._file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
        for picture in early:
            self._append(picture)

    def _append(self, picture: Array) -> None:
        assert self._lookup is not None
        indices = self._lookup[_cell(picture)]
        box, kept = _changed(indices, self._before)
        self._before = indices
        left, top, right, bottom = box
        part = indices[top:bottom, left:right]
        if kept is not None:
            part = np.where(kept[top:bottom, left:right], np.uint8(SAME), part)
        self._file.write(b"!\xf9\x04" + struct.pack("<BHBB", 0x05, self._delay(), SAME, 0))
        self._file.write(b"," + struct.pack("<HHHHB", left, top, right - left, bottom - top, 0))
        self._file.write(_compressed(part))

    def _delay(self) -> int:
        """[1/100 s] until the next picture; what rounding leaves is carried on."""
        exact = 100.0 / self.rate + self._delay_left
        whole = max(round(exact), 2)
        self._delay_left = exact - whole
        return whole


def _cell(picture: Array) -> Array:
    """(h, w) row of the lookup table of each pixel."""
    shift = 8 - _TABLE_BITS
    r, g, b = (picture[..., k].astype(np.int32) >> shift for k in range(3))
    return (r << 2 * _TABLE_BITS) | (g << _TABLE_BITS) | b


def _palette_of(pictures: list[Array]) -> tuple[Array, Array]:
    """(256, 3) colours by median cut, and the nearest one of each cell of colour space."""
    from PIL import Image
    from scipy.spatial import cKDTree

    step = max(len(pictures) // PALETTE_PICTURES, 1)
    pile = np.concatenate([picture[::2, ::2].reshape(1, -1, 3) for picture in pictures[::step]])
    image = Image.fromarray(pile).quantize(COLORS, method=Image.Quantize.MEDIANCUT)
    entries = np.array(image.getpalette("RGB") or [0, 0, 0], np.uint8).reshape(-1, 3)[:COLORS]
    palette = np.zeros((256, 3), np.uint8)
    palette[: len(entries)] = entries
    axis = (np.arange(1 << _TABLE_BITS) + 0.5) * (256 >> _TABLE_BITS) - 0.5
    cells = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    return palette, cKDTree(entries.astype(float)).query(cells)[1].astype(np.uint8)


def _changed(indices: Array, before: Array | None) -> tuple[tuple[int, int, int, int], Array | None]:
    """The box in which a picture differs from the one before, and where inside it is the same."""
    if before is None:
        return (0, 0, indices.shape[1], indices.shape[0]), None
    same = indices == before
    rows, columns = np.flatnonzero(~same.all(axis=1)), np.flatnonzero(~same.all(axis=0))
    if rows.size == 0:
        return (0, 0, 1, 1), same
    return (int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1), same


def _compressed(indices: Array) -> bytes:
    """GIF's LZW data of an (h, w) uint8 picture."""
    from PIL import Image
    from PIL.GifImagePlugin import getdata

    image = Image.fromarray(np.ascontiguousarray(indices), "L")
    blocks = getdata(image)
    return b"".join(blocks)[_LOCAL_HEADER:]


_LOCAL_HEADER = 10  # bytes of the image descriptor that Pillow writes before the data
