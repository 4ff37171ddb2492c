"""Scene files: a scene as TOML that people read and edit, with big arrays in an .npz beside it.

    format = 1
    title = "Flag"
    [parts.flag]
    type = "sheet"
    pinned = "left"
    [parts.flag.fabric]
    type = "fabric"
    density = 0.15

Only fields that differ from their default are written. Every mistake is one line with the line number in the file.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, get_args

import numpy as np
import tomlkit
from tomlkit.exceptions import ParseError

from pliant.arrays import Array
from pliant.description import Description
from pliant.errors import FormatError, SceneError, unknown

FORMAT = 1
NOTHING = "none"  # of a field that may be left empty and has another default
INLINE = 96  # numbers; larger arrays go into the .npz
_HEADER = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"^\s*([\w\-\"']+)\s*=")


def kinds() -> dict[str, type[Description]]:
    """Every description a file may name, by its class's name in lower case.

    Classes of one name in different rooms are told apart as `harmonic:integrators` and `harmonic:filters`; a file says
    `harmonic` for either, for the field it stands in decides.
    """
    found: dict[str, list[type[Description]]] = {}
    waiting = list(Description.__subclasses__())
    seen: set[type[Description]] = set()
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith("pliant.") and not inspect.isabstract(kind) and kind not in seen:
            seen.add(kind)
            found.setdefault(kind.__name__.lower(), []).append(kind)
    return {
        name if len(same) == 1 else f"{name}:{kind.__module__.split('.')[1]}": kind
        for name, same in found.items()
        for kind in same
    }


def classes_in(annotation: Any) -> tuple[type[Description], ...]:
    """The descriptions that a field's type names, however deep."""
    if isinstance(annotation, type) and issubclass(annotation, Description):
        return (annotation,)
    return tuple(kind for inner in get_args(annotation) for kind in classes_in(inner))


def write_scene(scene: Description, path: str | Path) -> None:
    """Write `path` and, if it has big arrays, `path` with .npz beside it; both whole or not at all."""
    target = Path(path)
    arrays: dict[str, Array] = {}
    document = {"format": FORMAT, **_said(scene, "", arrays)}
    document.pop("type")
    beside = target.with_name(target.name + ".part")
    try:
        if arrays:
            with target.with_suffix(".npz.part").open("wb") as stream:
                np.savez_compressed(stream, allow_pickle=False, **arrays)
            target.with_suffix(".npz.part").replace(target.with_suffix(".npz"))
        beside.write_text(tomlkit.dumps(document), encoding="utf-8")
        beside.replace(target)
    except OSError as error:
        raise FormatError(f"{target}: cannot be written ({error.strerror or error}); choose another place") from None


def _said(thing: Description, path: str, arrays: dict[str, Array]) -> dict[str, Any]:
    table: dict[str, Any] = {"type": type(thing).__name__.lower()}
    blank = object()
    for name, field in type(thing).model_fields.items():
        value = getattr(thing, name)
        default = blank if field.is_required() else field.get_default(call_default_factory=True, validated_data={})
        if type(default) is type(value) and _equal(value, default):
            continue
        if value is None:  # TOML has no word for nothing
            table[name] = NOTHING
            continue
        table[name] = _plain(value, f"{path}.{name}".strip("."), arrays)
    return table


def _equal(a: Any, b: Any) -> bool:
    """Equal to the last bit: -0.0 is not 0.0."""
    return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b) and repr(a) == repr(b)


def _plain(value: Any, path: str, arrays: dict[str, Array]) -> Any:
    """Numbers, words, lists and tables; big arrays leave for the .npz."""
    if isinstance(value, Description):
        return _said(value, path, arrays)
    if isinstance(value, np.ndarray):
        if value.size <= INLINE:
            return value.tolist()
        arrays[path] = value
        return {"array": path}
    if isinstance(value, Mapping):
        return {key: _plain(inner, f"{path}.{key}", arrays) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner, f"{path}.{k}", arrays) for k, inner in enumerate(value)]
    if isinstance(value, bool | int | float | str):
        return value
    raise FormatError(f"{path}: a {type(value).__name__} cannot be written to a scene file; use indices or a box")


