"""What a verb's SCENE means: a gallery name, a .toml scene file, or a .py file that defines `scene`."""

import runpy
import sys
import traceback
from pathlib import Path

from pliant import gallery
from pliant.errors import PliantError, SceneError
from pliant.loop.simulate import with_methods
from pliant.scene import Scene, set_path


def scene_from(name: str, changes: list[str], integrator: str | None = None) -> Scene:
    """The scene under the asked method, with every `path=value` of `changes` applied, which may be the method's own."""
    scene = _named(name) if integrator is None else with_methods(_named(name), None, integrator)
    for change in changes:
        path, sign, value = change.partition("=")
        if not sign or not path:
            raise SceneError(f"--set {change}: expected path=value, as in --set flag.fabric.stretch=800")
        scene = set_path(scene, path.strip(), value.strip())
    return scene


def _named(name: str) -> Scene:
    path = Path(name)
    if path.suffix == ".toml":
        return Scene.load(path)
    if path.suffix == ".py":
        if not path.is_file():
            raise SceneError(f"{path}: no such file")
        return _programmed(path)
    return gallery.load(name)


def _programmed(path: Path) -> Scene:
    """The scene that a program leaves; what it imports from its own folder is found there."""
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        scene = runpy.run_path(str(path)).get("scene")
    except SyntaxError as error:
        raise SceneError(f"{path}:{error.lineno}: {error.msg}; the file must be Python") from error
    except Exception as error:  # whatever somebody's program may raise
        said = " ".join(str(error).split())
        known = said if isinstance(error, PliantError) else f"{type(error).__name__}: {said}"
        raise SceneError(f"{path}:{_line_in(path, error)}: {known}") from error
    finally:
        sys.path.remove(folder)
    if not isinstance(scene, Scene):
        raise SceneError(f"{path}: defines no `scene`; expected scene = pliant.Scene(…)")
    return scene


def _line_in(path: Path, error: Exception) -> int:
    """The last line of the program itself on the way to the error."""
    lines = [place.lineno for place in traceback.extract_tb(error.__traceback__) if place.filename == str(path)]
    return (lines[-1] if lines else 1) or 1
