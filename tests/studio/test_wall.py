"""The wall of the gallery: a picture of every scene, and no other."""

import io
from importlib.resources import files

import numpy as np
import pytest
from PIL import Image

from pliant import gallery
from pliant.studio.gallery_wall import hang_pictures
from pliant.studio.served import Served


def test_every_scene_has_its_picture() -> None:
    hung = hang_pictures(Served())
    assert hung == set(gallery.SCENES), "say: make pictures"


@pytest.mark.parametrize("name", sorted(gallery.SCENES))
def test_a_picture_shows_something(name: str) -> None:
    path = files("pliant.studio.pictures").joinpath(f"{name}.jpg")
    picture = Image.open(io.BytesIO(path.read_bytes()))
    assert picture.size == (320, 200)
    pixels = np.asarray(picture.convert("RGB"), float)
    paper = pixels[:8, :8].mean(axis=(0, 1))
    assert (np.abs(pixels - paper).max(axis=2) > 40).mean() > 0.004  # more of it than a speck is not background
