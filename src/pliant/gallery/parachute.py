"""A round canopy on twelve lines carries a load down.

The air presses on each panel by its own motion alone; the still air a real canopy holds does not exist here, so the
canopy is of a stiff foil that keeps itself open.
"""

import itertools

import numpy as np

from pliant.arrays import Array
from pliant.forces import Gravity, Wind
from pliant.scene import Cloth, Fabric, Scene, View

GORES, RINGS, LINE_CELLS = 24, 8, 10
RADIUS, LINES = 0.6, 1.7  # [m]


def canopy() -> tuple[Array, Array]:
    """Points and triangles: a dome, narrow strips for lines, and a little disc where they meet (last points)."""
    tilt = np.linspace(0.12, 1.3, RINGS)  # of each ring from the apex [rad]
    angle = 2.0 * np.pi * np.arange(GORES) / GORES
    circle = np.stack([np.cos(angle), np.zeros(GORES), np.sin(angle)], axis=1)
    dome = [RADIUS * (np.sin(t) * circle + [0.0, np.cos(t), 0.0]) for t in tilt]
    points = np.concatenate(dome)
    faces = []
    for r in range(RINGS - 1):
        for g in range(GORES):
            a, b = r * GORES + g, r * GORES + (g + 1) % GORES
            faces += [(a, b, b + GORES), (a, b + GORES, a + GORES)]
    return _with_lines(points, faces)


def _with_lines(points: Array, faces: list[tuple[int, int, int]]) -> tuple[Array, Array]:
    bottom = np.array([0.0, points[:, 1].min() - LINES, 0.0])
    rim = (RINGS - 1) * GORES
    own = [points]
    count = len(points) + GORES  # the disc's points come first
    disc = 0.05 * points[rim : rim + GORES] / RADIUS
    own.append(np.stack([disc[:, 0], np.zeros(GORES), disc[:, 2]], axis=1) + bottom)
    ends = len(points)
    for g in range(0, GORES, 2):
        pairs = [(rim + g, rim + (g + 1) % GORES)]
        for step in range(1, LINE_CELLS):
            s = step / LINE_CELLS
            wide = min(1.0, 0.12 + 0.88 * max(0.0, 1.0 - 6.0 * s))  # lines are narrow below the rim
            top, foot = points[[rim + g, rim + (g + 1) % GORES]], own[1][[g, (g + 1) % GORES]]
            line = (1.0 - s) * top + s * foot
            middle = line.mean(axis=0)
            own.append(middle + wide * (line - middle))
            pairs.append((count, count + 1))
            count += 2
        pairs.append((ends + g, ends + (g + 1) % GORES))
        for (a, b), (c, d) in itertools.pairwise(pairs):
            faces += [(a, b, d), (a, d, c)]
    own.append(bottom[None])
    faces += [(ends + g, ends + (g + 1) % GORES, count) for g in range(GORES)]
    return np.concatenate(own), np.array(faces)


def parachute() -> Scene:
    """A canopy of 1.2 m fills and lets a load of 100 g sink; the wind takes it along."""
    points, triangles = canopy()
    dome = RINGS * GORES
    load = (*range(dome, dome + GORES), len(points) - 1)
    cloth = Cloth.from_mesh(
        points + np.array([0.0, 7.0, 0.0]),
        triangles,
        fabric=Fabric(density=0.05, stretch=5e3, shear=50.0, bend=0.3, thickness=2e-3),
        load=0.1,
        loaded=load,
        pattern="stripes",
    )
    return Scene(
        parts={"parachute": cloth},
        fields=(Gravity(), Wind(velocity=(0.4, 0.0, 0.0), gust=0.3, turbulence=0.2, seed=3)),
        title="Parachute",
        seconds=2.8,
        view=View(eye=(2.5, 3.6, 16.0), target=(0.6, 4.0, 0.0)),
    )
