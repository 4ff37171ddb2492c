"""Mesh files: order kept, nothing done in silence, wrong files one line."""

import json
import struct

import numpy as np
import pytest

from pliant.errors import FormatError
from pliant.geometry import surface
from pliant.sources import read_mesh

POINTS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.float32)
QUAD_OBJ = "o sheet\n" + "".join(f"v {x:g} {y:g} {z:g}\n" for x, y, z in POINTS) + "f 1 2 3 4\n"


def write_ply(path, order):
    mark = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}[order]
    header = (
        f"ply\nformat {order} 1.0\ncomment c\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    )
    header += "property uchar red\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
    if mark:
        body = b"".join(struct.pack(mark + "fffB", *p, 9) for p in POINTS)
        body += struct.pack(mark + "B3i", 3, 0, 1, 2) + struct.pack(mark + "B4i", 4, 0, 1, 2, 3)
    else:
        body = ("".join(f"{x:g} {y:g} {z:g} 9\n" for x, y, z in POINTS) + "3 0 1 2\n4 0 1 2 3\n").encode()
    path.write_bytes(header.encode() + body)
    return path


@pytest.mark.parametrize("order", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_ply_of_every_byte_order_reads_the_same(tmp_path, order):
    mesh = read_mesh(write_ply(tmp_path / "a.ply", order))
    np.testing.assert_array_equal(mesh.points, POINTS)
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 1, 2], [0, 2, 3]]


