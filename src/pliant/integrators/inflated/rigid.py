"""The rigid part of a balloon's motion: sums over the body, and steps that keep them exact.

    M = sum m,  c = sum m x / M,  L = sum m r x u,  I = sum m (|r|^2 1 - r r^T),  r = x - c,  u = v - v_c
    loads      v += h (F / M + alpha x r) + h gain (f / m - that),  alpha = I^-1 sum r x f
    predict    p = c + h v_c + R (r + h v_def),  v_def = u - omega x r,  R = exp(h omega),  omega = I^-1 L
    finish     v = v_c + R v_def + (p' - p) / h + omega x r',  then v += I^-1 (L - L') x r'

Spec of seed 001, sections 6 and 7. Position-based steps lose spin (d omega / dt = -h omega^3); this split keeps L, and
so the faster spin of a balloon that shrinks. `gain` scales what a load does beyond rigid motion, by the same factor by
which the floored skin is softer than the real one. Three held rows leave no rigid motion: it scales all.
"""

import math

from pliant.kernels import kernel

MASS, CENTER, VELOCITY, MOMENT, INERTIA, SPIN, ARM = 0, 1, 4, 7, 10, 16, 19  # slots of Scratch.body


@kernel
def measure(x, v, m, free, body):
    """Mass, centre, velocity, angular momentum and inertia of the rows that are free."""
    total = px = py = pz = cx = cy = cz = 0.0
    ox, oy, oz = x[0, 0], x[0, 1], x[0, 2]
    for i in range(m.shape[0]):
        if free[i] > 0.0:
            total += m[i]
            cx += m[i] * (x[i, 0] - ox)
            cy += m[i] * (x[i, 1] - oy)
            cz += m[i] * (x[i, 2] - oz)
            px += m[i] * v[i, 0]
            py += m[i] * v[i, 1]
            pz += m[i] * v[i, 2]
    if total <= 0.0:
        total = 1.0
    body[MASS] = total
    body[CENTER], body[CENTER + 1], body[CENTER + 2] = ox + cx / total, oy + cy / total, oz + cz / total
    body[VELOCITY], body[VELOCITY + 1], body[VELOCITY + 2] = px / total, py / total, pz / total
    moments(x, v, m, free, body)


@kernel
def moments(x, v, m, free, body):
    """Angular momentum and inertia about the centre that `body` names, and the spin that follows."""
    cx, cy, cz = body[CENTER], body[CENTER + 1], body[CENTER + 2]
    vx, vy, vz = body[VELOCITY], body[VELOCITY + 1], body[VELOCITY + 2]
    lx = ly = lz = xx = yy = zz = xy = xz = yz = 0.0
    for i in range(m.shape[0]):
        if free[i] > 0.0:
            rx, ry, rz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
            ux, uy, uz = v[i, 0] - vx, v[i, 1] - vy, v[i, 2] - vz
            lx += m[i] * (ry * uz - rz * uy)
            ly += m[i] * (rz * ux - rx * uz)
            lz += m[i] * (rx * uy - ry * ux)
            xx += m[i] * (ry * ry + rz * rz)
            yy += m[i] * (rx * rx + rz * rz)
            zz += m[i] * (rx * rx + ry * ry)
            xy -= m[i] * rx * ry
            xz -= m[i] * rx * rz
            yz -= m[i] * ry * rz
    body[MOMENT], body[MOMENT + 1], body[MOMENT + 2] = lx, ly, lz
    body[INERTIA], body[INERTIA + 1], body[INERTIA + 2] = xx, yy, zz
    body[INERTIA + 3], body[INERTIA + 4], body[INERTIA + 5] = xy, xz, yz
    body[SPIN], body[SPIN + 1], body[SPIN + 2] = turned(body, lx, ly, lz)


@kernel
def turned(body, lx, ly, lz):
    """I^-1 L by the adjugate; zero where the rows lie on a line."""
    xx, yy, zz = body[INERTIA], body[INERTIA + 1], body[INERTIA + 2]
    xy, xz, yz = body[INERTIA + 3], body[INERTIA + 4], body[INERTIA + 5]
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    determinant = xx * a + xy * b + xz * c
    if determinant <= 1e-9 * xx * yy * zz or determinant <= 0.0:
        return 0.0, 0.0, 0.0
    return (
        (a * lx + b * ly + c * lz) / determinant,
        (b * lx + d * ly + e * lz) / determinant,
        (c * lx + e * ly + f * lz) / determinant,
    )


