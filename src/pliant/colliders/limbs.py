"""Soft parts against the segments of puppets, both ways.

Every edge of a soft surface keeps out of every capsule that stands for a segment: with the depth d and the generalised
inverse masses of both sides the impulse d / (W_a + W_b) moves the edge's ends at once and gives the segment velocity
and spin, which its joints answer in the next substep's exact solve (see `constraints.ties`). Friction takes from the
slide at most mu times that impulse. Which edges are near which segments is looked for once per frame. Edges of a point
that is knotted to a segment may lie inside it: tie and contact would only fight.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.colliders.contact import ESCAPE_SPEED
from pliant.colliders.skins import may_touch
from pliant.geometry import surface
from pliant.kernels import kernel
from pliant.kernels.closest import on_segments
from pliant.kernels.vectors import add, along, cross, dot, get3, get4, norm, put3, qinv, scale, sub, turn
from pliant.world import BODY, POINT, Part, State, World

KNOT = 1e-3  # [m] a tie this short holds its ends at one place


class _Bodies(NamedTuple):
    """Segments of all puppets of an island."""

    row: Array  # (s,) in State.position
    body: Array  # (s,) in State.rotation_xyzw
    capsule: Array  # (s, 7) [m] end points and radius, body axes
    inertia: Array  # (s, 3) [kg m^2]
    friction: Array  # (s,)


class _Edges(NamedTuple):
    """Edges of all soft parts of an island."""

    ends: Array  # (e, 2) rows
    gap: Array  # (e,) [m] distance kept
    friction: Array  # (e,)
    knotted: Array  # (e,) row in State.rotation_xyzw of the segment an end is tied to, which it may be inside of; or -1


class Limbs:
    """Soft parts and puppets of one island."""

    def __init__(self, world: World, names: list[str]) -> None:
        parts = [world.part(name) for name in names]
        self._bodies = _bodies([p for p in parts if has_limbs(p)])
        self._edges = _edges([p for p in parts if may_touch(p)], _knots(world))
        self._pairs = np.zeros((256, 2), Index)
        self._count = 0

    def begin_frame(self, state: State, frame_step: float) -> None:
        """Find the pairs that can meet within the frame."""
        whole = (state.position, state.velocity, state.rotation_xyzw, state.spin)
        while True:
            self._count = int(_find(whole, self._edges, self._bodies, frame_step, self._pairs))
            if self._count <= len(self._pairs):
                break
            self._pairs = np.zeros((2 * self._count, 2), Index)

    def project(self, state: State, start: Array, h: float) -> None:
        """`start` (n, 3): positions of all rows at the start of the substep."""
        if self._count:
            whole = (state.position, state.velocity, state.inverse_mass, state.rotation_xyzw, state.spin)
            _project(self._pairs[: self._count], whole, start, self._edges, self._bodies, h)


def has_limbs(part: Part) -> bool:
    return "capsules" in part.extra and bool(part.extra.get("contact", True))


def limbs_of(world: World, names: list[str]) -> Limbs | None:
    """None where the island has no soft part or no puppet."""
    parts = [world.part(name) for name in names]
    if world.contacts and any(has_limbs(p) for p in parts) and any(may_touch(p) for p in parts):
        return Limbs(world, names)
    return None


def _bodies(parts: list[Part]) -> _Bodies:
    counts = [len(p.inertia) for p in parts]
    return _Bodies(
        row=np.concatenate([p.rows.start + np.arange(n) for p, n in zip(parts, counts, strict=True)]).astype(Index),
        body=np.concatenate([p.bodies.start + np.arange(n) for p, n in zip(parts, counts, strict=True)]).astype(Index),
        capsule=np.concatenate([np.asarray(p.extra["capsules"], float) for p in parts]),
        inertia=np.concatenate([p.inertia for p in parts]),
        friction=np.concatenate([np.full(n, p.friction) for p, n in zip(parts, counts, strict=True)]),
    )


def _knots(world: World) -> Array:
    """(n,) for each row of the State the segment that a tie without length holds it at; -1: none."""
    held = np.full(max(p.rows.stop for p in world.parts.values()), -1, np.int64)
    if world.ties is not None:
        for one, other in ((world.ties.a, world.ties.b), (world.ties.b, world.ties.a)):
            tied = (one.kind == POINT) & (other.kind == BODY) & (world.ties.length < KNOT)
            held[one.row[tied]] = other.body[tied]
    return held


def _edges(parts: list[Part], knots: Array) -> _Edges:
    ends = [surface.edges(p.triangles).astype(np.int64) + p.rows.start for p in parts]
    return _Edges(
        ends=np.concatenate(ends).astype(Index),
        gap=np.concatenate([np.full(len(e), p.thickness) for p, e in zip(parts, ends, strict=True)]),
        friction=np.concatenate([np.full(len(e), p.friction) for p, e in zip(parts, ends, strict=True)]),
        knotted=knots[np.concatenate(ends)].max(axis=1),
    )


@kernel
def _axis(x, q, bodies, s):
    """End points of a segment's capsule in the world."""
    center, turned = get3(x, bodies.row[s], 0), get4(q, bodies.body[s], 0)
    a = add(center, turn(turned, get3(bodies.capsule, s, 0)))
    b = add(center, turn(turned, get3(bodies.capsule, s, 3)))
    return a, b


