"""From joints to a walk: every tree of a part from its root outwards, with all constants at hand."""

from collections import deque
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import SceneError
from pliant.geometry import rotation
from pliant.integrators.articulated import columns as c
from pliant.integrators.articulated import loops, supports
from pliant.kernels import scratch_rows
from pliant.kernels.shapes import Shapes
from pliant.world import Part
from pliant.world.joints import Joints


class Plan(NamedTuple):
    """What the kernels of `step` take: one row per segment, in the order of the walk; slots count from the tree's root.

    Scratch belongs to a thread, not to a tree: what fits in its cache is used again for the next tree.
    """

    constants: Array  # (n, CONSTANTS)
    variables: Array  # (threads, largest tree, VARIABLES) scratch
    integers: Array  # (n, INTEGERS) int64
    start: Array  # (t + 1,) first slot of each tree
    settings: Array  # (5,) damping, longest step, largest turn, most substeps, tolerance
    last_step: Array  # (t,) [s] length of the substep before; 0 at the start
    counts: Array  # (t, 4) int64: substeps, of them cautious
    tree_mass: Array  # (t,) [kg]
    pulls: Array  # (p, PULL_NUMBERS) hands and strings, by tree
    pull_start: Array  # (t + 1,)
    pull_slot: Array  # (p,)
    support_numbers: Array  # (threads, CAPACITY, NUMBERS) scratch
    support_integers: Array  # (threads, CAPACITY, INTEGERS)
    support_count: Array  # (threads, 1)
    shape_kind: Array  # the columns of Shapes, one by one: a threaded loop takes no tuple within a tuple
    shape_center: Array
    shape_axes: Array
    shape_size: Array
    shape_rounding: Array
    obstacle_friction: Array  # (o,) with the part's own
    ball_start: Array  # the columns of Balls
    ball_at: Array
    ball_plane: Array
    contact_points: Array  # (c, 4) [m] local centre and radius
    point_start: Array  # (n + 1,) first contact point of each of the part's segments
    segment_size: Array  # (n,) [m] no contact point of the segment is farther from its centre
    loops: Array  # (l, loops.NUMBERS) joints that close loops, by tree
    loop_slots: Array  # (l, 2)
    loop_matrix: Array  # (3 l, 3 LARGEST) scratch
    loop_start: Array  # (t + 1,)


class Walk(NamedTuple):
    """The order in which one tree is walked."""

    segments: list[int]
    carrier: list[int]  # slot of the segment that carries it, -1 at the root
    joint: list[int]  # -1 at the root
    closing: list[int]  # joints that close a loop


def walk(neighbours: list[list[tuple[int, int]]], root: int) -> Walk:
    """Breadth first from `root`."""
    slot, segments, carrier, joint = {root: 0}, [root], [-1], [-1]
    used: set[int] = set()
    closing: list[int] = []
    queue = deque([root])
    while queue:
        at = queue.popleft()
        for j, other in neighbours[at]:
            if j in used:
                continue
            used.add(j)
            if other in slot:
                closing.append(j)
                continue
            slot[other] = len(segments)
            segments.append(other)
            carrier.append(slot[at])
            joint.append(j)
            queue.append(other)
    return Walk(segments, carrier, joint, closing)


def nearest_walks(neighbours: list[list[tuple[int, int]]], roots: list[int]) -> list[Walk]:
    """Breadth first from all roots at once."""
    walks = [Walk([root], [-1], [-1], []) for root in roots]
    slot = {root: (n, 0) for n, root in enumerate(roots)}
    used: set[int] = set()
    queue = deque(roots)
    while queue:
        at = queue.popleft()
        owner, place = slot[at]
        one = walks[owner]
        for j, other in neighbours[at]:
            if j in used:
                continue
            used.add(j)
            if other in slot:
                one.closing.append(j)
                continue
            slot[other] = (owner, len(one.segments))
            one.segments.append(other)
            one.carrier.append(place)
            one.joint.append(j)
            queue.append(other)
    return walks


def neighbours_of(joints: Joints, count: int) -> list[list[tuple[int, int]]]:
    """For each segment its joints and what is beyond them."""
    beyond: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for j, (a, b) in enumerate(zip(joints.parent.tolist(), joints.child.tolist(), strict=True)):
        beyond[a].append((j, b))
        beyond[b].append((j, a))
    return beyond


