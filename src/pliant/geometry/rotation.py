"""Unit quaternions, xyzw, whole arrays at a time: the last axis is the quaternion, the others broadcast."""

import numpy as np

from pliant.arrays import Array

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


def multiply(a: Array, b: Array) -> Array:
    """a b: first turn by b, then by a."""
    ax, ay, az, aw = _columns(a)
    bx, by, bz, bw = _columns(b)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )


def _columns(q: Array) -> tuple[Array, Array, Array, Array]:
    q = np.asarray(q)
    return q[..., 0], q[..., 1], q[..., 2], q[..., 3]


def inverse(q: Array) -> Array:
    return np.asarray(q) * np.array([-1.0, -1.0, -1.0, 1.0])


def rotate(q: Array, v: Array) -> Array:
    """Turn vectors: v + 2 w (u x v) + 2 u x (u x v)."""
    q, v = np.asarray(q), np.asarray(v)
    u, w = q[..., :3], q[..., 3:]
    across = _cross(u, v)
    return v + 2.0 * (w * across + _cross(u, across))


def _cross(a: Array, b: Array) -> Array:
    """As numpy's, to the last bit, without its asking around: most of a call on few vectors."""
    ax, ay, az, bx, by, bz = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def normalized(q: Array) -> Array:
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def from_rotation_vector(vector: Array) -> Array:
    """Rotation by |vector| [rad] about its direction."""
    vector = np.asarray(vector, float)
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    small = angle < 1e-8
    scale = np.where(small, 0.5, np.sin(0.5 * angle) / np.where(small, 1.0, angle))
    return normalized(np.concatenate([vector * scale, np.cos(0.5 * angle)], axis=-1))


def to_rotation_vector(q: Array) -> Array:
    """The inverse of `from_rotation_vector`, angle in 0..pi."""
    q = np.where(np.asarray(q)[..., 3:] < 0, -np.asarray(q), q)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., 3:])
    return q[..., :3] * np.where(sine < 1e-12, 2.0, angle / np.where(sine < 1e-12, 1.0, sine))


def to_matrix(q: Array) -> Array:
    """(..., 3, 3)."""
    x, y, z, w = _columns(q)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(m: Array) -> Array:
    """Of proper rotation matrices (..., 3, 3); the largest component is found first, so nothing cancels."""
    m = np.asarray(m, float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    candidates = np.stack(
        [
            np.stack([1 + xx - yy - zz, xy, xz, a], axis=-1),
            np.stack([xy, 1 - xx + yy - zz, yz, b], axis=-1),
            np.stack([xz, yz, 1 - xx - yy + zz, c], axis=-1),
            np.stack([a, b, c, 1 + xx + yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.stack([xx - yy - zz, yy - xx - zz, zz - xx - yy, xx + yy + zz], axis=-1), axis=-1)
    return normalized(np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :])


def slerp(a: Array, b: Array, t: Array | float) -> Array:
    """The shorter way from a (t = 0) to b (t = 1)."""
    turn = to_rotation_vector(multiply(inverse(a), b))
    return multiply(a, from_rotation_vector(turn * np.asarray(t, float)[..., None]))
