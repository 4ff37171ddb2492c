"""Readers against garbage: whatever a file holds, there is an answer or one line, soon and in little memory."""

import importlib.util
import os
import random
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pliant.errors import FormatError, PliantError
from pliant.scene import Scene
from pliant.sinks.convert import bare_world
from pliant.sinks.formats import for_suffix
from pliant.sources import read_bvh, read_mesh
from pliant.sources.doctor import check
from pliant.sources.gltf import read_gltf
from pliant.sources.recordings import load_recording
from pliant.world import Frame, Look, PartFrame, Pose

MEMORY = 64 * 2**20  # [bytes] for files of a few kilobytes
MESHES = (".obj", ".ply", ".stl", ".glb", ".gltf")
CLIPS = (".abc", ".npz", ".pc2", ".mdd", ".glb", ".ply", ".obj")
USD = (".usda", ".usdc", ".usdz")
NEEDS = dict.fromkeys(USD, "pxr")
HEADS = {
    ".obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n",
    ".ply": b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    b"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    ".stl": b"solid a\nfacet normal 0 0 1\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendsolid a\n",
    ".toml": b'format = 1\n[parts.a]\ntype = "sheet"\ncolumns = 4\nfabric = "silk"\n[[fields]]\ntype = "wind"\n'
    b'velocity = [1.0, 2.0, 3.0]\n[parts.a.motion]\ntype = "keymotion"\ntimes = [0.0, 1.0]\n'
    b"offsets = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]\n",
    ".bvh": b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
    b"End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3\n",
    ".gltf": b'{"asset":{"version":"2.0"},"nodes":[{"mesh":0,"children":[1]},{}],"meshes":[{"primitives":[{'
    b'"attributes":{"POSITION":0},"indices":1}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},'
    b'{"bufferView":0,"componentType":5125,"count":3,"type":"SCALAR"}],"bufferViews":[{"buffer":0,"byteLength":36}],'
    b'"buffers":[{"uri":"data:;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","byteLength":36}]}',
}


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """One good file of each kind that holds a clip."""
    folder = tmp_path_factory.mktemp("whole")
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], np.float32)
    triangles, turns = np.array([(0, 1, 2)], np.uint32), np.array([(0, 0, 0, 1)], np.float32)
    nobody, none = np.empty((0, 4), np.float32), np.empty((0, 3), np.uint32)
    frames = []
    for k in range(4):
        cloth = PartFrame("a", "cloth", points + np.float32(k), triangles, 0 * points, nobody, Look(), points[:, :2])
        pose = [Pose("b", points[0], turns[0])]
        body = PartFrame("p", "puppet", points[:1], none, points[:1], turns, Look(), None, {"poses": pose})
        frames.append(Frame(k, k / 30, {"a": cloth, "p": body}))
    files = {}
    usd = USD if importlib.util.find_spec("pxr") else ()
    for suffix in (*CLIPS, *usd):
        with for_suffix(suffix)(folder / f"a{suffix}", bare_world(list(frames[0].values())), fps=30.0) as sink:
            for frame in frames:
                sink.write(frame)
        path = folder / f"a{suffix}"
        files[suffix] = (path if path.is_file() else sorted(path.iterdir())[0]).read_bytes()
    return files | HEADS


def answered(path: Path) -> None:
    """Every reader that takes the suffix gives something or one line."""
    suffix = path.suffix
    readers = [Scene.load] if suffix == ".toml" else [check]
    readers += [read_mesh] * (suffix in (*MESHES, *USD))
    readers += [lambda p: list(load_recording(p))] * (suffix in (*CLIPS, *USD))
    readers += [read_bvh] * (suffix == ".bvh") + [read_gltf] * (suffix in (".glb", ".gltf"))
    for reader in readers:
        said = ""
        try:
            reader(path)
        except PliantError as error:
            said = str(error)
        assert "\n" not in said


def damaged(whole: bytes, cuts: list[tuple[int, bytes, int]], end: int) -> bytes:
    data = bytearray(whole)
    for at, put, gone in cuts:
        at = at % (len(data) + 1)
        data[at : at + gone] = put
    return bytes(data[: end % (len(data) + 1)] if end else data)


SPOILS = [
    b"nan",
    b"-1",
    b"1e999",
    b"99999999999",
    b"0",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\0",
    b"{",
    b"}",
    b'"',
    b"[1]",
    b"null",
    b"v ",
    b"f ",
]
WORDS = st.sampled_from(SPOILS)
CUTS = st.lists(st.tuples(st.integers(0, 4000), WORDS | st.binary(max_size=6), st.integers(0, 8)), max_size=4)
ANY = sorted({*MESHES, *CLIPS, ".bvh", ".toml"})
EVERY = sorted({*ANY, *USD})


