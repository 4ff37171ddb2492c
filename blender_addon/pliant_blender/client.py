"""Runs the pliant program: the add-on needs nothing of the package inside Blender's own Python."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path


class PliantRunError(RuntimeError):
    """One line of what went wrong, as pliant or the add-on says it."""


def python_with_pliant(preferred: str = "") -> str:
    """The Python to use: as set in the preferences, as named in PLIANT_PYTHON, or Blender's own where it has pliant."""
    for candidate in (preferred, os.environ.get("PLIANT_PYTHON", "")):
        if candidate:
            if not Path(candidate).exists():
                raise PliantRunError(f"{candidate}: no such program; set the Python that has pliant in the preferences")
            return candidate
    if importlib.util.find_spec("pliant") is not None:
        return sys.executable
    raise PliantRunError("pliant was not found; name a Python that has it in the add-on's preferences")


def start(arguments: list[str], python: str) -> subprocess.Popen:
    """`pliant ARGUMENTS…`, running."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHONHOME")}
    try:
        return subprocess.Popen(
            [python, "-m", "pliant", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
    except OSError as error:
        raise PliantRunError(f"{python}: cannot be started ({error.strerror or error})") from None


def finish(running: subprocess.Popen) -> str:
    """Wait for it; what it printed, or its own line about what went wrong."""
    said, complaints = running.communicate()
    if running.returncode:
        lines = [line.strip() for line in complaints.splitlines() if line.strip()]
        raise PliantRunError(lines[-1] if lines else f"pliant ended with code {running.returncode}")
    return said


def run(arguments: list[str], python: str) -> str:
    return finish(start(arguments, python))
