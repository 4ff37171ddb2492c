"""`pliant doctor`: what works on this machine, and what to install for the rest."""

import importlib.metadata
import importlib.util
import platform
import shutil
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

import pliant
from pliant.kernels import compiler_report

_OPTIONAL = {
    "moderngl": ("pictures by OpenGL", "pip install pliant[render]"),
    "viser": ("the studio", "pip install pliant[studio]"),
    "pxr": ("USD", "pip install pliant[usd]"),
    "zarr": ("zarr recordings", "pip install pliant[zarr]"),
    "imageio_ffmpeg": ("video without a system ffmpeg", "pip install pliant[video]"),
}


def doctor(
    *,
    warm: Annotated[bool, typer.Option("--warm", help="Compile the usual loops now, on all cores.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Versions, threads, GL, ffmpeg: what works here and what to install."""
    if warm:
        _warm()
        return
    rows = [*_machine(), *_packages(), *_programs(), _gl()]
    if as_json:
        import json

        typer.echo(json.dumps({what: {"state": state, "advice": advice} for what, state, advice in rows}))
        return
    table = Table("what", "state", "advice", title="pliant doctor")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def _warm() -> None:
    from pliant.gallery.warming import warm

    console = Console(stderr=True)
    with console.status("compiling loops for this machine, once"):
        for name in warm():
            console.print(f"{name}: ready")


def _machine() -> list[tuple[str, str, str]]:
    compiler = compiler_report()
    return [
        ("pliant", pliant.__version__, ""),
        ("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}", ""),
        ("numba", f"{compiler['numba']}, {compiler['threads']} threads, layer {compiler['layer']}", ""),
    ]


def _packages() -> list[tuple[str, str, str]]:
    rows = []
    for module, (purpose, advice) in _OPTIONAL.items():
        found = importlib.util.find_spec(module) is not None
        name = {"pxr": "usd-core", "imageio_ffmpeg": "imageio-ffmpeg"}.get(module, module)
        version = importlib.metadata.version(name) if found else "missing"
        rows.append((f"{name} ({purpose})", version, "" if found else advice))
    return rows


def _programs() -> list[tuple[str, str, str]]:
    advice = {"ffmpeg": "install ffmpeg, or pip install pliant[video]", "chromium": "only the browser tests need it"}
    return [(name, shutil.which(name) or "missing", "" if shutil.which(name) else advice[name]) for name in advice]


def _gl() -> tuple[str, str, str]:
    """OpenGL without a display."""
    try:
        import moderngl

        create: Any = moderngl.create_context
        context = create(standalone=True, backend="egl")
        renderer = context.info["GL_RENDERER"]
        context.release()
        return ("OpenGL (EGL)", renderer, "")
    except Exception as error:  # any driver may fail in its own way; the plain renderer serves then
        return ("OpenGL (EGL)", f"no ({error})"[:60], "pictures use the plain renderer; install libegl1 for speed")
