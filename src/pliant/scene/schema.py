"""JSON schema of scene files, made from the descriptions: editors complete names and mark mistakes with it.

pliant list schema > pliant.schema.json      and in the scene file      #:schema pliant.schema.json
"""

import types
import typing
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from pliant.description import Description
from pliant.integrators import INTEGRATORS, Integrator
from pliant.scene.fabric import FABRICS, Fabric
from pliant.scene.files import FORMAT, NOTHING, kinds
from pliant.scene.gas import GASES, Gas
from pliant.scene.scene import Scene
from pliant.scene.skin import SKINS, Skin
from pliant.scene.tie import Anchor

Schema = dict[str, Any]

_ARRAY: Schema = {
    "type": "object",
    "properties": {"array": {"type": "string", "description": "Name of an array in the .npz beside"}},
    "required": ["array"],
    "additionalProperties": False,
}
_PLAIN: dict[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    type(None): {},
}


def scene_schema() -> Schema:
    """The schema of `format = 1`, as plain data."""
    known = kinds()
    definitions = {name: _table(kind) for name, kind in sorted(known.items())}
    root = _table(Scene)
    root["properties"] = {"format": {"const": FORMAT, "description": "Version of the file"}} | root["properties"]
    root["required"] = ["format", *root.get("required", [])]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "pliant scene",
        **root,
        "definitions": definitions,
    }


def _table(kind: type[Description]) -> Schema:
    fields = kind.model_fields
    table: Schema = {
        "type": "object",
        "description": (kind.__doc__ or "").strip().split("\n")[0],
        "properties": {"type": {"const": kind.__name__.lower()}} | {name: _field(f) for name, f in fields.items()},
        "additionalProperties": False,
    }
    required = [name for name, field in fields.items() if field.is_required()]
    return table | ({"required": required} if required else {})


def _field(field: FieldInfo) -> Schema:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    unit = f" [{extra['unit']}]" if extra.get("unit") else ""
    schema = _of(field.annotation)
    words = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum"}
    for constraint in field.metadata:
        for attribute, word in words.items():
            bound = getattr(constraint, attribute, None)
            if bound is not None and schema.get("type") in ("number", "integer"):
                schema[word] = bound
    default = None if field.is_required() else field.get_default(call_default_factory=True, validated_data={})
    if isinstance(default, bool | int | float | str):
        schema["default"] = default
    return {"description": f"{field.description or ''}{unit}".strip(), **schema}


def _of(annotation: Any) -> Schema:
    """What a value of this type looks like in TOML; nothing is said of what takes any value."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _of(arguments[0])
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        said = [_of(a) for a in arguments if a is not type(None) and get_origin(a) is not Callable]
        return _any_of([*said, {"const": NOTHING}] if type(None) in arguments else said)
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(arguments[1])}
    if origin is tuple:
        return _list(arguments)
    if isinstance(annotation, type) and issubclass(annotation, Description):
        return _tables_of(annotation)
    return dict(_PLAIN.get(annotation, {}))


def _list(arguments: tuple[Any, ...]) -> Schema:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return {"type": "array", "items": _of(arguments[0])}
    return {
        "type": "array",
        "items": [_of(a) for a in arguments],
        "minItems": len(arguments),
        "maxItems": len(arguments),
    }


def _tables_of(kind: type[Description]) -> Schema:
    """A table of the class or of one of its subclasses, or a word that stands for one."""
    presets: dict[type[Description], Iterable[str]] = {
        Fabric: FABRICS,
        Gas: GASES,
        Skin: SKINS,
        Integrator: INTEGRATORS,
    }
    found: list[Schema] = [{"enum": sorted(presets[kind])}] if kind in presets else []
    if kind is Anchor:
        found += [{"type": "string"}, {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}]
    names = sorted(name for name, other in kinds().items() if issubclass(other, kind))
    return _any_of(found + [{"$ref": f"#/definitions/{name}"} for name in names])


def _any_of(schemas: list[Schema]) -> Schema:
    """One of several; where one of them is anything, the whole is."""
    if not schemas or {} in schemas:
        return {}
    flat = [inner for schema in schemas for inner in schema.get("anyOf", [schema])]
    if any(schema.get("type") == "array" for schema in flat):
        flat.append(_ARRAY)
    return flat[0] if len(flat) == 1 else {"anyOf": flat}
