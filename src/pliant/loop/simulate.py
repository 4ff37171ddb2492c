"""Scene or World -> frames. Refuses bad input when called, computes when asked for the next frame."""

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

from pliant.errors import SceneError
from pliant.integrators import Integrator
from pliant.loop.drawing import Bare, drawn, may_draw_beside
from pliant.loop.session import Session, check_pace
from pliant.loop.stage import Stage
from pliant.loop.threads import set_threads
from pliant.lowering import build, with_method
from pliant.scene import Scene
from pliant.world import Frame, State, World


def simulate(
    scene: Scene | World,
    *,
    frames: int | None = None,
    seconds: float | None = None,
    fps: float = 60.0,
    substeps: int | None = None,
    integrator: str | Integrator | dict[str, Any] | None = None,
    threads: int | None = None,
) -> Iterator[Frame]:
    """One frame per 1/fps seconds, the first at 1/fps; for ever if neither `frames` nor `seconds` is given.

    Args:
        scene: A Scene, or a World that `build` made of one.
        frames: How many frames.
        seconds: How many seconds, instead of `frames`.
        fps: Frames per second.
        substeps: Per frame, in place of the scene's and the integrators' own rule.
        integrator: Name or description, for all parts or by part name.
        threads: How many threads share large parts; results do not depend on it.
    """
    world = ready(scene, substeps=substeps, integrator=integrator)
    count = frame_count(frames, seconds, fps)
    if isinstance(scene, Scene) and scene.inputs:
        session = Session(with_methods(scene, substeps, integrator), fps=fps, threads=threads, history=False)
        return drawn(session.advance, count, beside=may_draw_beside(threads))
    stage, state = Stage(world), world.initial_state()
    stage.refuse_unstable_step(state, 1.0 / fps)
    set_threads(threads)
    return _frames(stage, state, 1.0 / fps, count, threads)


def ready(
    scene: Scene | World,
    *,
    substeps: int | None = None,
    integrator: str | Integrator | dict[str, Any] | None = None,
) -> World:
    """A world with the asked substeps and methods."""
    import dataclasses

    if isinstance(scene, Scene):
        if substeps is not None:
            scene = scene.replace(substeps=substeps)
        return build(scene, integrator=integrator)
    if not isinstance(scene, World):
        raise SceneError(f"simulate: got {type(scene).__name__}; expected a Scene or a World")
    if integrator is not None:
        raise SceneError("simulate: a World already has its integrators; give the Scene, or build(scene, integrator=…)")
    return dataclasses.replace(scene, substeps=substeps) if substeps is not None else scene


def frame_count(frames: int | None, seconds: float | None, fps: float) -> int | None:
    """How many frames `frames` or `seconds` mean; None for ever."""
    check_pace(fps)
    if frames is not None and seconds is not None:
        raise SceneError(f"frames = {frames} and seconds = {seconds}; give one of the two")
    if frames is not None:
        if not isinstance(frames, Integral):
            raise SceneError(f"frames = {frames!r}; must be a whole number")
        if frames < 1:
            raise SceneError(f"frames = {frames}; must be >= 1")
        return int(frames)
    if seconds is not None:
        if not isinstance(seconds, Real) or not 0.0 < seconds <= 1e6:
            raise SceneError(f"seconds = {seconds!r}; must be above 0 and at most a million")
        return max(1, round(seconds * fps))
    return None


def with_methods(scene: Scene, substeps: int | None, integrator: Any) -> Scene:
    """The scene with the asked substeps and methods said in it."""
    parts = {name: with_method(part, name, integrator) for name, part in scene.parts.items()}
    return scene.replace(parts=parts, substeps=substeps if substeps is not None else scene.substeps)


def _frames(stage: Stage, state: State, frame_step: float, count: int | None, threads: int | None) -> Iterator[Frame]:
    def step() -> Bare:
        set_threads(threads)  # per Python thread, so once more wherever the next frame is asked for
        stage.step(state, frame_step)
        return Bare.of(stage, state)

    return drawn(step, count, beside=may_draw_beside(threads))
