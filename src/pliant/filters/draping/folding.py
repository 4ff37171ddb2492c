"""Folds from compression: where the hanging garment is shorter than its pattern it must go out of plane.

Tension-field theory (Steigmann 1990): a membrane without bending stiffness wrinkles along its tension and across its
compression. Here the compression of each triangle against the cut pattern gives direction and height of the folds,
a(k)^2 k^2 / 4 = compression, and one linear diffusion of a fixed seeded field gives their phase. Linear with a fixed
number of steps and no normalisation inside, so that the folds change continuously with the pose.
"""

import numpy as np

from pliant.arrays import Array
from pliant.filters.draping.methods import Strain
from pliant.filters.draping.net import Net, edge_weights
from pliant.filters.draping.smooth import Smoother
from pliant.filters.draping.waves import QUARTER, Folds, cosine
from pliant.filters.draping.wear import Wear
from pliant.kernels import inline, span, sweep

LENGTH = 0.64  # of the garment's wavelength: compressed cloth folds closer than hanging cloth waves
SPREAD = 0.02  # [m] over which compression is averaged
DEAD = 0.006  # compression that stretching yarns take up
MOST = 0.16  # compression beyond which folds only merge
STEEP = 0.9  # slope of the steepest fold, a k
EVEN = 0.01  # difference of the two principal compressions below which folds die out
FADE = (0.004, 0.012)  # [m] over which folds die towards the body
UNLIKE = (0.15, 0.06)  # [m] over which width and height of the folds vary
WIDE = 0.15  # [m] over which folds are equally wide: faster changes of width break them up
STEPS = 24  # of the diffusion
LAST = 5  # plain steps at the end
RADIUS = 0.993  # of the spectrum that the steps are made for
ANCHOR = 0.0009  # how strongly the seed holds against its neighbours, for folds one radian per edge long
GROWN = (0.05, 0.20)  # compression at which folds begin and cease to grow wider
WIDER = 1.3  # by which wavelength grows between them


class Folding:
    """The folds of one garment."""

    def __init__(self, net: Net, wear: Wear, method: Strain) -> None:
        rest, t = wear.mesh.points, net.triangles
        self._net, self._method = net, method
        self._pattern = pattern_inverse(rest, t, wear.around, (1.0 + method.ease) * np.array(wear.ease))
        self._smoother = Smoother(net, rest, SPREAD)
        self._wide = Smoother(net, rest, WIDE)
        self._mass = self._smoother.mass / self._smoother.mass.mean()
        self._weights = np.maximum(edge_weights(net, rest), 0.05)
        random = np.random.default_rng(method.seed)
        self._seed = np.zeros((net.size, 2))
        self._seed[:, 0] = random.normal(size=net.size)
        raw = random.normal(size=(net.size, 2))
        noise = np.hstack([Smoother(net, rest, far)(raw[:, [k]]) for k, far in enumerate(UNLIKE)])
        self._noise = method.irregular * noise / noise.std(axis=0)
        self._base = 2.0 * np.pi / (LENGTH * wear.wavelength * method.wavelength)
        m, n = len(t), net.size
        self._tensor, self._area = np.empty((m, 6)), np.empty(m)
        self._at_points = np.empty((n, 6))
        self._field = np.empty((n, 3))  # compression, anisotropy, wave number
        self._across = np.empty((n, 3))
        self._turn = np.empty((len(net.other), 3))  # weight times cosine, times sine, and sign
        self._z, self._y, self._anchor, self._sum = np.empty((n, 2)), np.empty((n, 2)), np.empty(n), np.empty(n)
        ends = rest[net.edges.astype(np.int64)]
        self._edge = float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean())

    def __call__(self, x: Array, normals: Array, clearance: Array) -> Folds:
        net, n = self._net, self._net.size
        compression(net.triangles, x, self._pattern, self._tensor, self._area)
        averaged(self._at_points, net.fan_start, net.fan, self._tensor, self._area)
        tensor = self._smoother(self._at_points)
        field, across = self._field, self._across
        eigen(tensor, normals, field, across)
        waves(field, self._wide(field[:, :1]), self._noise, (self._base, self._method.merge))
        turns(net.start, net.other, x, across, field, self._weights, self._turn, self._sum)
        anchors(field, self._mass, self._edge, self._anchor)
        self._z[:] = self._y[:] = 0.0
        omega = 1.0
        for step in range(STEPS + LAST):
            if step == STEPS:  # what is left of the seed's grain goes
                self._anchor[:] = 0.0
            omega = omega if step < STEPS else 1.0
            diffuse(self._z, net.start, net.other, self._turn, self._sum, self._anchor, self._seed, self._y, omega)
            self._z, self._y = self._y, self._z
            omega = 1.0 / (1.0 - RADIUS**2 * (0.5 if step == 0 else 0.25 * omega))
        size = np.sqrt((self._z**2).sum(axis=1))
        typical = max(float(np.median(size)), 1e-12)
        folds = Folds(np.empty(n), np.empty(n), np.empty((n, 3)))
        finish(self._z, typical, field, self._noise, across, clearance, self._method.height, folds)
        return folds


