"""Closest points: of a triangle to a point, and of two segments. Ericson 2005, "Real-Time Collision Detection", 5.1."""

from pliant.kernels.jit import inline, lean


@inline
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def less(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def row(x, i):
    return x[i, 0], x[i, 1], x[i, 2]


@lean
def on_triangle(p, a, b, c):
    """Barycentric weights (of a, b, c) of the point of a triangle closest to p; all are tuples of three."""
    ab, ac, ap = less(b, a), less(c, a), less(p, a)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    bp = less(p, b)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return 1.0 - t, t, 0.0
    cp = less(p, c)
    d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    return _across(d1, d2, d3, d4, d5, d6, vc)


@inline
def _across(d1, d2, d3, d4, d5, d6, vc):
    vb, va = d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return 1.0 - t, 0.0, t
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - t, t
    total = va + vb + vc
    if total <= 0.0:  # a triangle without area
        return 1.0, 0.0, 0.0
    return va / total, vb / total, vc / total


@lean
def on_segments(p, q, r, s):
    """(t, u) of the closest points p + t (q - p) and r + u (s - r)."""
    d1, d2, back = less(q, p), less(s, r), less(p, r)
    a, e, b = dot(d1, d1), dot(d2, d2), dot(d1, d2)
    c, f = dot(d1, back), dot(d2, back)
    flat = a * e - b * b
    if a <= 0.0 or e <= 0.0:
        return 0.5, 0.5
    t = min(max((b * f - c * e) / flat, 0.0), 1.0) if flat > 1e-12 * a * e else 0.5
    u = (b * t + f) / e
    if u < 0.0:
        return min(max(-c / a, 0.0), 1.0), 0.0
    if u > 1.0:
        return min(max((b - c) / a, 0.0), 1.0), 1.0
    return t, u
