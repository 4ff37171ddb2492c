"""Sliders and switches, made from the descriptions: name, unit, range and help stand at the fields alone."""

from collections.abc import Callable, Mapping
from typing import Any

from pliant.description import Description, FieldCard, cards
from pliant.integrators import INTEGRATORS
from pliant.scene import FABRICS, GASES, SKINS, Balloon, Fabric, Gas, Scene, Skin, get_path
from pliant.scene.base import PartDescription
from pliant.studio.runner import Runner

STEPS = 200  # of a slider
OWN = "as given"
FOR_JOINTS = ("shake", "procedural")
HIDDEN = {
    *("points", "triangles", "uv", "color", "pattern", "title", "motion", "segments", "joints", "strings", "places"),
    *("inputs", "pinned", "loaded", "cuts", "integrator", "nozzle", "drive", "held", "a", "b", "name", "view"),
}
PRESETS: dict[type, Mapping[str, Any]] = {Fabric: FABRICS, Skin: SKINS, Gas: GASES}


class Panels:
    """One folder for the steps, and one per part, field, collider and tie of a scene."""

    def __init__(self, gui: Any, runner: Runner) -> None:
        self._gui, self._runner = gui, runner
        self.handles: dict[str, Any] = {}  # path -> widget
        self._presets: dict[str, Any] = {}
        self._shown: Scene | None = None
        self._first = runner.session.scene
        again = gui.add_button(
            "reset all values", color="gray", hint="Everything as the scene was opened; what moves goes on"
        )
        again.on_click(lambda event: self.reset())
        self._steps()
        for name, thing in runner.session.scene.named():
            with gui.add_folder(name, expand_by_default=False):
                self._method(name, thing)
                if isinstance(thing, Balloon):
                    self._taps(name, thing)
                self._fields(name, thing)

    def show(self, scene: Scene) -> None:
        """Show the values of a scene that somebody changed, here or elsewhere."""
        if scene is self._shown or self._runner.gliding.busy:
            return
        self._shown = scene
        for path, handle in self.handles.items():
            try:
                value = get_path(scene, path)
            except ValueError:
                continue
            shown = _shown(handle, value)
            if shown is not None and handle.value != shown:
                handle.value = shown

    def reset(self) -> None:
        """Every value as it was when the scene was opened, each on its way."""
        first = self._first

        def command(runner: Runner) -> None:
            for path, value in differences(runner.session.scene, first):
                runner.change(path, value)

        self._runner.put(command)

    def _steps(self) -> None:
        scene = self._runner.session.scene
        with self._gui.add_folder("steps", expand_by_default=False):
            found = {card.name: card for card in cards(Scene)}
            for name in ("substeps", "adjustments", "contacts", "seconds"):
                self._widget(name, found[name], getattr(scene, name))

    def _method(self, path: str, thing: Description) -> None:
        part = self._runner.session.stage.world.parts.get(path)
        if part is None or not isinstance(thing, PartDescription):  # a figure is moved by no method
            return
        names = tuple(dict.fromkeys((part.integrator.name, *methods("shell" in part.extra))))
        choice = self._gui.add_dropdown("integrator", names, initial_value=names[0], hint="What moves this part")
        choice.on_update(lambda event: self._set(f"{path}.integrator", choice.value) if _asked(event) else None)

    def _taps(self, path: str, balloon: Balloon) -> None:
        """Pump and valve, to be turned by hand."""
        gui, gas = self._gui, balloon.gas
        pump = gui.add_slider("pump [l/s]", -5.0, 20.0, 0.1, 0.0, hint="Gas that flows in now; below 0: out")
        valve = gui.add_checkbox("valve open", initial_value=gas.valve_from == 0.0, hint="The nozzle")
        pump.on_update(lambda event: self._pumped(path, pump.value) if _asked(event) else None)
        valve.on_update(lambda event: self._valved(path, bool(valve.value)) if _asked(event) else None)

    def _pumped(self, path: str, flow: float) -> None:
        self._turned(path, {"pump": 1e-3 * float(flow), "pump_from": 0.0, "pump_until": None, "target": None})

    def _valved(self, path: str, opened: bool) -> None:
        self._turned(path, {"valve_from": 0.0 if opened else None, "valve_until": None})

    def _turned(self, path: str, values: Mapping[str, Any]) -> None:
        def command(runner: Runner) -> None:
            for name, value in values.items():
                if get_path(runner.session.scene, f"{path}.gas.{name}") != value:
                    runner.session.set(f"{path}.gas.{name}", value)

        self._runner.put(command)

    def _fields(self, path: str, thing: Description) -> None:
        for card in cards(type(thing)):
            if card.name in HIDDEN:
                continue
            value, where = getattr(thing, card.name), f"{path}.{card.name}"
            if isinstance(value, Description):
                with self._gui.add_folder(card.name, expand_by_default=card.name in ("fabric", "skin")):
                    self._preset(where, value)
                    self._fields(where, value)
            else:
                self._widget(where, card, value)

    def _preset(self, path: str, value: Any) -> None:
        known = PRESETS.get(type(value))
        if known is None:
            return
        now = next((name for name, preset in known.items() if preset == value), OWN)
        choice = self._gui.add_dropdown(
            "preset", (OWN, *known), initial_value=now, hint="A material that everybody knows"
        )
        choice.on_update(lambda event: self._take(path, known, str(choice.value)) if _asked(event) else None)

    def _take(self, path: str, known: Mapping[str, Any], name: str) -> None:
        """A preset's numbers, each on its way."""
        if name not in known:
            return

        def command(runner: Runner) -> None:
            preset, present = known[name], get_path(runner.session.scene, path)
            for field in sorted(present.changed(preset)):
                runner.change(f"{path}.{field}", getattr(preset, field))

        self._runner.put(command)

    def _widget(self, path: str, card: FieldCard, value: Any) -> None:
        label = path.split(".")[-1].replace("_", " ") + (f" [{card.unit}]" if card.unit else "")
        make = self._maker(card, value)
        if make is None:
            return
        widget = make(label)
        widget.on_update(lambda event: self._set(path, widget.value) if _asked(event) else None)
        self.handles[path] = widget

    def _maker(self, card: FieldCard, value: Any) -> Callable[[str], Any] | None:
        """How a field is shown; None for those that a panel cannot."""
        gui, hint = self._gui, card.help
        if isinstance(value, bool):
            return lambda label: gui.add_checkbox(label, initial_value=value, hint=hint)
        if card.choices and isinstance(value, str):
            return lambda label: gui.add_dropdown(label, card.choices, initial_value=value, hint=hint)
        if card.kind in (int, float) and (value is None or card.default is None):
            return lambda label: gui.add_text(
                label, "none" if value is None else f"{value:g}", hint=f"{hint} (or none)"
            )
        if isinstance(value, int | float) and card.slider is not None:
            low, high = min(card.slider[0], value), max(card.slider[1], value)
            step: Any = 1 if isinstance(value, int) else (high - low) / STEPS
            return lambda label: gui.add_slider(label, low, high, step, value, hint=hint)
        if isinstance(value, int | float):
            step = 1 if isinstance(value, int) else max(abs(value), 1e-6) / 20.0
            least, most = card.low, card.high
            return lambda label: gui.add_number(label, value, min=least, max=most, step=step, hint=hint)
        if isinstance(value, tuple) and len(value) == 3 and all(isinstance(v, int | float) for v in value):
            return lambda label: gui.add_vector3(label, value, step=0.05, hint=hint)
        return None

    def _set(self, path: str, value: Any) -> None:
        given = tuple(value) if isinstance(value, list) else value
        if isinstance(given, str):
            from pliant.scene.paths import parsed

            given = parsed(given)
        self._runner.put(lambda runner: runner.change(path, given))


