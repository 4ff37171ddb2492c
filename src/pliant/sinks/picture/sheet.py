"""Several pictures on one sheet, each with the time it was taken."""

import math

import numpy as np

from pliant.arrays import Array

GAP = 3  # [px] between cells
INK = {"light": (70, 76, 86), "dark": (168, 176, 190)}
PAPER = {"light": (255, 255, 255), "dark": (10, 11, 13)}


def columns_for(count: int) -> int:
    """The number of columns that leaves few cells empty and the sheet about as wide as its cells."""

    def badness(columns: int) -> tuple[float, int]:
        rows = math.ceil(count / columns)
        return abs(math.log(columns / rows)) + 1.2 * (rows * columns - count), -columns

    return min(range(1, count + 1), key=badness)


def sheet(cells: list[Array], columns: int, *, theme: str) -> Array:
    """Cells (h, w, 3) in reading order."""
    h, w = cells[0].shape[:2]
    rows = math.ceil(len(cells) / columns)
    page = np.empty((rows * (h + GAP) - GAP, columns * (w + GAP) - GAP, 3), np.uint8)
    page[...] = PAPER[theme]
    for k, cell in enumerate(cells):
        y, x = (k // columns) * (h + GAP), (k % columns) * (w + GAP)
        page[y : y + h, x : x + w] = cell
    return page


def captioned(picture: Array, text: str, *, theme: str) -> Array:
    """The same picture with a few small words in its lower left corner."""
    from PIL import Image, ImageDraw, ImageFont

    size = max(round(picture.shape[0] / 24), 10)
    image = Image.fromarray(picture)
    font = ImageFont.load_default(size)  # the one Pillow brings along, so that every machine writes the same
    ImageDraw.Draw(image).text((size, picture.shape[0] - 0.9 * size), text, INK[theme], font, anchor="ls")
    return np.asarray(image)
