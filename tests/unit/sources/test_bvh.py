"""Motion files against joint positions that another program computed, and every odd dialect."""

import json

import numpy as np
import pytest

from pliant.errors import FormatError
from pliant.geometry.skeleton import forward
from pliant.sources import read_bvh

CLIPS = {
    "cmu_02_01": "mocap",
    "cmu_05_06": "mocap",
    "cmu_49_07": "mocap",
    "pirouette": "mocap",
    "mh_walk1": "mocap",
    "mh_dance1": "mocap",
    "mh_tpose": "bodies/makehuman",
    "mh_benchmark": "bodies/makehuman",
}
TINY = """HIERARCHY
ROOT Hips
{
 OFFSET 1 2 3
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT Head
 {
  OFFSET 0 10 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
   OFFSET 0 4 0
  }
 }
}
MOTION
Frames: 1
Frame Time: 0.04
5 6 7 90 0 0 0 0 0
"""


def joints(motion, frames=slice(None)):
    clip = motion.clip
    return forward(motion.skeleton.parents, clip.translations[frames], clip.rotations_xyzw[frames])[0]


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize(
    ("how", "stored"), [("replace", "positions_offset_replaced"), ("add", "positions_offset_added")]
)
def test_joints_stand_where_the_reference_has_them(data, name, how, stored):
    with np.load(data / f"mocap/fk/{name}_fk.npz") as reference:
        motion = read_bvh(data / CLIPS[name] / f"{name}.bvh", up="y", unit=1.0, root_offset=how)
        assert list(motion.skeleton.names) == list(reference["names"])
        assert len(motion.clip) == int(reference["frames_real"])
        assert motion.clip.fps == pytest.approx(1 / float(reference["frame_time"]))
        np.testing.assert_allclose(joints(motion, reference["frames"]), reference[stored], rtol=0, atol=1e-10)


def test_odd_dialects(data):
    for entry in json.loads((data / "mocap/odd/expected.json").read_text()):
        path = data / entry["file"].removeprefix("share/")
        if entry["expect"] == "error":
            with pytest.raises(FormatError, match=r"point|declares 5 frames .* 3 whole"):
                read_bvh(path)
            continue
        motion = read_bvh(path, up="y", unit=1.0)
        reference = entry.get("world_positions_position_replaces_offset")
        if reference is None:
            base = read_bvh(data / "mocap/odd/base.bvh", up="y", unit=1.0)
            np.testing.assert_array_equal(motion.clip.rotations_xyzw, base.clip.rotations_xyzw)
            np.testing.assert_array_equal(motion.clip.translations, base.clip.translations)
        else:
            np.testing.assert_allclose(joints(motion), reference, rtol=0, atol=1e-8)


def test_a_cut_off_file_may_be_accepted_by_name(data):
    motion = read_bvh(data / "mocap/odd/too_few_frames.bvh", truncated=True)
    assert len(motion.clip) == 3
    assert "declares 5 frames" in motion.notes[0]


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("cmu_02_01", "Y up, 1 unit = 0.0564444 m"),
        ("pirouette", "Y up, 1 unit = 0.01 m"),
        ("mh_walk1", "Z up, 1 unit = 0.1 m"),
    ],
)
def test_unit_and_axis_are_detected_and_said(data, name, note):
    motion = read_bvh(data / f"mocap/{name}.bvh")
    assert note in motion.notes[-1]
    standing = joints(motion, 0)
    head = next(row for row, joint in enumerate(motion.skeleton.names) if "head" in joint.lower())
    assert 1.2 < standing[head, 1] - standing[:, 1].min() < 2.1


def test_the_root_offset_is_a_choice(tmp_path):
    path = tmp_path / "a.bvh"
    path.write_text(TINY)
    replaced, added = (joints(read_bvh(path, up="y", unit=1.0, root_offset=how))[0] for how in ("replace", "add"))
    np.testing.assert_allclose(replaced, [(5, 6, 7), (-5, 6, 7), (-9, 6, 7)], atol=1e-12)
    np.testing.assert_allclose(added - replaced, np.tile([1, 2, 3], (3, 1)), atol=1e-12)


def test_z_up_is_a_turn_of_the_root_alone(tmp_path):
    path = tmp_path / "a.bvh"
    path.write_text(TINY)
    upright, turned = joints(read_bvh(path, up="y", unit=1.0)), joints(read_bvh(path, up="z", unit=1.0))
    np.testing.assert_allclose(turned, upright[..., [0, 2, 1]] * (1, 1, -1), atol=1e-12)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (("HIERARCHY", "HELLO"), "begins with 'HELLO'; a BVH file begins with HIERARCHY"),
        (("Zposition", "Wposition"), "channel 'wposition' is not known"),
        (("0.04", "0"), "frame time is 0 s"),
        (("0.04", "0,04"), "frame time: '0,04' is not a number; decimals are written with a point"),
        (("Frames: 1", "Frames: -1"), "number of frames is '-1'"),
        (("5 6 7", "5 nan 7"), "frame 0 has the value nan"),
        (("5 6 7 90", "5 6 7"), "declares 1 frames of 9 numbers, has 8"),
        (("OFFSET 0 4 0\n  }", ""), "where ROOT, JOINT"),
        ((TINY[200:], ""), "cut off"),
    ],
)
def test_wrong_files_are_one_line(tmp_path, change, match):
    path = tmp_path / "a.bvh"
    path.write_text(TINY.replace(*change))
    with pytest.raises(FormatError, match=match) as caught:
        read_bvh(path)
    assert "\n" not in str(caught.value)