@kernel
def _find(whole, edges, bodies, frame_step, pairs):
    """How many pairs there are; as many as there is room for are written."""
    x, v, q, spin = whole
    count = 0
    for s in range(bodies.row.shape[0]):
        a, b = _axis(x, q, bodies, s)
        middle = scale(0.5, add(a, b))
        size = 0.5 * norm(sub(b, a)) + bodies.capsule[s, 6]
        far = max(norm(get3(bodies.capsule, s, 0)), norm(get3(bodies.capsule, s, 3))) + bodies.capsule[s, 6]
        speed = norm(get3(v, bodies.row[s], 0)) + far * norm(get3(spin, bodies.body[s], 0))
        for e in range(edges.ends.shape[0]):
            if edges.knotted[e] == bodies.body[s]:
                continue
            i, j = edges.ends[e, 0], edges.ends[e, 1]
            p, r = get3(x, i, 0), get3(x, j, 0)
            half = 0.5 * norm(sub(r, p))
            way = 1.5 * frame_step * (speed + max(norm(get3(v, i, 0)), norm(get3(v, j, 0)))) + 0.01
            if norm(sub(scale(0.5, add(p, r)), middle)) < size + half + edges.gap[e] + way:
                if count < pairs.shape[0]:
                    pairs[count, 0], pairs[count, 1] = e, s
                count += 1
    return count


@kernel
def _nearest(p, r, a, b):
    """(t, u) of the closest points of an edge and a capsule's axis, which may be a point."""
    if dot(sub(b, a), sub(b, a)) < 1e-12:
        way = sub(r, p)
        square = dot(way, way)
        return (min(max(dot(sub(a, p), way) / square, 0.0), 1.0) if square > 0.0 else 0.0), 0.0
    return on_segments(p, r, a, b)


@kernel
def _project(pairs, whole, start, edges, bodies, h):
    x, q = whole[0], whole[3]
    for n in range(pairs.shape[0]):
        e, s = pairs[n, 0], pairs[n, 1]
        i, j = edges.ends[e, 0], edges.ends[e, 1]
        p, r = get3(x, i, 0), get3(x, j, 0)
        a, b = _axis(x, q, bodies, s)
        t, u = _nearest(p, r, a, b)
        on_edge, on_axis = along(p, t, sub(r, p)), along(a, u, sub(b, a))
        way = sub(on_edge, on_axis)
        apart = norm(way)
        depth = bodies.capsule[s, 6] + edges.gap[e] - apart
        if depth <= 0.0 or apart < 1e-9:
            continue
        before = along(get3(start, i, 0), t, sub(get3(start, j, 0), get3(start, i, 0)))
        normal = scale(1.0 / apart, way)
        if dot(normal, sub(before, on_axis)) < 0.0:  # it went through the axis: back to the side it came from
            normal, depth = scale(-1.0, normal), depth + 2.0 * apart
        # what was inside already comes out slowly, what came in within this substep at once
        entered = max(-dot(sub(on_edge, before), normal), 0.0) + h * norm(get3(whole[1], bodies.row[s], 0))
        depth = min(depth, entered + h * ESCAPE_SPEED)
        _resolve(whole, (i, j), t, edges.friction[e], bodies, s, (on_edge, before), scale(depth, normal), h)


@kernel
def _turned(bodies, s, q, lever):
    """I^-1 lever, world axes."""
    own = turn(qinv(q), lever)
    return turn(q, (own[0] / bodies.inertia[s, 0], own[1] / bodies.inertia[s, 1], own[2] / bodies.inertia[s, 2]))


@kernel
def _resolve(whole, ends, t, friction, bodies, s, places, push, h):
    """Part an edge's point and a segment by `push` [m], and take from their slide."""
    x, v, w, q, spin = whole
    i, j = ends
    body, row = bodies.body[s], bodies.row[s]
    where, before = places
    depth = norm(push)
    n = scale(1.0 / depth, push)
    soft = w[i] * (1.0 - t) * (1.0 - t) + w[j] * t * t
    turned = get4(q, body, 0)
    arm = sub(where, get3(x, row, 0))
    hard = 0.0
    if w[row] > 0.0:
        lever = cross(arm, n)
        hard = w[row] + dot(lever, _turned(bodies, s, turned, lever))
    if soft + hard <= 0.0:
        return
    d = depth / (soft + hard)
    moved = scale(h, add(get3(v, row, 0), cross(get3(spin, body, 0), arm)))
    slide = sub(sub(where, before), moved)
    slide = along(slide, -dot(slide, n), n)
    length = norm(slide)
    mu = math.sqrt(friction * bodies.friction[s])
    total = scale(d, n)
    if length > 1e-12:
        total = along(total, -min(mu * d, length / (soft + hard)) / length, slide)
    put3(x, i, 0, along(get3(x, i, 0), w[i] * (1.0 - t), total))
    put3(x, j, 0, along(get3(x, j, 0), w[j] * t, total))
    if w[row] > 0.0:
        put3(v, row, 0, along(get3(v, row, 0), -w[row] / h, total))
        put3(spin, body, 0, along(get3(spin, body, 0), -1.0 / h, _turned(bodies, s, turned, cross(arm, total))))
