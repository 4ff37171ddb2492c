"""`pliant check FILE…`: what is wrong with a mesh, a character, a motion or a scene, in plain words."""

import json
from pathlib import Path
from typing import Annotated

import typer

from pliant.errors import PliantError, SceneError
from pliant.lowering import build
from pliant.scene import Scene
from pliant.sources.doctor import Finding, Report
from pliant.sources.doctor import check as examine
from pliant.sources.doctor import fix as mend


def check(
    files: Annotated[list[Path], typer.Argument(help="Meshes, characters, motion, recordings, scene files.")],
    *,
    fix: Annotated[Path | None, typer.Option(help="Write a repaired copy here (.obj or .bvh).")] = None,
    close: Annotated[bool, typer.Option("--close", help="With --fix: close holes too.")] = False,
    up: Annotated[str, typer.Option(help="Up axis of the meshes: x, y or z.")] = "y",
    unit: Annotated[str, typer.Option(help="Unit of the meshes: m, cm, mm, in, ft.")] = "m",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Say what is wrong, where, how many and what to do; repair on request."""
    if fix is not None and len(files) != 1:
        raise SceneError(f"--fix {fix}: takes one file, {len(files)} were given")
    reports = [_scene(file) if file.suffix == ".toml" else examine(file, up=up, unit=unit) for file in files]
    if as_json:
        files_said = [_plain(report) for report in reports]
        typer.echo(json.dumps({"ok": all(report.ok for report in reports), "files": files_said}))
    else:
        for report in reports:
            typer.echo("\n".join(report.lines()))
    if fix is not None:
        for change in mend(files[0], fix, close=close, up=up, unit=unit) or ("nothing to repair",):
            typer.echo(f"{fix}: {change}", err=as_json)
    return 0 if all(report.ok for report in reports) else 1


def _scene(path: Path) -> Report:
    try:
        scene = Scene.load(path)
        build(scene)
    except PliantError as error:
        said = str(error).removeprefix(f"{path}: ")
        return Report(path, "scene", "a scene that cannot be built", (Finding("error", "scene", said),))
    return Report(path, "scene", f"scene of {', '.join(scene.parts)}", ())


def _plain(report: Report) -> dict[str, object]:
    findings = [finding._asdict() | {"sentence": finding.sentence} for finding in report.findings]
    about = {"path": str(report.path), "kind": report.kind, "summary": report.summary, "ok": report.ok}
    return about | {"findings": findings, "uses": list(report.uses)}