def methods(jointed: bool) -> tuple[str, ...]:
    """Names of the integrators that a part may be given: some are for segments and joints alone."""
    return tuple(sorted(name for name in INTEGRATORS if (name in FOR_JOINTS) == jointed))


def differences(scene: Scene, wanted: Scene) -> list[tuple[str, Any]]:
    """What must be set, path by path, so that one scene becomes another of the same things."""
    named, found = dict(wanted.named()), []
    for name in ("substeps", "adjustments", "contacts", "seconds"):
        if getattr(scene, name) != getattr(wanted, name):
            found.append((name, getattr(wanted, name)))
    for name, thing in scene.named():
        if name in named and type(thing) is type(named[name]):
            found += _different(name, thing, named[name])
    return found


def _different(path: str, thing: Description, wanted: Description) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name in sorted(thing.changed(wanted)):
        old, new = getattr(thing, name), getattr(wanted, name)
        if isinstance(old, Description) and type(old) is type(new):
            found += _different(f"{path}.{name}", old, new)
        else:
            found.append((f"{path}.{name}", new))
    return found


def _asked(event: Any) -> bool:
    """True if a person did it, not the program."""
    return event.client is not None


def _shown(handle: Any, value: Any) -> Any:
    """A field's value as its widget has it; None if the widget cannot show it."""
    if isinstance(handle.value, str) and (value is None or isinstance(value, int | float)):
        return "none" if value is None else f"{value:g}"
    if value is None or isinstance(value, list):
        return None
    return value if isinstance(value, bool | int | float | str | tuple) else None
