"""Held points go exactly where a recording, bones or painted weights take them; animated bodies push cloth."""

import numpy as np
import pytest
import trimesh

import pliant
from pliant import Cloth, Follow, MeshCollider, PointTrack, Scene, build, simulate
from pliant.errors import SceneError
from pliant.geometry.skeleton import Clip, Skeleton
from pliant.geometry.surface import grid
from pliant.sinks.convert import bare_world
from pliant.sinks.formats import for_suffix
from pliant.world import Frame, Look, PartFrame

FPS = 30.0


def animated(frames=24, cells=6, lift=0.02):
    """A square, waved as a whole by its animator; frames of one part."""
    uv, triangles = grid(cells, cells)
    rest = np.stack([uv[:, 0], uv[:, 1], 0 * uv[:, 0]], axis=1)
    clip = []
    for k in range(frames):
        points = rest + np.array([0.0, lift * k, 0.1 * np.sin(0.3 * k)])
        part = PartFrame(
            "cape",
            "cloth",
            points.astype(np.float32),
            triangles.astype(np.uint32),
            np.zeros_like(points),
            np.empty((0, 4)),
            Look(),
            None,
        )
        clip.append(Frame(k, k / FPS, {"cape": part}))
    return clip


def test_pinned_points_go_where_the_recording_has_them():
    clip = animated()
    cape = Cloth.from_recording(clip, pinned="top")
    top = cape.follow.rows
    assert len(top) == 7
    frames = list(simulate(Scene(parts={"cape": cape}), frames=23, fps=FPS))
    for k, frame in enumerate(frames, start=1):
        assert np.abs(frame["cape"].points[top] - clip[k]["cape"].points[top]).max() < 1e-6
    free = np.setdiff1d(np.arange(49), top)
    assert np.abs(frames[-1]["cape"].points[free] - clip[-1]["cape"].points[free]).max() > 0.01  # cloth, no puppet


@pytest.mark.parametrize("method", ["xpbd", "approximate", "implicit"])
def test_painted_weights_draw_points_towards_their_goal(method):
    """A constant pull k w against gravity leaves the sag g / (k w), whatever the method and the step."""
    clip = animated(frames=2, lift=0.0)
    clip = [clip[0], Frame(1, 1 / FPS, clip[0].parts)]
    weights = np.full(49, 0.5)
    cape = Cloth.from_recording(clip, weights=weights).replace(
        follow=Follow.recording(clip, weights=weights, stiffness=800.0)
    )
    *_, last = simulate(Scene(parts={"cape": cape}, fields=(pliant.Gravity(),)), frames=60, fps=FPS, integrator=method)
    sag = clip[0]["cape"].points[:, 1] - last["cape"].points[:, 1]
    assert sag == pytest.approx(9.81 / 400.0, rel=0.02)


def test_a_weight_of_one_holds_and_a_weight_of_nothing_lets_go():
    weights = np.zeros(49)
    weights[[42, 48]] = 1.0
    cape = Cloth.from_recording(animated(), weights=weights)
    assert build(Scene(parts={"c": cape})).parts["c"].held.tolist() == [42, 48]


def arm(frames=31):
    """Two bones; the lower one turns by 90 degrees about z."""
    skeleton = Skeleton(
        ("upper", "lower"), np.array([-1, 0]), np.array([[0, 1.0, 0], [0, -0.3, 0]]), np.tile([0, 0, 0, 1.0], (2, 1))
    )
    half = np.linspace(0.0, np.pi / 4, frames)
    turns = np.zeros((frames, 2, 4))
    turns[:, 0, 3] = 1.0
    turns[:, 1, 2], turns[:, 1, 3] = np.sin(half), np.cos(half)
    return skeleton, Clip("bend", FPS, np.tile(skeleton.translations, (frames, 1, 1)), turns)


def test_points_go_with_their_bones():
    skeleton, clip = arm()
    points = np.array([[0.0, 0.9, 0.0], [0.0, 0.5, 0.0], [0.2, 0.7, 0.0], [1.0, 1.0, 0.0]])
    follow = Follow.bones(points, skeleton, clip, {"upper": [0], "lower": [1, 2]})
    assert follow.rows.tolist() == [0, 1, 2]
    end = follow.track(1.0)
    np.testing.assert_allclose(end[0], points[0], atol=1e-12)
    np.testing.assert_allclose(end[1:], [[0.2, 0.7, 0.0], [0.0, 0.9, 0.0]], atol=1e-12)  # about (0, 0.7, 0)
    both = Follow.bones(points, skeleton, clip, {"upper": [1], "lower": [1]}, shares={"upper": [0.5], "lower": [0.5]})
    np.testing.assert_allclose(both.track(1.0)[0], [0.1, 0.6, 0.0], atol=1e-12)


