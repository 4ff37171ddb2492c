import sys

import numpy as np
import pytest

from hand_made import frame, part, sheet, world
from pliant.colliders import Box, Ground, MeshCollider, Sphere
from pliant.errors import FormatError, UnsupportedError
from pliant.geometry import solids
from pliant.sinks.picture import Options, Painter, gl, paint
from pliant.sinks.picture.gl import GLRenderer
from pliant.sinks.picture.painter import renderer as renderer_for
from pliant.sinks.picture.software import SoftwareRenderer
from pliant.sinks.picture.stage import Stage
from pliant.world import Look

SIZE = (240, 136)
RED, BLUE = (0.7, 0.02, 0.02), (0.02, 0.05, 0.6)
FRONT, BEHIND = ((0.0, 0.5, 4.0), (0.0, 0.5, 0.0)), ((0.0, 0.5, -4.0), (0.0, 0.5, 0.0))


def available():
    try:
        GLRenderer((16, 16)).release()
    except UnsupportedError:
        return False
    return True


RENDERERS = [
    pytest.param("gl", marks=pytest.mark.skipif(not available(), reason="no OpenGL here: libegl1 is missing")),
    "software",
]


def middle(picture):
    h, w = picture.shape[:2]
    return picture[h // 2 - 8 : h // 2 + 8, w // 2 - 8 : w // 2 + 8].reshape(-1, 3).mean(axis=0)


@pytest.fixture(scope="module", params=RENDERERS)
def renderer(request):
    return request.param


def test_a_red_sheet_is_red_from_the_front_and_its_other_colour_from_behind(renderer):
    stage = world(sheet(look=Look(RED, BLUE)))
    r, g, b = middle(paint(frame(stage), stage, size=SIZE, view=FRONT, renderer=renderer))
    assert r > 150
    assert max(g, b) < 0.45 * r
    r, g, b = middle(paint(frame(stage), stage, size=SIZE, view=BEHIND, renderer=renderer))
    assert b > 1.8 * r


def test_a_back_without_a_colour_of_its_own_is_a_darker_front(renderer):
    stage = world(sheet(look=Look(RED)))
    front = middle(paint(frame(stage), stage, size=SIZE, view=FRONT, renderer=renderer))
    back = middle(paint(frame(stage), stage, size=SIZE, view=BEHIND, renderer=renderer))
    assert 30 < back[0] < front[0] - 15


def test_the_floor_is_darker_where_the_key_light_does_not_arrive(renderer):
    lid = sheet(cells=4)
    lid = part("lid", lid.rest_position[:, [0, 2, 1]] * [1, 1, -1] + [0, 0.5, 0.5], lid.triangles)
    above = ((0.0, 6.0, 0.01), (0.0, 0.0, 0.0))
    painter = Painter(
        world(lid, colliders=[Ground()]), Options(SIZE, renderer=renderer, view=Options.of({"view": above}).view)
    )
    picture = painter.paint(frame(painter.stage.world)).astype(int).sum(axis=2)
    plain = np.median(picture[:, :20])
    dark = picture < 0.75 * plain
    assert 0.005 < dark.mean() < 0.3


def test_equal_frames_are_equal_pictures(renderer):
    stage = world(sheet(look=Look(pattern="check")), colliders=[Ground(), Sphere(center=(0.6, 0.3, 0.3), radius=0.3)])
    first, second = (paint(frame(stage), stage, size=SIZE, renderer=renderer) for _ in range(2))
    assert first.shape == (SIZE[1], SIZE[0], 3)
    assert first.dtype == np.uint8
    assert np.array_equal(first, second)


def test_one_painter_paints_a_moving_part_as_a_fresh_one_does(renderer):
    stage = world(sheet(), colliders=[Box(center=(0, 0.1, 0.5), size=(0.2, 0.2, 0.2))])
    view = Options.of({"view": FRONT}).view
    painter = Painter(stage, Options(SIZE, renderer=renderer, view=view))
    painter.paint(frame(stage))
    later = frame(stage, 3, move=(0.1, 0.05, 0.0))
    assert np.array_equal(painter.paint(later), Painter(stage, painter.options).paint(later))


@pytest.mark.skipif(not available(), reason="no OpenGL here: libegl1 is missing")
@pytest.mark.parametrize("look", [Look(RED, BLUE, pattern) for pattern in ("weave", "stripes", "check", "foil")])
def test_both_renderers_agree(look):
    ball = solids.sphere(0.2, 32)
    balloon = part("balloon", ball.points + np.array([0.5, 0.5, 0.3]), ball.triangles, kind="balloon")
    stage = world(
        sheet(look=look, lift=0.2), balloon, colliders=[Ground(), Box(center=(-0.5, 0.1, 0.4), size=(0.2, 0.2, 0.2))]
    )
    first, second = (paint(frame(stage), stage, size=SIZE, renderer=r).astype(int) for r in ("gl", "software"))
    apart = abs(first - second).max(axis=2)
    assert apart.mean() < 2.0
    assert (apart > 24).mean() < 0.02  # edges, where the samples of a pixel lie elsewhere


def test_wire_draws_edges_over_parts_only(renderer):
    stage = world(sheet(cells=6, look=Look((0.6, 0.6, 0.6))))
    plain, wired = (
        paint(frame(stage), stage, size=SIZE, view=FRONT, renderer=renderer, wire=wire).astype(int)
        for wire in (False, True)
    )
    darker = (plain - wired).sum(axis=2) > 60
    assert 0.01 < darker.mean() < 0.2
    assert not darker[:, :20].any()


def test_the_dark_theme_has_a_dark_room(renderer):
    stage = world(sheet())
    corner = paint(frame(stage), stage, size=SIZE, theme="dark", renderer=renderer)[:10, :10]
    assert corner.mean() < 60


def test_points_that_are_not_finite_leave_a_picture(renderer):
    bad = sheet()
    bad.rest_position[5] = np.nan
    stage = world(bad)
    with np.errstate(invalid="ignore"):
        picture = paint(frame(stage), stage, size=SIZE, renderer=renderer)
    assert picture.std() > 1.0


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"size": "wide"}, "size = 'wide'; expected width and height in pixels, such as \"1280x720\""),
        ({"size": (1, 1)}, "size = 1x1; each side must be 16 to 8192"),
        ({"theme": "drak"}, "no theme 'drak' .*did you mean 'dark'"),
        ({"renderer": "vulkan"}, "no renderer 'vulkan'"),
        ({"veiw": FRONT}, "no picture option 'veiw' .*did you mean 'view'"),
        ({"view": ((0, 0, 0), (0, 0, 0))}, "the eye is where it looks at"),
        ({"view": ((0, 0), (0, 0, 1))}, "expected eye and target"),
        ({"wire": "perhaps"}, "wire = 'perhaps'; expected true or false"),
    ],
)
def test_wrong_options_are_said_in_one_line(options, match):
    with pytest.raises(FormatError, match=match):
        Options.of(options)


