#!/usr/bin/env python3
"""Render the small pictures of the gallery that the studio shows (`make pictures`).

Without names, those that are missing; with `--all`, every one.
"""

import sys
from pathlib import Path

from PIL import Image

from pliant import gallery, simulate
from pliant.loop.simulate import ready
from pliant.sinks.picture import Options, Painter

FOLDER = Path(__file__).parents[1] / "src" / "pliant" / "studio" / "pictures"
SIZE = (320, 200)
USUAL = 0.8  # [s] into a scene
LATE = "balloon=4.2 hot_air=2 mylar=1.5 parachute=1.5 show=1.2 flag=1.2 ribbon=1.2 tshirt=2 sweater=1.5 dance=1.2"
OTHERS = "puppet_show=4 puppet_fall=0.5 curtain=0.35 balloons=0.3 crowd=0.5 folded_stack=0.3 outfit=0.6"
SECONDS = {name: float(time) for name, _, time in (word.partition("=") for word in f"{LATE} {OTHERS}".split())}


def missing() -> list[str]:
    return [name for name in gallery.SCENES if not (FOLDER / f"{name}.jpg").exists()]


def render(name: str) -> Path:
    """One scene's picture, at its moment."""
    scene = gallery.load(name)
    world = ready(scene)
    *_, last = simulate(scene, seconds=SECONDS.get(name, USUAL))
    painter = Painter(world, Options.of({"size": (2 * SIZE[0], 2 * SIZE[1])}))
    picture = Image.fromarray(painter.paint(last)).resize(SIZE, Image.Resampling.LANCZOS)
    painter.close()
    path = FOLDER / f"{name}.jpg"
    picture.save(path, quality=82, optimize=True)
    return path


def main(words: list[str]) -> None:
    names = list(gallery.SCENES) if words == ["--all"] else words or missing()
    for name in names:
        print(name, render(name).stat().st_size, flush=True)
    for path in FOLDER.glob("*.jpg"):
        if path.stem not in gallery.SCENES:
            path.unlink()
            print(f"{path.name} showed a scene that is gone; removed")


if __name__ == "__main__":
    main(sys.argv[1:])
