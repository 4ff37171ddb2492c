"""Filters beside the next step: the same frames in the same order, a fault only after the frame before it was shown."""

import numpy as np
import pytest

from pliant import Cloth, Gravity, Scene, simulate
from pliant.errors import UnstableError
from pliant.filters import BoundFilter, Filter
from pliant.loop import Stage, picture
from pliant.loop.drawing import Bare, drawn
from pliant.lowering import build
from pliant.world import Frame, World, still


class Lifted(Filter):
    """Every point a metre higher."""

    def bind(self, world: World) -> BoundFilter:
        return _Lifted()


class _Lifted(BoundFilter):
    def apply(self, frame: Frame) -> Frame:
        import dataclasses

        up = {n: dataclasses.replace(p, points=still(p.points + np.float32([0, 1, 0]))) for n, p in frame.parts.items()}
        return Frame(frame.index, frame.time, up)


def scene() -> Scene:
    sheet = Cloth.sheet(width=1, height=1, columns=8, rows=8, pinned="top")
    return Scene(parts={"s": sheet}, fields=(Gravity(),), filters=(Lifted(),))


@pytest.mark.parametrize("beside", [True, False])
def test_frames_are_those_of_one_after_the_other(beside):
    world = build(scene())
    stage, state = Stage(world), world.initial_state()

    def step() -> Bare:
        stage.step(state, 1 / 60)
        return Bare.of(stage, state)

    frames = list(drawn(step, 6, beside=beside))
    assert [frame.index for frame in frames] == [1, 2, 3, 4, 5, 6]
    assert state.frame == 6  # no step too many
    other = world.initial_state()
    alone = Stage(world)
    for frame in frames:
        alone.step(other, 1 / 60)
        assert frame["s"].points.tobytes() == picture(world, other, alone.filters)["s"].points.tobytes()
    assert stage.drawing > 0.0


def test_a_step_that_fails_is_told_after_the_frame_before_it():
    world = build(scene())
    stage, state = Stage(world), world.initial_state()

    def step() -> Bare:
        if state.frame == 3:
            raise UnstableError("part 's' left the stage")
        stage.step(state, 1 / 60)
        return Bare.of(stage, state)

    frames = drawn(step, None, beside=True)
    assert [next(frames).index for _ in range(3)] == [1, 2, 3]
    with pytest.raises(UnstableError, match="left the stage"):
        next(frames)


def test_threads_change_no_bit_of_what_filters_draw():
    ends = [list(simulate(scene(), frames=5, threads=threads))[-1]["s"].points.tobytes() for threads in (1, 2)]
    assert ends[0] == ends[1]
