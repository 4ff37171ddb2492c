"""Clothes of MakeHuman: read, fitted to a figure by hand-made numbers, and refused where they do not belong."""

from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.sources.mhclo import fitted, read_mhclo

DATA = Path(__file__).parents[4] / "shared/data"
HEAD = "# by hand\nobj_file strip.obj\nmaterial a\nname strip\nx_scale 0 1 2.0\ny_scale 0 2 1.0\nz_scale 0 3 4.0\n"
VERTS = "verts 0\n0 1 2 0.5 0.25 0.25 1.0 2.0 3.0\n3\n1 2 3 1.0 0.0 0.0 0.0 0.0 -1.0\ndelete_verts\n5 - 9\n"
BASE = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 2.0]])


def written(folder, text=HEAD + VERTS):
    (folder / "strip.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    path = folder / "strip.mhclo"
    path.write_text(text)
    return path


def test_a_point_is_a_mean_of_three_and_an_offset_in_the_figures_own_size(tmp_path):
    clothes = read_mhclo(written(tmp_path))
    assert clothes.mesh == tmp_path / "strip.obj"
    # scales: 4 / 2 along x, 3 / 1 along y, 2 / 4 along z
    expected = [[1.0 + 2.0, 0.75 + 6.0, 1.5], [0.0, 0.0, 2.0], [4.0, 0.0, -0.5]]
    np.testing.assert_allclose(fitted(clothes, BASE), expected, atol=1e-15)
    np.testing.assert_allclose(fitted(clothes, 0.1 * BASE), 0.1 * np.array(expected), atol=1e-15)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "binds no points"),
        (HEAD + "verts 0\n0 1 2 0.5\n", "line 9: .* binds no point; expected"),
        (HEAD + "verts 0\n0 1 x 0.5 1 1 1 1 1\n", "line 9: .* binds no point; expected"),
        (HEAD.replace("x_scale 0 1 2.0", "x_scale 0 1 0.0") + VERTS, "x_scale needs two points and their distance"),
        (HEAD.replace("y_scale 0 2 1.0\n", "") + VERTS, "says no y_scale"),
        ("\0\0", "binary data"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(tmp_path, text, message):
    with pytest.raises(pliant.FormatError, match=message) as caught:
        read_mhclo(written(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_clothes_for_another_base_or_without_their_mesh_are_refused(tmp_path):
    path = written(tmp_path)
    with pytest.raises(pliant.FormatError, match="hangs on point 3 of the base mesh, which has 3"):
        fitted(read_mhclo(path), BASE[:3])
    with pytest.raises(pliant.SceneError, match="hangs on MakeHuman's base mesh; give the figure"):
        pliant.Garment.from_mesh(path, character=pliant.Character.mannequin())
    (tmp_path / "strip.obj").unlink()
    with pytest.raises(pliant.FormatError, match=r"its mesh 'strip\.obj' is not beside it"):
        read_mhclo(path)


@pytest.mark.skipif(not DATA.is_dir(), reason="no files of MakeHuman beside the project (../shared/data)")
def test_a_suit_of_makehumans_library_fits_its_base_and_walks_with_it():
    folder = DATA / "bodies/makehuman"
    figure = pliant.Character.load(
        folder / "mh_base.obj", skeleton=folder / "mh_default.mhskel", weights=folder / "mh_default_weights.mhw"
    )
    suit = pliant.Garment.from_mesh(DATA / "meshes/cloth/mh_female_elegantsuit01.mhclo", character=figure, name="suit")
    from pliant.geometry.nearest import SurfaceTree

    rest = SurfaceTree(figure.points, figure.triangles).closest(suit.points).distance
    assert rest.min() > -0.01  # its file's own points stand up to 60 mm inside
    assert np.median(np.abs(rest)) < 0.02
    matrices = figure.pose("walk")
    made = pliant.drape(figure, suit, matrices)[0]
    body = SurfaceTree(figure.posed(matrices), figure.triangles)
    assert np.mean(body.closest(made.points).distance < 0.0) < 0.005


@pytest.mark.skipif(not DATA.is_dir(), reason="no files of MakeHuman beside the project (../shared/data)")
def test_a_scene_with_a_fitted_figure_round_trips(tmp_path):
    folder = DATA / "bodies/makehuman"
    figure = pliant.Character.load(
        folder / "mh_base.obj", skeleton=folder / "mh_default.mhskel", weights=folder / "mh_default_weights.mhw"
    )
    assert figure.fitting.shape == (19158, 3)
    scene = pliant.Scene(parts={"eve": pliant.Actor(character=figure)})
    scene.save(tmp_path / "eve.toml")
    assert pliant.Scene.load(tmp_path / "eve.toml") == scene
