"""The live stage in the browser."""

from pathlib import Path
from typing import Any

from pliant.scene import Scene
from pliant.studio.page import Studio

__all__ = ["Studio", "show"]


def show(scene: Scene | str = "show", *, port: int = 8080, folder: str | Path = "out", wait: bool | None = None) -> Any:
    """Open the studio on a scene. In a notebook the page stands inline and the call returns at once.

    Args:
        scene: A Scene or a gallery name.
        port: Where the page is served, on this machine only.
        folder: Where recordings go.
        wait: Serve until Ctrl-C; by default everywhere but in a notebook.
    """
    studio = Studio(scene, port=port, folder=folder)
    if wait is None:
        wait = not _in_notebook()
    if wait:
        print(f"pliant studio: {studio.url}")  # noqa: T201  the one line a person at a terminal needs
        studio.wait()
        return None
    return studio


def _in_notebook() -> bool:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "IPKernelApp" in shell.config
