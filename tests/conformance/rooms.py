"""What the conformance suite tests: every class that a room lists, found without anybody naming it here."""

import functools
import importlib
import inspect
import pkgutil

import numpy as np

import pliant
from pliant import colliders, constraints, filters, forces, gallery, integrators
from pliant.errors import UnsupportedError
from pliant.world import rows_of

ROOMS = {
    forces: forces.Force,
    constraints: constraints.Constraint,
    colliders: colliders.Collider,
    integrators: integrators.Integrator,
    filters: filters.Filter,
}


def concrete(room):
    """The room's parts by name."""
    base = ROOMS[room]
    listed = [getattr(room, name) for name in room.__all__]
    kinds = [c for c in listed if isinstance(c, type) and issubclass(c, base)]
    return {c.__name__: c for c in kinds if not inspect.isabstract(c)}


def defined(room):
    """Every final class of the room's kind in any of its files, listed or not.

    A folder inside a room holds what a listed method does for one kind of part; it is reached through that method.
    """
    found = set()
    for module in pkgutil.iter_modules(room.__path__):
        if module.ispkg:
            continue
        members = vars(importlib.import_module(f"{room.__name__}.{module.name}")).items()
        found |= {
            name
            for name, c in members
            if isinstance(c, type) and issubclass(c, ROOMS[room]) and not inspect.isabstract(c) and name[0] != "_"
        }
    return found


SMALL = pliant.Fabric(density=0.2, stretch=40.0, shear=30.0, bend=1e-3, damping=0.02)


def cloth(*, pinned=None, fabric=SMALL, cells=4, **options):
    """A world of one small sheet with springs and hinges."""
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=cells, rows=cells, pinned=pinned, fabric=fabric, **options)
    return pliant.build(pliant.Scene(parts={"sheet": sheet}))


@functools.cache
def _gallery_world(name):
    return pliant.build(gallery.load(name))


def bound(description, *, pinned=None, cells=4):
    """(world, part, bound description) for the first part that it can act on: a sheet, or one of the gallery's."""
    world = cloth(pinned=pinned, cells=cells)
    worlds = [world] if pinned is not None else [world, *(_lazily(name) for name in gallery.SCENES)]
    for candidate in worlds:
        candidate = candidate() if callable(candidate) else candidate
        for part in candidate.parts.values():
            try:
                return candidate, part, description.bind(candidate, part)
            except UnsupportedError:
                continue
    raise AssertionError(f"no part of the gallery lets {description!r} act on it")


def _lazily(name):
    return lambda: _gallery_world(name)


def rows(world, part, *, seed=0, stretch=1.0, noise=0.0, speed=0.0):
    """The part's rows of a fresh state: stretched, shaken, with random velocities."""
    own = rows_of(world.initial_state(), part)
    random = np.random.default_rng(seed)
    size = np.ptp(own.position, axis=0).max()
    own.position[:] = stretch * own.position + noise * size * random.standard_normal(own.position.shape)
    own.velocity[:] = speed * random.standard_normal(own.velocity.shape)
    return own
