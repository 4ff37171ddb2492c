"""Simple solids as one table: signed distance and outward normal, exact outside and inside.

A rounded box of half extents e (without the rounding r) is also a ball (e = 0), a capsule (e = (0, h, 0)) and a plain
box (r = 0):  q = |p| - e,  distance = |max(q, 0)| + min(max q, 0) - r.  Spec of seed 000, section 12.
"""

import math
from typing import NamedTuple

from pliant.arrays import Array
from pliant.kernels.jit import inline, kernel, lean

PLANE, BOX, CYLINDER = 0, 1, 2


class Shapes(NamedTuple):
    """Rows of solids; local y is the axis of a cylinder and the upward side of a plane."""

    kind: Array  # (s,) uint8
    center: Array  # (s, 3) [m]
    axes: Array  # (s, 3, 3) rows: the local axes in world coordinates
    size: Array  # (s, 3) half extents without rounding; of a cylinder radius and half height [m]
    rounding: Array  # (s,) [m]


@inline
def _box(lx, ly, lz, ex, ey, ez):
    qx, qy, qz = abs(lx) - ex, abs(ly) - ey, abs(lz) - ez
    ox, oy, oz = max(qx, 0.0), max(qy, 0.0), max(qz, 0.0)
    outside = math.sqrt(ox * ox + oy * oy + oz * oz)
    sx, sy, sz = math.copysign(1.0, lx), math.copysign(1.0, ly), math.copysign(1.0, lz)
    if outside > 1e-12:
        return outside, sx * ox / outside, sy * oy / outside, sz * oz / outside
    if qy >= qx and qy >= qz:
        return qy, 0.0, sy, 0.0
    if qx >= qz:
        return qx, sx, 0.0, 0.0
    return qz, 0.0, 0.0, sz


@inline
def _cylinder(lx, ly, lz, radius, half):
    rho = math.sqrt(lx * lx + lz * lz)
    ex, ez = (lx / rho, lz / rho) if rho > 1e-12 else (1.0, 0.0)
    sy = math.copysign(1.0, ly)
    q0, q1 = rho - radius, abs(ly) - half
    o0, o1 = max(q0, 0.0), max(q1, 0.0)
    outside = math.sqrt(o0 * o0 + o1 * o1)
    if outside > 1e-12:
        return outside, o0 * ex / outside, o1 * sy / outside, o0 * ez / outside
    if q1 >= q0:
        return q1, 0.0, sy, 0.0
    return q0, ex, 0.0, ez


@lean
def signed_distance(shapes, s, px, py, pz):
    """(distance, nx, ny, nz) of a point to solid s; negative inside, the normal points out."""
    dx, dy, dz = px - shapes.center[s, 0], py - shapes.center[s, 1], pz - shapes.center[s, 2]
    axes, size = shapes.axes, shapes.size
    ly = axes[s, 1, 0] * dx + axes[s, 1, 1] * dy + axes[s, 1, 2] * dz
    if shapes.kind[s] == PLANE:
        return ly, axes[s, 1, 0], axes[s, 1, 1], axes[s, 1, 2]
    lx = axes[s, 0, 0] * dx + axes[s, 0, 1] * dy + axes[s, 0, 2] * dz
    lz = axes[s, 2, 0] * dx + axes[s, 2, 1] * dy + axes[s, 2, 2] * dz
    if shapes.kind[s] == BOX:
        phi, nx, ny, nz = _box(lx, ly, lz, size[s, 0], size[s, 1], size[s, 2])
    else:
        phi, nx, ny, nz = _cylinder(lx, ly, lz, size[s, 0], size[s, 1])
    return (
        phi - shapes.rounding[s],
        axes[s, 0, 0] * nx + axes[s, 1, 0] * ny + axes[s, 2, 0] * nz,
        axes[s, 0, 1] * nx + axes[s, 1, 1] * ny + axes[s, 2, 1] * nz,
        axes[s, 0, 2] * nx + axes[s, 1, 2] * ny + axes[s, 2, 2] * nz,
    )


@kernel
def distances(points, shapes, s, phi, normal):
    """Fill phi (n,) and normal (n, 3) of many points to solid s."""
    for i in range(points.shape[0]):
        d, nx, ny, nz = signed_distance(shapes, s, points[i, 0], points[i, 1], points[i, 2])
        phi[i] = d
        normal[i, 0], normal[i, 1], normal[i, 2] = nx, ny, nz


@kernel
def shade(points, shapes, wind, lit):
    """How much of the wind (3,) [m/s] reaches each point past the solids: lit (n,), 1 in the open, 0 close behind one.

    Upwind of a point the nearest pass of a solid is found by marching along its distance. The edge of the wake widens
    and the wake fills up with the distance behind the solid, over eight times its size.
    """
    speed = math.sqrt(wind[0] ** 2 + wind[1] ** 2 + wind[2] ** 2)
    if speed < 1e-6:
        return
    dx, dy, dz = wind[0] / speed, wind[1] / speed, wind[2] / speed
    for i in range(points.shape[0]):
        for s in range(shapes.kind.shape[0]):
            if shapes.kind[s] == PLANE:
                continue
            size, rounding = shapes.size[s], shapes.rounding[s]
            reach = 8.0 * (max(size[0], size[1], size[2]) + rounding)
            t, share = 0.0, 1.0
            for _ in range(48):
                px, py, pz = points[i, 0] - t * dx, points[i, 1] - t * dy, points[i, 2] - t * dz
                d, _, _, _ = signed_distance(shapes, s, px, py, pz)
                soft = 0.15 * t + 0.02 * reach
                open_here = min(max(0.5 + 0.5 * d / soft, 0.0), 1.0)
                filled = min(t / reach, 1.0)
                share = min(share, open_here + (1.0 - open_here) * filled)
                t += max(d, 0.02 * reach)
                if t > reach:
                    break
            lit[i] *= share
