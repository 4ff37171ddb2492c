"""Drag on a closed skin: pressure on the side that faces the stream, friction all around.

    f_i = - rho C_d A_i max(0, u . n_i) u / 2  -  rho C_f A_i |u_t| u_t / 2,     u = v_i - v_air

Spec of seed 001, section 6 (the paper's Eq. 11 with a direction and only its leading side): on a ball it sums to
rho C_d pi r^2 u^2 / 2. The whole is scaled by 1 / (1 + h |F| / (M |u|)) with the body's F, M and mean u, so that it
never reverses the body's motion, however light its rows.
"""

import math

from pliant.kernels import kernel


@kernel
def add_closed_drag(v, air, w, triangles, vectors, drag, h, area, f):
    """`vectors` (m, 3) are normals times the square root of the area, `drag` is rho C_d / 2 and rho C_f / 2.

    `area` (n, 6) is scratch.
    """
    area[:] = 0.0
    for t in range(triangles.shape[0]):
        root = math.sqrt(vectors[t, 0] ** 2 + vectors[t, 1] ** 2 + vectors[t, 2] ** 2)
        for c in range(3):
            for k in range(3):
                area[triangles[t, c], k] += vectors[t, k] * root / 3.0
    fx = fy = fz = ux = uy = uz = mass = 0.0
    for i in range(area.shape[0]):
        size = math.sqrt(area[i, 0] ** 2 + area[i, 1] ** 2 + area[i, 2] ** 2)
        if size <= 0.0:
            continue
        nx, ny, nz = area[i, 0] / size, area[i, 1] / size, area[i, 2] / size
        x, y, z = v[i, 0] - air[i, 0], v[i, 1] - air[i, 1], v[i, 2] - air[i, 2]
        along = x * nx + y * ny + z * nz
        tx, ty, tz = x - along * nx, y - along * ny, z - along * nz
        push = drag[0] * size * max(along, 0.0)
        rub = drag[1] * size * math.sqrt(tx * tx + ty * ty + tz * tz)
        area[i, 3] = -push * x - rub * tx
        area[i, 4] = -push * y - rub * ty
        area[i, 5] = -push * z - rub * tz
        if w[i] > 0.0:
            mass += 1.0 / w[i]
            fx, fy, fz = fx + area[i, 3], fy + area[i, 4], fz + area[i, 5]
            ux, uy, uz = ux + x / w[i], uy + y / w[i], uz + z / w[i]
    speed = math.sqrt(ux * ux + uy * uy + uz * uz)  # times the mass
    scale = 1.0 / (1.0 + h * math.sqrt(fx * fx + fy * fy + fz * fz) / speed) if speed > 0.0 else 1.0
    for i in range(area.shape[0]):
        for k in range(3):
            f[i, k] += scale * area[i, 3 + k]
