"""`pliant list`: tables of what there is."""

import json
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from pliant.description import Description, FieldCard, cards
from pliant.gallery import SCENES
from pliant.integrators import INTEGRATORS
from pliant.scene import FABRICS
from pliant.scene.schema import scene_schema
from pliant.sinks.formats import formats


class What(StrEnum):
    scenes = "scenes"
    integrators = "integrators"
    fabrics = "fabrics"
    formats = "formats"
    schema = "schema"


def list_what(
    what: Annotated[What | None, typer.Argument(help="Which table; all of them if left out.")] = None,
) -> None:
    """Tables of scenes, integrators, fabrics and file formats; `schema` is the JSON schema of scene files."""
    if what is What.schema:
        typer.echo(json.dumps(scene_schema(), indent=1))
        return
    tables = {What.scenes: _scenes, What.integrators: _integrators, What.fabrics: _fabrics, What.formats: _formats}
    console = Console()
    for kind in [what] if what else tables:
        console.print(tables[kind]())


def _first_line(thing: object) -> str:
    return (thing.__doc__ or "").strip().split("\n")[0]


def _scenes() -> Table:
    table = Table("scene", "what it shows", title="scenes")
    for name, make in sorted(SCENES.items()):
        table.add_row(name, _first_line(make))
    return table


def _integrators() -> Table:
    table = Table("integrator", "what it is", "options", title="integrators")
    for name, kind in INTEGRATORS.items():
        table.add_row(name, _first_line(kind), "\n".join(_option(card) for card in cards(kind)))
    return table


def _option(card: FieldCard) -> str:
    """`sweeps = 2, 2 to 1000`."""
    if card.choices:
        return f"{card.name} = {card.default}, of {' '.join(card.choices)}"
    unit = f" {card.unit}" if card.unit else ""
    if card.low is None or card.high is None:
        return f"{card.name} = {card.default}{unit}"
    default = f"{card.default:g}" if isinstance(card.default, float) else str(card.default)
    return f"{card.name} = {default}{unit}, {card.low:g} to {card.high:g}"


def _fabrics() -> Table:
    columns = [card for card in cards(type(FABRICS["cotton"])) if card.kind in (float, int)]
    table = Table("fabric", *(f"{c.name} [{c.unit}]" if c.unit else c.name for c in columns), title="fabrics")
    for name, fabric in FABRICS.items():
        table.add_row(name, *(_short(fabric, card.name) for card in columns))
    return table


def _short(thing: Description, name: str) -> str:
    value = getattr(thing, name)
    return "-" if value is None else f"{value:g}"


def _formats() -> Table:
    table = Table("suffix", "what it is", title="formats")
    for suffix, sink in sorted(formats().items()):
        table.add_row(suffix, sink.summary)
    return table
