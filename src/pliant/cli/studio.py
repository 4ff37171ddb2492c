"""`pliant studio [SCENE]`: the live stage in the browser."""

import webbrowser
from typing import Annotated

import typer

from pliant.cli.scenes import scene_from
from pliant.studio import Studio, usual_scene


def studio(
    scene: Annotated[str | None, typer.Argument(help="Gallery name, .toml or .py file.")] = None,
    *,
    port: Annotated[int, typer.Option(help="Where the page is served.")] = 8080,
    host: Annotated[str, typer.Option(help="Another address opens the page to others, with a token.")] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    changes: Annotated[list[str] | None, typer.Option("--set", help="path=value, as often as you like.")] = None,
    folder: Annotated[str, typer.Option("--folder", help="Where recordings go.")] = "out",
) -> None:
    """Open the live stage in the browser."""
    name = scene or usual_scene()
    said = scene_from(name, list(changes or []))
    page = Studio(name if not changes and name.isidentifier() else said, host=host, port=port, folder=folder)
    typer.echo(f"pliant studio: {page.url} (Ctrl-C ends it)")
    if not no_open:
        webbrowser.open(page.url)
    page.wait()
