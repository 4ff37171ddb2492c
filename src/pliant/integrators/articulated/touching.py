"""Segments keep out of each other: impulses between capsules, on the velocities before a substep.

A pair nearer than it can close in one substep gets an impulse that lets it close the gap and no more; a pair that is
already too deep is parted at a fifth of its depth per substep. An impulse is answered by the whole tree at once: with
the tree's factored mass matrix the motion of every segment of it is found in one pass out and back, so a hand that
meets something feels the body behind it and joints stay closed (Featherstone 2008, section 11.7). Each contact is
solved in turn, its push at least zero, its Coulomb friction within the cone, several rounds in a fixed order. Both
sides get the same impulse at the same point: momentum and angular momentum are kept.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.integrators.articulated import columns as c
from pliant.integrators.articulated.loops import GAP, add_pulls, find_pulls
from pliant.integrators.articulated.motion import gather
from pliant.integrators.articulated.plan import Plan, make_plan
from pliant.integrators.articulated.step import rows_and_factor, tables_of
from pliant.integrators.articulated.supports import Tree
from pliant.integrators.articulated.tree import solve
from pliant.kernels import kernel
from pliant.kernels.vectors import (
    add,
    along,
    cross,
    dot,
    get3,
    get4,
    norm,
    put3,
    put6,
    scale,
    sub,
    turn,
)  # fmt: skip
from pliant.world import Joints, Part, Rows

NEAR = 0.005  # [m] a gap that is wider than this and than the pair can close in one substep is not looked at
PARTING = 0.2  # share of the depth undone per substep
PARTING_SPEED = 0.5  # [m/s] at most
ROUNDS = 8
CAPACITY = 4096  # contacts of one substep; further ones wait for the next

# columns of a contact
NORMAL, POINT, SPEED, PUSH, FRICTION, GIVE, GIVE_ACROSS, MU, FIRST, SECOND = 0, 3, 6, 7, 8, 11, 12, 13, 14, 15
NUMBERS = 16


class Crew(NamedTuple):
    """The segments of all parts that may meet, as the kernels take them."""

    capsules: Array  # (n, 7) [m] end points and radius, body axes
    friction: Array  # (n,)
    owner: Array  # (n,) number of the part
    own_pairs: Array  # (p, 2) rows within one tree that may touch
    slot: Array  # (n,) place in the plan
    tree: Array  # (n,) tree in the plan
    strangers: bool  # trees of one part do not meet


class Touching:
    """The segments of a part among themselves, or those of several parts with each other."""

    def __init__(self, parts: list[Part]) -> None:
        self._whole, self._joints = _united(parts)
        counts = [len(p.inertia) for p in parts]
        alone = len(parts) == 1
        self._crew = Crew(
            capsules=self._whole.extra["capsules"],
            friction=np.repeat([p.friction for p in parts], counts),
            owner=np.repeat(np.arange(len(parts)), counts),
            own_pairs=_pairs(parts[0], self._joints) if alone else np.zeros((0, 2), np.int64),
            slot=np.zeros(sum(counts), np.int64),
            tree=np.zeros(sum(counts), np.int64),
            strangers=not alone,
        )
        self._ends = np.zeros((sum(counts), 10))  # end points, middle and reach, in the world
        self._contacts = np.zeros((CAPACITY, NUMBERS))
        self._held: Array | None = None
        self.count = 0  # contacts found last

    def push_apart(self, rows: Rows, h: float) -> float:
        """Change velocities and spins; returns the deepest contact found [m]."""
        held = rows.inverse_mass == 0.0
        if self._held is None or not np.array_equal(held, self._held):
            self._replan(held)
        self.count, deepest = _find(rows, self._plan.start, self._order, self._crew, self._ends, self._contacts, h)
        if self.count:
            _strike(rows, self._plan, self._crew, self._contacts[: self.count])
        return float(deepest)

    def _replan(self, held: Array) -> None:
        plan, _ = make_plan(self._whole, self._joints, held, np.zeros(5))
        self._plan: Plan = plan._replace(variables=np.zeros((1, len(held), c.VARIABLES)))
        self._held, self._order = held, np.ascontiguousarray(plan.integers[:, c.ROW])
        self._crew.slot[self._order] = np.arange(len(held))
        self._crew.tree[self._order] = np.repeat(np.arange(len(plan.start) - 1), np.diff(plan.start))


def _united(parts: list[Part]) -> tuple[Part, Joints]:
    """All parts as one, and the joints of all."""
    shift = np.cumsum([0, *(len(p.inertia) for p in parts)])
    tables = [part.table(Joints) for part in parts]
    columns = {name: np.concatenate([getattr(t, name) for t in tables]) for name in Joints._fields}
    for name in ("parent", "child"):
        columns[name] = np.concatenate([getattr(t, name) + s for t, s in zip(tables, shift, strict=False)])
    whole = replace(
        parts[0],
        mass=np.concatenate([p.mass for p in parts]),
        inertia=np.concatenate([p.inertia for p in parts]),
        extra={"capsules": np.concatenate([np.asarray(p.extra["capsules"], float) for p in parts])},
    )
    return whole, Joints(**columns)


def _pairs(part: Part, joints: Joints) -> Array:
    """Pairs of segments of one puppet that do not share a joint and are apart at rest, for every copy."""
    copies = len(part.extra["puppet"].places) if "puppet" in part.extra else 1
    count = len(part.inertia) // copies
    a, b = np.triu_indices(count, 1)
    joined = np.zeros((count, count), bool)
    own = joints.parent < count
    parent, child = joints.parent[own], joints.child[own]
    joined[parent, child] = joined[child, parent] = True
    free = ~joined[a, b]
    pairs = np.stack([a[free], b[free]], axis=1).astype(np.int64)
    ends, capsules = np.zeros((count, 10)), np.asarray(part.extra["capsules"], float)[:count]
    _place(part.rest_position[:count], part.rest_rotation_xyzw[:count], capsules, ends)
    gaps = np.zeros(len(pairs))
    _gaps(ends, capsules, pairs, gaps)
    pairs = pairs[gaps > -1e-3]
    return (pairs[None] + count * np.arange(copies)[:, None, None]).reshape(-1, 2)


@kernel
def nearest_of_segments(p1, q1, p2, q2):
    """Nearest points of two straight segments (Ericson 2005, section 5.1.9)."""
    d1, d2, r = sub(q1, p1), sub(q2, p2), sub(p1, p2)
    a, e, f = dot(d1, d1), dot(d2, d2), dot(d2, r)
    c = dot(d1, r)
    s, t = 0.0, 0.0
    if a > 1e-12 and e > 1e-12:
        b = dot(d1, d2)
        flat = a * e - b * b
        s = min(max((b * f - c * e) / flat, 0.0), 1.0) if flat > 1e-12 * a * e else 0.0
        t = (b * s + f) / e
        if t < 0.0 or t > 1.0:
            t = min(max(t, 0.0), 1.0)
            s = min(max((b * t - c) / a, 0.0), 1.0)
    elif a > 1e-12:
        s = min(max(-c / a, 0.0), 1.0)
    elif e > 1e-12:
        t = min(max(f / e, 0.0), 1.0)
    return along(p1, s, d1), along(p2, t, d2)


@kernel
def _place(position, rotation, capsules, ends):
    """End points, middle and reach of every capsule in the world."""
    for i in range(len(capsules)):
        x, q = get3(position, i, 0), get4(rotation, i, 0)
        a, b = add(x, turn(q, get3(capsules, i, 0))), add(x, turn(q, get3(capsules, i, 3)))
        put3(ends, i, 0, a)
        put3(ends, i, 3, b)
        put3(ends, i, 6, scale(0.5, add(a, b)))
        ends[i, 9] = 0.5 * norm(sub(b, a)) + capsules[i, 6]


@kernel
def _gaps(ends, capsules, pairs, gaps):
    for n in range(len(pairs)):
        a, b = pairs[n, 0], pairs[n, 1]
        ca, cb = nearest_of_segments(get3(ends, a, 0), get3(ends, a, 3), get3(ends, b, 0), get3(ends, b, 3))
        gaps[n] = norm(sub(cb, ca)) - capsules[a, 6] - capsules[b, 6]


@kernel
def _find(rows, start, order, crew, ends, contacts, h):
    """Contacts that may happen in this substep: how many, and how deep the worst is [m]."""
    _place(rows.position, rows.rotation_xyzw, crew.capsules, ends)
    found, deepest = 0, 0.0
    for n in range(len(crew.own_pairs)):
        found, deepest = _meet(
            rows, crew, ends, contacts, crew.own_pairs[n, 0], crew.own_pairs[n, 1], h, found, deepest
        )
    trees = len(start) - 1
    balls = np.empty((trees, 5))
    for t in range(trees):
        _enclose(rows, ends, order[start[t] : start[t + 1]], balls[t])
    for s in range(trees):
        for t in range(s):
            if crew.strangers and crew.owner[order[start[s]]] == crew.owner[order[start[t]]]:
                continue
            x, y, z = balls[s, 0] - balls[t, 0], balls[s, 1] - balls[t, 1], balls[s, 2] - balls[t, 2]
            near = balls[s, 3] + balls[t, 3] + max(1.5 * h * (balls[s, 4] + balls[t, 4]), NEAR)
            if x * x + y * y + z * z > near * near:
                continue
            for m in range(start[s], start[s + 1]):
                for n in range(start[t], start[t + 1]):
                    found, deepest = _meet(rows, crew, ends, contacts, order[n], order[m], h, found, deepest)
    return found, deepest


@kernel
def _enclose(rows, ends, members, ball):
    """A ball around a tree, and the speed that no point of it exceeds."""
    ball[:] = 0.0
    for i in members:
        for k in range(3):
            ball[k] += ends[i, 6 + k] / len(members)
    for i in members:
        away = sub(get3(ends, i, 6), (ball[0], ball[1], ball[2]))
        ball[3] = max(ball[3], norm(away) + ends[i, 9])
        ball[4] = max(ball[4], norm(get3(rows.velocity, i, 0)) + norm(get3(rows.spin, i, 0)) * ends[i, 9])


@kernel
def velocity_at(rows, i, p):
    return add(get3(rows.velocity, i, 0), cross(get3(rows.spin, i, 0), sub(p, get3(rows.position, i, 0))))


@kernel
def _meet(rows, crew, ends, contacts, a, b, h, found, deepest):
    """Add the contact of two segments if they can touch in this substep."""
    reach = ends[a, 9] + ends[b, 9]
    way = sub(get3(ends, b, 6), get3(ends, a, 6))
    fast = norm(sub(get3(rows.velocity, b, 0), get3(rows.velocity, a, 0)))
    fast += norm(get3(rows.spin, a, 0)) * ends[a, 9] + norm(get3(rows.spin, b, 0)) * ends[b, 9]
    near = max(NEAR, 1.5 * h * fast)
    if dot(way, way) > (reach + near) * (reach + near) or found >= len(contacts):
        return found, deepest
    ca, cb = nearest_of_segments(get3(ends, a, 0), get3(ends, a, 3), get3(ends, b, 0), get3(ends, b, 3))
    d = sub(cb, ca)
    size = norm(d)
    gap = size - crew.capsules[a, 6] - crew.capsules[b, 6]
    if gap > near or size < 1e-9:
        return found, deepest
    d = scale(1.0 / size, d)
    put3(contacts, found, NORMAL, d)
    put3(contacts, found, POINT, along(ca, crew.capsules[a, 6] + 0.5 * gap, d))
    contacts[found, SPEED] = -gap / h if gap > 0.0 else min(-gap * PARTING / h, PARTING_SPEED)
    contacts[found, PUSH] = 0.0
    put3(contacts, found, FRICTION, (0.0, 0.0, 0.0))
    contacts[found, MU] = np.sqrt(crew.friction[a] * crew.friction[b])
    contacts[found, FIRST], contacts[found, SECOND] = a, b
    return found + 1, max(deepest, -gap)


@kernel
def _strike(rows, plan, crew, contacts):
    """All contacts in turn, several rounds."""
    met = np.zeros(len(plan.start) - 1, np.bool_)
    for m in range(len(contacts)):
        met[crew.tree[int(contacts[m, FIRST])]] = met[crew.tree[int(contacts[m, SECOND])]] = True
    for tree in range(len(met)):
        if met[tree]:
            _prepare(rows, plan, tree)
    for m in range(len(contacts)):
        _probe(plan, crew, rows, contacts, m)
    for _ in range(ROUNDS):
        for m in range(len(contacts)):
            _solve_contact(plan, crew, rows, contacts, m)


@kernel
def _own_tables(plan, tree):
    """The tree's tables; here every tree keeps its own scratch."""
    b = tables_of(plan, tree, 0)
    return Tree(b.F, plan.variables[0][plan.start[tree] : plan.start[tree + 1]], b.J, b.G, b.K, b.L, b.M, b.N)


