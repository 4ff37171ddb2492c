"""Change one value of a scene by its path: `flag.fabric.stretch=800`, `wind.velocity=6,0,1`, `substeps=4`."""

import ast
from typing import Any

from pliant.description import Description
from pliant.errors import SceneError, unknown
from pliant.scene.base import PartDescription
from pliant.scene.scene import Scene

_SCENE_FIELDS = ("substeps", "adjustments", "contacts", "title", "seconds")


def settable(scene: Scene) -> list[str]:
    """Every path that `set_path` takes, for help texts and near misses."""
    paths = list(_SCENE_FIELDS)
    for name, thing in scene.named():
        paths += [f"{name}.{path}" for path in _paths(thing)]
    return paths


def _paths(thing: Description) -> list[str]:
    paths = []
    for name in type(thing).model_fields:
        paths.append(name)
        value = getattr(thing, name)
        if isinstance(value, Description):
            paths += [f"{name}.{path}" for path in _paths(value)]
    return paths


def get_path(scene: Scene, path: str) -> Any:
    """The value a path leads to."""
    first, *rest = path.split(".")
    if not rest and first in _SCENE_FIELDS:
        return getattr(scene, first)
    thing: Any = dict(scene.named()).get(first)
    for name in rest:
        if not isinstance(thing, Description) or name not in type(thing).model_fields:
            raise SceneError(unknown("path", path, settable(scene)))
        thing = getattr(thing, name)
    if thing is None and not rest:
        raise SceneError(unknown("path", path, settable(scene)))
    return thing


def set_path(scene: Scene, path: str, value: Any) -> Scene:
    """A validated copy of the scene with one value changed; text is read as a number, list or word."""
    value = parsed(value) if isinstance(value, str) else value
    first, *rest = path.split(".")
    if not rest and first in _SCENE_FIELDS:
        return scene.replace(**{first: value})
    things = dict(scene.named())
    if not rest or first not in things:
        raise SceneError(unknown("path", path, settable(scene)))
    changed = _changed(things[first], rest, value, path, scene)
    if first in scene.parts:
        assert isinstance(changed, PartDescription)
        return scene.replace(parts={**scene.parts, first: changed})
    old = things[first]
    return scene.replace(
        fields=tuple(changed if f is old else f for f in scene.fields),
        colliders=tuple(changed if c is old else c for c in scene.colliders),
        ties=tuple(changed if t is old else t for t in scene.ties),
        pipes=tuple(changed if p is old else p for p in scene.pipes),
        filters=tuple(changed if f is old else f for f in scene.filters),
    )


def _changed(thing: Description, path: list[str], value: Any, whole: str, scene: Scene) -> Description:
    name, *rest = path
    if name not in type(thing).model_fields:
        raise SceneError(unknown("path", whole, settable(scene)))
    if rest:
        inner = getattr(thing, name)
        if not isinstance(inner, Description):
            raise SceneError(unknown("path", whole, settable(scene)))
        value = _changed(inner, rest, value, whole, scene)
    return thing.replace(**{name: value})


def parsed(text: str) -> Any:
    """`6,0,1` is a vector, `0.5` a number, `true` a truth, `none` nothing, `{a=1}` a table, anything else a word."""
    words = {"true": True, "false": False, "none": None}
    if text.strip().lower() in words:
        return words[text.strip().lower()]
    if text.strip().startswith("{"):
        return _table(text.strip())
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _table(text: str) -> Any:
    """`{name="approximate", sweeps=8}`, as a scene file would say it."""
    import tomlkit
    from tomlkit.exceptions import ParseError

    try:
        return tomlkit.parse(f"value = {text}").unwrap()["value"]
    except ParseError:
        raise SceneError(f'{text}: is no table; expected {{name="approximate", sweeps=8}}') from None