def fuzz(whole, folder, suffix, cuts, end):
    path = folder / f"fuzz{suffix}"
    path.write_bytes(damaged(whole[suffix], cuts, end))
    answered(path)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(suffix=st.sampled_from(ANY), cuts=CUTS, end=st.just(0) | st.integers(1, 4000))
def test_a_damaged_file_is_answered(whole, tmp_path, suffix, cuts, end):
    fuzz(whole, tmp_path, suffix, cuts, end)


def cuts_of(dice):
    """As CUTS, by a plain generator: for a run of a given time rather than a given number."""
    cuts = []
    for _ in range(dice.randrange(5)):
        put = dice.choice(SPOILS) if dice.random() < 0.7 else dice.randbytes(dice.randrange(7))
        cuts.append((dice.randrange(4001), put, dice.randrange(9)))
    return cuts, dice.choice((0, dice.randrange(1, 4001)))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", EVERY)
def test_damaged_files_are_answered_for_a_while(whole, tmp_path, suffix):
    """PLIANT_FUZZ_SECONDS=600 for ten minutes each; a failure names its seed, PLIANT_FUZZ_SEED begins there."""
    if suffix in NEEDS:
        pytest.importorskip(NEEDS[suffix])
    seed = int(os.environ.get("PLIANT_FUZZ_SEED", "0"))
    end = time.monotonic() + float(os.environ.get("PLIANT_FUZZ_SECONDS", "2"))
    path = tmp_path / f"fuzz{suffix}"
    while time.monotonic() < end:
        path.write_bytes(damaged(whole[suffix], *cuts_of(random.Random(seed))))
        try:
            answered(path)
        except BaseException as error:
            error.add_note(f"PLIANT_FUZZ_SEED={seed} of {suffix}")
            raise
        seed += 1


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(suffix=st.sampled_from(ANY), data=st.binary(max_size=300))
def test_pure_garbage_is_answered(tmp_path, suffix, data):
    path = tmp_path / f"garbage{suffix}"
    path.write_bytes(data)
    answered(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ply", b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n"),
        ("a.stl", bytes(80) + b"\xff\xff\xff\xff" + bytes(50)),
        ("a.pc2", b"POINTCACHE2\0\1\0\0\0\xff\xff\xff\x7f\0\0\0\0\0\0\x80\x3f\xff\xff\xff\x7f"),
        ("a.mdd", b"\x7f\xff\xff\xff\x7f\xff\xff\xff"),
        ("a.bvh", HEADS[".bvh"].replace(b"Frames: 1", b"Frames: 999999999")),
    ],
)
def test_a_small_file_that_claims_to_be_large_costs_nothing(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    tracemalloc.start()
    try:
        answered(path)
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


def test_a_file_above_the_limit_is_refused_unread(tmp_path):
    path = tmp_path / "huge.obj"
    with path.open("wb") as stream:
        stream.truncate(300 * 2**20)  # sparse: takes no space
    with pytest.raises(FormatError, match="300 MiB; files above 256 MiB are refused"):
        read_mesh(path)


def test_the_wrong_suffix_is_said(whole, tmp_path):
    for suffix, other in ((".glb", ".obj"), (".obj", ".glb"), (".ply", ".bvh"), (".npz", ".mdd"), (".obj", ".npz")):
        path = tmp_path / f"wrong{other}"
        path.write_bytes(whole[suffix])
        assert not check(path).ok


def test_a_file_that_may_not_be_read_is_one_line(tmp_path, monkeypatch):
    path = tmp_path / "a.obj"
    path.write_bytes(HEADS[".obj"])

    def refused(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refused)  # the tests may run as a user who may read everything
    with pytest.raises(FormatError, match=r"a\.obj: Permission denied"):
        read_mesh(path)


def test_an_archive_that_unpacks_to_more_than_it_may_costs_nothing(tmp_path):
    """Zeros pack a thousand to one, and a store of nothing at all claims any size."""
    import io
    import zipfile

    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f4", "fortran_order": False, "shape": (2, 40_000_000, 3)})
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vertices_seq.npy", head.getvalue() + bytes(4 * 2**20))
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="refused"):
            list(load_recording(path))
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


def test_a_store_that_claims_any_size_costs_nothing(tmp_path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(tmp_path / "bomb.zarr"), mode="w")
    group.create_array("vertices_seq", shape=(2, 3, 3), dtype="f4")
    group.create_array("faces", shape=(10**10, 3), chunks=(10**6, 3), dtype="i4")  # not a byte of it is written
    with pytest.raises(FormatError, match="faces unpacks to more than"):
        load_recording(tmp_path / "bomb.zarr")
