"""The doctor against counted facts, against made-up trouble, and against every file of the shared data."""

import json

import numpy as np
import pytest

from pliant.errors import FormatError
from pliant.geometry.surface import grid
from pliant.sources import read_bvh, read_mesh
from pliant.sources.doctor import check, fix, repair, save_obj
from pliant.sources.doctor.facts import facts_of
from pliant.sources.doctor.surfaces import sound
from pliant.sources.meshes import read_raw

COUNTED = (
    "vertices", "faces", "used_vertices", "edges", "euler_used", "components", "boundary_edges", "nonmanifold_edges",
    "nonmanifold_vertices", "inconsistent_winding_edges", "orientable", "duplicate_faces", "closed",
)  # fmt: skip
SAID = {
    "sphere_ok": set(),
    "sphere_inverted": {"inside-out"},
    "sphere_mixed_winding": {"winding"},
    "sphere_holes": {"open", "pinched"},
    "edge_fan3": {"open", "edge-fan"},
    "bowtie": {"open", "pinched"},
    "moebius": {"open", "one-sided"},
    "sheet_quads": {"open"},
    "sheet_tris": {"open"},
    "sheet_degenerate": {"open", "degenerate"},
    "flat_bag_unit_square": set(),
    "ngon64": {"open"},
    "quad_nonplanar": {"open", "warped"},
    "tri_single": {"open"},
}


def save(path, points, faces):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(points, float).tolist()]
    path.write_text("\n".join(lines + ["f " + " ".join(str(k + 1) for k in face) for face in faces]) + "\n")
    return path


def codes(report):
    return {finding.code for finding in report.findings}


def found(report, code):
    return next(finding for finding in report.findings if finding.code == code)


def sheet(columns=4, rows=4):
    uv, triangles = grid(columns, rows)
    return np.stack([uv[:, 0], uv[:, 1], 0 * uv[:, 0]], axis=1), triangles.tolist()


def test_every_number_of_the_broken_meshes_agrees(data):
    for entry in json.loads((data / "meshes/nasty_synth/expected.json").read_text()):
        raw, lost = sound(read_raw(data / entry["file"].removeprefix("share/")))
        facts, expected = facts_of(raw), entry["facts"]
        assert sum(finding.amount for finding in lost) == expected["degenerate_faces"]
        if expected["degenerate_faces"]:
            continue  # counted with its degenerate faces there, without them here
        assert {name: getattr(facts, name) for name in COUNTED} == {name: expected[name] for name in COUNTED}
        assert facts.face_sizes == {int(size): count for size, count in expected["face_sizes"].items()}
        assert facts.area == pytest.approx(expected["area"], rel=1e-12)
        if "quad" not in entry["file"]:  # a warped quad's volume hangs on the choice of its diagonal
            assert facts.signed_volume == pytest.approx(expected["signed_volume"], abs=1e-12)


@pytest.mark.parametrize("name", SAID)
def test_each_broken_mesh_gets_its_own_words(data, name):
    report = check(data / f"meshes/nasty_synth/{name}.obj")
    assert codes(report) - {"reader"} == SAID[name]
    assert report.ok == (name not in ("sphere_inverted", "sphere_mixed_winding"))
    closed = name in ("sphere_ok", "flat_bag_unit_square")
    assert (report.uses[1] == "as balloon: yes") == closed


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("sphere_inverted", ["turned 1280 faces of closed surfaces outward"]),
        ("sphere_mixed_winding", ["turned 390 faces around, so that neighbours agree"]),
        ("sphere_holes", ["closed 3 holes along 12 edges, each with one polygon"]),
        ("sheet_degenerate", ["2 faces use a point twice, without area: left out"]),
        ("moebius", ["left the winding as it is: the surface has one side"]),
        ("flat_bag_unit_square", []),
    ],
)
def test_repairs_say_what_they_changed_and_hold(data, tmp_path, name, changes):
    repaired = repair(data / f"meshes/nasty_synth/{name}.obj", close=name == "sphere_holes")
    assert list(repaired.changes) == changes
    facts = facts_of(repaired.mesh)
    if name.startswith("sphere"):
        assert facts.closed
        assert facts.inconsistent_winding_edges == 0
        assert facts.signed_volume == pytest.approx(4.1527, abs=1e-3)
    save_obj(repaired.mesh, tmp_path / "out.obj")
    np.testing.assert_array_equal(read_raw(tmp_path / "out.obj").points, repaired.mesh.points)
    assert check(tmp_path / "out.obj").ok


