"""`pliant bench`: cost, scaling and peers, as ratios from one run."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from pliant.bench import BENCHMARKS
from pliant.errors import SceneError, unknown


def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Which; all if left out.")] = None,
    peers: Annotated[bool, typer.Option("--peers", help="The same work on installed peers too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure cost, scaling and peers."""
    for name in names or []:
        if name not in BENCHMARKS:
            raise SceneError(unknown("benchmark", name, BENCHMARKS))
    results = {}
    for name in names or list(BENCHMARKS):
        report = BENCHMARKS[name]()
        results[name] = report.values
        if not as_json:
            table = Table(*report.columns, title=report.title)
            for row in report.rows:
                table.add_row(*row)
            Console().print(table)
    if as_json:
        typer.echo(json.dumps(results))