@kernel
def apply_loads(x, v, m, free, h, gain, load, body):
    """Forces as an exact rigid impulse, and `gain` times the rest."""
    cx, cy, cz = body[CENTER], body[CENTER + 1], body[CENTER + 2]
    fx = fy = fz = tx = ty = tz = 0.0
    for i in range(m.shape[0]):
        if free[i] > 0.0:
            rx, ry, rz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
            fx += load[i, 0]
            fy += load[i, 1]
            fz += load[i, 2]
            tx += ry * load[i, 2] - rz * load[i, 1]
            ty += rz * load[i, 0] - rx * load[i, 2]
            tz += rx * load[i, 1] - ry * load[i, 0]
    ax, ay, az = fx / body[MASS], fy / body[MASS], fz / body[MASS]
    wx, wy, wz = turned(body, tx, ty, tz)
    rest, part = h * gain, h * (1.0 - gain)
    for i in range(m.shape[0]):
        if free[i] > 0.0:
            rx, ry, rz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
            scale = rest / m[i]
            v[i, 0] += part * (ax + wy * rz - wz * ry) + scale * load[i, 0]
            v[i, 1] += part * (ay + wz * rx - wx * rz) + scale * load[i, 1]
            v[i, 2] += part * (az + wx * ry - wy * rx) + scale * load[i, 2]
    body[VELOCITY] += h * ax
    body[VELOCITY + 1] += h * ay
    body[VELOCITY + 2] += h * az
    body[MOMENT] += h * tx
    body[MOMENT + 1] += h * ty
    body[MOMENT + 2] += h * tz
    body[SPIN], body[SPIN + 1], body[SPIN + 2] = turned(body, body[MOMENT], body[MOMENT + 1], body[MOMENT + 2])
    return math.sqrt(fx * fx + fy * fy + fz * fz)


@kernel
def pass_on(x, v, m, free, h, more, predicted, body):
    """Let the whole body feel what contacts and ties did to a few of its rows.

    The floored skin is softer than the real one by the factor 1 + `more`, and would let a touched patch sink in by as
    much. So the patch's impulse sum m d / h reaches the body `more` times again as a rigid impulse, but never stronger
    than what stops the patch: min(more m_patch, M_patch) u with u = sum m d / (h m_patch).
    """
    cx, cy, cz = body[CENTER], body[CENTER + 1], body[CENTER + 2]
    patch = jx = jy = jz = rx = ry = rz = 0.0
    for i in range(m.shape[0]):
        dx, dy, dz = x[i, 0] - predicted[i, 0], x[i, 1] - predicted[i, 1], x[i, 2] - predicted[i, 2]
        if free[i] > 0.0 and (dx != 0.0 or dy != 0.0 or dz != 0.0):
            size = m[i] * math.sqrt(dx * dx + dy * dy + dz * dz)
            patch += m[i]
            jx, jy, jz = jx + m[i] * dx, jy + m[i] * dy, jz + m[i] * dz
            rx, ry, rz = rx + size * (x[i, 0] - cx), ry + size * (x[i, 1] - cy), rz + size * (x[i, 2] - cz)
            body[ARM] += size
    weight, body[ARM] = body[ARM], 0.0
    size = math.sqrt(jx * jx + jy * jy + jz * jz)
    if size <= 0.0:
        return
    rx, ry, rz = rx / weight, ry / weight, rz / weight
    nx, ny, nz = jx / size, jy / size, jz / size
    tx, ty, tz = ry * nz - rz * ny, rz * nx - rx * nz, rx * ny - ry * nx
    wx, wy, wz = turned(body, tx, ty, tz)
    resists = 1.0 / (1.0 / body[MASS] + tx * wx + ty * wy + tz * wz)
    push = min(more * patch, resists) * size / (h * patch)
    ax, turn = push / body[MASS], push
    for i in range(m.shape[0]):
        if free[i] > 0.0:
            px, py, pz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
            v[i, 0] += ax * nx + turn * (wy * pz - wz * py)
            v[i, 1] += ax * ny + turn * (wz * px - wx * pz)
            v[i, 2] += ax * nz + turn * (wx * py - wy * px)