def test_a_soup_is_called_so_and_joined_on_request(tmp_path):
    points, triangles = sheet()
    corners = points[np.array(triangles).ravel()]
    path = save(tmp_path / "soup.obj", corners, np.arange(len(corners)).reshape(-1, 3))
    report = check(path)
    assert found(report, "soup").severity == "error"
    assert "96 border points stand at only 25 places" in found(report, "soup").what
    assert facts_of(repair(path).mesh).components == 1


def test_coinciding_sides_of_a_closed_bag_are_no_soup(data):
    assert "soup" not in codes(check(data / "meshes/nasty_synth/flat_bag_unit_square.obj"))


def test_trouble_of_every_other_kind_is_seen(tmp_path):
    points, triangles = sheet()
    save(tmp_path / "duplicate.obj", points, [*triangles, triangles[3][::-1]])
    assert found(check(tmp_path / "duplicate.obj"), "duplicate").where == "face 32"
    save(tmp_path / "unused.obj", [*points, (9, 9, 9)], triangles)
    assert found(check(tmp_path / "unused.obj"), "unused").where == "point 25"
    save(tmp_path / "flat.obj", [*points, (2, 0, 0), (3, 0, 0)], [*triangles, (4, 25, 26)])
    assert found(check(tmp_path / "flat.obj"), "no-area").amount == 1
    save(tmp_path / "nan.obj", [*points[:-1], (1, float("nan"), 0)], triangles)
    assert found(check(tmp_path / "nan.obj"), "not-finite").where == "point 24"
    save(tmp_path / "index.obj", points, [*triangles, (0, 1, 99)])
    assert found(check(tmp_path / "index.obj"), "bad-index").where == "face 32"
    save(tmp_path / "far.obj", points + np.array([0, 0, 5000]), triangles)
    assert "5000 m from the origin" in found(check(tmp_path / "far.obj"), "far").what
    save(tmp_path / "large.obj", points * 1700, triangles)
    assert "unit='mm'" in found(check(tmp_path / "large.obj"), "unit").advice
    save(tmp_path / "concave.obj", [(0, 0, 0), (2, 0, 0), (2, 2, 0), (1, 0.5, 0)], [(0, 1, 2, 3)])
    assert found(check(tmp_path / "concave.obj"), "concave").amount == 1
    save(tmp_path / "lying.obj", [(0, 0, 0), (1, 0, 0), (0, 0.5, 3)], [(0, 1, 2)])
    assert "up='z'" in found(check(tmp_path / "lying.obj"), "up-axis").advice


def test_a_t_junction_is_seen_and_a_proper_corner_is_not(tmp_path):
    points = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (1, 0, 0), (0, -1, 0), (2, -1, 0)]
    path = save(tmp_path / "t.obj", points, [(0, 1, 2, 3), (5, 4, 0), (5, 6, 4), (6, 1, 4)])
    assert found(check(path), "t-junction").where == "point 4"
    save(path, points, [(0, 4, 1, 2, 3), (5, 4, 0), (5, 6, 4), (6, 1, 4)])
    assert "t-junction" not in codes(check(path))


def test_a_t_junction_is_closed_by_splitting_the_edge(tmp_path):
    points = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (1, 0, 0), (0, -1, 0), (2, -1, 0)]
    path = save(tmp_path / "t.obj", points, [(0, 1, 2, 3), (5, 4, 0), (5, 6, 4), (6, 1, 4)])
    assert fix(path, tmp_path / "out.obj") == ("split 1 edge at 1 point that lay within",)
    assert "t-junction" not in codes(check(tmp_path / "out.obj"))
    facts = facts_of(read_raw(tmp_path / "out.obj"))
    assert (facts.components, facts.boundary_edges, facts.area) == (1, 6, pytest.approx(4.0))


def test_a_mesh_far_out_comes_home_and_units_are_written_out(tmp_path):
    points, triangles = sheet()
    path = save(tmp_path / "far.obj", points * 100 + np.array([0, 0, 500000.25]), triangles)
    assert fix(path, tmp_path / "out.obj", unit="cm") == (
        "brought from Y up and 0.01 m per unit to Y up and metres",
        "moved by (0, 0, -5000) to the origin",
    )
    np.testing.assert_allclose(read_raw(tmp_path / "out.obj").points, points + np.array([0, 0, 0.0025]), atol=1e-9)