def read_scene(path: str | Path, *, kind: type[Description]) -> Any:
    """The scene of a file, with every array it names."""
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8")
        document = tomlkit.parse(text).unwrap()
    except FileNotFoundError:
        raise SceneError(f"{source}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{source}: cannot be read ({error})") from None
    except ParseError as error:
        raise FormatError(f"{source}:{error.line}: {str(error).split(' at line')[0]}; the file must be TOML") from None
    version = document.pop("format", None)
    if version != FORMAT:
        raise FormatError(f"{source}:1: format is {version!r}; this version reads format = {FORMAT}")
    return _Reader(source, text).made(kind, document, ())


class _Reader:
    """Turns tables into descriptions and knows on which line each key stands."""

    def __init__(self, source: Path, text: str) -> None:
        self._source = source
        self._lines = dict(_line_numbers(text))
        self._arrays: Mapping[str, Array] | None = None

    def made(self, kind: type[Description], table: Mapping[str, Any], path: tuple[str, ...]) -> Description:
        fields: dict[str, Any] = {}
        for name, value in table.items():
            if name == "type":
                continue
            if name not in kind.model_fields:
                self._refuse(f"{kind.__name__}: {unknown('field', name, kind.model_fields)}", (*path, name))
            if value == NOTHING and type(None) in get_args(kind.model_fields[name].annotation):
                fields[name] = None
                continue
            wanted = classes_in(kind.model_fields[name].annotation)
            fields[name] = self._value(value, (*path, name), wanted)
        try:
            return kind(**fields)
        except SceneError as error:
            named = re.match(r"\w+\.(\w+)", str(error))
            self._refuse(str(error), (*path, named.group(1)) if named else path)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # lists that are no arrays, and such
            said = " ".join(str(error).split())[:120]
            self._refuse(f"{kind.__name__} cannot be made of this ({said})", path)

    def _value(self, value: Any, path: tuple[str, ...], wanted: tuple[type[Description], ...]) -> Any:
        if isinstance(value, Mapping):
            if set(value) == {"array"}:
                return self._array(value["array"], path)
            if "type" in value:
                return self.made(self._kind(str(value["type"]).lower(), path, wanted), value, path)
            return {key: self._value(inner, (*path, key), wanted) for key, inner in value.items()}
        if isinstance(value, list):
            return tuple(self._value(inner, (*path, str(k)), wanted) for k, inner in enumerate(value))
        return value

    def _kind(self, word: str, path: tuple[str, ...], wanted: tuple[type[Description], ...]) -> type[Description]:
        known = kinds()
        same = [kind for name, kind in known.items() if name.partition(":")[0] == word]
        if not same:
            self._refuse(unknown("type", word, {name.partition(":")[0] for name in known}), (*path, "type"))
        return next((kind for kind in same if issubclass(kind, wanted)), same[0])

    def _array(self, name: str, path: tuple[str, ...]) -> Array:
        beside = self._source.with_suffix(".npz")
        try:
            if self._arrays is None:
                with np.load(beside, allow_pickle=False) as archive:
                    self._arrays = {key: archive[key] for key in archive.files}
            return self._arrays[name]
        except (OSError, ValueError, KeyError):
            self._refuse(f"array {name!r} is not in {beside.name}; keep the two files together", path)

    def _refuse(self, message: str, path: tuple[str, ...]) -> NoReturn:
        line = next((self._lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self._lines), 1)
        raise SceneError(f"{self._source}:{line}: {message}")


def _line_numbers(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """(path of a key, line) for every header and key of a TOML text."""
    table: tuple[str, ...] = ()
    seen: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            names = tuple(part.strip().strip("\"'") for part in header.group(1).split("."))
            if line.lstrip().startswith("[["):
                seen[names] = seen.get(names, -1) + 1
                names = (*names, str(seen[names]))
            else:
                names = _inside_last(names, seen)
            table = names
            yield table, number
        elif key:
            yield (*table, key.group(1).strip("\"'")), number


def _inside_last(names: tuple[str, ...], seen: dict[tuple[str, ...], int]) -> tuple[str, ...]:
    """A table below [[list]] belongs to the list's last entry."""
    for n in range(len(names), 0, -1):
        if names[:n] in seen:
            return (*names[:n], str(seen[names[:n]]), *names[n:])
    return names
