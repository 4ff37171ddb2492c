#!/usr/bin/env python3
"""Render the small pictures of the gallery that the studio shows. Without names, those that are missing."""

import sys
from pathlib import Path

from PIL import Image

from pliant import gallery, simulate
from pliant.loop.simulate import ready
from pliant.sinks.picture import Options, Painter

FOLDER = Path(__file__).parents[1] / "src" / "pliant" / "studio" / "pictures"
SIZE = (320, 200)
SECONDS = {"balloon": 2.2, "puppet_fall": 0.5, "hot_air": 3.0, "mylar": 2.5, "curtain": 0.35, "parachute": 2.0}


def main(names: list[str]) -> None:
    wanted = names or [name for name in gallery.SCENES if not (FOLDER / f"{name}.jpg").exists()]
    for name in wanted:
        scene = gallery.load(name)
        world = ready(scene)
        *_, last = simulate(scene, seconds=SECONDS.get(name, 1.2))
        painter = Painter(world, Options.of({"size": (2 * SIZE[0], 2 * SIZE[1])}))
        picture = Image.fromarray(painter.paint(last)).resize(SIZE, Image.Resampling.LANCZOS)
        painter.close()
        picture.save(FOLDER / f"{name}.jpg", quality=82, optimize=True)
        print(name, (FOLDER / f"{name}.jpg").stat().st_size, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
