"""Animated GIF: one palette for the whole clip, and of each picture only what changed.

The palette comes from the first pictures, so that everything after can be written as it arrives. Pictures are dithered
by the ordered pattern the renderer puts on them, which stands still and therefore compresses.
"""

import struct
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.sinks.film import Film
from pliant.sinks.picture.finish import finish_of
from pliant.sinks.picture.shading import encode, tone
from pliant.world import Look

COLORS = 255  # one of 256 is kept for "as before"
SAME = 255
PALETTE_PICTURES = 12  # that the palette is made from
SHADES = 12  # of each part's colour that the palette keeps ready
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
        self._palette, self._lookup = _palette_of(early, _shades(self.looks))
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


def _palette_of(pictures: list[Array], ramps: Array) -> tuple[Array, Array]:
    """(256, 3) colours by median cut, and the nearest one of each cell of colour space.

    Every colour counts by the logarithm of how often it is there, or the background would take all entries; `ramps`
    (k, 3) are shades that the parts may take later.
    """
    from PIL import Image
    from scipy.spatial import cKDTree

    cells, count = np.unique(np.concatenate([_cell(picture).ravel() for picture in pictures]), return_counts=True)
    mask, half = (1 << _TABLE_BITS) - 1, (256 >> _TABLE_BITS) // 2
    colors = np.stack([cells >> 2 * _TABLE_BITS, cells >> _TABLE_BITS & mask, cells & mask], axis=1)
    seen = np.repeat((colors << 8 - _TABLE_BITS) + half, np.ceil(np.log2(count + 1)).astype(int), axis=0)
    pile = np.concatenate([seen, np.repeat(ramps, 8, axis=0)]).astype(np.uint8)
    image = Image.fromarray(pile[None]).quantize(COLORS, method=Image.Quantize.MEDIANCUT)
    entries = np.array(image.getpalette("RGB") or [0, 0, 0], np.uint8).reshape(-1, 3)[:COLORS]
    palette = np.zeros((256, 3), np.uint8)
    palette[: len(entries)] = entries
    axis = (np.arange(1 << _TABLE_BITS) + 0.5) * (256 >> _TABLE_BITS) - 0.5
    table = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    return palette, cKDTree(entries.astype(float)).query(table)[1].astype(np.uint8)


def _shades(looks: list[Look]) -> Array:
    """(k, 3) sRGB: each part's front and back from shadow to full light."""
    finishes = [finish_of(look, "cloth") for look in looks]
    base = np.array([color for finish in finishes for color in (finish.front, finish.back)]).reshape(-1, 1, 3)
    light = np.linspace(0.15, 1.6, SHADES).reshape(1, -1, 1)
    return np.rint(255.0 * encode(tone((base * light).reshape(-1, 3)))).astype(np.uint8)


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
