"""Balloons that carry a puppet off, and a cloth held by two puppets that catches what falls."""

import numpy as np

from pliant.colliders import Ground
from pliant.forces import Gravity, Wind
from pliant.gallery.balloons import COLORS
from pliant.gallery.stagecraft import standing, waved
from pliant.scene import FABRICS, SKINS, Balloon, Cloth, Drive, Gas, Puppet, Scene, Skin, String, Tie, View

CUT = 4.0  # [s] when the first strings are cut


def balloon_lifts_puppet() -> Scene:
    """Twelve balloons carry a little puppet off by its hands; after four seconds their strings are cut one by one."""
    puppet = Puppet.human(height=0.6, mass=0.06, damping=0.8, touches_itself=True)
    at = {s.name: np.array(s.center) for s in puppet.segments}
    balloons, ties = {}, []
    for k in range(12):
        hand = "hand_left" if k % 2 else "hand_right"
        side, ring = (1.0 if k % 2 else -1.0), k // 2
        angle, spread = 2.0 * np.pi * ring / 6.0, 0.26 if ring else 0.0
        knot = at[hand] + (0.20 * side, 0.0, 0.0)
        top = knot + np.array([spread * np.cos(angle), 0.80 + 0.20 * (ring % 2), spread * np.sin(angle)])
        name = f"balloon{k + 1}"
        balloons[name] = Balloon.ellipsoid(
            (0.13, 0.15, 0.13),
            center=tuple(top.tolist()),
            neck=0.3,
            detail=2,
            skin=Skin(density=0.03),
            gas=Gas(fill=1.28),  # 1.2 floats: less sinks
            string=String(length=0.95, segments=8, end=tuple(at[hand].tolist()), held=False),
            color=COLORS[k % len(COLORS)],
        )
        until = CUT + 0.45 * ring
        ties.append(Tie(a=f"{name}:string", b=f"puppet:{hand}", until=until))
    return Scene(
        parts={"puppet": puppet, **balloons},
        fields=(Gravity(), Wind(velocity=(0.25, 0.0, 0.0), gust=0.4, seed=2)),
        colliders=(Ground(),),
        ties=tuple(ties),
        title="Carried off",
        seconds=8.0,
        view=View(eye=(1.4, 1.5, 4.6), target=(0.3, 1.35, 0.0)),
    )


def catch() -> Scene:
    """Two puppets hold a cloth by cords; rubber balls of air fall into it and are caught."""
    far = 0.80
    holders = {name: _holder(x) for name, x in (("left", -far), ("right", far))}
    columns, rows = 40, 16
    cloth = Cloth.sheet(
        width=1.24,
        height=0.48,
        columns=columns,
        rows=rows,
        lies="flat",
        center=(0.0, 0.30, 0.0),
        fabric=FABRICS["cotton"].replace(thickness=5e-3, friction=0.6),
        self_contact=False,
        pattern="check",
        color=(0.62, 0.12, 0.10),
    )
    balls = {
        f"ball{k + 1}": Balloon.sphere(
            radius=0.07,
            detail=2,
            center=place,
            gas=Gas(kind="air", fill=1.1),
            skin=SKINS["rubber sheet"],
            color=COLORS[2 * k],
        )
        for k, place in enumerate(((-0.2, 0.85, 0.0), (0.2, 1.15, 0.0), (0.0, 1.5, 0.0)))
    }
    near, back = 0, rows * (columns + 1)  # the front border is the one with greater z
    corners = (
        ("left", near, "right"),
        ("left", back, "left"),
        ("right", near + columns, "left"),
        ("right", back + columns, "right"),
    )
    return Scene(
        parts={"cloth": cloth, **holders, **balls},
        fields=(Gravity(), Wind()),
        colliders=(Ground(),),
        ties=tuple(Tie(a=f"cloth:{row}", b=f"{name}:hand_{hand}", length=None) for name, row, hand in corners),
        title="Catch",
        seconds=5.0,
        view=View(eye=(0.5, 0.95, 2.5), target=(0.0, 0.42, 0.0)),
    )


def _holder(x: float) -> Puppet:
    """A puppet that looks at the middle and brings its hands forward and up."""
    whole = Puppet.human(height=0.6, mass=3.0)
    pose = standing(whole, 2.0)
    for side in ("left", "right"):
        pose = waved(whole, pose, side, lambda t: (np.full_like(t, 1.35), np.full_like(t, 0.15), np.full_like(t, 0.1)))
    heading = 90.0 if x < 0.0 else -90.0
    drive = Drive.of_pose(whole, pose, heading=heading, stiffness=1200.0)
    return whole.turned((0.0, heading, 0.0)).replace(drive=drive, places=((x, 0.0, 0.0),))
