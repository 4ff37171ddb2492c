"""`pliant run SCENE`: headless run with a progress bar and a summary."""

import contextlib
import json
import time
from typing import Annotated, Any

import psutil
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from pliant.cli.scenes import scene_from
from pliant.errors import SceneError
from pliant.scene import settable
from pliant.sinks.record import Report, record


def run(
    scene: Annotated[str, typer.Argument(help="Gallery name, .toml scene file, or .py file that defines `scene`.")],
    *,
    frames: Annotated[int | None, typer.Option(help="How many frames.")] = None,
    seconds: Annotated[float | None, typer.Option(help="How many seconds, instead of frames.")] = None,
    fps: Annotated[float, typer.Option(help="Frames per second.")] = 60.0,
    integrator: Annotated[str | None, typer.Option(help="Method for every part, by name.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="path=value, as often as you like.")] = None,
    outputs: Annotated[list[str] | None, typer.Option("--out", help="File to write; the suffix chooses.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads that share large parts.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of everything random in the scene.")] = None,
    target: Annotated[str | None, typer.Option("--for", help="blender, unreal, unity, godot or houdini.")] = None,
    moments: Annotated[int | None, typer.Option(help="Moments on a .png: 1 or a contact sheet.")] = None,
    wishes: Annotated[
        list[str] | None, typer.Option("--with", help="name=value of an output: size=640x360, theme=dark, error=0 …")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Simulate a scene without a window and write it to files."""
    options = {"moments": moments, "target_app": target} | _wished(wishes or [])
    said_of = [name for name, given in (("--moments", moments), ("--for", target), ("--with", wishes)) if given]
    if not outputs and said_of:
        raise SceneError(f"{said_of[0]}: says how to write; give an --out too")
    said = scene_from(scene, _with_seed(scene, list(changes or []), seed, integrator), integrator)
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        _FirstUse(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task(scene, total=None)
        report = record(
            said,
            outputs or [],
            name=scene,
            frames=frames,
            seconds=seconds,
            fps=fps,
            threads=threads,
            options=options,
            watch=lambda done, total: progress.update(task, completed=done, total=total),
        )
    started = psutil.Process().create_time()
    report.time_to_first_frame_s += max(0.0, _STARTED - started)
    if as_json:
        typer.echo(json.dumps(report.as_json()))
    else:
        Console().print(summary(report))


class _FirstUse(ProgressColumn):
    """Why the first frame takes long on a machine that never ran such a scene."""

    def render(self, task: Task) -> Text:
        waits = task.completed == 0 and (task.elapsed or 0.0) > PATIENCE
        return Text("compiling loops for this machine, once" if waits else "", style="dim")


PATIENCE = 4.0  # [s] a first frame takes no longer with compiled loops
_STARTED = time.time()  # when this module was imported: what came before was Python's own start


def _wished(wishes: list[str]) -> dict[str, Any]:
    """Options of outputs; numbers become numbers, `true` and `false` switches, other words stay."""
    found: dict[str, Any] = {}
    for wish in wishes:
        name, equals, word = wish.partition("=")
        if not equals or not name.strip():
            raise SceneError(f"--with {wish}: is no name=value, such as size=640x360")
        value: Any = word
        for kind in (int, float):
            with contextlib.suppress(ValueError):
                value = kind(word)
                break
        found[name.strip()] = {"true": True, "false": False}.get(word, value)
    return found


def _with_seed(scene: str, changes: list[str], seed: int | None, integrator: str | None) -> list[str]:
    """`--seed N` sets every `seed` there is, unless `--set` names it."""
    if seed is None:
        return changes
    if seed < 0:
        raise SceneError(f"--seed {seed}: must be >= 0")
    paths = [path for path in settable(scene_from(scene, changes, integrator)) if path.split(".")[-1] == "seed"]
    return changes + [f"{path}={seed}" for path in paths if not any(c.startswith(path + "=") for c in changes)]


def summary(report: Report) -> Table:
    """One screen of what the run took."""
    table = Table(title=f"{report.scene}: {report.frames} frames at {report.fps:g}/s", show_header=False)
    ms: dict[str, Any] = report.ms_per_frame
    rows = {
        "parts": ", ".join(f"{n} ({report.integrator[n]}, {report.substeps[n]} substeps)" for n in report.integrator),
        "points": f"{report.particles:,}",
        "per frame": f"{ms['median']:.2f} ms median, {ms['p95']:.2f} ms p95, {ms['first']:.0f} ms first",
        "speed": f"{report.real_time_factor:.1f} x real time",
        "strain": f"{100 * report.max_strain:.2f} % greatest, {100 * report.mean_strain:.3f} % mean",
        "memory": f"{report.peak_rss_mb:.0f} MB",
        "state": report.state_hash[:16],
    }
    if len(report.load) > 1:
        rows["shares"] = ", ".join(f"{n} {100 * share:.0f} %" for n, share in report.load.items())
    for key, value in rows.items():
        table.add_row(key, value)
    for output in report.outputs:
        table.add_row("wrote", output)
    return table
