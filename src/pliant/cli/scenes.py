"""What a verb's SCENE means: a gallery name, a .toml scene file, or a .py file that defines `scene`."""

import runpy
from pathlib import Path

from pliant import gallery
from pliant.errors import SceneError
from pliant.scene import Scene, set_path


def scene_from(name: str, changes: list[str]) -> Scene:
    """The scene, with every `path=value` of `changes` applied."""
    scene = _named(name)
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
        scene = runpy.run_path(str(path)).get("scene")
        if not isinstance(scene, Scene):
            raise SceneError(f"{path}: defines no `scene`; expected scene = pliant.Scene(…)")
        return scene
    return gallery.load(name)
