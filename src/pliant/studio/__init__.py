"""The live stage in the browser."""

from pathlib import Path
from typing import Any

from pliant.scene import Scene
from pliant.studio.page import Studio

__all__ = ["Studio", "show", "usual_scene"]


def show(
    scene: Scene | str | None = None,
    *,
    port: int = 8080,
    folder: str | Path = "out",
    host: str = "127.0.0.1",
    wait: bool | None = None,
) -> Any:
    """Open the studio on a scene. In a notebook the page stands inline and the call returns at once.

    Args:
        scene: A Scene or a gallery name; by default the flagship.
        port: Where the page is served.
        folder: Where recordings go.
        host: This machine only, by default. Another address is open to others, who then need the token in the URL.
        wait: Serve until Ctrl-C; by default everywhere but in a notebook.
    """
    studio = Studio(scene if scene is not None else usual_scene(), port=port, folder=folder, host=host)
    if wait is None:
        wait = not _in_notebook()
    if wait:
        print(f"pliant studio: {studio.url}")  # noqa: T201  the one line a person at a terminal needs
        studio.wait()
        return None
    return studio


def usual_scene() -> str:
    """The name of the scene that the studio opens on."""
    from pliant import gallery

    return next(name for name in ("show", "curtain") if name in gallery.SCENES)


def _in_notebook() -> bool:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "IPKernelApp" in shell.config
