"""The skin of a balloon: edges, the enclosed volume, and what it pulls on the gas.

    C = l - d,  a = max(1 / (k h^2), beta (w_i + w_j)),  d_lambda = (-C - a lambda) / (w_i + w_j + a)      edges
    V = sum_t (x_a x x_b) . x_c / 6,  g_i = dV/dx_i,  dx_i = w_i g_i (V0 - V) / sum_j w_j |g_j|^2          volume
    p = sum_e k (l - d) l / (3 V),  V dp/dV = sum_e k (2 l - d) l / (9 V) - p                              virial

Spec of seed 001, sections 2 to 4; edges are Macklin et al. 2016, "XPBD", Eq. 17-18 with a floor under the compliance:
a skin is so light that its true stiffness would not converge, and edges visited last would take no stretch at all.
Sums run over fixed blocks, so that they are the same bits for any number of threads.
"""

import math
from typing import NamedTuple

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry import surface
from pliant.kernels import color_offsets, span, sweep
from pliant.world import Part, Springs, Volumes

BLOCK = 256  # rows summed by one thread


class Skin(NamedTuple):
    """Constant tables of one skin, edges in the order of their colours."""

    offset: Array  # (c + 1,) first edge of each colour
    ends: Array  # (e, 2)
    rest_length: Array  # (e,) [m]
    stiffness: Array  # (e,) [N/m]
    compliance: Array  # (e,) [m/N] 1 / k
    start: Array  # (n + 1,) first slot of each row's ring
    ring: Array  # the points around each row in their turn, the first repeated at the end; see `rings`
    share: Array  # (n,) of the rest area
    mass: Array  # (n,) [kg] of the skin alone
    up: Array  # (4,) direction against gravity, and its acceleration [m/s^2]


class Scratch(NamedTuple):
    """Memory of one skin's kernels."""

    multiplier: Array  # (e,)
    gradient: Array  # (n, 3) of the volume [m^2]: a row's share of the area, along the outward normal
    lift: Array  # (n, 3) hydrostatic force for a density difference times gravity of 1 [m^3]
    mass: Array  # (n,) [kg] skin, gas and the air that moves along
    load: Array  # (n, 3) [N]
    predicted: Array  # (n, 3) [m]
    partial: Array  # (blocks, 3)
    body: Array  # (40,) sums over the body, see `rigid`


def skin_of(part: Part, up: Array) -> Skin:
    """Tables of the part's skin; string rows at its end are left out."""
    springs, volumes = part.table(Springs), part.table(Volumes)
    n = len(volumes.body)
    order, offset = color_offsets(springs.ends, len(part.mass))
    start, ring = rings(part.triangles, n)
    share = surface.vertex_areas(part.rest_position, part.triangles)[:n]
    return Skin(
        offset=offset,
        ends=springs.ends[order],
        rest_length=springs.rest_length[order],
        stiffness=springs.stiffness[order],
        compliance=1.0 / springs.stiffness[order],
        start=start,
        ring=ring,
        share=share / share.sum(),
        mass=part.mass[:n].copy(),
        up=up,
    )


def rings(triangles: Array, count: int) -> tuple[Array, Array]:
    """(start, ring): the closed fan of points around each row, so that each is loaded once for two triangles.

    A row where several fans meet has itself between them: a triangle with the row itself twice has no area.
    """
    after: list[dict[int, int]] = [{} for _ in range(count)]
    for a, b, c in triangles.tolist():
        after[a][b], after[b][c], after[c][a] = c, a, b
    start, ring = [0], []
    for row, follow in enumerate(after):
        while follow:
            first, at = next(iter(follow)), None
            ring.append(first)
            at = follow.pop(first)
            while at != first:
                ring.append(at)
                at = follow.pop(at)
            ring.append(first)
            if follow:
                ring.append(row)
        start.append(len(ring))
    return np.array(start, Index), np.array(ring, Index)


def scratch_for(skin: Skin) -> Scratch:
    n, e = len(skin.share), len(skin.ends)
    blocks = max(n, e) // BLOCK + 1

    def rows() -> Array:
        return np.zeros((n, 3))

    return Scratch(np.zeros(e), rows(), rows(), np.zeros(n), rows(), rows(), np.zeros((blocks, 3)), np.zeros(40))


@sweep
def hold_edges(x, w, h, floor, slack, skin, multiplier):
    """One Gauss-Seidel sweep over compliant edges, colour by colour."""
    rate = 1.0 / (h * h)
    for color in range(skin.offset.shape[0] - 1):
        for s in span(skin.offset[color], skin.offset[color + 1]):
            i, j = skin.ends[s, 0], skin.ends[s, 1]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            wi, wj = w[i], w[j]
            weight = wi + wj
            stretch = length - skin.rest_length[s]
            a = max(rate * skin.compliance[s], floor * weight)
            if stretch < 0.0:
                if slack == 0.0:
                    continue
                a /= slack
            below = (weight + a) * length
            if below <= 0.0 or weight <= 0.0:
                continue
            step = -(stretch + a * multiplier[s]) / below
            multiplier[s] += step * length
            ai, aj = step * wi, step * wj
            x[i, 0] -= ai * dx
            x[i, 1] -= ai * dy
            x[i, 2] -= ai * dz
            x[j, 0] += aj * dx
            x[j, 1] += aj * dy
            x[j, 2] += aj * dz


@sweep
def pull_pairs(x, w, stiffness, offset, ends, rest_length):
    """The paper's own projection, Eq. 6 times a stiffness 0..1 per iteration."""
    for color in range(offset.shape[0] - 1):
        for s in span(offset[color], offset[color + 1]):
            i, j = ends[s, 0], ends[s, 1]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            weight = w[i] + w[j]
            if length <= 0.0 or weight <= 0.0:
                continue
            step = -stiffness * (length - rest_length[s]) / (weight * length)
            x[i, 0] -= w[i] * step * dx
            x[i, 1] -= w[i] * step * dy
            x[i, 2] -= w[i] * step * dz
            x[j, 0] += w[j] * step * dx
            x[j, 1] += w[j] * step * dy
            x[j, 2] += w[j] * step * dz


