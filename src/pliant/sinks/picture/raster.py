"""Loops of the plain renderer: which triangle is nearest at each sample, and how much of the key light arrives.

Screens and maps have row 0 at the bottom, like OpenGL's, and depth 0 near to 1 far.
"""

import math

from pliant.kernels import kernel, span, sweep

BANDS = 16  # of rows, each of one thread: nobody writes another's pixels
GOLDEN = 2.399963  # [rad]


@sweep
def rasterise(triangles, screen, depth, ids):
    """Nearest triangle at each sample's centre; `screen` (n, 4) holds x, y [px], depth and 1/w; w <= 0 is skipped."""
    height = depth.shape[0]
    for band in span(BANDS):
        first, last = band * height // BANDS, (band + 1) * height // BANDS
        for t in range(triangles.shape[0]):
            _fill(t, screen[triangles[t, 0]], screen[triangles[t, 1]], screen[triangles[t, 2]], first, last, depth, ids)


@kernel
def _fill(t, a, b, c, first, last, depth, ids):
    if a[3] <= 0.0 or b[3] <= 0.0 or c[3] <= 0.0:
        return
    area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
    low = max(first, math.ceil(min(a[1], b[1], c[1]) - 0.5))
    high = min(last - 1, math.floor(max(a[1], b[1], c[1]) - 0.5))
    if area == 0.0 or low > high:
        return
    left = max(0, math.ceil(min(a[0], b[0], c[0]) - 0.5))
    right = min(depth.shape[1] - 1, math.floor(max(a[0], b[0], c[0]) - 0.5))
    for y in range(low, high + 1):
        for x in range(left, right + 1):
            px, py = x + 0.5, y + 0.5
            u = ((px - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (py - a[1])) / area
            v = ((b[0] - a[0]) * (py - a[1]) - (px - a[0]) * (b[1] - a[1])) / area
            if u < 0.0 or v < 0.0 or u + v > 1.0:
                continue
            z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
            if 0.0 <= z < depth[y, x]:
                depth[y, x] = z
                ids[y, x] = t


@kernel
def _lit(depth, x, y, z):
    """Share of the four texels around a place [texel] that the light reaches, by distance."""
    n = depth.shape[0]
    fx, fy = x - 0.5, y - 0.5
    i, j = math.floor(fx), math.floor(fy)
    sx, sy = fx - i, fy - j
    i0, i1 = min(max(int(i), 0), n - 1), min(max(int(i) + 1, 0), n - 1)
    j0, j1 = min(max(int(j), 0), n - 1), min(max(int(j) + 1, 0), n - 1)
    low = (1.0 - sx) * (z <= depth[j0, i0]) + sx * (z <= depth[j0, i1])
    high = (1.0 - sx) * (z <= depth[j1, i0]) + sx * (z <= depth[j1, i1])
    return (1.0 - sy) * low + sy * high


@sweep
def key_light(places, depth, softness, seen):
    """light.glsl's key_visibility for places (n, 3) of the map, 0..1."""
    n = depth.shape[0]
    for k in span(places.shape[0]):
        x, y, z = n * places[k, 0], n * places[k, 1], min(places[k, 2], 0.9999)
        a, b = n * softness * 0.38, n * softness * 0.81
        first = _lit(depth, x + a, y + b, z) + _lit(depth, x - a, y - b, z)
        seen[k] = 0.25 * (first + _lit(depth, x + 0.5 * b, y - 0.5 * a, z) + _lit(depth, x - 0.5 * b, y + 0.5 * a, z))


@sweep
def floor_light(places, depth, softness, spread, seen):
    """floor.frag's shadow, softer the farther its caster is, for places (n, 3) of the map."""
    n = depth.shape[0]
    for k in span(places.shape[0]):
        x, y, z = places[k, 0], places[k, 1], min(places[k, 2], 0.9999)
        gap, hits = 0.0, 0
        for i in range(16):
            r, angle = math.sqrt((i + 0.5) / 16.0) * (0.35 * spread + 2.0 * softness), GOLDEN * i
            column = min(max(int(n * (x + r * math.cos(angle))), 0), n - 1)
            row = min(max(int(n * (y + r * math.sin(angle))), 0), n - 1)
            if depth[row, column] < z - 2e-3:
                gap += places[k, 2] - depth[row, column]
                hits += 1
        wide = max(spread * gap / hits, softness) if hits > 0 else softness
        total = 0.0
        for i in range(32):
            r, angle = wide * math.sqrt((i + 0.5) / 32.0), GOLDEN * i
            total += _lit(depth, n * (x + r * math.cos(angle)), n * (y + r * math.sin(angle)), z - 1e-3)
        seen[k] = total / 32.0
