"""simulate: refuses when called, computes when asked, the same bits every time."""

import tracemalloc

import numpy as np
import pytest

import pliant
from pliant.gallery import SCENES, load
from pliant.loop import Stage


def flag(**options):
    sheet = pliant.Cloth.sheet(width=1, height=0.7, columns=10, rows=7, pinned="left", **options)
    return pliant.Scene(parts={"flag": sheet}, fields=(pliant.Gravity(), pliant.Wind(velocity=(4, 0, 1))))


def test_frames_are_counted_and_timed():
    frames = list(pliant.simulate(flag(), frames=6, fps=30))
    assert [frame.index for frame in frames] == [1, 2, 3, 4, 5, 6]
    assert frames[-1].time == pytest.approx(0.2)
    assert len(list(pliant.simulate(flag(), seconds=0.1, fps=60))) == 6


def test_a_frame_is_read_only_float32():
    frame = next(pliant.simulate(flag(), frames=1))
    for array in (frame["flag"].points, frame["flag"].velocities, frame["flag"].normals):
        assert array.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(pliant.SceneError, match=r"no part 'flg'.*did you mean 'flag'"):
        frame["flg"]


def test_frames_keep_what_they_saw():
    frames = list(pliant.simulate(flag(), frames=3))
    assert not np.array_equal(frames[0]["flag"].points, frames[2]["flag"].points)


REFUSED = {
    "scene": (lambda: pliant.simulate("curtain"), "expected a Scene or a World"),
    "both": (lambda: pliant.simulate(flag(), frames=2, seconds=1), "give one of the two"),
    "frames": (lambda: pliant.simulate(flag(), frames=0), "must be >= 1"),
    "seconds": (lambda: pliant.simulate(flag(), seconds=-1), "must be above 0"),
    "fps": (lambda: pliant.simulate(flag(), fps=0), "must be 1 to 10000"),
    "threads": (lambda: pliant.simulate(flag(), threads=0), "must be >= 1"),
    "half a frame": (lambda: pliant.simulate(flag(), frames=2.5), "frames = 2.5; must be a whole number"),
    "frames as a word": (lambda: pliant.simulate(flag(), frames="2"), "frames = '2'; must be a whole number"),
    "no time": (lambda: pliant.simulate(flag(), seconds=float("nan")), "seconds = nan; must be above 0"),
    "fps as a word": (lambda: pliant.simulate(flag(), fps="fast"), "fps = 'fast'; must be 1 to 10000"),
    "no pace": (lambda: pliant.Session(flag(), fps=0), "fps = 0; must be 1 to 10000"),
    "half a thread": (lambda: pliant.simulate(flag(), threads=1.5), "threads = 1.5; must be >= 1, a whole number"),
    "substeps": (lambda: pliant.simulate(flag(), substeps=0), "Scene.substeps = 0; must be >= 1"),
    "integrator": (lambda: pliant.simulate(flag(), integrator="rk4"), "no integrator 'rk4'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_when_called(case):
    call, message = REFUSED[case]
    with pytest.raises(pliant.PliantError, match=message):
        call()


def test_an_unstable_step_is_refused_with_the_substeps_it_needs():
    with pytest.raises(pliant.UnstableError, match=r"symplectic with a step of .* set substeps >= \d+ \(now 1\)") as e:
        pliant.simulate(flag(), integrator="symplectic")
    needed = int(str(e.value).split(">= ")[1].split(" ")[0])
    frames = list(pliant.simulate(flag(), integrator="symplectic", substeps=needed, frames=3))
    assert np.isfinite(frames[-1]["flag"].points).all()


def test_a_run_that_diverges_names_part_particle_and_time():
    soft = pliant.RawFabric.uniform(stiffness=50.0)
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=6, rows=6, fabric=soft, pinned="top", integrator="explicit")
    scene = pliant.Scene(parts={"rag": sheet})
    with pytest.raises(pliant.UnstableError, match=r"part 'rag', particle \d+: left the stage .* at t = [\d.]+ s"):
        list(pliant.simulate(scene, frames=5000, substeps=1))


def test_two_runs_and_two_thread_counts_give_equal_bits():
    def last(threads):
        big = pliant.Cloth.sheet(width=1, height=1, columns=64, rows=64, pinned="top", lies="flat")
        scene = pliant.Scene(parts={"a": big}, fields=(pliant.Gravity(), pliant.Wind(velocity=(3, 0, 1))))
        *_, frame = pliant.simulate(scene, frames=4, threads=threads)
        return frame["a"].points.tobytes()

    assert last(1) == last(1)
    assert last(1) == last(2)


def test_a_frame_allocates_nothing_that_grows_with_its_points():
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=60, rows=60, pinned="top", lies="flat", self_contact=False)
    solids = (pliant.Ground(), pliant.Sphere(center=(0, -0.5, 0), radius=0.3))
    world = pliant.build(pliant.Scene(parts={"a": sheet}, fields=(pliant.Gravity(),), colliders=solids))
    stage, state = Stage(world), world.initial_state()
    for _ in range(2):
        stage.step(state, 1 / 60)
    tracemalloc.start()
    try:
        stage.step(state, 1 / 60)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.3 * state.position.nbytes


def test_a_far_away_part_changes_no_bit():
    def last(*names):
        offsets = {"near": (0, 1, 0), "far": (30, 1, 0)}
        parts = {
            name: pliant.Cloth.sheet(
                width=1, height=1, columns=8 + 4 * k, rows=8, pinned="top", lies="flat", center=offsets[name]
            )
            for k, name in enumerate(names)
        }
        *_, frame = pliant.simulate(pliant.Scene(parts=parts), frames=30)
        return frame["near"].points.tobytes()

    assert last("near") == last("near", "far")


@pytest.mark.parametrize("name", SCENES)
def test_every_gallery_scene_runs(name):
    frames = list(pliant.simulate(load(name), frames=10))
    for part in frames[-1].parts.values():
        assert np.isfinite(part.points).all()


def test_frames_alone_can_be_saved_at_their_own_pace(tmp_path):
    scene = flag()
    frames = list(pliant.simulate(scene, frames=4, fps=24))
    pliant.save(frames, tmp_path / "kept.npz")
    pliant.save(pliant.simulate(scene, fps=24), tmp_path / "streamed.npz", frames=4)
    pliant.save(scene, tmp_path / "run.npz", frames=4, fps=24)
    clips = [pliant.load_recording(tmp_path / f"{name}.npz") for name in ("kept", "streamed", "run")]
    assert [(len(clip), clip.fps) for clip in clips] == [(4, 24.0)] * 3
    for given, *read in zip(frames, *clips, strict=True):
        for other in read:
            np.testing.assert_array_equal(other["flag"].points, given["flag"].points)


@pytest.mark.parametrize(
    ("what", "message"), [([], "no frames"), ([1], "int is no frame"), (3, "int can not be saved; give a Scene")]
)
def test_what_is_no_frame_is_not_saved(what, message, tmp_path):
    with pytest.raises(pliant.SceneError, match=message):
        pliant.save(what, tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())
