"""What every file sink promises: equal bytes, nothing half-written, one line for what is wrong."""

import dataclasses
import resource
import tracemalloc

import numpy as np
import pytest

from hand_made import frame, sheet, world
from pliant.errors import FormatError
from pliant.sinks.formats import for_suffix
from pliant.sources import read_mesh
from pliant.world import Frame

SUFFIXES = [
    ".abc",
    ".bvh",
    ".csv",
    ".glb",
    ".mdd",
    ".npz",
    ".obj",
    ".pc2",
    ".ply",
    ".usda",
    ".usd",
    ".usdz",
    ".vat",
    ".zarr",
]
NEEDS = {".usd": "pxr", ".usdz": "pxr", ".zarr": "zarr"}


@pytest.fixture(params=SUFFIXES)
def suffix(request):
    if request.param in NEEDS:
        pytest.importorskip(NEEDS[request.param])
    return request.param


def write(clip, target, frames=None, **options):
    with for_suffix(target)(target, clip.world, fps=clip.fps, **options) as sink:
        for frame in clip.frames if frames is None else frames:
            sink.write(frame)


def broken_off(clip):
    yield clip.frames[0]
    raise RuntimeError("boom")


def everything(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_equal_frames_give_equal_bytes_and_leave_nothing_beside(tmp_path, clip, suffix):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(clip, tmp_path / name / f"clip{suffix}")
    first = everything(tmp_path / "a")
    assert first == everything(tmp_path / "b")
    assert first
    assert not [name for name in first if ".part" in name or "draft" in name]


def test_writing_again_replaces_the_file(tmp_path, clip, suffix):
    target = tmp_path / f"clip{suffix}"
    write(clip, target)
    long = everything(tmp_path)
    write(clip, target, clip.frames[:7])
    short = everything(tmp_path)
    assert short != long
    write(clip, target)
    assert everything(tmp_path) == long


def test_an_error_in_between_keeps_the_old_file_and_nothing_else(tmp_path, clip, suffix):
    target = tmp_path / f"clip{suffix}"
    write(clip, target)
    before = everything(tmp_path)
    with pytest.raises(RuntimeError, match="boom"):
        write(clip, target, broken_off(clip))
    assert everything(tmp_path) == before


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path, clip, suffix):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))  # as a full disk: the next write fails
    try:
        with pytest.raises(FormatError) as caught:
            write(clip, tmp_path / f"clip{suffix}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(caught.value)
    assert "nothing was written" in str(caught.value)
    assert everything(tmp_path) == {}


@pytest.mark.parametrize("suffix", sorted({*SUFFIXES} - {".bvh", ".csv", ".obj", ".ply"}), indirect=True)
def test_a_part_that_changes_its_points_is_refused(tmp_path, clip, suffix):
    flag = clip.frames[1]["flag"]
    other = dataclasses.replace(flag, points=flag.points[:-1], triangles=flag.triangles[:4], uv=None)
    changed = Frame(1, 0.1, clip.frames[1].parts | {"flag": other})
    with pytest.raises(FormatError, match=r"keeps its (parts and )?points"):
        write(clip, tmp_path / f"clip{suffix}", [clip.frames[0], changed])
    assert everything(tmp_path) == {}


@pytest.mark.parametrize("suffix", [".obj", ".ply"])
def test_a_file_per_frame_takes_what_was_cut(tmp_path, clip, suffix):
    flag = clip.frames[1]["flag"]
    less = dataclasses.replace(flag, triangles=flag.triangles[:-5])
    write(clip, tmp_path / f"clip{suffix}", [clip.frames[0], Frame(1, 0.1, clip.frames[1].parts | {"flag": less})])
    first, second = (read_mesh(p) for p in sorted((tmp_path / f"clip{suffix}").iterdir()))
    assert len(first.triangles) - len(second.triangles) == 5
    np.testing.assert_allclose(second.points[: len(flag.points)], flag.points, atol=1e-6)


@pytest.mark.parametrize("suffix", sorted({*SUFFIXES} - {".csv"}), indirect=True)  # numbers have no axes
def test_an_unknown_program_is_refused_with_the_known_ones(tmp_path, clip, suffix):
    with pytest.raises(FormatError, match=r"no program 'bender' .*did you mean 'blender'"):
        write(clip, tmp_path / f"clip{suffix}", target_app="bender")
    assert everything(tmp_path) == {}


@pytest.mark.parametrize("suffix", [".obj", ".ply"])
def test_a_single_frame_is_a_plain_file(tmp_path, clip, suffix):
    target = tmp_path / f"one{suffix}"
    write(clip, target, clip.frames[:1])
    assert target.is_file()
    write(clip, target)
    assert len(list(target.iterdir())) == len(clip.frames)


@pytest.mark.parametrize("suffix", [".obj", ".vat", ".zarr"])
def test_a_folder_with_other_things_is_never_replaced(tmp_path, clip, suffix):
    target = tmp_path / f"clip{suffix}"
    target.mkdir()
    (target / "thesis.txt").write_text("years of work")
    with pytest.raises(FormatError, match="choose another name"):
        write(clip, target)
    assert (target / "thesis.txt").read_text() == "years of work"


def test_metrics_are_the_frames_own(tmp_path, clip):
    write(clip, tmp_path / "clip.csv")
    rows = np.genfromtxt(tmp_path / "clip.csv", delimiter=",", names=True, deletechars="")
    assert rows.dtype.names == ("frame", "time", "red_sheet.pressure")
    np.testing.assert_allclose(rows["time"], [frame.time for frame in clip.frames], rtol=1e-8)
    assert (rows["red_sheet.pressure"] == 2.5).all()


@pytest.mark.parametrize(
    "suffix",
    [
        ".abc",
        ".npz",
        ".pc2",
        ".mdd",
        ".vat",
        ".html",
        ".obj",
        ".ply",
        ".zarr",
        ".csv",
        *(pytest.param(s, marks=pytest.mark.slow) for s in (".usda", ".usdc", ".glb")),
    ],
)
def test_memory_does_not_grow_with_the_clip(tmp_path, suffix):
    """A longer clip may take no more than the little that a frame leaves behind, such as its time.

    Both clips fill the buffer of a megabyte that copies what waited on disk.
    """
    wide = sheet(cells=24)
    of, peaks = world(wide), []
    for count in (160, 360):
        tracemalloc.start()
        with for_suffix(suffix)(tmp_path / f"c{count}{suffix}", of) as sink:
            for index in range(count):
                sink.write(frame(of, index, move=(0.01 * np.sin(index), 0.0, 0.0)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    whole = 200 * len(wide.rest_position) * 12  # bytes of the points of the frames that came in addition
    assert peaks[1] - peaks[0] < 0.3 * whole
