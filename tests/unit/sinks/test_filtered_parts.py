"""Frames may hold parts that the world never had: a character's skin, its garments, whatever a filter adds."""

import numpy as np
import pytest

from hand_made import sheet, world
from pliant.geometry.surface import grid
from pliant.sinks.formats import for_suffix, formats
from pliant.sources.recordings import READERS, load_recording
from pliant.world import Frame, Look, PartFrame, part_frame

NEEDS = {".usd": "pxr", ".usdc": "pxr", ".usdz": "pxr", ".zarr": "zarr"}
FPS = 30.0


def worn(name, kind, lift, color, k):
    uv, triangles = grid(6, 6)
    bend = 0.1 * np.sin(4 * uv[:, 0] + 0.5 * k)
    points = np.stack([uv[:, 0], uv[:, 1] + lift, bend], axis=1).astype(np.float32)
    none = np.empty((0, 4), np.float32)
    return PartFrame(
        name, kind, points, triangles.astype(np.uint32), 0 * points, none, Look(color), uv.astype(np.float32)
    )


@pytest.fixture(scope="module")
def clip():
    """The world knows a flag; each frame also holds a body and its shirt."""
    flag = sheet("flag", cells=6)
    frames = []
    for k in range(8):
        parts = {
            "flag": part_frame(flag, flag.rest_position + np.array([0, 0, 0.02 * k]), 0 * flag.rest_position),
            "body": worn("body", "character", 0.0, (0.6, 0.4, 0.3), k),
            "shirt": worn("shirt", "garment", 0.1, (0.1, 0.1, 0.7), k),
        }
        frames.append(Frame(k, k / FPS, parts))
    return world(flag), frames


@pytest.fixture(params=sorted({*formats()} - {".bvh", ".svg"}))  # which hold joints alone
def suffix(request):
    if request.param in NEEDS:
        pytest.importorskip(NEEDS[request.param])
    return request.param


def write(clip, target, **options):
    of, frames = clip
    with for_suffix(target)(target, of, fps=FPS, **options) as sink:
        for frame in frames:
            sink.write(frame)
    return target


def test_every_sink_takes_them(tmp_path, clip, suffix):
    small = {"size": (160, 90)} if suffix in (".png", ".mp4", ".gif") else {}
    target = write(clip, tmp_path / f"clip{suffix}", **small)
    assert target.exists()
    if suffix not in READERS:
        return
    exact = {"error": 0.0} if suffix == ".glb" else {}
    back = list(load_recording(write(clip, tmp_path / f"again{suffix}", **exact)))
    assert len(back) == 8
    assert set(back[-1]) == {"flag", "body", "shirt"}
    for name, part in back[-1].items():
        np.testing.assert_allclose(part.points, clip[1][-1][name].points, atol=1e-5)


def test_they_are_seen(tmp_path, clip):
    """The shirt is blue in the picture, although the world has never heard of it."""
    from PIL import Image

    for suffix in (".png", ".gif"):
        with Image.open(write(clip, tmp_path / f"a{suffix}", size=(320, 180))) as picture:
            pixels = np.asarray(picture.convert("RGB")).astype(int)
        assert ((pixels[..., 2] - pixels[..., 0]) > 60).mean() > 0.02


def test_names_and_kinds_come_back(tmp_path, clip):
    recording = load_recording(write(clip, tmp_path / "a.npz"))
    assert [(role.name, role.kind) for role in recording.roles] == [
        ("flag", "cloth"),
        ("body", "character"),
        ("shirt", "garment"),
    ]
