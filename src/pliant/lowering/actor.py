"""Actors: no rows of a state, but a filter that shows them, and a body that cloth keeps out of."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.colliders import BodyCollider, Collider
from pliant.errors import SceneError, unknown
from pliant.filters import Dressed
from pliant.filters.draping import Draped, Draper
from pliant.geometry.rigged import skinned
from pliant.scene import Actor, Character, Cloth, Garment, Puppet
from pliant.scene.actor import Carried
from pliant.scene.character import Pose, pose_turns
from pliant.scene.figures import posing
from pliant.scene.figures.moving import Led
from pliant.scene.garment import color_of, layers, skin_of
from pliant.world import Look


def dressed(actor: Actor, name: str, parts: Mapping[str, Any]) -> Dressed:
    """The filter that shows an actor."""
    order = layers(actor.garments)
    return Dressed(
        name=name,
        body=actor.character.body().mesh,
        skin=skin_of(actor.character),
        mover=_mover(actor, name, parts),
        wears=tuple(g.wear(actor.character, layer) for g, layer in zip(actor.garments, order, strict=True)),
        titles=tuple(garment.title for garment in actor.garments),
        looks=tuple(Look(color_of(g), pattern=g.pattern) for g in actor.garments),
        finishes=tuple(finish_of(g) for g in actor.garments),
        method=actor.method,
        look=Look(actor.color or actor.character.color, pattern=actor.pattern),
        instead=actor.puppet,
    )


def finish_of(garment: Garment) -> tuple[Array, Array, Array | None] | None:
    if garment.finish_points is None:
        return None
    return garment.finish_points, garment.finish_triangles, garment.finish_uv


def _mover(actor: Actor, name: str, parts: Mapping[str, Any]) -> Any:
    if not actor.puppet:
        return actor.mover()
    if actor.puppet not in parts:
        raise SceneError(f"part {name!r}: {unknown('puppet', actor.puppet, parts)}")
    puppet = parts[actor.puppet]
    if not isinstance(puppet, Puppet):
        raise SceneError(f"part {name!r}: {actor.puppet!r} is a {type(puppet).__name__}; an actor follows a Puppet")
    return Led(actor.character.body(), actor.puppet, puppet)


def obstacles(actor: Actor) -> tuple[Collider, ...]:
    """The skinned body, moving; one that follows a puppet is kept clear by the puppet's own segments."""
    if actor.puppet or not actor.solid:
        return ()
    mover, mesh = actor.mover(), actor.character.body().mesh

    def points(time: float) -> Array:
        return skinned(mesh, mover.at(time))

    moves = actor.clip is not None or len(actor.poses) > 1
    start = points(0.0)
    deform = points if moves else None
    return (BodyCollider(points=start, triangles=mesh.triangles, friction=actor.friction, deform=deform),)


def drape(
    character: Character,
    garments: Garment | tuple[Garment, ...] | list[Garment],
    pose: Pose | Array,
    *,
    method: Any = "strain",
) -> tuple[Draped, ...]:
    """Garments on a character in one pose, at once: the same pose gives the same bits, whatever came before.

    Args:
        character: Who wears them.
        garments: One or several, innermost by their kind or their `layer`.
        pose: A name, rotation vectors [deg] of bones, or matrices (b, 3, 4) of `character.pose(...)`.
        method: strain, harmonic, plain, or one of their descriptions with its numbers.
    """
    worn = (garments,) if isinstance(garments, Garment) else tuple(garments)
    if not worn:
        raise SceneError("drape: no garment given; give one, such as Garment.tshirt(character)")
    if not isinstance(character, Character):
        raise SceneError(f"drape: got {type(character).__name__}; expected a Character")
    method = Actor(character=character, method=method).method
    if isinstance(pose, str | Mapping):
        matrices = posing.pose_matrices(character.body(), pose_turns(pose))
    else:
        matrices = np.asarray(pose, float)
    if matrices.ndim != 3 or matrices.shape[1:] != (3, 4) or len(matrices) != len(character.body().names):
        raise SceneError(f"drape: pose has shape {matrices.shape}; expected ({len(character.body().names)}, 3, 4)")
    if not np.isfinite(matrices).all():
        raise SceneError("drape: pose is not finite; every matrix must be numbers")
    return _draper(character, worn, method).drape(matrices)


def garment_cloth(actor: Actor, garment: Garment, **options: Any) -> Cloth:
    """A garment to be simulated: a Cloth that starts from the instant drape, its band carried by the actor.

    `options` are those of a Cloth: fabric, color, integrator. Put the actor into the same scene, so that the cloth
    meets its body, and leave the garment out of what it wears.
    """
    if not isinstance(actor, Actor):
        raise SceneError(f"garment_cloth: got {type(actor).__name__}; expected an Actor")
    mesh, pattern = garment.worn(actor.character).mesh, garment.worn(actor.character).pattern
    if not len(pattern.band):
        raise SceneError(f"garment_cloth: {garment.title!r} has no waist or collar that could hold it; pin it yourself")
    start = drape(actor.character, garment, actor.mover().at(0.0), method="plain")[0]
    held = pattern.band
    carried = Carried(actor=actor, points=mesh.points[held], bones=mesh.bones[held], weights=mesh.weights[held])
    options = {"color": color_of(garment), "pattern": garment.pattern, "self_contact": False} | options
    pinned = tuple(int(row) for row in held)
    return Cloth.from_mesh(start.light, mesh.triangles, uv=mesh.uv, pinned=pinned, motion=carried, **options)


_drapers: dict[tuple[str, ...], Draper] = {}


def _draper(character: Character, garments: tuple[Garment, ...], method: Any) -> Draper:
    """Bound once for each set of clothes."""
    wears = tuple(g.wear(character, layer) for g, layer in zip(garments, layers(garments), strict=True))
    key = (character.key(), repr(method), *(f"{g.key()} {g.layer} {g.wavelength} {g.radial}" for g in garments))
    if key not in _drapers:
        if len(_drapers) > 7:
            _drapers.clear()
        _drapers[key] = Draper(skin_of(character), wears, method)
    return _drapers[key]
