"""`pliant convert IN OUT`: a recording from one format to another."""

from pathlib import Path
from typing import Annotated

import typer

from pliant.sinks.convert import convert as translate


def convert(
    source: Annotated[Path, typer.Argument(help="A recording, such as .npz, .glb, .usd, .pc2.")],
    target: Annotated[Path, typer.Argument(help="Where to; the suffix chooses the format.")],
    *,
    target_app: Annotated[str | None, typer.Option("--for", help="blender, unreal, unity, godot or houdini.")] = None,
    up: Annotated[str, typer.Option(help="Up axis of a source that does not say it: x, y or z.")] = "y",
    unit: Annotated[str, typer.Option(help="Unit of a source that does not say it: m, cm, mm, in, ft.")] = "m",
) -> None:
    """Read a recording and write it in another format."""
    clip = translate(source, target, up=up, unit=unit, target_app=target_app)  # type: ignore[arg-type]  # checked there
    parts = ", ".join(role.name for role in clip.roles)
    typer.echo(f"{target}: {len(clip)} frames at {clip.fps:g}/s of {parts}")