@kernel
def rotation_matrix(x, y, z):
    """exp of the cross product with (x, y, z), nine numbers by rows (Rodrigues)."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < 1e-6:
        a, b = 1.0 - angle * angle / 6.0, 0.5 - angle * angle / 24.0
    else:
        a, b = math.sin(angle) / angle, (1.0 - math.cos(angle)) / (angle * angle)
    return (
        (1.0 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y),
        (b * x * y + a * z, 1.0 - b * (x * x + z * z), b * y * z - a * x),
        (b * x * z - a * y, b * y * z + a * x, 1.0 - b * (x * x + y * y)),
    )


@kernel
def predict(x, v, h, calm, predicted, body):
    """Move all rows rigidly with the body and on along their own deformation; v becomes the turned deformation.

    `calm` [1/s] takes vibration away; deformation carries neither momentum nor spin, so both stay.
    """
    cx, cy, cz = body[CENTER], body[CENTER + 1], body[CENTER + 2]
    vx, vy, vz = body[VELOCITY], body[VELOCITY + 1], body[VELOCITY + 2]
    wx, wy, wz = body[SPIN], body[SPIN + 1], body[SPIN + 2]
    keep = 1.0 / (1.0 + h * calm)
    (ax, ay, az), (bx, by, bz), (dx, dy, dz) = rotation_matrix(h * wx, h * wy, h * wz)
    for i in range(predicted.shape[0]):
        rx, ry, rz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
        ux = keep * (v[i, 0] - vx - (wy * rz - wz * ry))
        uy = keep * (v[i, 1] - vy - (wz * rx - wx * rz))
        uz = keep * (v[i, 2] - vz - (wx * ry - wy * rx))
        rx, ry, rz = rx + h * ux, ry + h * uy, rz + h * uz
        v[i, 0] = ax * ux + ay * uy + az * uz
        v[i, 1] = bx * ux + by * uy + bz * uz
        v[i, 2] = dx * ux + dy * uy + dz * uz
        x[i, 0] = cx + h * vx + ax * rx + ay * ry + az * rz
        x[i, 1] = cy + h * vy + bx * rx + by * ry + bz * rz
        x[i, 2] = cz + h * vz + dx * rx + dy * ry + dz * rz
        predicted[i, 0], predicted[i, 1], predicted[i, 2] = x[i, 0], x[i, 1], x[i, 2]


@kernel
def finish(x, v, m, free, h, predicted, body):
    """Velocities after projection, with the angular momentum that the loads left."""
    lx, ly, lz = body[MOMENT], body[MOMENT + 1], body[MOMENT + 2]
    wx, wy, wz = body[SPIN], body[SPIN + 1], body[SPIN + 2]
    mass, cx, cy, cz = body[MASS], 0.0, 0.0, 0.0
    ox, oy, oz = body[CENTER], body[CENTER + 1], body[CENTER + 2]
    for i in range(m.shape[0]):
        cx += m[i] * (x[i, 0] - ox)
        cy += m[i] * (x[i, 1] - oy)
        cz += m[i] * (x[i, 2] - oz)
    cx, cy, cz = ox + cx / mass, oy + cy / mass, oz + cz / mass
    rate = 1.0 / h
    for i in range(m.shape[0]):
        rx, ry, rz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
        v[i, 0] += body[VELOCITY] + rate * (x[i, 0] - predicted[i, 0]) + wy * rz - wz * ry
        v[i, 1] += body[VELOCITY + 1] + rate * (x[i, 1] - predicted[i, 1]) + wz * rx - wx * rz
        v[i, 2] += body[VELOCITY + 2] + rate * (x[i, 2] - predicted[i, 2]) + wx * ry - wy * rx
    measure(x, v, m, free, body)
    n = m.shape[0]
    correct_spin(x[:n], v[:n], lx, ly, lz, body)


@kernel
def correct_spin(x, v, lx, ly, lz, body):
    """Give the body the angular momentum (lx, ly, lz) by the smallest rigid turn of its velocities."""
    wx, wy, wz = turned(body, lx - body[MOMENT], ly - body[MOMENT + 1], lz - body[MOMENT + 2])
    cx, cy, cz = body[CENTER], body[CENTER + 1], body[CENTER + 2]
    for i in range(x.shape[0]):
        rx, ry, rz = x[i, 0] - cx, x[i, 1] - cy, x[i, 2] - cz
        v[i, 0] += wy * rz - wz * ry
        v[i, 1] += wz * rx - wx * rz
        v[i, 2] += wx * ry - wy * rx
