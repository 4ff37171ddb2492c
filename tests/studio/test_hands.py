"""What the mouse takes hold of: cloth, a balloon's skin, a limb, the sleeve of a dressed puppet."""

import numpy as np
import pytest

from pliant import Actor, Balloon, Character, Cloth, Garment, Gravity, Ground, Puppet, Scene
from pliant.studio.hands import Drag, Hands
from pliant.studio.runner import Runner

EYE = np.array([0.0, 1.0, 4.0])


def run(runner: Runner, frames: int) -> None:
    for _ in range(frames):
        runner._obey()
        runner.advance()


def mixed() -> Scene:
    figure = Character.mannequin()
    puppet = Puppet.from_character(figure, held=("torso",))
    parts = {
        "cloth": Cloth.sheet(width=0.6, height=0.6, columns=8, rows=8, pinned="top", center=(-1.2, 1.2, 0.0)),
        "ball": Balloon.sphere(0.15, center=(1.2, 1.0, 0.0), gas="air", pinned="nozzle"),
        "puppet": puppet,
        "figure": Actor(character=figure, puppet="puppet", garments=(Garment.tshirt(figure),)),
    }
    return Scene(parts=parts, fields=(Gravity(),), colliders=(Ground(),))


@pytest.fixture(scope="module")
def runner() -> Runner:
    made = Runner(mixed())
    run(made, 3)
    return made


@pytest.mark.parametrize(
    ("mesh", "owner"), [("cloth", "cloth"), ("ball", "ball"), ("puppet", "puppet"), ("figure_tshirt", "puppet")]
)
def test_a_drag_takes_it_along_and_lets_it_fly_on(runner: Runner, mesh: str, owner: str) -> None:
    hands = Hands(runner)
    points = runner.latest.frame[mesh].points
    lowest = np.argmin(points[:, 1] - 0.2 * np.abs(points[:, 0]))
    start = points[np.argmax(points[:, 0]) if mesh == "figure_tshirt" else lowest].astype(float)  # a sleeve
    way = np.array([0.0, 0.1, 0.25]) * (0.5 if mesh == "figure_tshirt" else 1.0)  # no farther than its arm lets it
    hands.drag(Drag(1, mesh, "start", start, start, EYE))
    for k in range(1, 11):
        hands.drag(Drag(1, mesh, "update", start, start + k / 10 * way, EYE))
        run(runner, 3)  # about 20 updates a second
    (held,) = runner.session.hands.values()
    assert held.part == owner
    near = np.linalg.norm(runner.latest.frame[mesh].points - (start + way), axis=1).min()
    assert near < 0.7 * np.linalg.norm(way)
    assert len(runner.session.hands) == 1
    hands.drag(Drag(1, mesh, "end", start, start + way, EYE))
    run(runner, 10)
    assert not runner.session.hands
    assert not runner.notices
    assert np.isfinite(runner.session.state.position).all()


def test_a_smoothed_hand_makes_no_jumps_out_of_twenty_updates_a_second(runner: Runner) -> None:
    hands = Hands(runner)
    points = runner.latest.frame["cloth"].points
    start = points[np.argmin(points[:, 1])].astype(float)
    hands.drag(Drag(1, "cloth", "start", start, start, EYE))
    run(runner, 1)
    places = []
    for k in range(1, 13):
        hands.drag(Drag(1, "cloth", "update", start, start + np.array([0.0, 0.0, 0.03 * k]), EYE))
        for _ in range(3):
            run(runner, 1)
            places.append(next(iter(runner._where.values()))[2])
    steps = np.diff(places)
    assert steps.min() > 0.0  # it never stands still between two updates
    assert steps[12:].max() < 1.7 * steps[12:].min()
    hands.leave(1)
    run(runner, 1)
    assert not runner.session.hands