def test_patterns_are_square_on_a_sheet_that_is_not():
    wide = sheet()
    stretched = part("wide", wide.rest_position * [3.0, 1.0, 1.0], wide.triangles, uv=wide.uv)
    surface = Stage(world(stretched)).surfaces(frame(world(stretched)), 1.0)[0]
    assert np.ptp(surface.pattern, axis=0) == pytest.approx([1.0, 1.0 / 3.0], rel=1e-5)


def test_obstacles_keep_apart_by_name_and_the_ground_is_no_surface():
    stage = Stage(world(sheet(), colliders=[Ground(height=-0.5), Sphere(), Sphere(center=(2, 0, 0)), Box()]))
    assert [o.surface.name for o in stage.obstacles] == ["sphere", "sphere2", "box"]
    assert stage.ground == -0.5


def test_a_solid_that_turns_is_drawn_turned():
    of = world(sheet(), colliders=[Box(center=(0, 0, 0), size=(2, 1, 1), spin=(0, np.pi / 2, 0), rounding=0.0)])
    stage = Stage(of)
    start, later = (stage.surfaces(frame(of, k, fps=1.0), 1.0)[0].points for k in (0, 1))
    assert np.ptp(start, axis=0) == pytest.approx([2, 1, 1])
    assert np.ptp(later, axis=0) == pytest.approx([1, 1, 2], abs=1e-6)


def test_a_part_may_bring_a_colour_for_each_point(renderer):
    of = world(sheet(look=Look(RED)))
    points = of.parts["sheet"].rest_position
    colors = np.where(points[:, :1] < 0, BLUE, RED)
    picture = paint(frame(of, colors=colors), of, size=SIZE, view=FRONT, renderer=renderer).astype(int)
    row = picture[SIZE[1] // 2]
    left, right = row[SIZE[0] // 2 - 20], row[SIZE[0] // 2 + 20]
    assert left[2] > left[0] + 40
    assert right[0] > right[2] + 40


def test_without_opengl_the_plain_renderer_steps_in(monkeypatch):
    monkeypatch.setitem(sys.modules, "moderngl", None)
    of = world(sheet())
    assert isinstance(renderer_for(Options(SIZE)), SoftwareRenderer)
    assert paint(frame(of), of, size=(32, 18)).shape == (18, 32, 3)
    with pytest.raises(UnsupportedError, match=r"need moderngl; install pliant\[render\]"):
        paint(frame(of), of, renderer="gl")


@pytest.mark.skipif(not available(), reason="no OpenGL here: libegl1 is missing")
def test_a_driver_that_refuses_a_shader_is_as_good_as_none(monkeypatch):
    monkeypatch.setattr(gl, "shader", lambda name, **options: "#version 330 core\nthis is no shader")
    with pytest.raises(UnsupportedError, match="OpenGL here refuses the stage"):
        GLRenderer(SIZE)
    assert isinstance(renderer_for(Options(SIZE)), SoftwareRenderer)


def test_a_bump_of_an_obstacle_does_not_show_through_the_cloth_on_it(renderer):
    """The straight faces between a cloth's points cut off what they lie on; a little of that yields."""
    flat = sheet(look=Look(RED))
    stage = world(flat, colliders=[Box(center=(0.0, 0.5, -0.098), size=(0.8, 0.8, 0.2))])  # 2 mm in front of it
    options = {"size": SIZE, "view": ((0.0, 0.5, 4.0), (0.0, 0.5, 0.0)), "renderer": renderer}
    r, g, _ = middle(paint(frame(stage), stage, **options))
    assert r > 1.5 * g
    near = world(flat, colliders=[Box(center=(0.0, 0.5, 0.05), size=(0.8, 0.8, 0.2))])  # 15 cm in front: really nearer
    r, g, _ = middle(paint(frame(near), near, **options))
    assert r < 1.2 * g


def test_an_obstacle_that_changes_its_shape_is_drawn_where_it_is(renderer):
    points, faces = MeshCollider.example().points, MeshCollider.example().triangles
    body = MeshCollider(points=points, triangles=faces, deform=lambda time: np.add(points, (0.0, 10.0 * time, 0.0)))
    stage = world(sheet(), colliders=[body])
    drawn = {s.name: s for s in Stage(stage).surfaces(frame(stage, 6), 1.0)}["meshcollider"]
    np.testing.assert_allclose(drawn.points[:, 1] - np.asarray(points)[:, 1], 10.0 * frame(stage, 6).time, atol=1e-5)
