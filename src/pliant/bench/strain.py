"""The promise of the default: how far a sheet of any resolution stretches, at any frame step.

    worst strain of the structural edges over all frames, for a sheet that hangs, flaps and is draped

Nothing is tuned: fabric, steps and limits are the presets'. The promise is 5 %. With self-contact come the gallery's
scenes in which much cloth lies on cloth, at other resolutions.
"""

from collections.abc import Callable

from pliant import gallery
from pliant.bench.cloth import structural_strain
from pliant.bench.report import Report
from pliant.colliders import Ground, Sphere
from pliant.forces import Gravity, Wind
from pliant.loop.stage import Stage
from pliant.lowering import build
from pliant.scene import Cloth, Scene
from pliant.scene.cloth import Sheet

CELLS, RATES, SECONDS = (20, 32, 64, 128), (30, 60, 240), 1.2
TOUCHING_CELLS, TOUCHING_RATES, TOUCHING_SECONDS = (20, 64, 128), (30, 60), 2.0
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


def _finer(name: str, cells: int) -> Scene:
    """A scene of the gallery whose sheets have `cells` along their longer sides."""
    scene = gallery.load(name)
    parts = {}
    for key, part in scene.parts.items():
        assert isinstance(part, Sheet)
        longer = max(part.columns, part.rows)
        finer = {side: max(1, round(getattr(part, side) * cells / longer)) for side in ("columns", "rows")}
        parts[key] = part.replace(**finer)
    return scene.replace(parts=parts)


def scarf(cells: int) -> Scene:
    """Wound up by a whirl."""
    return _finer("scarf_in_vortex", cells)


def stack(cells: int) -> Scene:
    """Falls into folds, layer on layer."""
    return _finer("folded_stack", cells)


def tablecloth(cells: int) -> Scene:
    """Hangs down all round, in folds."""
    return _finer("tablecloth", cells)


SCENES: tuple[Callable[[int], Scene], ...] = (hanging, flapping, draped)
TOUCHING_SCENES = (*SCENES, scarf, stack, tablecloth)


def with_self_contact(scene: Scene, on: bool) -> Scene:
    parts = {name: part.replace(self_contact=on) for name, part in scene.parts.items()}
    return scene.replace(parts=parts, contacts=scene.contacts or on)


def worst_strain(scene: Scene, fps: float, seconds: float = SECONDS) -> float:
    """The greatest strain of any structural edge of any part in any frame."""
    world = build(scene)
    stage, state, worst = Stage(world), world.initial_state(), 0.0
    for _ in range(round(seconds * fps)):
        stage.step(state, 1.0 / fps)
        for part in world.parts.values():
            worst = max(worst, float(structural_strain(part, state.position[part.rows]).max()))
    return worst


def strain(
    cells: tuple[int, ...] = CELLS,
    rates: tuple[int, ...] = RATES,
    touching_cells: tuple[int, ...] = TOUCHING_CELLS,
) -> Report:
    """Every scene at every size and frame step, and those with self-contact at some."""
    rows: list[tuple[str, ...]] = []
    values: dict[str, float] = {}
    for on, scenes, sizes in ((False, SCENES, cells), (True, TOUCHING_SCENES, touching_cells)):
        for make in scenes:
            for count in sizes:
                scene = with_self_contact(make(count), on)
                name = f"{make.__name__} {count}{' self-contact' if on else ''}"
                asked = [rate for rate in rates if not on or rate in TOUCHING_RATES]
                found = [worst_strain(scene, rate, TOUCHING_SECONDS if on else SECONDS) for rate in asked]
                values |= {f"{name} {rate}": worst for rate, worst in zip(asked, found, strict=True)}
                shown = [f"{100 * worst:.1f} %" for worst in found] + [""] * (len(rates) - len(asked))
                rows.append((make.__name__, "with" if on else "without", f"{count} x {count}", *shown))
    kept = sum(worst <= PROMISE for worst in values.values())
    title = f"Greatest strain of a sheet: {kept} of {len(values)} within {100 * PROMISE:.0f} %"
    columns = ("scene", "self-contact", "cells", *(f"{rate} frames/s" for rate in rates))
    return Report(title, columns, rows, values)
