"""Scene -> World. The only room that knows both sides."""

from typing import Any

import numpy as np

from pliant.constants import STAGE_LIMIT
from pliant.errors import SceneError, unknown
from pliant.integrators import Integrator, by_name
from pliant.lowering import balloon as _balloon  # noqa: F401  each file registers its kind
from pliant.lowering import cloth as _cloth  # noqa: F401
from pliant.lowering import puppet as _puppet  # noqa: F401
from pliant.lowering.actor import drape, dressed, garment_cloth, obstacles
from pliant.lowering.kinds import Place, lower, revise
from pliant.lowering.pipes import pipe_table
from pliant.lowering.ties import tie_table
from pliant.scene import Actor, PartDescription, Scene
from pliant.world import Part, World

__all__ = ["Place", "build", "drape", "garment_cloth", "lower", "revise", "with_method"]


def build(scene: Scene, *, integrator: str | Integrator | dict[str, Any] | None = None) -> World:
    """Everything that follows from a scene. `integrator` replaces the parts' own, for all parts or by part name."""
    if not isinstance(scene, Scene):
        raise SceneError(f"build: got {type(scene).__name__}; expected a Scene")
    for name in integrator if isinstance(integrator, dict) else ():
        if name not in scene.parts:
            raise SceneError(f"integrator: {unknown('part', name, scene.parts)}")
    parts: dict[str, Part] = {}
    place = Place("", 0, 0, 0)
    for name, description in scene.parts.items():
        if isinstance(description, Actor):
            continue
        part = lower(with_method(description, name, integrator), place._replace(name=name))
        parts[name] = _on_stage(part)
        place = Place("", part.rows.stop, part.bodies.stop, part.gases.stop)
    actors = {name: part for name, part in scene.parts.items() if isinstance(part, Actor)}
    bodies = tuple(body for actor in actors.values() for body in obstacles(actor)) if parts else ()
    return World(
        parts=parts,
        fields=scene.fields,
        colliders=(*scene.colliders, *bodies),
        ties=tie_table(scene.ties, parts),
        substeps=scene.substeps,
        adjustments=scene.adjustments,
        contacts=scene.contacts,
        filters=(*(dressed(actor, name, scene.parts) for name, actor in actors.items()), *scene.filters),
        pipes=pipe_table(scene.pipes, parts),
    )


def _on_stage(part: Part) -> Part:
    far = np.abs(part.rest_position).max(axis=1, initial=0.0) >= STAGE_LIMIT
    if far.any():
        row = int(np.argmax(far))
        raise SceneError(
            f"part {part.name!r}: point {row} is at {part.rest_position[row]}, beyond the stage of {STAGE_LIMIT:g} m; "
            f"lengths are in metres, so scale it down"
        )
    return part


def with_method(part: PartDescription, name: str, integrator: str | Integrator | dict[str, Any] | None) -> Any:
    chosen = integrator.get(name) if isinstance(integrator, dict) else integrator
    if chosen is None:
        return part
    return part.replace(integrator=by_name(chosen) if isinstance(chosen, str) else chosen)