def test_a_recorded_body_pushes_cloth_out_of_its_way():
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.25)
    clip = []
    for k in range(31):
        points = (ball.vertices + np.array([0.0, 0.02 * k, 0.0])).astype(np.float32)
        none = np.empty((0, 4))
        part = PartFrame("body", "character", points, ball.faces.astype(np.uint32), 0 * points, none, Look(), None)
        clip.append(Frame(k, k / FPS, {"body": part}))
    body = pliant.moving_obstacle(clip)
    assert isinstance(body.deform, PointTrack)
    sheet = Cloth.sheet(width=0.8, height=0.8, columns=20, rows=20, center=(0, 0.3, 0), lies="flat")
    *_, last = simulate(Scene(parts={"sheet": sheet}, colliders=(body,)), frames=28, fps=FPS)
    points = last["sheet"].points.astype(float)
    distance, _ = MeshCollider(points=body.deform(28 / FPS), triangles=body.triangles).signed_distance(points)
    assert distance.min() > -1e-3
    assert points[:, 1].max() > 0.25 + 0.02 * 28 - 0.01  # carried up by the ball, whose top is there


def test_scenes_with_tracks_survive_their_file(tmp_path):
    cape = Cloth.from_recording(animated(), pinned="top")
    body = MeshCollider.example()
    track = PointTrack(fps=FPS, positions=np.stack([body.points, body.points + 0.1]))
    scene = Scene(parts={"cape": cape}, colliders=(body.replace(deform=track),))
    scene.save(tmp_path / "s.toml")
    loaded = Scene.load(tmp_path / "s.toml")
    assert loaded == scene
    ends = [list(simulate(s, frames=3, fps=FPS))[-1]["cape"].points for s in (scene, loaded)]
    assert np.array_equal(*ends)


def test_a_clip_is_written_and_followed_from_its_file(tmp_path):
    clip = animated()
    with for_suffix(".npz")(tmp_path / "c.npz", bare_world([clip[0]["cape"]]), fps=FPS) as sink:
        for frame in clip:
            sink.write(frame)
    cape = Cloth.from_recording(tmp_path / "c.npz", pinned="top")
    known = Cloth.from_recording(clip, pinned="top").follow
    assert np.array_equal(cape.follow.track.positions, known.track.positions)
    assert cape.follow.track.fps == pytest.approx(known.track.fps)


def test_groups_and_painted_numbers_of_a_file_pin(tmp_path):
    (tmp_path / "c.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\ng collar\nf 1 2 3\ng hem\nf 1 3 4\n")
    assert Cloth.from_mesh(tmp_path / "c.obj", pinned="hem").pinned == (0, 2, 3)
    assert Cloth.from_mesh(tmp_path / "c.obj", pinned="top").pinned == "top"
    with pytest.raises(SceneError, match=r"no group or border 'colar' .*did you mean 'collar'"):
        Cloth.from_mesh(tmp_path / "c.obj", pinned="colar")
    head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    head += (
        "property uchar red\nproperty float pin\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    )
    (tmp_path / "c.ply").write_text(head + "0 0 0 255 0.2\n1 0 0 0 0.9\n0 1 0 51 0\n3 0 1 2\n")
    record = pliant.read_mesh(tmp_path / "c.ply")
    assert record.weights["red"].tolist() == [1.0, 0.0, 0.2]
    assert Cloth.from_mesh(tmp_path / "c.ply", pinned="pin").pinned == (1,)
    assert Cloth.from_mesh(tmp_path / "c.ply", pinned="pin+red").pinned == (0, 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Follow.recording(animated(), rows=[99]), "Follow.rows"),
        (lambda: Follow.recording(animated(), weights=np.zeros(49)), "every weight is 0"),
        (lambda: Follow.recording(animated(), weights=np.full(49, 2.0)), "numbers of 0 to 1"),
        (lambda: Follow.recording(animated()), "give rows, or weights"),
        (lambda: Follow.recording(animated(), "coat", rows=[1]), "no part 'coat'"),
        (lambda: Follow.bones(np.zeros((1, 3)), *arm(), {"tail": [0]}), r"no bone \['tail'\]; there are upper, lower"),
        (lambda: PointTrack(positions=np.full((2, 3, 3), np.nan)), "frame 0 is not finite"),
        (lambda: PointTrack(positions=np.zeros((2, 3))), r"expected \(frames, points, 3\)"),
    ],
)
def test_wrong_tracks_are_refused_in_one_line(make, message):
    with pytest.raises(SceneError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_clip_elsewhere_is_refused_before_the_first_frame():
    cape = Cloth.from_recording(animated(), pinned="top")
    away = cape.replace(points=cape.points * 100)
    with pytest.raises(SceneError, match=r"begins .* from where the cloth has it; bring the clip"):
        build(Scene(parts={"c": away}))
