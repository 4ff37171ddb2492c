"""Figures of other makers, dressed: nothing of what they wear is inside them, and what wears no shirt is told so."""

from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.filters.draping import Draper, Strain
from pliant.filters.draping.wear import parts_of
from pliant.geometry.nearest import SurfaceTree
from pliant.scene.garment import layers, measures_of, skin_of
from pliant.sources.meshes import read_mesh

BODIES = Path(__file__).parents[4] / "shared/data/bodies"
needs_bodies = pytest.mark.skipif(not BODIES.is_dir(), reason="no character files beside the project (../shared/data)")


def makehuman(skeleton, weights):
    folder = BODIES / "makehuman"
    return pliant.Character.load(folder / "mh_base.obj", skeleton=folder / skeleton, weights=folder / weights)


def woman():
    """A mesh without bones, as tall as the figure it was made from, with bones and weights of that."""
    base = makehuman("mh_default.mhskel", "mh_default_weights.mhw").body()
    mesh = read_mesh(BODIES / "makehuman/female1605.obj", unit=0.1)
    points = (mesh.points - (0.0, mesh.points[:, 1].min(), 0.0)) * base.height / np.ptp(mesh.points[:, 1])
    near = SurfaceTree(base.mesh.points, base.mesh.triangles).closest(points)
    corner = base.mesh.triangles[near.triangle, near.weights.argmax(axis=1)]
    return pliant.Character(
        points=points,
        triangles=mesh.triangles,
        bones=base.mesh.bones[corner],
        weights=base.mesh.weights[corner],
        names=base.names,
        parents=tuple(int(p) for p in base.parents),
        joints=base.joints,
    )


FIGURES = {
    "RiggedFigure": lambda: pliant.Character.load(BODIES / "gltf/RiggedFigure.glb"),
    "CesiumMan": lambda: pliant.Character.load(BODIES / "gltf/CesiumMan.glb"),
    "RobotExpressive": lambda: pliant.Character.load(BODIES / "gltf/RobotExpressive.glb"),
    "MakeHuman": lambda: makehuman("mh_default.mhskel", "mh_default_weights.mhw"),
    "MakeHuman, rig of CMU": lambda: makehuman("rig.cmu_mb.json", "weights.cmu_mb.json"),
    "female1605": woman,
}


def inside(figure, pose, kinds):
    """Share of the shown points of each garment that are inside a part of the body on which they are worn.

    Where an arm is pressed into the trunk, sleeve and trunk of a shirt may be in each other's flesh, where no one sees.
    """
    matrices = figure.pose(pose)
    worn = tuple(pliant.Garment(kind=kind, count=2000) for kind in kinds)
    wears = tuple(g.wear(figure, layer) for g, layer in zip(worn, layers(worn), strict=True))
    draper = Draper(skin_of(figure), wears, Strain())
    body = figure.body().mesh
    tree, parts = SurfaceTree(figure.posed(matrices), body.triangles), parts_of(body, wears[0].parts)
    shares = []
    for wear, made, (corners, weights) in zip(wears, draper.drape(matrices), draper.lies(), strict=True):
        near = tree.closest(made.points)
        beneath = parts[body.triangles[near.triangle, near.weights.argmax(axis=1)]]
        foreign = wear.foreign[corners[np.arange(len(corners)), weights.argmax(axis=1)]]
        shares.append(float(np.mean((near.distance < 0.0) & (beneath & foreign == 0))))
    return shares


@needs_bodies
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_other_figures_are_dressed_with_nothing_inside(name):
    figure = FIGURES[name]()
    for pose in ("upright", "walk"):
        assert max(inside(figure, pose, ("trousers", "tshirt"))) < 0.005, pose


@pytest.mark.parametrize("height", [1.1, 2.1])
def test_mannequins_of_other_heights_are_dressed_with_nothing_inside(height):
    figure = pliant.Character.mannequin(height=height)
    assert inside(figure, "walk", ("trousers", "tshirt")) == [0.0, 0.0]


@needs_bodies
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Fox.glb", "does not stand upright at rest"),
        ("RiggedSimple.glb", "bones do not tell hips, head, .*name them"),
        ("SimpleSkin.gltf", "bones do not tell hips, head, .*name them"),
    ],
)
def test_what_cannot_wear_a_shirt_is_told_so_in_one_line(name, message):
    figure = pliant.Character.load(BODIES / "gltf" / name)
    with pytest.raises(pliant.SceneError, match=message) as caught:
        pliant.drape(figure, pliant.Garment.tshirt(), "A")
    assert "\n" not in str(caught.value)


def with_a_wide_head():
    """The mannequin with a head as wide as its shoulders, close above them."""
    body = pliant.Character.mannequin().body()
    points = body.mesh.points.copy()
    top = body.at("head")[1]
    on_head = points[:, 1] > top
    points[on_head] = points[on_head] * [4.0, 1.0, 3.0] - [0.0, 0.0, 0.05]
    return pliant.Character(
        points=points,
        triangles=body.mesh.triangles,
        bones=body.mesh.bones,
        weights=body.mesh.weights,
        names=body.names,
        parents=tuple(int(p) for p in body.parents),
        joints=body.joints,
    )


def test_a_collar_stays_below_a_wide_head():
    """Cut around the body as a whole, it ran along the jaw, 7 cm above the shoulders."""
    figure = with_a_wide_head()
    collar = pliant.Garment.tshirt().worn(figure).mesh.points[:, 1].max()
    plain = pliant.Garment.tshirt().worn(pliant.Character.mannequin()).mesh.points[:, 1].max()
    assert collar < plain + 0.01


def test_blurred_weights_do_not_make_an_arm_thick():
    """An upper arm that also carries half of the chest: its girth is that of the flesh around its bone."""
    body = pliant.Character.mannequin().body()
    bones, weights = body.mesh.bones.copy(), body.mesh.weights.copy()
    chest = (np.abs(body.mesh.points[:, 0] - 0.10) < 0.05) & (np.abs(body.mesh.points[:, 1] - 1.28) < 0.1)
    bones[chest] = body.roles["upperarm_left"]
    weights[chest] = [1.0, 0.0, 0.0, 0.0]
    blurred = pliant.Character(
        points=body.mesh.points,
        triangles=body.mesh.triangles,
        bones=bones,
        weights=weights,
        names=body.names,
        parents=tuple(int(p) for p in body.parents),
        joints=body.joints,
    )
    found, true = (measures_of(c).arms["left"].girth[0] for c in (blurred, pliant.Character.mannequin()))
    np.testing.assert_allclose(found, true, rtol=0.3)


def test_cloth_of_the_trunk_does_not_come_out_on_the_far_side_of_an_arm_pressed_into_it():
    """An arm turned half into the trunk leaves the shirt's trunk where it hangs with the arm away (was 21 mm off)."""
    figure = pliant.Character.mannequin()
    wear = pliant.Garment.tshirt().wear(figure, 0)
    draper = Draper(skin_of(figure), (wear,), Strain())
    pressed, away = (
        draper.drape(figure.pose({"upperarm_left": (0.0, 0.0, turn)}))[0].light.copy() for turn in (-60.0, -10.0)
    )
    body = figure.body()
    below = ((wear.foreign & 2) > 0) & (wear.mesh.points[:, 1] < body.at("upperarm_left")[1] - 0.2)
    assert np.linalg.norm(pressed - away, axis=1)[below].max() < 0.005
