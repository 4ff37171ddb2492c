"""The promise of the default: how far a sheet of any resolution stretches, at any frame step.

    worst strain of the structural edges over all frames, for a sheet that hangs, flaps and is draped

Nothing is tuned: fabric, steps and limits are the presets'. The promise is 5 %.
"""

from collections.abc import Callable

from pliant.bench.cloth import structural_strain
from pliant.bench.report import Report
from pliant.colliders import Ground, Sphere
from pliant.forces import Gravity, Wind
from pliant.loop.stage import Stage
from pliant.lowering import build
from pliant.scene import Cloth, Scene

CELLS, RATES, SECONDS = (20, 32, 64, 128), (30, 60, 240), 1.2
PROMISE = 0.05


def _sheet(cells: int, **options: object) -> Cloth:
    given = {"width": 1.0, "height": 1.0, "fabric": "cotton"} | options
    return Cloth.sheet(columns=cells, rows=cells, **given)  # type: ignore[arg-type]


def hanging(cells: int) -> Scene:
    """Held at two corners, let go from the horizontal."""
    sheet = _sheet(cells, pinned="top-corners", lies="flat", center=(0, 1.4, 0))
    return Scene(parts={"s": sheet}, fields=(Gravity(), Wind()))


def flapping(cells: int) -> Scene:
    """A flag in a gusty wind of 6 m/s."""
    wind = Wind(velocity=(6, 0, 1), gust=0.3, seed=7)
    return Scene(parts={"s": _sheet(cells, width=1.5, pinned="left")}, fields=(Gravity(), wind))


def draped(cells: int) -> Scene:
    """Falls on a ball."""
    return Scene(
        parts={"s": _sheet(cells, lies="flat", center=(0, 0.62, 0))},
        fields=(Gravity(), Wind()),
        colliders=(Sphere(center=(0, 0.4, 0), radius=0.2), Ground()),
        contacts=False,
    )


SCENES: tuple[Callable[[int], Scene], ...] = (hanging, flapping, draped)


def worst_strain(scene: Scene, fps: float, seconds: float = SECONDS) -> float:
    """The greatest strain of any structural edge in any frame."""
    world = build(scene)
    stage, state = Stage(world), world.initial_state()
    part, worst = world.parts["s"], 0.0
    for _ in range(round(seconds * fps)):
        stage.step(state, 1.0 / fps)
        worst = max(worst, float(structural_strain(part, state.position[part.rows]).max()))
    return worst


def strain(cells: tuple[int, ...] = CELLS, rates: tuple[int, ...] = RATES) -> Report:
    """Every scene at every size and frame step; self-contact is left out, which only costs time here."""
    rows: list[tuple[str, ...]] = []
    values: dict[str, float] = {}
    for make in SCENES:
        for count in cells:
            scene = make(count)
            scene = scene.replace(parts={"s": scene.parts["s"].replace(self_contact=False)})
            found = [worst_strain(scene, rate) for rate in rates]
            values |= {f"{make.__name__} {count} {rate}": worst for rate, worst in zip(rates, found, strict=True)}
            rows.append((make.__name__, f"{count} x {count}", *(f"{100 * worst:.1f} %" for worst in found)))
    kept = sum(worst <= PROMISE for worst in values.values())
    title = f"Greatest strain of a sheet in {SECONDS} s: {kept} of {len(values)} within {100 * PROMISE:.0f} %"
    return Report(title, ("scene", "cells", *(f"{rate} frames/s" for rate in rates)), rows, values)