def test_every_broken_file_can_be_fixed_or_says_why_not(data, tmp_path):
    """Every file of both folders: a report, a repaired copy, and a copy without what was called repairable."""
    for path in [*sorted((data / "meshes/nasty_synth").glob("*.obj")), *sorted((data / "mocap/odd").glob("*.bvh"))]:
        target = tmp_path / path.name
        before, changes = check(path), fix(path, target)
        assert all(len(line.splitlines()) == 1 for line in (*before.lines(), *changes))
        after = check(target)
        assert after.ok
        repairable = {finding.code for finding in before.findings if finding.fixable}
        assert not repairable & codes(after), path.name
        assert bool(repairable) <= bool(changes)


def test_sheets_that_cut_each_other_are_seen_and_sheets_that_lie_close_are_not(tmp_path):
    points, triangles = sheet()
    other = points[:, [0, 2, 1]] + np.array([0.013, 0.53, -0.47])  # upright through the first, in general position
    both = [*triangles, *(np.array(triangles) + len(points)).tolist()]
    crossing = found(check(save(tmp_path / "x.obj", [*points, *other], both)), "crossing")
    assert 4 <= crossing.amount <= 24
    save(tmp_path / "x.obj", [*points, *(points + np.array([0.01, 0.02, 1e-4]))], both)
    assert "crossing" not in codes(check(tmp_path / "x.obj"))


def test_characters_are_judged_by_their_weights(data):
    report = check(data / "bodies/gltf/RobotExpressive.glb")
    assert report.kind == "character"
    assert "sum to 1.02 to 1.76 instead of 1" in found(report, "weights").what
    assert "weights" not in codes(check(data / "bodies/gltf/CesiumMan.glb"))
    assert "it is 79 m tall" in found(check(data / "bodies/gltf/Fox.glb"), "unit").what


def test_motion_is_judged(data, tmp_path):
    assert codes(check(data / "mocap/odd/comma_decimals.bvh")) == {"unreadable"}
    assert found(check(data / "mocap/odd/too_few_frames.bvh"), "cut-off").severity == "error"
    jump = found(check(data / "mocap/pirouette.bvh"), "jump")
    assert "from frame 0" in jump.where  # these clips begin with a T pose that is not part of the motion
    for name, change in (
        ("comma_decimals", "wrote decimals with a point"),
        ("too_few_frames", "kept the 3 whole frames"),
    ):
        changes = fix(data / f"mocap/odd/{name}.bvh", tmp_path / "out.bvh")
        assert change in changes[0]
        base = read_bvh(data / "mocap/odd/base.bvh").clip
        back = read_bvh(tmp_path / "out.bvh").clip
        np.testing.assert_array_equal(back.rotations_xyzw, base.rotations_xyzw[: len(back)])


@pytest.mark.slow
def test_every_file_of_the_shared_data_gets_an_answer(data):
    for path in sorted(data.rglob("*")):
        assert all("\n" not in line for line in check(path).lines())


def test_what_cannot_be_read_is_a_finding(tmp_path):
    (tmp_path / "a.glb").write_bytes(b"glTF\1")
    report = check(tmp_path / "a.glb")
    assert not report.ok
    assert report.lines()[1].startswith("  error: 5 bytes are fewer")
    assert check(tmp_path / "none.obj").lines()[1] == "  error: No such file or directory"


def test_a_copy_of_the_wrong_kind_is_refused(data, tmp_path):
    with pytest.raises(FormatError, match=r"is written as \.obj"):
        fix(data / "meshes/nasty_synth/sphere_holes.obj", tmp_path / "a.glb")


def test_a_clean_file_is_copied_as_it_is(data, tmp_path):
    assert fix(data / "meshes/nasty_synth/sheet_tris.obj", tmp_path / "a.obj") == ()
    before, after = (read_mesh(p) for p in (data / "meshes/nasty_synth/sheet_tris.obj", tmp_path / "a.obj"))
    np.testing.assert_array_equal(before.points, after.points)
    np.testing.assert_array_equal(before.triangles, after.triangles)