def test_obj_reads_polygons_negative_indices_texture_and_groups(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\n"
        "g left\nf -4/1 -3/2 \\\n -1/4\ng right\nf 2/2/1 3/3/1 4/5/1\n"
    )
    mesh = read_mesh(path)
    assert mesh.triangles.tolist() == [[0, 1, 3], [1, 2, 3]]
    assert mesh.uv.tolist() == [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert {name: rows.tolist() for name, rows in mesh.groups.items()} == {"left": [0, 1, 3], "right": [1, 2, 3]}
    assert "1 points on texture seams" in mesh.notes[0]


def test_units_and_axes_are_brought_to_metres_and_y_up(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text("v 0 0 0\nv 100 0 0\nv 0 0 200\nf 1 2 3\n")
    mesh = read_mesh(path, up="z", unit="cm")
    np.testing.assert_array_equal(mesh.points, [(0, 0, 0), (1, 0, 0), (0, 2, 0)])
    before = surface.triangle_normals(np.array([(0, 0, 0), (1, 0, 0), (0, 0, 2.0)]), mesh.triangles)[0]
    after = surface.triangle_normals(mesh.points, mesh.triangles)[0]
    np.testing.assert_array_equal(after, [before[0], before[2], -before[1]])  # turned, not mirrored
    assert mesh.notes == ("brought from Z up and 0.01 m per unit to Y up and metres",)
    assert "say unit='cm'" in read_mesh(path).notes[0]


def test_stl_is_joined_with_a_word_and_obj_never(tmp_path):
    record = np.zeros(2, np.dtype([("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")]))
    record["c"] = POINTS[[[0, 1, 2], [0, 2, 3]]]
    stl = tmp_path / "a.stl"
    stl.write_bytes(b"solid but binary".ljust(80) + struct.pack("<I", 2) + record.tobytes())
    mesh = read_mesh(stl)
    assert len(mesh.points) == 4
    assert mesh.notes == ("joined corners at exactly the same place: 6 corners, 4 points",)
    assert len(read_mesh(stl, join=False).points) == 6
    corners = ["vertex {:g} {:g} {:g}".format(*POINTS[k]) for k in (0, 1, 2, 0, 2, 3)]
    stl.write_text("solid a\n" + "\n".join(corners) + "\nendsolid a\n")
    np.testing.assert_array_equal(read_mesh(stl).points, mesh.points)


def test_vertex_order_of_the_flat_bag_is_kept(data):
    """Front and back coincide: whoever merges by position ruins it."""
    mesh = read_mesh(data / "meshes/nasty_synth/flat_bag_unit_square.obj")
    assert len(mesh.points) == 802
    assert not surface.boundary_edges(mesh.triangles).size


def test_every_broken_mesh_reads_with_its_area(data):
    for entry in json.loads((data / "meshes/nasty_synth/expected.json").read_text()):
        mesh = read_mesh(data / entry["file"].removeprefix("share/"))
        facts = entry["facts"]
        assert len(mesh.points) == facts["vertices"]
        assert surface.triangle_areas(mesh.points, mesh.triangles).sum() == pytest.approx(facts["area"], rel=1e-12)


def test_gltf_stands_as_in_its_scene(data):
    mesh = read_mesh(data / "bodies/gltf/RiggedSimple.glb")
    assert len(mesh.points) == 160
    assert len(mesh.triangles) == 188
    assert read_mesh(data / "meshes/cloth/gltf_corset/Corset.gltf").uv.shape == (11505, 2)


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("a.obj", b"", "is empty"),
        ("a.obj", b"v 0 0\n", "line 1: a vertex has 2 numbers"),
        ("a.obj", b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "point 1 is .* must be finite"),
        ("a.obj", b"v 0 0 0\nv 1,5 0 0\nf 1 2 3\n", "'1,5' is not a number; decimals are written with a point"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 3\n", "face 0 uses a point that is not there; the file has 2"),
        ("a.obj", b"v 0 0 0\nf 1 x 3\n", "line 2: 'x' is no corner"),
        ("a.obj", b"v 0 0 0\n", "has 1 points and no faces"),
        ("a.obj", b"\0\1\2", "holds binary data"),
        ("a.obj", b"hello", "has no vertices; is it an OBJ file"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nend_header\n1 2\n", "cut off"),
        ("a.ply", b"ply\nformat odd 1.0\nend_header\n", "'format odd 1.0' is not understood"),
        ("a.ply", b"plx", "no PLY header"),
        ("a.stl", b"x" * 99, "99 bytes do not fit"),
        ("a.stl", b"solid a\nvertex 0 0 0\nvertex 1", "inside a triangle"),
        ("a.glb", b"glTF" + bytes(30), "not a glTF file"),
        ("a.glb", b"glTF\2\0\0\0\xff\0\0\0" + bytes(20), "cut off"),
        ("a.gltf", b"{", "not a glTF file"),
        ("a.gltf", b'{"asset":{"version":"1.0"}}', "only 2.x is read"),
        ("a.gltf", b'{"asset":{"version":"2.0"},"nodes":[{"children":[0]}]}', "its own ancestor"),
        ("a.txt", b"v", "no mesh reader for '.txt'"),
    ],
)
def test_wrong_files_are_one_line(tmp_path, name, content, match):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError, match=match) as caught:
        read_mesh(path)
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders_are_one_line(tmp_path):
    with pytest.raises(FormatError, match="No such file"):
        read_mesh(tmp_path / "none.obj")
    (tmp_path / "folder.obj").mkdir()
    with pytest.raises(FormatError, match="is a folder"):
        read_mesh(tmp_path / "folder.obj")


def test_a_buffer_outside_the_folder_is_refused(tmp_path):
    path = tmp_path / "in" / "a.gltf"
    path.parent.mkdir()
    document = {"asset": {"version": "2.0"}, "buffers": [{"uri": "../secret.bin", "byteLength": 1}]}
    path.write_text(json.dumps(document))
    with pytest.raises(FormatError, match="outside the file's folder"):
        read_mesh(path)


def test_an_accessor_that_claims_a_billion_rows_is_refused(tmp_path):
    path = tmp_path / "a.gltf"
    document = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"type": "VEC3", "componentType": 5126, "count": 2**40}],
    }
    path.write_text(json.dumps(document))
    with pytest.raises(FormatError, match="claims 1099511627776 rows"):
        read_mesh(path)
