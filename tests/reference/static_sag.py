"""Shapes at rest found without any integrator: the energy of the tables and of gravity, minimized by L-BFGS."""

import functools

import numpy as np
from scipy.optimize import minimize

import pliant
from pliant.forces import FOR_TABLE, BoundForce, Force
from pliant.world import rows_of


class Drag(Force):
    """f = -12 m v [N]: brings a scene to rest and changes nothing of where."""

    def bind(self, world, part):
        return _Drag(part)


class _Drag(BoundForce):
    def __init__(self, part):
        self._rate = -12.0 * part.mass[:, None]

    def add(self, rows, force, h):
        force += self._rate * rows.velocity


def curtain(integrator=None):
    """A soft sheet on its upper border, stretched by its own weight."""
    fabric = pliant.Fabric(density=0.2, stretch=40.0, shear=40.0, bend=1e-3, damping=0.002, limit=None)
    sheet = pliant.Cloth.sheet(
        width=1, height=1, columns=6, rows=6, pinned="top", fabric=fabric, integrator=integrator, self_contact=False
    )
    return pliant.build(pliant.Scene(parts={"sheet": sheet}, fields=(pliant.Gravity(), Drag())))


def shelf(integrator=None):
    """A stiff strip clamped by its first two columns, bent by its own weight: hinges carry it.

    A mesh of its own, so that every method bends the same hinges: a woven sheet bends second differences, which have no
    cross contraction, where hinges have that of a third.
    """
    fabric = pliant.Fabric(density=0.2, stretch=150.0, shear=100.0, bend=0.1, damping=0.001, limit=None)
    grid = pliant.Cloth.sheet(width=0.6, height=0.2, columns=6, rows=2, lies="flat").mesh()
    strip = pliant.Cloth.from_mesh(
        grid.points,
        grid.triangles,
        pinned=lambda points: points[:, 0] < -0.15,
        fabric=fabric,
        integrator=integrator,
        self_contact=False,
    )
    return pliant.build(pliant.Scene(parts={"strip": strip}, fields=(pliant.Gravity(), Drag())))


SCENES = {"curtain": curtain, "shelf": shelf}


@functools.cache
def lowest_energy(name):
    """(n, 3) positions of least energy near the start of the scene."""
    world = SCENES[name]()
    (part,) = world.parts.values()
    own = rows_of(world.initial_state(), part)
    forces = [FOR_TABLE[type(table)]().bind(world, part) for table in part.tables]
    forces += [field.bind(world, part) for field in world.fields]
    free = own.inverse_mass > 0.0

    def energy(unknown):
        own.position[free] = unknown.reshape(-1, 3)
        force = np.zeros_like(own.position)
        for each in forces:
            each.add(own, force, 1.0)
        return sum(each.energy(own) or 0.0 for each in forces), -force[free].ravel()

    start = own.position[free].ravel()
    options = {"maxiter": 20000, "maxfun": 100000, "ftol": 0.0, "gtol": 1e-9}
    found = minimize(energy, start, jac=True, method="L-BFGS-B", options=options)
    assert abs(energy(found.x)[1]).max() < 1e-6, found.message
    return own.position.copy()