def pattern_inverse(rest: Array, triangles: Array, around: Array, ease: Array) -> Array:
    """(m, 4) inverse of each triangle's edges in the flat pattern, whose axes run around and along the body."""
    a, b, c = (rest[triangles[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
    u = around - n * (around * n).sum(axis=1, keepdims=True)
    weak = np.linalg.norm(u, axis=1) < 1e-6
    u[weak] = (b - a)[weak]
    u /= np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-300)
    v = np.cross(n, u)
    flat = np.empty((len(triangles), 2, 2))
    for k, edge in enumerate((b - a, c - a)):
        flat[:, 0, k] = (edge * u).sum(axis=1) * ease[0]
        flat[:, 1, k] = (edge * v).sum(axis=1) * ease[1]
    return np.linalg.inv(flat).reshape(-1, 4)


@inline
def half_turn(x, y, length):
    """Cosine and sine of half the angle of (x, y)."""
    if length < 1e-300:
        return 1.0, 0.0
    c = np.sqrt(max(0.5 * (1.0 + x / length), 0.0))
    s = np.sqrt(max(0.5 * (1.0 - x / length), 0.0))
    return c, (s if y >= 0.0 else -s)


@sweep
def compression(triangles, x, pattern, tensor, area):
    """sum of e d (x) d over the compressed principal directions d, as xx, yy, zz, xy, xz, yz; e = 1 - stretch."""
    for f in span(len(triangles)):
        i, j, k = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        ax, ay, az = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        bx, by, bz = x[k, 0] - x[i, 0], x[k, 1] - x[i, 1], x[k, 2] - x[i, 2]
        p, q, r, s = pattern[f, 0], pattern[f, 1], pattern[f, 2], pattern[f, 3]
        ux, uy, uz = ax * p + bx * r, ay * p + by * r, az * p + bz * r
        vx, vy, vz = ax * q + bx * s, ay * q + by * s, az * q + bz * s
        cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        area[f] = np.sqrt(cx * cx + cy * cy + cz * cz)
        uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
        middle, half = 0.5 * (uu + vv), 0.5 * (uu - vv)
        root = np.sqrt(half * half + uv * uv)
        c, d = half_turn(half, uv, root)
        for m in range(6):
            tensor[f, m] = 0.0
        for side in range(2):
            stretch = np.sqrt(max(middle - root if side == 0 else middle + root, 1e-8))
            if stretch >= 1.0:
                continue
            g, h = (-d, c) if side == 0 else (c, d)
            dx, dy, dz = g * ux + h * vx, g * uy + h * vy, g * uz + h * vz
            e = (1.0 - stretch) / (stretch * stretch)
            tensor[f, 0] += e * dx * dx
            tensor[f, 1] += e * dy * dy
            tensor[f, 2] += e * dz * dz
            tensor[f, 3] += e * dx * dy
            tensor[f, 4] += e * dx * dz
            tensor[f, 5] += e * dy * dz


@sweep
def averaged(out, fan_start, fan, tensor, area):
    """Area mean over the triangles at each point."""
    for i in span(len(out)):
        total = 0.0
        for m in range(6):
            out[i, m] = 0.0
        for slot in range(fan_start[i], fan_start[i + 1]):
            f = fan[slot] // 3
            total += area[f]
            for m in range(6):
                out[i, m] += area[f] * tensor[f, m]
        for m in range(6):
            out[i, m] /= max(total, 1e-300)


@sweep
def eigen(tensor, normals, field, across):
    """Largest compression in the tangent plane, how much it exceeds the other, and its direction."""
    for i in span(len(tensor)):
        nx, ny, nz = normals[i, 0], normals[i, 1], normals[i, 2]
        # any two unit vectors across the normal
        px, py, pz = (0.0, nz, -ny) if abs(nx) < 0.6 else (-nz, 0.0, nx)
        length = np.sqrt(px * px + py * py + pz * pz)
        px, py, pz = px / length, py / length, pz / length
        qx, qy, qz = ny * pz - nz * py, nz * px - nx * pz, nx * py - ny * px
        xx, yy, zz, xy, xz, yz = tensor[i, 0], tensor[i, 1], tensor[i, 2], tensor[i, 3], tensor[i, 4], tensor[i, 5]
        ax, ay, az = xx * px + xy * py + xz * pz, xy * px + yy * py + yz * pz, xz * px + yz * py + zz * pz
        bx, by, bz = xx * qx + xy * qy + xz * qz, xy * qx + yy * qy + yz * qz, xz * qx + yz * qy + zz * qz
        pp, qq, pq = ax * px + ay * py + az * pz, bx * qx + by * qy + bz * qz, ax * qx + ay * qy + az * qz
        half = 0.5 * (pp - qq)
        root = np.sqrt(half * half + pq * pq)
        field[i, 0], field[i, 1] = 0.5 * (pp + qq) + root, 2.0 * root
        c, s = half_turn(half, pq, root)
        across[i, 0], across[i, 1], across[i, 2] = c * px + s * qx, c * py + s * qy, c * pz + s * qz


@sweep
def waves(field, wide, noise, amounts):
    """Wave number: the garment's own, varied by the noise, smaller where compression is large."""
    base, merge = amounts
    for i in span(len(field)):
        field[i, 0] = max(field[i, 0] - DEAD, 0.0)
        t = min(max((wide[i, 0] - GROWN[0]) / (GROWN[1] - GROWN[0]), 0.0), 1.0)
        wider = 1.0 + merge * WIDER * t * t * (3.0 - 2.0 * t)
        field[i, 2] = base * np.exp(0.22 * noise[i, 0]) / wider


@sweep
def turns(start, other, x, across, field, weights, turn, turn_sum):
    """Phase from each point to its neighbour, w = (k_i n_i + s k_j n_j) . e / 2, s making the directions agree."""
    for i in span(len(start) - 1):
        nx, ny, nz = across[i, 0], across[i, 1], across[i, 2]
        sure, total = min(field[i, 1] / 0.05, 1.0), 0.0
        for slot in range(start[i], start[i + 1]):
            j = other[slot]
            ex, ey, ez = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            agree = nx * across[j, 0] + ny * across[j, 1] + nz * across[j, 2]
            sign = 1.0 if agree >= 0.0 else -1.0
            angle = 0.5 * field[i, 2] * (nx * ex + ny * ey + nz * ez)
            angle += 0.5 * sign * field[j, 2] * (across[j, 0] * ex + across[j, 1] * ey + across[j, 2] * ez)
            w = weights[slot] * (0.02 + 0.5 * (sure + min(field[j, 1] / 0.05, 1.0))) * agree * agree
            c, s = cosine(angle), cosine(angle - QUARTER)
            turn[slot, 0], turn[slot, 1], turn[slot, 2] = w * c, w * s, sign
            total += w
        turn_sum[i] = total


@sweep
def anchors(field, mass, edge, out):
    """How strongly the seed holds: less for wide folds, which must agree over a longer way."""
    for i in span(len(out)):
        out[i] = ANCHOR * mass[i] * (field[i, 2] * edge) ** 2


@sweep
def diffuse(z, start, other, turn, turn_sum, anchor, seed, out, omega):
    """One Chebyshev step of (A + mu M) z = mu M z0 (Golub and Varga 1961); `out` holds the step before.

    z_i is what the neighbours say, turned by the phase between them: z_i = R(-w) z_j where the directions agree;
    where they do not, the conjugate of z_j stands for it.
    """
    for i in span(len(out)):
        a, b, total = anchor[i] * seed[i, 0], anchor[i] * seed[i, 1], anchor[i] + turn_sum[i]
        for slot in range(start[i], start[i + 1]):
            j = other[slot]
            c, s = turn[slot, 0], turn[slot, 1]
            p, q = z[j, 0], turn[slot, 2] * z[j, 1]
            a += c * p + s * q
            b += c * q - s * p
        out[i, 0] += omega * (a / total - out[i, 0])
        out[i, 1] += omega * (b / total - out[i, 1])


@sweep
def finish(z, typical, field, noise, across, clearance, height, folds):
    """a = 2 sqrt(e) / k where the phase is sure; no steeper than STEEP; dying out towards the body.

    Where cloth is compressed alike in all directions none is that of the folds, and it turns round in no time.
    """
    amplitude, phase, wave = folds
    for i in span(len(z)):
        size = np.sqrt(z[i, 0] ** 2 + z[i, 1] ** 2)
        k = field[i, 2]
        slope = 2.0 * np.sqrt(min(field[i, 0], MOST)) * max(1.0 + 0.30 * noise[i, 1], 0.2)
        slope /= (1.0 + (slope / STEEP) ** 4) ** 0.25
        sure = min(field[i, 1] / EVEN, 1.0)
        slope *= sure * sure * (3.0 - 2.0 * sure)
        t = min(max((clearance[i] - FADE[0]) / (FADE[1] - FADE[0]), 0.0), 1.0)
        fade = t * t * (3.0 - 2.0 * t)
        amplitude[i] = height * fade * slope / k * size / (size + 0.15 * typical)
        phase[i] = np.arctan2(z[i, 1], z[i, 0])
        for m in range(3):
            wave[i, m] = k * across[i, m]