@sweep
def volume_gradient(x, w, skin, gradient, partial):
    """Fill the gradient; return (V, sum w |g|^2). V = sum_i x_i . g_i / 3, for V is homogeneous of degree 3."""
    n = skin.share.shape[0]
    ox, oy, oz = x[0, 0], x[0, 1], x[0, 2]  # far from the origin the products would cancel
    blocks = (n + BLOCK - 1) // BLOCK
    for block in span(blocks):
        volume = weight = 0.0
        for i in range(block * BLOCK, min(n, block * BLOCK + BLOCK)):
            gx = gy = gz = 0.0
            cx, cy, cz = x[i, 0], x[i, 1], x[i, 2]
            a = skin.ring[skin.start[i]]
            px, py, pz = x[a, 0] - cx, x[a, 1] - cy, x[a, 2] - cz
            for slot in range(skin.start[i] + 1, skin.start[i + 1]):
                b = skin.ring[slot]
                qx, qy, qz = x[b, 0] - cx, x[b, 1] - cy, x[b, 2] - cz
                gx += py * qz - pz * qy
                gy += pz * qx - px * qz
                gz += px * qy - py * qx
                px, py, pz = qx, qy, qz
            gx, gy, gz = gx / 6.0, gy / 6.0, gz / 6.0
            gradient[i, 0], gradient[i, 1], gradient[i, 2] = gx, gy, gz
            volume += gx * (cx - ox) + gy * (cy - oy) + gz * (cz - oz)
            weight += w[i] * (gx * gx + gy * gy + gz * gz)
        partial[block, 0], partial[block, 1] = volume, weight
    volume = weight = 0.0
    for block in range(blocks):
        volume += partial[block, 0]
        weight += partial[block, 1]
    return volume / 3.0, weight


@sweep
def push_along(x, w, gradient, factor):
    """x_i += factor w_i g_i."""
    for i in span(gradient.shape[0]):
        a = factor * w[i]
        x[i, 0] += a * gradient[i, 0]
        x[i, 1] += a * gradient[i, 1]
        x[i, 2] += a * gradient[i, 2]


@sweep
def virial(x, skin, slack, partial):
    """(sum k (l - d) l, sum k (2 l - d) l, sum l) over the edges, compressed ones weakened by `slack`."""
    e = skin.ends.shape[0]
    blocks = (e + BLOCK - 1) // BLOCK
    for block in span(blocks):
        pull = rise = total = 0.0
        for s in range(block * BLOCK, min(e, block * BLOCK + BLOCK)):
            i, j = skin.ends[s, 0], skin.ends[s, 1]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = dx * dx + dy * dy + dz * dz
            length = math.sqrt(square)
            rest = skin.rest_length[s]
            k = skin.stiffness[s] if length >= rest else skin.stiffness[s] * slack
            bent = rest * length
            pull += k * (square - bent)
            rise += k * (2.0 * square - bent)
            total += length
        partial[block, 0], partial[block, 1], partial[block, 2] = pull, rise, total
    pull = rise = total = 0.0
    for block in range(blocks):
        pull += partial[block, 0]
        rise += partial[block, 1]
        total += partial[block, 2]
    return pull, rise, total


@sweep
def volume_and_lift(x, skin, gradient, lift, partial):
    """Gradient and V as above, and the force on each row for (rho_out - rho_in) g = 1.

    Exact for a pressure that is linear in height: a triangle of area vector N at heights a, b, c pushes its corner a
    with (2 a + b + c) N / 12, so the whole is the weight of the displaced air at the volume's centroid.
    """
    n = skin.share.shape[0]
    ux, uy, uz = skin.up[0], skin.up[1], skin.up[2]
    ox, oy, oz = x[0, 0], x[0, 1], x[0, 2]
    blocks = (n + BLOCK - 1) // BLOCK
    for block in span(blocks):
        volume = 0.0
        for i in range(block * BLOCK, min(n, block * BLOCK + BLOCK)):
            gx = gy = gz = fx = fy = fz = 0.0
            cx, cy, cz = x[i, 0], x[i, 1], x[i, 2]
            own = 4.0 * ((cx - ox) * ux + (cy - oy) * uy + (cz - oz) * uz)
            a = skin.ring[skin.start[i]]
            px, py, pz = x[a, 0] - cx, x[a, 1] - cy, x[a, 2] - cz
            before = px * ux + py * uy + pz * uz
            for slot in range(skin.start[i] + 1, skin.start[i + 1]):
                b = skin.ring[slot]
                qx, qy, qz = x[b, 0] - cx, x[b, 1] - cy, x[b, 2] - cz
                nx, ny, nz = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
                above = qx * ux + qy * uy + qz * uz
                height = own + before + above
                gx, gy, gz = gx + nx, gy + ny, gz + nz
                fx, fy, fz = fx + height * nx, fy + height * ny, fz + height * nz
                px, py, pz, before = qx, qy, qz, above
            gradient[i, 0], gradient[i, 1], gradient[i, 2] = gx / 6.0, gy / 6.0, gz / 6.0
            lift[i, 0], lift[i, 1], lift[i, 2] = fx / 24.0, fy / 24.0, fz / 24.0
            volume += gx * (cx - ox) + gy * (cy - oy) + gz * (cz - oz)
        partial[block, 0] = volume
    volume = 0.0
    for block in range(blocks):
        volume += partial[block, 0]
    return volume / 18.0