def roots_of(neighbours: list[list[tuple[int, int]]], held: Array) -> list[int]:
    """One per tree: its first held segment, or its first segment."""
    seen = np.zeros(len(neighbours), bool)
    roots = []
    for first in range(len(neighbours)):
        if seen[first]:
            continue
        members, queue = [first], deque([first])
        seen[first] = True
        while queue:
            for _, other in neighbours[queue.popleft()]:
                if not seen[other]:
                    seen[other] = True
                    members.append(other)
                    queue.append(other)
        roots.append(min((m for m in members if held[m]), default=first))
    return roots


def make_plan(
    part: Part, joints: Joints, held: Array, settings: Array, *, groups: bool = False
) -> tuple[Plan, list[int]]:
    """The plan of a part and the joints that close loops in it.

    With `groups` every held segment is the root of what is nearest to it; joints where two groups meet close no loop of
    one group but are returned too.
    """
    count = len(part.inertia)
    neighbours = neighbours_of(joints, count)
    roots = roots_of(neighbours, held)
    if groups:
        more = [k for k in np.flatnonzero(held).tolist() if k not in roots]
        walks = nearest_walks(neighbours, roots + more)
    else:
        walks = [walk(neighbours, root) for root in roots]
    start = np.cumsum([0, *(len(w.segments) for w in walks)]).astype(np.int64)
    constants, integers = np.zeros((count, c.CONSTANTS)), np.zeros((count, c.INTEGERS), np.int64)
    for first, one in zip(start.tolist(), walks, strict=False):
        _fill(constants, integers, first, one, joints)
    row = integers[:, c.ROW]
    constants[:, c.MASS] = part.mass[row]
    constants[:, c.IMASS] = 1.0 / part.mass[row]
    constants[:, c.INERTIA : c.INERTIA + 3] = part.inertia[row]
    constants[:, c.IINERTIA : c.IINERTIA + 3] = 1.0 / part.inertia[row]
    trees, threads = len(walks), scratch_rows()
    points, point_start, size = contact_points(part)
    plan = Plan(
        constants=constants,
        variables=np.zeros((1, count, c.VARIABLES) if groups else (threads, int(np.diff(start).max()), c.VARIABLES)),
        integers=integers,
        start=start,
        settings=settings,
        last_step=np.zeros(trees),
        counts=np.zeros((trees, 4), np.int64),
        tree_mass=np.add.reduceat(constants[:, c.MASS], start[:-1]),
        pulls=np.zeros((0, supports.PULL_NUMBERS)),
        pull_start=np.zeros(trees + 1, np.int64),
        pull_slot=np.zeros(0, np.int64),
        support_numbers=np.zeros((threads, supports.CAPACITY, supports.NUMBERS)),
        support_integers=np.zeros((threads, supports.CAPACITY, supports.INTEGERS), np.int64),
        support_count=np.zeros((threads, 1), np.int64),
        **shape_columns(no_shapes()),
        obstacle_friction=np.zeros(0),
        ball_start=np.zeros(count + 1, np.int64),
        ball_at=np.zeros((0, 4)),
        ball_plane=np.zeros((0, 0)),
        contact_points=points,
        point_start=point_start,
        segment_size=size,
        **_loop_tables(part, joints, [[] if groups else one.closing for one in walks], walks),
    )
    return plan, [j for one in walks for j in one.closing]


def _loop_tables(part: Part, joints: Joints, closing: list[list[int]], walks: list[Walk]) -> dict[str, Array]:
    """Columns of the joints that close loops. Their limits are not kept, only their points."""
    most = max((len(one) for one in closing), default=0)
    if most > loops.LARGEST:
        raise SceneError(
            f"part {part.name!r}: {most} joints close loops in one tree; {loops.LARGEST} can be solved, remove some"
        )
    j = np.array([k for one in closing for k in one], np.int64)
    slots = [
        (one.segments.index(int(joints.parent[k])), one.segments.index(int(joints.child[k])))
        for one, found in zip(walks, closing, strict=True)
        for k in found
    ]
    numbers = np.zeros((len(j), loops.NUMBERS))
    numbers[:, loops.POINT_A : loops.POINT_A + 3] = joints.parent_anchor[j]
    numbers[:, loops.POINT_B : loops.POINT_B + 3] = joints.child_anchor[j]
    return {
        "loops": numbers,
        "loop_slots": np.array(slots, np.int64).reshape(-1, 2),
        "loop_matrix": np.zeros((3 * len(j), 3 * loops.LARGEST)),
        "loop_start": np.cumsum([0, *map(len, closing)]).astype(np.int64),
    }


