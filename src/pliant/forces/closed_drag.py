"""Drag on a closed skin: pressure on the side that faces the stream, friction all around.

    f_i = - rho C_d A_i max(0, u . n_i) u / 2  -  rho C_f A_i |u_t| u_t / 2,     u = v_i - v_air

Spec of seed 001, section 6 (the paper's Eq. 11 with a direction and only its leading side): on a ball it sums to
rho C_d pi r^2 u^2 / 2. The whole is scaled by 1 / (1 + h |F| / (M |u|)) with the body's F, M and mean u, so that it
never reverses the body's motion, however light its rows.
"""

import math

from pliant.kernels import kernel


@kernel
def point_areas(triangles, x, area):
    """area (n, 3) [m^2]: a third of the area vectors of each point's triangles."""
    area[:] = 0.0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        px, py, pz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        qx, qy, qz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        nx, ny, nz = (py * qz - pz * qy) / 6.0, (pz * qx - px * qz) / 6.0, (px * qy - py * qx) / 6.0
        for i in (a, b, c):
            area[i, 0] += nx
            area[i, 1] += ny
            area[i, 2] += nz


@kernel
def add_closed_drag(v, air, w, area, drag, h, push, f):
    """`drag` is rho C_d / 2 and rho C_f / 2; `area` from `point_areas`; `push` (n, 3) is scratch."""
    fx = fy = fz = ux = uy = uz = 0.0
    for i in range(area.shape[0]):
        push[i, 0] = push[i, 1] = push[i, 2] = 0.0
        ax, ay, az = area[i, 0], area[i, 1], area[i, 2]
        size = math.sqrt(ax * ax + ay * ay + az * az)
        if size <= 0.0:
            continue
        per = 1.0 / size
        nx, ny, nz = per * ax, per * ay, per * az
        x, y, z = v[i, 0] - air[i, 0], v[i, 1] - air[i, 1], v[i, 2] - air[i, 2]
        along = x * nx + y * ny + z * nz
        tx, ty, tz = x - along * nx, y - along * ny, z - along * nz
        press = drag[0] * size * max(along, 0.0)
        rub = drag[1] * size * math.sqrt(tx * tx + ty * ty + tz * tz)
        px, py, pz = -press * x - rub * tx, -press * y - rub * ty, -press * z - rub * tz
        push[i, 0], push[i, 1], push[i, 2] = px, py, pz
        if w[i] > 0.0:
            m = 1.0 / w[i]
            fx, fy, fz = fx + px, fy + py, fz + pz
            ux, uy, uz = ux + m * x, uy + m * y, uz + m * z
    speed = math.sqrt(ux * ux + uy * uy + uz * uz)  # times the mass
    scale = 1.0 / (1.0 + h * math.sqrt(fx * fx + fy * fy + fz * fz) / speed) if speed > 0.0 else 1.0
    for i in range(area.shape[0]):
        f[i, 0] += scale * push[i, 0]
        f[i, 1] += scale * push[i, 1]
        f[i, 2] += scale * push[i, 2]
