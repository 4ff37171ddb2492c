"""The ribbon gymnast (seed 000, figure 1): a figure dances, its hand draws six metres of satin through the air."""

from pathlib import Path

import numpy as np

from pliant.arrays import Array
from pliant.colliders import Ground
from pliant.forces import Gravity, Wind
from pliant.gallery.stagecraft import FPS, waved
from pliant.geometry import rotation
from pliant.scene import FABRICS, Drive, Joint, Puppet, Ribbon, Scene, Segment, Tie, View
from pliant.scene.gait import Pose, about, dancing, smooth

LENGTH = 6.0  # [m]
STICK = 0.5  # [m]
HEIGHT = 1.62  # [m] of the gymnast
SECONDS = 12.0
SPIRAL = 2.6  # [1/s] circles of the hand
LEAD = 0.8  # [s] from the figure's own pose to where a captured dance begins
TURN = 2.2  # [s] that one turn of the body takes


def ribbon() -> Scene:
    """A gymnast turns and draws spirals in the air with a ribbon of six metres; the dance is the project's own."""
    figure = Puppet.human(height=HEIGHT)
    return gymnast_with(Drive.of_pose(figure, _turning(figure, _dance(figure)), fps=FPS), seconds=SECONDS)


def gymnast_with(drive: Drive, *, seconds: float) -> Scene:
    """Any dance that a human puppet follows, with the ribbon on a stick in its right hand."""
    figure = _gymnast()
    first = np.array(figure.segments[figure.index("stick")].center) - (0.0, 0.5 * STICK, 0.0)
    satin = Ribbon(
        width=LENGTH,
        height=0.05,
        columns=180,
        rows=1,
        pinned=None,
        self_contact=False,
        turn=90.0,
        center=(float(first[0]), float(first[1]), float(first[2]) - 0.5 * LENGTH),
        fabric=FABRICS["silk"].replace(thickness=4e-3),
        color=(0.78, 0.03, 0.12),
    )
    return Scene(
        parts={"gymnast": figure.replace(drive=drive), "ribbon": satin},
        fields=(Gravity(), Wind()),
        colliders=(Ground(friction=0.3),),
        ties=(Tie(a="ribbon:left", b={"part": "gymnast", "name": "stick", "at": (0.0, -0.5 * STICK, 0.0)}),),
        title="Ribbon",
        seconds=seconds,
        view=View(eye=(0.6, 1.9, 5.8), target=(0.0, 1.05, 0.0)),
    )


def ribbon_dance(path: str | Path, *, seconds: float | None = None) -> Scene:
    """The same ribbon in the hand of any motion capture: the path of a BVH file."""
    from pliant.sources.bvh import read_bvh

    motion = read_bvh(path)
    figure = Puppet.human(height=HEIGHT)
    drive = Drive.retargeted(figure, motion.skeleton, motion.clip).led_in(figure, LEAD)
    return gymnast_with(drive, seconds=seconds or max((len(drive.positions) - 1) / drive.fps, 0.1))


def _gymnast() -> Puppet:
    """A human with a stick that goes on where the right hand ends."""
    whole = Puppet.human(height=HEIGHT, mass=48.0, friction=0.2)
    hand = whole.segments[whole.index("hand_right")]
    grip = np.subtract(hand.center, (0.0, 0.3 * hand.size[1], 0.0))
    stick = Segment(
        name="stick",
        size=(0.009, STICK),
        center=tuple(np.subtract(grip, (0.0, 0.5 * STICK, 0.0)).tolist()),
        mass=0.06,
        color=(0.85, 0.85, 0.82),
    )
    weld = Joint(parent="hand_right", child="stick", anchor=tuple(grip.tolist()), swing=0.0, twist=(0.0, 0.0))
    return whole.replace(segments=(*whole.segments, stick), joints=(*whole.joints, weld))


def _dance(figure: Puppet) -> Pose:
    """Steps from side to side, the left arm out, the right one drawing spirals."""
    pose = dancing(figure, 0.62, SECONDS + 1.0, FPS)
    pose = waved(figure, pose, "left", lambda t: (0.3 * np.sin(2.0 * t), 1.35 + 0.15 * np.sin(1.7 * t), 0.2 + 0.0 * t))
    return waved(figure, pose, "right", _spirals)


def _spirals(t: Array) -> tuple[Array, Array, Array]:
    """Circles of the outstretched arm, which rises and sinks: the ribbon keeps their traces."""
    circle, slow = 2.0 * np.pi * SPIRAL * t, 2.0 * np.pi * t / 4.5
    return 0.15 + 0.30 * np.sin(circle), 1.65 + 0.35 * np.sin(slow) + 0.30 * np.cos(circle), np.full_like(t, 0.1)


def _turning(figure: Puppet, pose: Pose) -> Pose:
    """The figure turns as one about the vertical, first to one side, then to the other."""
    t = np.arange(len(pose.places["torso"])) / FPS
    pace = smooth((t - 0.6) / 1.0) - 2.0 * smooth((t - 6.0) / 1.4)
    turn = about(1, -2.0 * np.pi / TURN * np.cumsum(pace) / FPS)
    home = np.array(figure.segments[figure.index("torso")].center) * (1.0, 0.0, 1.0)
    return Pose(
        {name: home + rotation.rotate(turn, place - home) for name, place in pose.places.items()},
        {name: rotation.multiply(turn, own) for name, own in pose.turns.items()},
    )