def shape_columns(shapes: Shapes) -> dict[str, Array]:
    """The plan's columns of obstacles."""
    return {f"shape_{name}": column for name, column in shapes._asdict().items()}


def no_shapes() -> Shapes:
    """A stage without obstacles."""
    return Shapes(np.zeros(0, np.uint8), np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros(0))


def _fill(constants: Array, integers: Array, first: int, one: Walk, joints: Joints) -> None:
    """The rows of one tree."""
    count = len(one.segments)
    up = np.maximum(np.array(one.carrier), 0)
    rows = slice(first, first + count)
    integers[rows, c.ROW] = one.segments
    integers[rows, c.UP] = up
    integers[rows, c.PARENT] = integers[rows, c.CHILD] = np.arange(count)
    if count == 1:
        return
    j, k = np.array(one.joint[1:]), np.arange(first + 1, first + count)
    forward = joints.child[j] == np.array(one.segments[1:])
    carrier, here = joints.parent_anchor[j], joints.child_anchor[j]
    constants[k, c.CARRIER : c.CARRIER + 3] = np.where(forward[:, None], carrier, here)
    constants[k, c.HERE : c.HERE + 3] = np.where(forward[:, None], here, carrier)
    stem = constants[k, c.CARRIER : c.CARRIER + 3] - constants[first + up[1:], c.HERE : c.HERE + 3]
    constants[k, c.STEM : c.STEM + 3] = stem
    integers[k, c.PARENT] = np.where(forward, up[1:], k - first)
    integers[k, c.CHILD] = np.where(forward, k - first, up[1:])
    _fill_freedoms(constants, integers, k, joints, j)


def _fill_freedoms(constants: Array, integers: Array, k: Array, joints: Joints, j: Array) -> None:
    """Limits of the joints j in the slots k."""
    axis, neutral = joints.axis[j], joints.neutral_xyzw[j]
    swing, low, high = joints.swing[j], joints.twist_low[j], joints.twist_high[j]
    locked, bounded = low == high, np.isfinite(low) | np.isfinite(high)
    kind = np.where(swing == 0.0, c.HINGE, np.where(np.isfinite(swing), c.SWING_LIMIT, 0))
    kind |= np.where(locked, c.TWIST_LOCKED, np.where(bounded, c.TWIST_LIMIT, 0))
    integers[k, c.KIND] = kind
    constants[k, c.NEUTRAL : c.NEUTRAL + 4] = neutral
    turned = rotation.multiply(neutral, np.concatenate([axis, np.zeros((len(j), 1))], axis=1))
    constants[k, c.NEUTRAL_E : c.NEUTRAL_E + 4] = turned
    constants[k, c.COSINE2] = np.cos(0.5 * np.minimum(swing, np.pi)) ** 2
    almost = np.pi * (1.0 - 1e-9)
    constants[k, c.TANGENT_LOW] = np.where(low > -np.pi, np.tan(0.5 * np.maximum(low, -almost)), -1e30)
    constants[k, c.TANGENT_HIGH] = np.where(high < np.pi, np.tan(0.5 * np.minimum(high, almost)), 1e30)
    constants[k, c.SWING], constants[k, c.LOW], constants[k, c.HIGH] = swing, low, high
    for column, limit in ((c.HALF_SWING, swing), (c.HALF_LOW, low), (c.HALF_HIGH, high)):
        half = 0.5 * np.clip(limit, -np.pi, np.pi)
        constants[k, column], constants[k, column + 1] = np.sin(half), np.cos(half)
    along = rotation.rotate(neutral, axis)
    constants[k, c.AXIS_A : c.AXIS_A + 3], constants[k, c.AXIS_B : c.AXIS_B + 3] = along, axis
    across = np.where(np.abs(along[:, :1]) < 0.7, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    side = np.cross(along, across)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    constants[k, c.SIDE_1 : c.SIDE_1 + 3] = side
    constants[k, c.SIDE_2 : c.SIDE_2 + 3] = np.cross(along, side)


def contact_points(part: Part) -> tuple[Array, Array, Array]:
    """Balls that stand for the segments in contact: local centre and radius, first of each segment, largest reach."""
    points = part.extra.get("contact_points", np.zeros((0, 4)))
    start = part.extra.get("contact_start", np.zeros(len(part.inertia) + 1, np.int64))
    reach = np.linalg.norm(points[:, :3], axis=1) + points[:, 3]
    size = np.array([reach[a:b].max(initial=0.0) for a, b in pairwise(start)])
    return points, start, size
