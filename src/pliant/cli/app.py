"""`pliant VERB`: shows one line for every mistake; exit code 1 if a run failed, 2 for wrong usage or bad input."""

import os
import sys
from typing import Annotated, Any

import typer

import pliant
from pliant.cli import benching, checking, converting, doctoring, listing, running, studio
from pliant.errors import PliantError, UnstableError

_USAGE: Any = typer.BadParameter.__bases__[0]  # typer's own UsageError, wherever that version keeps it

app = typer.Typer(
    name="pliant",
    help="Real-time animation of flexible and articulated things.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for verb, function in (
    ("list", listing.list_what),
    ("run", running.run),
    ("check", checking.check),
    ("convert", converting.convert),
    ("bench", benching.bench),
    ("doctor", doctoring.doctor),
    ("studio", studio.studio),
):
    app.command(verb)(function)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(pliant.__version__)
        raise typer.Exit


@app.callback()
def _everywhere(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where a mistake arose.")] = False,
) -> None:
    """What every verb takes."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in arguments
    try:
        code = app(args=[a for a in arguments if a != "--debug"], standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except PliantError as error:
        if debug:
            raise
        _say(str(error))
        sys.exit(1 if isinstance(error, UnstableError) else 2)
    except _USAGE as error:
        _say(f"{error.format_message()} (see pliant --help)")
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        _say("stopped")
        sys.exit(130)
    except BrokenPipeError:  # whoever read the output has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # nothing of ours is meant to end here
        if debug:
            raise
        said = " ".join(str(error).split())
        _say(f"{type(error).__name__}: {said}; this is a fault of pliant, --debug shows where it arose")
        sys.exit(1)


def _say(message: str) -> None:
    typer.echo(f"pliant: {message}", err=True)
