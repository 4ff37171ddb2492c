from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from hand_made import broken, clip, frame, sheet, world
from pliant.errors import FormatError
from pliant.sinks import Png
from pliant.sinks.picture import columns_for
from pliant.sinks.picture.sheet import GAP, captioned
from pliant.sinks.picture.sheet import sheet as contact_sheet
from pliant.sinks.png import Moments

CELL = (96, 54)


def written(target, frames, of, **options):
    with Png(target, of, **options) as sink:
        for one in frames:
            sink.write(one)
    return np.asarray(Image.open(BytesIO(target.read_bytes())))


def test_one_moment_is_the_last_frame(tmp_path):
    of = world(sheet())
    last = written(tmp_path / "a.png", clip(of, 5), of, size=CELL)
    alone = written(tmp_path / "b.png", [frame(of, 4, move=(0.01, 0, 0))], of, size=CELL)
    assert last.shape == (CELL[1], CELL[0], 3)
    assert np.array_equal(last, alone)


def test_a_contact_sheet_has_a_cell_per_moment_with_its_time(tmp_path):
    of = world(sheet())
    page = written(tmp_path / "a.png", clip(of, 40, move=(0.05, 0, 0)), of, moments=6, columns=3, size=CELL)
    assert page.shape == (2 * CELL[1] + GAP, 3 * CELL[0] + 2 * GAP, 3)
    cells = [
        page[y : y + CELL[1], x : x + CELL[0]]
        for y in (0, CELL[1] + GAP)
        for x in (0, CELL[0] + GAP, 2 * (CELL[0] + GAP))
    ]
    red = [
        np.average(np.arange(CELL[0]), weights=((c[..., 0].astype(int) - c[..., 2]) > 60).sum(axis=0)) for c in cells
    ]
    assert (np.diff(red) > 1.0).all()  # the sheet moves from cell to cell under one camera
    captions = [cell[-14:, :40] for cell in cells]
    assert not any(np.array_equal(captions[0], other) for other in captions[1:])


def test_captions_say_the_same_everywhere():
    plain = np.full((240, 320, 3), 200, np.uint8)
    first, second = captioned(plain, "0.50 s", theme="light"), captioned(plain, "0.50 s", theme="light")
    assert np.array_equal(first, second)
    changed = np.argwhere((first != plain).any(axis=2))
    assert changed[:, 0].min() > 200
    assert changed[:, 1].max() < 80


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (2, 2), (3, 3), (4, 2), (6, 3), (8, 4), (9, 3), (12, 4)])
def test_sheets_are_about_as_wide_as_their_cells(count, columns):
    assert columns_for(count) == columns


def test_cells_stand_in_reading_order():
    cells = [np.full((2, 3, 3), k, np.uint8) for k in range(1, 6)]
    page = contact_sheet(cells, 3, theme="light")
    assert page[0, 0, 0] == 1
    assert page[0, -1, 0] == 3
    assert page[-1, 0, 0] == 4
    assert page[-1, -1, 0] == 255


@pytest.mark.parametrize("total", [None, 1000])
def test_moments_of_a_long_stream_are_evenly_spread_and_few_are_kept(total):
    moments, of, most = Moments(5, total), world(sheet(cells=1)), 0
    for one in clip(of, 1000):
        moments.add(one)
        most = max(most, len(moments._kept))
    chosen = [one.index for one in moments.chosen()]
    assert chosen[0] == 0
    assert chosen[-1] == 999
    assert np.diff(chosen) == pytest.approx(250, abs=25)
    assert most <= 81


def test_a_stream_shorter_than_its_moments_shows_each_frame_once():
    moments, of = Moments(6), world(sheet(cells=1))
    for one in clip(of, 3):
        moments.add(one)
    assert [one.index for one in moments.chosen()] == [0, 1, 2]


def test_a_run_shorter_than_its_total_ends_with_its_last_frame():
    moments, of = Moments(3, 100), world(sheet(cells=1))
    for one in clip(of, 60):
        moments.add(one)
    assert [one.index for one in moments.chosen()][-1] == 59


def test_equal_clips_are_equal_bytes(tmp_path):
    of = world(sheet())
    for name in "ab":
        written(tmp_path / f"{name}.png", clip(of, 6), of, moments=2, size=CELL)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_an_error_leaves_what_was_there(tmp_path):
    target, of = tmp_path / "a.png", world(sheet())
    target.write_bytes(b"before")
    with pytest.raises(RuntimeError, match="the run broke"):
        written(target, broken(clip(of, 2)), of)
    assert target.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [target]


def test_no_frame_is_no_picture(tmp_path):
    with pytest.raises(FormatError, match=r"a\.png: no frame arrived"), Png(tmp_path / "a.png", world(sheet())):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"moments": 0}, "moments = 0; must be 1 to 64"),
        ({"moments": "many"}, "moments = 'many'; expected a whole number"),
        ({"columns": -1}, "columns = -1"),
        ({"momments": 2}, "no picture option 'momments' .*did you mean 'moments'"),
    ],
)
def test_wrong_options_leave_nothing(tmp_path, options, match):
    with pytest.raises(FormatError, match=match):
        Png(tmp_path / "a.png", world(sheet()), **options)
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FormatError, match=r"a\.png: Not a directory|a\.png: File exists"):
        Png(tmp_path / "file" / "a.png", world(sheet()))
