"""What air does to a surface that moves through it: u = v - v_air, of each point.

"panels" (default, spec of seed 000, section 9): each triangle presses along its normal n and rubs along its plane,

    c_n = rho C_n A / 2,  c_t = rho C_t A / 2,   u_n' = u_n / (1 + h c_n |u| / m),   u_t' = u_t / (1 + h c_t |u| / m)

A point takes a third of every triangle it belongs to, with the share of its mass that the triangle has of its area.
All its triangles then have the same denominators, and what it keeps of u is a mean of contractions: drag slows every
point, never reverses it and never adds energy, however light the cloth, long the step or old the normals.

"paper" is the published law per vertex (seed 000, Eq. 5-6) and "corrected" the same with the lift mended (spec,
section 9): with the vertex normal N, c = |N.u| / |u| and the vertex's area in both coefficients,

    drag  -K_D c |u|^2 u^      lift (paper)      K_L sqrt(1 - c^2) |u|^2 (N~ x u^) x u^
                               lift (corrected)  K_L |u|^2 ((N.u^)^2 u^ - (N.u^) N)

Drag is taken semi-implicitly, and lift, which does no work, turns u without changing its length.
"""

import math

from pliant.kernels import kernel, span, sweep

PANELS, PAPER, CORRECTED = 0, 1, 2


@sweep
def panel_vectors(triangles, x, out):
    """out (m, 3): the normal times the square root of the area, so that out out^T = A n n^T."""
    for t in span(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        px, py, pz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        qx, qy, qz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        nx, ny, nz = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
        twice = math.sqrt(nx * nx + ny * ny + nz * nz)
        scale = math.sqrt(0.5 / twice) if twice > 1e-18 else 0.0
        out[t, 0], out[t, 1], out[t, 2] = scale * nx, scale * ny, scale * nz


@sweep
def point_panels(start, panel, vectors, out):
    """out (n, 6): sum of A n n^T over each point's triangles, as xx yy zz xy yz zx; its trace is their area."""
    for i in span(start.shape[0] - 1):
        xx, yy, zz, xy, yz, zx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for slot in range(start[i], start[i + 1]):
            t = panel[slot]
            bx, by, bz = vectors[t, 0], vectors[t, 1], vectors[t, 2]
            xx += bx * bx
            yy += by * by
            zz += bz * bz
            xy += bx * by
            yz += by * bz
            zx += bz * bx
        out[i, 0], out[i, 1], out[i, 2] = xx, yy, zz
        out[i, 3], out[i, 4], out[i, 5] = xy, yz, zx


@sweep
def add_panel_drag(v, air, mass, panels, drag, h, f):
    """f += the "panels" law; panels: from `point_panels`; drag: rho C_n / 2, rho C_t / 2."""
    for i in span(v.shape[0]):
        ux, uy, uz = v[i, 0] - air[i, 0], v[i, 1] - air[i, 1], v[i, 2] - air[i, 2]
        xx, yy, zz = panels[i, 0], panels[i, 1], panels[i, 2]
        xy, yz, zx = panels[i, 3], panels[i, 4], panels[i, 5]
        pace = math.sqrt(ux * ux + uy * uy + uz * uz) / 3.0
        area = xx + yy + zz
        cn, ct = drag[0] * pace, drag[1] * pace
        share = h * area / mass[i]
        cn, ct = cn / (1.0 + share * cn), ct / (1.0 + share * ct)
        rub, press = ct * area, cn - ct
        f[i, 0] -= press * (xx * ux + xy * uy + zx * uz) + rub * ux
        f[i, 1] -= press * (xy * ux + yy * uy + yz * uz) + rub * uy
        f[i, 2] -= press * (zx * ux + yz * uy + zz * uz) + rub * uz


@sweep
def add_vertex_drag(v, air, mass, start, panel, vectors, drag, law, h, f):
    """f += the "paper" or the "corrected" law; drag: rho C_D / 2, rho C_L / 2."""
    for i in span(v.shape[0]):
        nx, ny, nz, area = 0.0, 0.0, 0.0, 0.0
        for slot in range(start[i], start[i + 1]):
            t = panel[slot]
            square = vectors[t, 0] ** 2 + vectors[t, 1] ** 2 + vectors[t, 2] ** 2
            root = math.sqrt(square)
            area += square / 3.0
            nx += root * vectors[t, 0]
            ny += root * vectors[t, 1]
            nz += root * vectors[t, 2]
        length = math.sqrt(nx * nx + ny * ny + nz * nz)
        ux, uy, uz = v[i, 0] - air[i, 0], v[i, 1] - air[i, 1], v[i, 2] - air[i, 2]
        speed = math.sqrt(ux * ux + uy * uy + uz * uz)
        if length < 1e-18 or speed < 1e-12:
            continue
        rate = h * area * speed / mass[i]
        dx, dy, dz = lifted(nx / length, ny / length, nz / length, ux / speed, uy / speed, uz / speed, drag, rate, law)
        back = mass[i] * speed / h
        f[i, 0] += back * dx
        f[i, 1] += back * dy
        f[i, 2] += back * dz


@kernel
def lifted(nx, ny, nz, ux, uy, uz, drag, rate, law):
    """Change of the unit vector u in one step, with rate = h A |u| / m [m^3/kg]."""
    along = nx * ux + ny * uy + nz * uz
    kept = 1.0 / (1.0 + rate * drag[0] * abs(along))
    # both lifts point along u (N.u) - N, whose length is the cosine
    lift = rate * drag[1] * along
    if law == PAPER:
        lift = rate * drag[1] * math.copysign(math.sqrt(max(0.0, 1.0 - along * along)), along)
    lx, ly, lz = lift * (along * ux - nx), lift * (along * uy - ny), lift * (along * uz - nz)
    turned = kept / math.sqrt(1.0 + lx * lx + ly * ly + lz * lz)
    return turned * (ux + lx) - ux, turned * (uy + ly) - uy, turned * (uz + lz) - uz


@kernel
def add_body_drag(v, air, mass, area, coefficient, h, f):
    """f -= rho C A |u| u / 2 of points without triangles, semi-implicit; area (n,) [m^2]."""
    for i in range(v.shape[0]):
        ux, uy, uz = v[i, 0] - air[i, 0], v[i, 1] - air[i, 1], v[i, 2] - air[i, 2]
        c = coefficient * area[i] * math.sqrt(ux * ux + uy * uy + uz * uz)
        c /= 1.0 + h * c / mass[i]
        f[i, 0] -= c * ux
        f[i, 1] -= c * uy
        f[i, 2] -= c * uz
