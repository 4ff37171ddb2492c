"""Vertex-animation textures, decoded as the shaders decode them."""

import json
import re
from importlib.resources import files

import numpy as np
import pytest
from PIL import Image

from hand_made import frame, sheet, world
from pliant.sinks.vertex_textures import VertexTextures
from pliant.sources.gltf_document import read_document


@pytest.fixture(params=[4, 100])  # one row of texels for each frame, and two
def clip(request):
    part = sheet(cells=request.param)
    of = world(part)
    return of, [frame(of, k, move=(0.1 * k, -0.05 * k * k, 0.2 * k)) for k in range(5)]


@pytest.fixture
def folder(clip, tmp_path):
    of, frames = clip
    with VertexTextures(tmp_path / "clip.vat", of, fps=30.0) as sink:
        for each in frames:
            sink.write(each)
    return tmp_path / "clip.vat"


def pixels(path):
    with Image.open(path) as picture:
        assert picture.mode == "RGB"
        return np.asarray(picture).astype(int)


def texels_of(mesh):
    """(n, 2) second texture coordinates of a GLB."""
    document = read_document(mesh)
    row = document.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"]
    return np.asarray(document.accessor(row), float)


def test_a_shader_finds_every_point_where_it_was(clip, folder):
    _, frames = clip
    about = json.loads((folder / "clip.json").read_text())
    assert (about["fps"], about["up"], about["metres_per_unit"]) == (30.0, "Y", 1.0)
    (part,) = about["parts"]
    low, high, rows = np.array(part["low"]), np.array(part["high"]), part["rows_per_frame"]
    positions, normals = pixels(folder / part["position"]), pixels(folder / part["normal"])
    height = part["frames"] * rows
    assert positions.shape[:2] == (2 * height, part["width"])
    st = texels_of(folder / part["mesh"])
    column, within = (st[:, 0] * part["width"]).astype(int), (st[:, 1] + 0.5).astype(int)
    for k, each in enumerate(frames):
        row = k * rows + within
        step = 256 * positions[row, column] + positions[row + height, column]
        found, shown = low + (high - low) * step / 65535.0, each["sheet"]
        np.testing.assert_allclose(found, shown.points, atol=1e-6 + (high - low).max() / 65535.0)
        np.testing.assert_allclose(normals[row, column] / 255.0 * 2.0 - 1.0, shown.normals, atol=1.5 / 127.0)


def test_every_shader_reads_every_number_of_the_page_beside_it(folder):
    """Names that a user has to set exist in the shader that wants them."""
    shaders = {item.name: item.read_text() for item in files("pliant.sinks").joinpath("vat_shaders").iterdir()}
    assert set(shaders) == {"godot.gdshader", "three.js", "unity.shader", "unreal.ush"}
    for name, text in shaders.items():
        assert (folder / name).read_text() == text
        for word in ("low", "high", "frames", "rows_?per_?frame", "fps"):
            assert re.search(word, text, re.IGNORECASE), (name, word)
        assert text.count("{") == text.count("}")
