"""What every description is: frozen numbers with unit, range and help, standing once, at the field.

The command line's `--set`, the studio's sliders, the docs' tables and the scene files are all made from these
fields; nobody writes a name, a unit or a range a second time.

    class Wind(Description):
        velocity: Vec3 = quantity((0, 0, 0), unit="m/s", help="Velocity of the air")
"""

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args, get_origin

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from pliant.errors import SceneError, unknown


def quantity(
    default: Any = ...,
    *,
    help: str,  # noqa: A002  the word users know from the command line
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    slider: tuple[float, float] | None = None,
) -> Any:
    """One field: its default (`...` when it must be given), meaning, unit, and the range it may have.

    `low` and `high` may be reached, `above` may not; `slider` is the range worth playing with.
    """
    return Field(
        default,
        description=help,
        ge=low,
        le=high,
        gt=above,
        json_schema_extra={"unit": unit, "slider": list(slider) if slider else None},
    )


def _vector(value: Any) -> Any:
    return tuple(float(x) for x in value) if isinstance(value, np.ndarray) else value


Finite = Annotated[float, Field(allow_inf_nan=False)]
Vec3 = Annotated[tuple[Finite, Finite, Finite], BeforeValidator(_vector)]


class Description(BaseModel):
    """Base of everything a user says: frozen, strict about names, with one-line errors."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        allow_inf_nan=False,
        ser_json_inf_nan="constants",
        defer_build=True,  # a quarter of what importing pliant itself costs; most programs use a few kinds
    )

    def __init__(self, /, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise SceneError(_one_line(error.errors(include_url=False)[0], type(self))) from None

    def replace(self, **changes: Any) -> Self:
        """A validated copy with some fields changed."""
        fields = {name: getattr(self, name) for name in type(self).model_fields} | changes
        return type(self)(**fields)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        return all(_same(getattr(self, name), getattr(other, name)) for name in type(self).model_fields)

    __hash__ = object.__hash__

    def changed(self, other: "Description") -> set[str]:
        """Names of the fields in which another description of the same class differs."""
        return {name for name in type(self).model_fields if not _same(getattr(self, name), getattr(other, name))}


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return list(a) == list(b) and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


def _one_line(error: ErrorDetails, model: type[BaseModel]) -> str:
    """`Fabric.stretch = -5; must be > 0 [N/m]`."""
    where = ".".join([model.__name__, *(str(part) for part in error["loc"] if not str(part).startswith("function-"))])
    kind, context = error["type"], error.get("ctx", {})
    first = str(error["loc"][0]) if error["loc"] else ""
    field = model.model_fields.get(first)
    unit = _unit(field) if field else ""
    bounds = {"greater_than": "> {gt}", "greater_than_equal": ">= {ge}", "less_than_equal": "<= {le}"}
    if kind in bounds:
        bound = bounds[kind].format(**context)
        return f"{where} = {error['input']!r}; must be {bound}{f' [{unit}]' if unit else ''}"
    if kind == "extra_forbidden":
        return f"{model.__name__}: {unknown('field', first, model.model_fields)}"
    if kind == "missing":
        return f"{where} is missing; give it a value{f' in {unit}' if unit else ''}"
    if kind in ("value_error", "assertion_error") and "error" in context:
        return str(context["error"])
    return f"{where} = {_short(error['input'])}; {error['msg'][:1].lower()}{error['msg'][1:]}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _unit(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    return str(extra.get("unit") or "") if isinstance(extra, dict) else ""


@dataclass(frozen=True)
class FieldCard:
    """What a panel, a table or a help text needs to know of one field."""

    name: str
    kind: type  # float, int, bool, str, tuple (a vector) or Description
    unit: str
    help: str
    default: Any
    low: float | None
    high: float | None
    slider: tuple[float, float] | None
    choices: tuple[str, ...]  # of a Literal


def cards(model: type[Description]) -> list[FieldCard]:
    """One card per field, in the order in which the fields stand."""
    return [_card(name, field) for name, field in model.model_fields.items()]


def _card(name: str, field: FieldInfo) -> FieldCard:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    low = next((float(m.ge) for m in field.metadata if getattr(m, "ge", None) is not None), None)
    low = next((float(m.gt) for m in field.metadata if getattr(m, "gt", None) is not None), low)
    high = next((float(m.le) for m in field.metadata if getattr(m, "le", None) is not None), None)
    slider = typing.cast("list[float] | None", extra.get("slider"))
    kind, choices = _kind(field.annotation)
    default = None if field.is_required() else field.get_default(call_default_factory=True, validated_data={})
    return FieldCard(
        name,
        kind,
        _unit(field),
        field.description or "",
        default,
        low,
        high,
        (slider[0], slider[1]) if slider else None,
        choices,
    )


def _kind(annotation: Any) -> tuple[type, tuple[str, ...]]:
    """The plain type behind an annotation, and the words a Literal allows."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(arguments[0])
    if origin is Literal:
        return str, tuple(str(a) for a in arguments)
    if origin in (typing.Union, types.UnionType):
        inner = [_kind(a) for a in arguments if a is not type(None)]
        return inner[0][0], tuple(word for _, words in inner for word in words)
    if origin is not None:
        return origin, ()
    return (annotation if isinstance(annotation, type) else object), ()