@kernel
def _prepare(rows, plan, tree):
    """Factor the tree at its present pose."""
    b = _own_tables(plan, tree)
    n = len(b.F)
    gather(b.F, b.W, b.J, rows, 0, n)
    rows_and_factor(b, 0, 0, 0, n, c.R)
    for k in range(n):
        put6(b.W, k, c.OFFSET, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for m in range(len(b.M)):
        put3(b.L, m, GAP, (0.0, 0.0, 0.0))


@kernel
def _load(b, k, p, x, f):
    """An impulse f at the place p on the segment in slot k, whose centre is x."""
    if not b.J[k, c.HELD]:
        put3(b.W, k, c.LOAD, add(get3(b.W, k, c.LOAD), f))
        arm = add(get3(b.W, k, c.S), sub(p, x))
        put3(b.W, k, c.LOAD + 3, add(get3(b.W, k, c.LOAD + 3), cross(arm, f)))


@kernel
def _answer(plan, crew, rows, tree, contact, f):
    """MOVE: the velocities of all segments of a tree after an impulse f on its side, or both sides, of a contact."""
    b = _own_tables(plan, tree)
    n = len(b.F)
    for again in range(2 if len(b.M) > 0 else 1):
        if again:
            find_pulls(b)
        for k in range(n):
            put6(b.W, k, c.LOAD, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        if again:
            add_pulls(b)
        for side in range(2):
            i = int(contact[FIRST + side])
            if crew.tree[i] == tree:
                k = crew.slot[i] - plan.start[tree]
                push = f if side == 1 else scale(-1.0, f)
                _load(b, k, (contact[POINT], contact[POINT + 1], contact[POINT + 2]), get3(rows.position, i, 0), push)
        solve(b.W, b.J, 0, n)


@kernel
def _answered(plan, crew, rows, i, p):
    """The velocity that the last answer gives to a point of a segment."""
    W, k = plan.variables[0], crew.slot[i]
    w = get3(W, k, c.MOVE + 3)
    return add(get3(W, k, c.MOVE), cross(w, add(get3(W, k, c.S), sub(p, get3(rows.position, i, 0)))))


@kernel
def _apart_by(plan, crew, rows, contact, f):
    """How fast the two sides part after an impulse f between them."""
    i, j = int(contact[FIRST]), int(contact[SECOND])
    p = (contact[POINT], contact[POINT + 1], contact[POINT + 2])
    _answer(plan, crew, rows, crew.tree[i], contact, f)
    if crew.tree[j] != crew.tree[i]:
        _answer(plan, crew, rows, crew.tree[j], contact, f)
    return sub(_answered(plan, crew, rows, j, p), _answered(plan, crew, rows, i, p))


@kernel
def _probe(plan, crew, rows, contacts, m):
    """How a contact gives along its normal, and at most across it [1/kg]."""
    n = get3(contacts, m, NORMAL)
    first = (0.0, -n[2], n[1]) if abs(n[0]) < 0.7 else (n[2], 0.0, -n[0])
    first = scale(1.0 / norm(first), first)
    second = cross(n, first)
    contact = contacts[m]
    contacts[m, GIVE] = dot(n, _apart_by(plan, crew, rows, contact, n))
    across = dot(first, _apart_by(plan, crew, rows, contact, first))
    contacts[m, GIVE_ACROSS] = across + dot(second, _apart_by(plan, crew, rows, contact, second))


@kernel
def _take(plan, crew, rows, tree):
    """Add the last answer to the velocities of a tree."""
    W = plan.variables[0]
    for k in range(plan.start[tree], plan.start[tree + 1]):
        i = plan.integers[k, c.ROW]
        if not plan.integers[k, c.HELD]:
            w = get3(W, k, c.MOVE + 3)
            v = add(get3(W, k, c.MOVE), cross(w, get3(W, k, c.S)))
            put3(rows.velocity, i, 0, add(get3(rows.velocity, i, 0), v))
            put3(rows.spin, i, 0, add(get3(rows.spin, i, 0), w))


@kernel
def _solve_contact(plan, crew, rows, contacts, m):
    """Change one contact's impulse so that it parts as it should, and slides by Coulomb's law."""
    give = contacts[m, GIVE]
    if give <= 0.0:
        return
    i, j = int(contacts[m, FIRST]), int(contacts[m, SECOND])
    n, p = get3(contacts, m, NORMAL), get3(contacts, m, POINT)
    relative = sub(velocity_at(rows, j, p), velocity_at(rows, i, p))
    closing = dot(relative, n)
    push = max(contacts[m, PUSH] + (contacts[m, SPEED] - closing) / give, 0.0)
    held_back = get3(contacts, m, FRICTION)
    wanted = along(held_back, -1.0 / max(contacts[m, GIVE_ACROSS], 1e-12), along(relative, -closing, n))
    most, size = contacts[m, MU] * push, norm(wanted)
    if size > most:
        wanted = scale(most / size, wanted)
    f = along(sub(wanted, held_back), push - contacts[m, PUSH], n)
    contacts[m, PUSH] = push
    put3(contacts, m, FRICTION, wanted)
    if dot(f, f) == 0.0:
        return
    _apart_by(plan, crew, rows, contacts[m], f)
    _take(plan, crew, rows, crew.tree[i])
    if crew.tree[j] != crew.tree[i]:
        _take(plan, crew, rows, crew.tree[j])
