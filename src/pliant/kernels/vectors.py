"""Algebra of 3-vectors, quaternions (xyzw) and 3 x 3 matrices as tuples, for kernels.

A tuple of floats lives in registers: no memory is touched and no array is made. A matrix is nine numbers row by row, a
symmetric one six (xx, xy, xz, yy, yz, zz). `get…` and `put…` move tuples from and to a row of a 2-D table.
"""

import math

from pliant.kernels.jit import inner


@inner
def get3(a, k, c):
    return (a[k, c], a[k, c + 1], a[k, c + 2])


@inner
def put3(a, k, c, v):
    a[k, c] = v[0]
    a[k, c + 1] = v[1]
    a[k, c + 2] = v[2]


@inner
def get4(a, k, c):
    return (a[k, c], a[k, c + 1], a[k, c + 2], a[k, c + 3])


@inner
def put4(a, k, c, q):
    for t in range(4):
        a[k, c + t] = q[t]


@inner
def get6(a, k, c):
    return (a[k, c], a[k, c + 1], a[k, c + 2], a[k, c + 3], a[k, c + 4], a[k, c + 5])


@inner
def put6(a, k, c, s):
    for t in range(6):
        a[k, c + t] = s[t]


@inner
def get9(a, k, c):
    return (
        a[k, c], a[k, c + 1], a[k, c + 2],
        a[k, c + 3], a[k, c + 4], a[k, c + 5],
        a[k, c + 6], a[k, c + 7], a[k, c + 8],
    )  # fmt: skip


@inner
def put9(a, k, c, m):
    for t in range(9):
        a[k, c + t] = m[t]


@inner
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inner
def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inner
def mul(a, b):
    """Component by component."""
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])


@inner
def scale(s, a):
    return (s * a[0], s * a[1], s * a[2])


@inner
def along(a, s, b):
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@inner
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def dot4(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@inner
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inner
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inner
def qmul(a, b):
    """First b, then a."""
    return (
        a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@inner
def qinv(q):
    return (-q[0], -q[1], -q[2], q[3])


@inner
def turn(q, v):
    """Rotate v by q."""
    u = (q[0], q[1], q[2])
    t = cross(u, v)
    t = (2.0 * t[0], 2.0 * t[1], 2.0 * t[2])
    return add(along(v, q[3], t), cross(u, t))


@inner
def sine_ratios(x):
    """sin(a)/a and (1 - cos a)/a^2 of x = a^2."""
    if x < 1e-3:  # the usual turn of a substep; what is left out is below 3e-18
        return 1.0 - x * (1.0 / 6 - x * (1.0 / 120 - x / 5040.0)), 0.5 - x * (1.0 / 24 - x * (1.0 / 720 - x / 40320.0))
    if x < 0.25:
        s = 1.0 - x * (1.0 / 6 - x * (1.0 / 120 - x * (1.0 / 5040 - x * (1.0 / 362880 - x / 39916800.0))))
        c = 0.5 - x * (1.0 / 24 - x * (1.0 / 720 - x * (1.0 / 40320 - x * (1.0 / 3628800 - x / 479001600.0))))
        return s, c
    a = math.sqrt(x)
    return math.sin(a) / a, (1.0 - math.cos(a)) / x


@inner
def qexp(v):
    """Quaternion of a rotation vector."""
    half = scale(0.5, v)
    x = dot(half, half)
    s, c = sine_ratios(x)
    return (s * half[0], s * half[1], s * half[2], 1.0 - c * x)


@inner
def qlog(q):
    """Rotation vector of a quaternion, angle 0 .. pi."""
    sign = -1.0 if q[3] < 0.0 else 1.0
    n = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
    k = sign * 2.0 if n < 1e-9 else sign * 2.0 * math.atan2(n, sign * q[3]) / n
    return (k * q[0], k * q[1], k * q[2])


@inner
def qunit(q):
    """Back to length one; the quaternion must be close already."""
    s = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (s * q[0], s * q[1], s * q[2], s * q[3])


@inner
def matrix(q):
    """Rotation matrix."""
    x, y, z, w = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w),
        2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w),
        2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@inner
def mv(m, v):
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@inner
def mtv(m, v):
    """Transpose of m times v."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@inner
def sv(s, v):
    """Symmetric matrix times v."""
    return (
        s[0] * v[0] + s[1] * v[1] + s[2] * v[2],
        s[1] * v[0] + s[3] * v[1] + s[4] * v[2],
        s[2] * v[0] + s[4] * v[1] + s[5] * v[2],
    )


@inner
def sinverse(s):
    """Inverse of a symmetric positive matrix, by cofactors."""
    a = s[3] * s[5] - s[4] * s[4]
    b = s[2] * s[4] - s[1] * s[5]
    c = s[1] * s[4] - s[2] * s[3]
    r = 1.0 / (s[0] * a + s[1] * b + s[2] * c)
    return (
        r * a, r * b, r * c,
        r * (s[0] * s[5] - s[2] * s[2]), r * (s[1] * s[2] - s[0] * s[4]), r * (s[0] * s[3] - s[1] * s[1]),
    )  # fmt: skip


@inner
def congruence(m, d):
    """m diag(d) m^T, symmetric."""
    a, b, c = d
    return (
        a * m[0] * m[0] + b * m[1] * m[1] + c * m[2] * m[2],
        a * m[0] * m[3] + b * m[1] * m[4] + c * m[2] * m[5],
        a * m[0] * m[6] + b * m[1] * m[7] + c * m[2] * m[8],
        a * m[3] * m[3] + b * m[4] * m[4] + c * m[5] * m[5],
        a * m[3] * m[6] + b * m[4] * m[7] + c * m[5] * m[8],
        a * m[6] * m[6] + b * m[7] * m[7] + c * m[8] * m[8],
    )
