"""A running stage takes over a changed scene with as little as possible made anew, and never with a jerk."""

import dataclasses

import numpy as np

from pliant.filters.dressed import BoundDressed
from pliant.loop.stage import Stage
from pliant.loop.tearing import MEMORY
from pliant.lowering import build
from pliant.scene import Actor, PartDescription, Scene
from pliant.world import Part, State, Volumes, rows_of

_LOOSE = ("substeps", "adjustments")  # fields of a scene that a world has too, and that nothing is bound to
_MOVED = {"poses", "times", "between", "clip"}  # fields of an actor that its clothes need not be bound anew for
_IDLE = ("title", "seconds", "view", "inputs")  # and fields that no world knows


def only_material(old: PartDescription, new: PartDescription) -> bool:
    """True if nothing but numbers of the same kind of fabric, skin or gas changed."""
    changed = old.changed(new) if type(old) is type(new) else {"class"}
    return changed <= {"fabric", "skin", "gas"} and all(type(getattr(old, n)) is type(getattr(new, n)) for n in changed)


def in_place(stage: Stage, old: Scene, new: Scene) -> bool:
    """Take over what the stage need not be built anew for; False if it must be."""
    changed = old.changed(new)
    if changed <= set(_IDLE):
        return True
    if changed <= set(_LOOSE):
        stage.world = dataclasses.replace(stage.world, **{name: getattr(new, name) for name in changed})
        return True
    if changed == {"parts"}:
        return _led(stage, old, new)
    gas = any(part.has(Volumes) for part in stage.world.parts.values())  # balloons know gravity by themselves
    if changed != {"fields"} or gas or len(old.fields) != len(new.fields):
        return False
    stage.world = dataclasses.replace(stage.world, fields=new.fields)
    for bound in stage.parts.values():
        bound.fields = tuple(field.bind(stage.world, bound.part) for field in new.fields)
    return True


def _led(stage: Stage, old: Scene, new: Scene) -> bool:
    """Actors in another pose, where nothing is simulated that could feel their bodies."""
    if stage.world.parts or list(old.parts) != list(new.parts):
        return False
    other = {name: part for name, part in new.parts.items() if part is not old.parts[name]}
    for name, part in other.items():
        before = old.parts[name]
        if not (isinstance(part, Actor) and isinstance(before, Actor) and before.changed(part) <= _MOVED):
            return False
    for shown in stage.filters:
        if isinstance(shown, BoundDressed) and shown.name in other:
            actor = other[shown.name]
            assert isinstance(actor, Actor)
            shown.lead(actor.mover())
    return True


def built_anew(scene: Scene, before: Stage, state: State, frame_step: float) -> tuple[Stage, State, set[str]]:
    """A new stage and its state; parts whose points stay the same keep their rows and what their methods remember."""
    world = build(scene)
    stage, fresh = Stage(world), world.initial_state()
    stage.refuse_unstable_step(fresh, frame_step)
    fresh.time, fresh.frame = state.time, state.frame
    old = before.world.parts
    kept = {name for name, part in world.parts.items() if name in old and _same_points(old[name], part)}
    for name in kept:
        for new, last in zip(rows_of(fresh, world.parts[name]), rows_of(state, old[name]), strict=True):
            new[...] = last
        if f"{name}.{MEMORY}" in state.memory:
            fresh.memory[f"{name}.{MEMORY}"] = state.memory[f"{name}.{MEMORY}"].copy()
        for key, array in stage.parts[name].stepper.memory.items():
            known = state.memory.get(f"{name}.{key}")
            same = type(world.parts[name].integrator) is type(old[name].integrator)
            if same and known is not None and known.shape == array.shape:
                fresh.memory[f"{name}.{key}"] = known.copy()
    ties, was = world.ties, before.world.ties
    if ties is not None and was is not None and ties.names == was.names and "ties" in state.memory:
        fresh.memory["ties"] = state.memory["ties"].copy()
    stage.recall(fresh)
    return stage, fresh, kept


def _same_points(old: Part, new: Part) -> bool:
    """Whether rows mean the same points; of cloth that tears, before it did."""
    first, second = (p.extra["seams"].points if "seams" in p.extra else p.rest_position for p in (old, new))
    return len(old.mass) == len(new.mass) and np.array_equal(first, second)
