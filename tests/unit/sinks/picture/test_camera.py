import numpy as np
import pytest

from hand_made import frame, sheet, world
from pliant.scene import View
from pliant.sinks.picture import Options, Painter
from pliant.sinks.picture.camera import FARTHEST, MARGIN, RIM, Bounds, Camera, fitted
from pliant.sinks.picture.framing import WINDOW, Framing, window_for
from pliant.sinks.picture.lighting import rig
from pliant.sinks.picture.shot import round_step

BOXES = {
    "cube": Bounds(np.array([-1.0, 0, -1]), np.array([1.0, 2, 1])),
    "wide": Bounds(np.array([-9.0, 0, 3]), np.array([1.0, 1, 4])),
    "tall and far": Bounds(np.array([100.0, 5, -1]), np.array([101.0, 25, 0])),
}


def seen(camera, corners, aspect):
    """Clip space x, y of points."""
    matrix = camera.projection(aspect, 0.01, 1e4) @ camera.view()
    clip = np.column_stack([corners, np.ones(len(corners))]) @ matrix.T
    return clip[:, :2] / clip[:, 3:]


@pytest.mark.parametrize("name", BOXES)
@pytest.mark.parametrize("aspect", [16 / 9, 0.5])
def test_the_whole_box_is_seen_centred_and_no_farther_than_needed(name, aspect):
    box = BOXES[name]
    xy = seen(fitted(box, aspect), box.corners, aspect)
    limit = 1.0 - MARGIN
    assert abs(xy).max() == pytest.approx(limit, abs=0.02)
    assert xy.min(axis=0) == pytest.approx(-xy.max(axis=0), abs=0.02)


def test_the_view_is_three_quarters_from_the_front():
    camera = fitted(BOXES["cube"], 1.5)
    away = camera.eye - camera.target
    assert away[0] > 0
    assert away[1] > 0
    assert away[2] > away[0]


def test_a_camera_looks_along_minus_z():
    camera = Camera(np.array([1.0, 2, 3]), np.array([1.0, 2, -5]))
    here = camera.view() @ np.array([1.0, 2, -5, 1])
    assert here == pytest.approx([0, 0, -8, 1])


def test_bounds_leave_out_rows_that_are_not_finite():
    box = Bounds.of(np.array([[0.0, 0, 0], [np.nan, 9, 9], [1, 2, 3]]))
    assert box.high == pytest.approx([1, 2, 3])
    assert Bounds.of(np.empty((0, 3))).empty


@pytest.mark.parametrize("name", BOXES)
def test_light_maps_hold_the_whole_box(name):
    box = BOXES[name]
    lights = rig(box, box.low[1] - 0.1, azimuth=0.4, resolution=512)
    for matrix in (lights.shadow, lights.sky):
        clip = np.column_stack([box.corners, np.ones(8)]) @ matrix.T
        assert abs(clip[:, :3]).max() <= 1.0 + 1e-9


def test_the_floors_map_holds_the_shadow_of_every_corner():
    box = BOXES["cube"]
    lights = rig(box, -0.5, azimuth=0.0, resolution=512)
    landed = box.corners - lights.key * ((box.corners[:, 1:][:, :1] + 0.5) / lights.key[1])
    x, z, width, depth = lights.floor
    assert (landed[:, 0] > x).all()
    assert (landed[:, 0] < x + width).all()
    assert (landed[:, 2] > z).all()
    assert (landed[:, 2] < z + depth).all()


@pytest.mark.parametrize(("size", "step"), [(0.11, 0.1), (0.4, 0.5), (1.9, 2.0), (80.0, 100.0)])
def test_grid_steps_are_round(size, step):
    assert round_step(size) == pytest.approx(step)


def test_a_camera_stands_while_a_clip_is_shorter_than_its_window():
    framing = Framing(window=10)
    shown = []
    for k in range(8):
        shown += framing.add(k, Bounds(np.zeros(3), np.full(3, 1.0 + k)))
    shown += framing.rest()
    assert [frame for frame, _ in shown] == list(range(8))
    assert all(bounds.high == pytest.approx(8.0) for _, bounds in shown)


def test_a_camera_opens_smoothly_and_before_it_must():
    framing = Framing(window=20)
    shown = []
    for k in range(200):
        shown += framing.add(k, Bounds(np.zeros(3), np.full(3, 1.0 if k < 100 else 5.0)))
    shown += framing.rest()
    high = np.array([bounds.high[0] for _, bounds in shown])
    assert (np.diff(high) >= 0).all()
    assert np.diff(high).max() < 0.3  # [m] per frame of a jump of 4 m
    assert 3.0 < high[100] < 5.0
    assert high[-1] == pytest.approx(5.0, abs=0.05)


def test_large_frames_are_held_back_in_small_numbers(monkeypatch):
    one = frame(world(sheet(cells=100)))
    assert window_for(one) == WINDOW
    monkeypatch.setattr("pliant.sinks.picture.framing.WINDOW_BYTES", 10.5 * 101 * 101 * 24)
    assert window_for(one) == 10


def test_a_given_camera_says_how_far_it_must_step_back():
    camera, aspect = Camera(np.array([0.5, 1.0, 4.0]), np.array([0.0, 1.0, 0.0])), 16 / 9
    box = BOXES["wide"]
    step = camera.lacking(box.corners, aspect)
    assert step > 0
    far = Camera(
        camera.eye + step / np.linalg.norm(camera.eye - camera.target) * (camera.eye - camera.target), camera.target
    )
    assert abs(seen(far, box.corners, aspect)).max() == pytest.approx(1.0 - RIM, abs=1e-6)
    assert camera.lacking(np.array([[0.0, 1.0, 0.0]]), aspect) < 0


def strayed(move):
    part = sheet(cells=4)
    of = world(part)
    return of, [frame(of, k, move=(move * k, 0.0, 0.0)) for k in range(3)]


@pytest.mark.parametrize("move", [0.0, 0.2, 100.0])
def test_a_scenes_view_steps_back_for_what_leaves_it_and_no_farther_than_it_may(move):
    of, frames = strayed(move)
    options = Options.of(
        {"size": (160, 90), "renderer": "software", "view": View(eye=(0.5, 0.5, 3.0), target=(0.5, 0.5, 0.0))}
    )
    painter = Painter(of, options)
    steps = [painter.bounds(each).step for each in frames]
    assert steps[0] == 0
    assert (steps[-1] > 0) == (move > 1.0)
    near = options.view.back(steps[-1])
    assert np.linalg.norm(near.eye - near.target) <= (1.0 + FARTHEST) * 3.0 + 1e-9
    fixed = Painter(of, options._replace(view=Options.of({"view": ((0.5, 0.5, 3.0), (0.5, 0.5, 0.0))}).view))
    assert all(fixed.bounds(each).step == 0 for each in frames)
