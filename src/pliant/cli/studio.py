"""`pliant studio [SCENE]`: the live stage in the browser."""

import webbrowser
from typing import Annotated

import typer

from pliant.cli.scenes import scene_from
from pliant.studio import Studio


def studio(
    scene: Annotated[str, typer.Argument(help="Gallery name, .toml or .py file.")] = "show",
    *,
    port: Annotated[int, typer.Option(help="Where the page is served, on this machine only.")] = 8080,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    changes: Annotated[list[str] | None, typer.Option("--set", help="path=value, as often as you like.")] = None,
    folder: Annotated[str, typer.Option("--folder", help="Where recordings go.")] = "out",
) -> None:
    """Open the live stage in the browser."""
    said = scene_from(scene, list(changes or []))
    page = Studio(scene if not changes and scene.isidentifier() else said, port=port, folder=folder)
    typer.echo(f"pliant studio: {page.url} (Ctrl-C ends it)")
    if not no_open:
        webbrowser.open(page.url)
    page.wait()
