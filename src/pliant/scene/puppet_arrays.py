"""The arrays a puppet stands for: joints, inertia, contact points, and the mesh that is drawn."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry import rotation
from pliant.geometry.limbs import ball_inertia, box_inertia, capsule_inertia, rounded_block
from pliant.scene.puppet import Joint, Puppet, Segment
from pliant.world import Joints

EDGE = 0.45  # rounding of a box's edges, in parts of its smallest half size


class Shell(NamedTuple):
    """The drawn mesh of a part's segments; it moves rigidly with them."""

    points: Array  # (v, 3) [m] from the segment's centre, in its axes
    segment: Array  # (v,) row of the segment
    triangles: Array  # (m, 3)
    color: Array  # (v, 3) linear RGB


class Bodies(NamedTuple):
    """Columns of all copies of a puppet."""

    position: Array  # (n, 3) [m]
    rotation_xyzw: Array  # (n, 4)
    mass: Array  # (n,) [kg]
    inertia: Array  # (n, 3) [kg m^2]
    joints: Joints
    names: tuple[str, ...]
    contact_points: Array  # (c, 4) [m] local centre and radius
    contact_start: Array  # (n + 1,)
    capsules: Array  # (n, 7) [m] local end points and radius of the segment's stand-in against other segments


def bodies(puppet: Puppet) -> Bodies:
    """All copies, one after the other."""
    copies, places = len(puppet.places), np.array(puppet.places, float)
    center = np.array([s.center for s in puppet.segments])
    turn = rotation.normalized(np.array([s.rotation_xyzw for s in puppet.segments]))
    mass = np.array([s.mass for s in puppet.segments])
    inertia = mass[:, None] * np.array([_inertia(s) for s in puppet.segments])
    points = [_contact_points(s) for s in puppet.segments]
    counts = np.tile([len(p) for p in points], copies)
    names = [s.name for s in puppet.segments]
    return Bodies(
        position=(places[:, None] + center[None]).reshape(-1, 3),
        rotation_xyzw=np.tile(turn, (copies, 1)),
        mass=np.tile(mass, copies),
        inertia=np.tile(inertia, (copies, 1)),
        joints=_joints(puppet, center, turn, copies),
        names=tuple(names if copies == 1 else [f"{name}_{k}" for k in range(copies) for name in names]),
        contact_points=np.tile(np.concatenate(points), (copies, 1)),
        contact_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        capsules=np.tile(np.array([_capsule(s) for s in puppet.segments]), (copies, 1)),
    )


def _joints(puppet: Puppet, center: Array, turn: Array, copies: int) -> Joints:
    row = {s.name: k for k, s in enumerate(puppet.segments)}
    parent = np.array([row[j.parent] for j in puppet.joints], np.int64)
    child = np.array([row[j.child] for j in puppet.joints], np.int64)
    count = len(puppet.joints)
    anchor = np.array([j.anchor for j in puppet.joints], float).reshape(count, 3)
    axis = np.array([j.axis for j in puppet.joints], float).reshape(count, 3)
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    neutral = rotation.from_rotation_vector(np.deg2rad([j.neutral for j in puppet.joints]).reshape(count, 3))
    # the neutral turn is said in world axes at rest, between the rest poses; the table wants it between the axes
    at_rest = rotation.multiply(rotation.inverse(turn[parent]), rotation.multiply(neutral, turn[child]))
    table = Joints(
        parent=parent,
        child=child,
        parent_anchor=rotation.rotate(rotation.inverse(turn[parent]), anchor - center[parent]),
        child_anchor=rotation.rotate(rotation.inverse(turn[child]), anchor - center[child]),
        axis=axis,
        neutral_xyzw=at_rest,
        swing=np.array([np.inf if j.swing is None or j.swing >= 180.0 else np.deg2rad(j.swing) for j in puppet.joints]),
        twist_low=np.array([_bound(j, 0) for j in puppet.joints]),
        twist_high=np.array([_bound(j, 1) for j in puppet.joints]),
    )
    shift = (np.arange(copies)[:, None] * len(puppet.segments)).astype(np.int64)
    tiled = {name: np.concatenate([column] * copies) for name, column in table._asdict().items()}
    tiled["parent"], tiled["child"] = (parent[None] + shift).ravel(), (child[None] + shift).ravel()
    return Joints(**tiled)


def _bound(joint: Joint, side: int) -> float:
    if joint.twist is None or (joint.twist == (-180.0, 180.0)):
        return float(np.inf if side else -np.inf)
    return float(np.deg2rad(joint.twist[side]))


def half_size(segment: Segment) -> Array:
    """(3,) outer half sizes [m]."""
    if segment.shape == "box":
        return 0.5 * np.array(segment.size)
    if segment.shape == "sphere":
        return np.full(3, segment.size[0])
    return np.array([segment.size[0], 0.5 * segment.size[1], segment.size[0]])


def edge_radius(segment: Segment) -> float:
    """Rounding of the segment [m]; of balls and capsules their radius."""
    half = half_size(segment)
    return float(half.min() * (EDGE if segment.shape == "box" else 1.0))


def _inertia(segment: Segment) -> Array:
    if segment.shape == "box":
        return box_inertia(half_size(segment))
    if segment.shape == "sphere":
        return ball_inertia(segment.size[0])
    return capsule_inertia(*segment.size)


def _contact_points(segment: Segment) -> Array:
    """Balls on the skeleton of the shape, at most seven radii apart along an edge."""
    radius = edge_radius(segment)
    core = half_size(segment) - radius
    lines = [np.linspace(-c, c, min(2 + int(2 * c / (7 * radius)), 4)) if c > 1e-9 else np.zeros(1) for c in core]
    grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    at_end = np.stack([np.isclose(np.abs(grid[:, k]), core[k]) for k in range(3)], axis=1)
    edges = grid[at_end.sum(axis=1) >= 2] if segment.shape == "box" else grid
    return np.concatenate([edges, np.full((len(edges), 1), radius)], axis=1)


def _capsule(segment: Segment) -> Array:
    half = half_size(segment)
    axis = int(np.argmax(half))
    others = np.delete(half, axis)
    radius = float(min(0.5 * (others.min() + others.max()), half[axis]))
    end = np.zeros(3)
    end[axis] = max(half[axis] - radius, 0.0)
    return np.concatenate([-end, end, [radius]])


def shell(puppet: Puppet) -> Shell:
    """The mesh of every segment of every copy."""
    points, owner, triangles, colors = [], [], [], []
    count = 0
    for k, segment in enumerate(puppet.segments):
        p, t = rounded_block(half_size(segment), edge_radius(segment), puppet.detail)
        points.append(p)
        owner.append(np.full(len(p), k))
        triangles.append(t + count)
        colors.append(np.tile(segment.color or puppet.color or (0.62, 0.40, 0.22), (len(p), 1)))
        count += len(p)
    copies = np.arange(len(puppet.places))
    one = np.concatenate(owner)
    faces = np.concatenate(triangles)
    return Shell(
        points=np.tile(np.concatenate(points), (len(copies), 1)),
        segment=(one[None] + copies[:, None] * len(puppet.segments)).ravel(),
        triangles=(faces[None] + copies[:, None, None] * count).reshape(-1, 3).astype(Index),
        color=np.tile(np.concatenate(colors), (len(copies), 1)),
    )
