import json
import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image

from hand_made import broken, clip, frame, sheet, world
from pliant.errors import FormatError, UnsupportedError
from pliant.sinks import Gif, Mp4, mp4
from pliant.sinks.gif import _palette_of
from pliant.sinks.picture import framing

SIZE = (160, 90)
needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not on PATH")
FILMS = [pytest.param(Gif, ".gif"), pytest.param(Mp4, ".mp4", marks=needs_ffmpeg)]


def written(kind, target, frames, of, **options):
    with kind(target, of, **{"size": SIZE} | options) as sink:
        for one in frames:
            sink.write(one)
    return target


@pytest.mark.parametrize(("kind", "suffix"), FILMS)
def test_equal_clips_are_equal_bytes(kind, suffix, tmp_path):
    of = world(sheet())
    first, second = (written(kind, tmp_path / f"{name}{suffix}", clip(of, 12), of).read_bytes() for name in "ab")
    assert first == second
    assert len(first) > 500


@pytest.mark.parametrize(("kind", "suffix"), FILMS)
def test_an_error_leaves_nothing_half_written(kind, suffix, tmp_path, monkeypatch):
    target, of = tmp_path / f"a{suffix}", world(sheet())
    target.write_bytes(b"before")
    monkeypatch.setattr(framing, "WINDOW", 2)  # so that pictures are under way
    with pytest.raises(RuntimeError, match="the run broke"):
        written(kind, target, broken(clip(of, 8)), of)
    assert target.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(("kind", "suffix"), FILMS)
def test_no_frame_is_no_film(kind, suffix, tmp_path):
    with pytest.raises(FormatError, match="no frame arrived"):
        written(kind, tmp_path / f"a{suffix}", [], world(sheet()))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rate", ["fast", 0, -3, 1000])
def test_a_wrong_rate_is_refused(rate, tmp_path):
    with pytest.raises(FormatError, match=r"rate = .*pictures per second"):
        Gif(tmp_path / "a.gif", world(sheet()), rate=rate)
    assert list(tmp_path.iterdir()) == []


def test_gif_keeps_time_and_pictures(tmp_path):
    of = world(sheet())
    target = written(Gif, tmp_path / "a.gif", clip(of, 60, move=(0.02, 0, 0)), of, rate=20)
    with Image.open(target) as film:
        assert film.size == SIZE
        assert film.n_frames == 20
        assert film.info["loop"] == 0
        middles = []
        for k in (0, 10, 19):
            film.seek(k)
            assert film.info["duration"] == 50
            picture = np.asarray(film.convert("RGB")).astype(int)
            red = (picture[..., 0] - picture[..., 2] > 40).sum(axis=0)
            middles.append(np.average(np.arange(SIZE[0]), weights=red))
    first, second = np.diff(middles)  # [px] of ten and of nine pictures, the later ones nearer to the eye
    assert 0.9 * first < second < 1.3 * first


def test_gif_delays_add_up_although_each_is_whole(tmp_path):
    of = world(sheet(cells=2))
    target = written(Gif, tmp_path / "a.gif", clip(of, 30, fps=30.0), of, rate=30, fps=30.0)
    with Image.open(target) as film:
        total = 0
        for k in range(film.n_frames):
            film.seek(k)
            total += film.info["duration"]
    assert total == pytest.approx(1000, abs=20)  # [ms]


def test_gif_shows_the_colours_of_a_part_that_appears_late(tmp_path):
    pictures = [np.full((90, 160, 3), 230, np.uint8)]
    ramps = np.array([[200, 30, 20], [120, 15, 10], [60, 8, 5]], np.uint8)
    palette, lookup = _palette_of(pictures, ramps)
    for color in ramps.astype(int):
        near = lookup[(color[0] >> 2) << 12 | (color[1] >> 2) << 6 | color[2] >> 2]
        assert abs(palette[near].astype(int) - color).max() <= 6


def test_mp4_needs_even_sides(tmp_path):
    with pytest.raises(FormatError, match="size = 161x90; video needs even sides, such as 160x90"):
        Mp4(tmp_path / "a.mp4", world(sheet()), size=(161, 90))
    assert list(tmp_path.iterdir()) == []


def test_without_ffmpeg_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(mp4.shutil, "which", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(UnsupportedError, match=r"mp4 needs ffmpeg; put it on PATH or install pliant\[video\]"):
        Mp4(tmp_path / "a.mp4", world(sheet()))
    assert list(tmp_path.iterdir()) == []


@needs_ffmpeg
def test_an_encoder_that_fails_is_one_line(tmp_path, monkeypatch):
    of = world(sheet())
    monkeypatch.setattr(mp4, "PRESET", "no-such-preset")
    with pytest.raises(FormatError, match=r"a\.mp4: ffmpeg failed: "):
        written(Mp4, tmp_path / "a.mp4", clip(of, 3), of)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.consumer
@pytest.mark.skipif(shutil.which("ffprobe") is None, reason="ffprobe is not on PATH")
def test_mp4_in_ffprobe(tmp_path):
    of = world(sheet())
    target = written(Mp4, tmp_path / "a.mp4", clip(of, 30), of, fps=60.0)
    told = subprocess.run(
        ["ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json", target],
        capture_output=True,
        check=True,
    )
    assert told.stderr == b""
    report = json.loads(told.stdout)
    (stream,) = report["streams"]
    assert (stream["codec_name"], stream["pix_fmt"], stream["color_space"]) == ("h264", "yuv420p", "bt709")
    assert (stream["width"], stream["height"]) == SIZE
    assert stream["avg_frame_rate"] == "60/1"
    assert stream["nb_frames"] == "30"
    assert float(report["format"]["duration"]) == pytest.approx(0.5, abs=1e-3)
    head = target.read_bytes()
    assert head.index(b"moov") < head.index(b"mdat")  # plays before it is whole


@pytest.mark.consumer
@needs_ffmpeg
def test_mp4_shows_what_was_painted(tmp_path):
    of = world(sheet())
    target = written(Mp4, tmp_path / "a.mp4", clip(of, 4, move=(0, 0, 0)), of)
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", target, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True,
        check=True,
    ).stdout
    seen = np.frombuffer(raw, np.uint8).reshape(SIZE[1], SIZE[0], 3).astype(int)
    from pliant.sinks.picture import paint

    painted = paint(frame(of), of, size=SIZE).astype(int)
    assert abs(seen - painted).mean() < 3.0
