"""What a user may say, and the one line said back when it is wrong."""

import numpy as np
import pytest

import pliant
from pliant.description import cards
from pliant.scene import get_path, set_path

TRIANGLE = ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])


def sheet(**options):
    return pliant.Cloth.sheet(width=1, height=1, columns=4, rows=3, **options)


WRONG = {
    "nan": (lambda: pliant.Cloth.from_mesh([[0, 0, 0], [0, np.nan, 0], [1, 0, 0]], [[0, 1, 2]]), r"row 1 is .*nan"),
    "shape": (lambda: pliant.Cloth.from_mesh([[0, 0], [1, 0]], [[0, 1, 1]]), r"shape is \(2, 2\); expected \(n, 3\)"),
    "index": (lambda: pliant.Cloth.from_mesh(TRIANGLE[0], [[0, 1, 3]]), r"row 0 is \[0 1 3\]; indices must be 0 to 2"),
    "negative index": (lambda: pliant.Cloth.from_mesh(TRIANGLE[0], [[0, 1, -1]]), "indices must be 0 to 2"),
    "fraction": (lambda: pliant.Cloth.from_mesh(TRIANGLE[0], [[0, 1, 2.5]]), r"triangles: 2\.5 is no whole number"),
    "nan index": (lambda: pliant.Cloth.from_mesh(TRIANGLE[0], [[0, 1, np.nan]]), "cannot convert float NaN to integer"),
    "complex": (lambda: pliant.Cloth.from_mesh(np.array(TRIANGLE[0]) + 1j, [[0, 1, 2]]), "the numbers are complex"),
    "ragged": (lambda: pliant.Cloth.from_mesh([[0, 0], [1, 0, 0]], [[0, 1, 2]]), r"Cloth\.points: .*expected numbers"),
    "no area": (
        lambda: pliant.build(pliant.Scene(parts={"a": pliant.Cloth.from_mesh([[0, 0, 0]] * 3, [[0, 1, 2]])})),
        "point 0 belongs to no triangle with an area, so it has no mass",
    ),
    "far away": (
        lambda: pliant.build(
            pliant.Scene(parts={"a": pliant.Cloth.from_mesh(1e6 * np.array(TRIANGLE[0]), [[0, 1, 2]])})
        ),
        r"part 'a': point 1 is at .*, beyond the stage of 10000 m; lengths are in metres",
    ),
    "negative raw stiffness": (lambda: pliant.RawFabric(structural=-1), r"RawFabric\.structural = -1; must be >= 0"),
    "whose integrator": (
        lambda: pliant.build(pliant.Scene(parts={"flag": sheet()}), integrator={"flog": "xpbd"}),
        "integrator: no part 'flog' here; did you mean 'flag'",
    ),
    "empty": (lambda: pliant.Cloth.from_mesh(np.empty((0, 3)), [[0, 1, 2]]), "is empty; a part needs"),
    "no triangle": (lambda: pliant.Cloth.from_mesh(TRIANGLE[0], np.empty((0, 3), int)), "at least one triangle"),
    "twice": (lambda: pliant.Cloth.from_mesh(TRIANGLE[0], [[0, 1, 1]]), "three different points"),
    "zero mass": (lambda: pliant.RawFabric(mass=0), r"RawFabric\.mass = 0; must be > 0"),
    "zero density": (lambda: pliant.Fabric(density=0), r"Fabric\.density = 0; must be > 0.* \[kg/m\^2\]"),
    "negative stiffness": (lambda: pliant.Fabric(stretch=-5), r"Fabric\.stretch = -5; must be > 0.* \[N/m\]"),
    "infinite": (lambda: pliant.Fabric(stretch=float("inf")), r"Fabric\.stretch = inf"),
    "fabric": (lambda: sheet(fabric="coton"), "no fabric 'coton' .*did you mean 'cotton'"),
    "field": (lambda: pliant.Fabric(strech=1), "no field 'strech' .*did you mean 'stretch'"),
    "border": (lambda: pliant.build(pliant.Scene(parts={"a": sheet(pinned="lef")})), "a.pinned: no border 'lef'"),
    "pin index": (lambda: pliant.build(pliant.Scene(parts={"a": sheet(pinned=[99])})), "index 99 is outside"),
    "integrator": (lambda: sheet(integrator="xpdb"), "no integrator 'xpdb' .*did you mean 'xpbd'"),
    "vector": (lambda: pliant.Wind(velocity=(1, 2)), r"Wind\.velocity"),
    "parts": (lambda: pliant.Scene(parts={}), "Scene.parts is empty"),
    "size": (lambda: sheet(turn="far"), r"Sheet\.turn = 'far'"),
    "box": (
        lambda: pliant.build(pliant.Scene(parts={"a": sheet(pinned=pliant.PinBox(low=(9, 9, 9), high=(10, 10, 10)))})),
        "no point lies in the box",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_line(case):
    make, message = WRONG[case]
    with pytest.raises(pliant.SceneError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_descriptions_are_frozen():
    with pytest.raises(Exception, match="frozen"):
        pliant.Fabric().density = 3


def test_arrays_are_copied_and_read_only():
    points = np.array(TRIANGLE[0], float)
    cloth = pliant.Cloth.from_mesh(points, TRIANGLE[1])
    points[0] = 7
    assert cloth.points[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        cloth.points[0] = 7


def test_pins_by_every_means_agree():
    by_name = pliant.build(pliant.Scene(parts={"a": sheet(pinned="left")})).parts["a"].held
    mesh = sheet().mesh()
    left = np.flatnonzero(mesh.points[:, 0] < -0.49)
    means = [
        left.tolist(),
        pliant.PinBox(low=(-0.51, 0, -1), high=(-0.49, 2, 1)),
        lambda points: points[:, 0] < -0.49,
        lambda points: np.flatnonzero(points[:, 0] < -0.49),
    ]
    for pinned in means:
        held = pliant.build(pliant.Scene(parts={"a": sheet(pinned=pinned)})).parts["a"].held
        np.testing.assert_array_equal(held, by_name)


def test_a_path_changes_one_value():
    scene = pliant.Scene(parts={"flag": sheet()}, fields=(pliant.Gravity(), pliant.Wind(velocity=(1, 0, 0))))
    changed = set_path(scene, "flag.fabric.stretch", "800")
    assert get_path(changed, "flag.fabric.stretch") == 800
    assert get_path(scene, "flag.fabric.stretch") == 1e4
    assert get_path(set_path(scene, "wind.velocity", "6,0,1"), "wind.velocity") == (6.0, 0.0, 1.0)
    assert set_path(scene, "substeps", "4").substeps == 4
    assert get_path(set_path(scene, "flag.integrator", "symplectic"), "flag.integrator").name == "symplectic"


@pytest.mark.parametrize("path", ["flag.fabric.stretsh", "wnd.velocity", "substep", "flag", "flag.fabric.stretch.more"])
def test_an_unknown_path_lists_near_ones(path):
    scene = pliant.Scene(parts={"flag": sheet()}, fields=(pliant.Wind(),))
    with pytest.raises(pliant.SceneError, match="no path"):
        set_path(scene, path, "1")


def test_every_field_of_every_description_has_help():
    from pliant.scene.files import kinds

    silent = [f"{name}.{card.name}" for name, kind in kinds().items() for card in cards(kind) if not card.help]
    assert silent == []


def test_borders_of_a_ribbon_and_a_mesh():
    ribbon = pliant.build(pliant.Scene(parts={"r": pliant.Ribbon()})).parts["r"]
    assert len(ribbon.held) == 3
    mesh = sheet().mesh()
    cloth = pliant.Cloth.from_mesh(mesh.points, mesh.triangles, pinned="top")
    part = pliant.build(pliant.Scene(parts={"c": cloth})).parts["c"]
    assert (part.rest_position[part.held, 1] == part.rest_position[:, 1].max()).all()


def test_the_users_vertex_order_is_kept():
    rng = np.random.default_rng(3)
    mesh = sheet().mesh()
    order = rng.permutation(len(mesh.points))
    inverse = np.argsort(order)
    cloth = pliant.Cloth.from_mesh(mesh.points[order], inverse[mesh.triangles.astype(int)])
    frame = next(iter(pliant.simulate(pliant.Scene(parts={"c": cloth}, fields=()), frames=1)))
    np.testing.assert_allclose(frame["c"].points, mesh.points[order], atol=1e-5)
