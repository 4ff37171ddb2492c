"""A puppet of 14 segments, drawn by its right hand."""

import numpy as np

import pliant

puppet = pliant.Puppet.human(height=0.6)
session = pliant.Session(pliant.Scene(parts={"puppet": puppet}, fields=[pliant.Gravity(acceleration=(0, 0, 0))]))
hand = session.grab("puppet", point=puppet.index("hand_right"))
start = np.array(puppet.segments[puppet.index("hand_right")].center)
way = np.array([0.005, 0.003, 0.0])  # [m] per frame
for step in range(60):
    session.move(hand, start + step * way)
    frame = session.step()

poses = {pose.name: pose for pose in frame["puppet"].poses}
print("right hand:", poses["hand_right"].position, " head:", poses["head"].position)
assert np.linalg.norm(poses["hand_right"].position - (start + 59 * way)) < 0.03
