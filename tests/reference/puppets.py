"""Puppets outside a scene: a stepper with its rows, and what mechanics says of them."""

import numpy as np

import pliant
from pliant.geometry import rotation
from pliant.integrators import Shake
from pliant.world import rows_of

GRAVITY = np.array([0.0, -9.81, 0.0])


class Run:
    """One puppet under its own integrator, stepped by hand."""

    def __init__(self, puppet, *, integrator=None, colliders=(), gravity=GRAVITY):
        scene = pliant.Scene(parts={"puppet": puppet}, colliders=colliders)
        self.world = pliant.build(scene, integrator=integrator)
        self.part = self.world.parts["puppet"]
        self.stepper = self.part.integrator.bind(self.world, self.part)
        self.state = self.world.initial_state()
        self.rows = rows_of(self.state, self.part)
        self.force = self.part.mass[:, None] * np.asarray(gravity)
        self.joints = self.part.tables[0]

    def step(self, h, count=1):
        for _ in range(count):
            self.stepper.advance(self.rows, self.force.copy(), h)
        return self

    def drag(self, row, goal, h):
        """Take a held segment to `goal` within one step."""
        self.rows.velocity[row] = (np.asarray(goal) - self.rows.position[row]) / h
        self.step(h)

    def gaps(self):
        """(j,) distance between the two points of every joint [m]."""
        return np.linalg.norm(self.anchors(0) - self.anchors(1), axis=1)

    def anchors(self, side):
        j = self.joints
        row, at = (j.parent, j.parent_anchor) if side == 0 else (j.child, j.child_anchor)
        return self.rows.position[row] + rotation.rotate(self.rows.rotation_xyzw[row], at)

    def momentum(self):
        """Linear momentum, and angular momentum about the centre of mass."""
        m, x, v = self.part.mass[:, None], self.rows.position, self.rows.velocity
        total = (m * v).sum(axis=0)
        centre = (m * x).sum(axis=0) / m.sum()
        return total, (m * np.cross(x - centre, v)).sum(axis=0) + self.spin_momentum().sum(axis=0)

    def spin_momentum(self):
        q, w = self.rows.rotation_xyzw, self.rows.spin
        return rotation.rotate(q, self.part.inertia * rotation.rotate(rotation.inverse(q), w))

    def energy(self, gravity=9.81):
        free = self.rows.inverse_mass > 0
        m, v = self.part.mass, self.rows.velocity
        kinetic = 0.5 * (m[:, None] * v**2).sum(axis=1) + 0.5 * (self.rows.spin * self.spin_momentum()).sum(axis=1)
        return float((kinetic + m * gravity * self.rows.position[:, 1])[free].sum())

    def centre(self):
        return (self.part.mass[:, None] * self.rows.position).sum(axis=0) / self.part.mass.sum()

    def limit_excess(self):
        """(j,) how far every joint is outside its limits [rad], by whole rotations."""
        j, q = self.joints, self.rows.rotation_xyzw
        frame = rotation.multiply(q[j.parent], j.neutral_xyzw)
        turn = rotation.multiply(rotation.inverse(frame), q[j.child])
        along = np.einsum("ij,ij->i", turn[:, :3], j.axis)
        twist = (2.0 * np.arctan2(along, turn[:, 3]) + np.pi) % (2.0 * np.pi) - np.pi
        swing = 2.0 * np.arccos(np.clip(np.hypot(along, turn[:, 3]), 0.0, 1.0))
        out = np.maximum(swing - j.swing, 0.0)
        return np.maximum.reduce([out, twist - j.twist_high, j.twist_low - twist])


def fixed_steps(**options):
    """The default method without its own choice of substeps."""
    return Shake(**({"longest_step": 1.0, "largest_turn": 1.0, "most": 1} | options))


def point_chain(angles, length):
    """Point masses on massless rods from the origin, each rod at an angle [rad] from the vertical."""
    place, segments, joints = np.zeros(3), [], []
    segments.append(pliant.Segment(name="p0", shape="sphere", size=(1e-3,), center=(0, 0, 0), mass=1.0))
    for k, angle in enumerate(angles):
        joint = tuple(place)
        place = place + length * np.array([np.sin(angle), -np.cos(angle), 0.0])
        name = f"p{k + 1}"
        segments.append(pliant.Segment(name=name, shape="sphere", size=(1e-3,), center=tuple(place), mass=1.0))
        joints.append(pliant.Joint(parent=f"p{k}", child=name, anchor=joint))
    return pliant.Puppet(segments=tuple(segments), joints=tuple(joints), held=("p0",), damping=0.0)
