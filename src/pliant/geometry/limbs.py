"""Rounded blocks: balls, capsules and boxes with soft edges, as one kind of mesh, and what they weigh.

A rounded block is every point nearer than `radius` to a core box. Its mesh is a cube's grid blown onto it, so all
solids have welded points and smooth normals. `cells` across an edge's quarter circle set how round it looks.
"""

import numpy as np

from pliant.arrays import Array, Index


def rounded_block(half_size: Array, radius: float, cells: int = 3) -> tuple[Array, Array]:
    """Points (n, 3) and outward triangles (m, 3) of a block of outer half sizes `half_size` [m]."""
    half = np.asarray(half_size, float)
    radius = float(min(radius, half.min()))
    core = half - radius
    bend = np.tan(np.linspace(0.0, np.pi / 4, cells + 1)) * radius
    lines = [np.concatenate([-(c + bend[::-1]), c + bend]) if c > 1e-9 else _through(bend) for c in core]
    points, triangles = _grid_surface(lines)
    inner = np.clip(points, -core, core)
    out = points - inner
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    return inner + radius * out, triangles


def _through(bend: Array) -> Array:
    return np.concatenate([-bend[:0:-1], bend])


def _grid_surface(lines: list[Array]) -> tuple[Array, Array]:
    """The surface of a box whose edges are divided at `lines`."""
    points: list[Array] = []
    quads: list[Array] = []
    count = 0
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        a, b = np.meshgrid(lines[u], lines[v], indexing="ij")
        for side in (0, -1):
            face = np.empty((*a.shape, 3))
            face[..., axis], face[..., u], face[..., v] = lines[axis][side], a, b
            index = np.arange(a.size).reshape(a.shape) + count
            corners = [index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]]
            order = corners if side == -1 else corners[::-1]
            quads.append(np.stack([c.ravel() for c in order], axis=1))
            points.append(face.reshape(-1, 3))
            count += a.size
    every = np.concatenate(points)
    _, first, where = np.unique(np.round(every, 12), axis=0, return_index=True, return_inverse=True)
    quad = where.ravel()[np.concatenate(quads)]
    triangles = np.concatenate([quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]])
    return every[first], triangles.astype(Index)


def ball_inertia(radius: float) -> Array:
    """Principal moments per kg [m^2] of a solid ball."""
    return np.full(3, 0.4 * radius**2)


def box_inertia(half_size: Array) -> Array:
    """Principal moments per kg [m^2] of a solid box."""
    square = np.asarray(half_size, float) ** 2
    return (square.sum() - square) / 3.0


def capsule_inertia(radius: float, length: float) -> Array:
    """Principal moments per kg [m^2] of a solid capsule of whole `length` along y."""
    middle = max(length - 2.0 * radius, 0.0)
    cylinder = np.pi * radius**2 * middle
    caps = 4.0 / 3.0 * np.pi * radius**3
    a, b = cylinder / (cylinder + caps), caps / (cylinder + caps)
    along = a * radius**2 / 2 + b * 0.4 * radius**2
    across = a * (middle**2 / 12 + radius**2 / 4)
    across += b * (0.4 * radius**2 + middle**2 / 4 + 0.375 * middle * radius)
    return np.array([across, along, across])
