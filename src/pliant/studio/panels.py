"""Sliders and switches, made from the descriptions: name, unit, range and help stand at the fields alone."""

from collections.abc import Callable
from typing import Any

from pliant.description import Description, FieldCard, cards
from pliant.scene import FABRICS, Scene
from pliant.studio.runner import Runner

STEPS = 200  # of a slider
HIDDEN = {"points", "triangles", "uv", "color", "pattern", "title", "motion", "segments", "joints", "strings", "places"}


class Panels:
    """One folder per part, field and collider of a scene."""

    def __init__(self, gui: Any, runner: Runner) -> None:
        self._gui, self._runner = gui, runner
        self.handles: dict[str, Any] = {}  # path -> widget
        self._folders: list[Any] = []
        self._build(runner.session.scene)

    def remove(self) -> None:
        for folder in self._folders:
            folder.remove()
        self._folders.clear()
        self.handles.clear()

    def refresh(self, scene: Scene) -> None:
        """Show the values of a scene that changed elsewhere."""
        from pliant.scene import get_path

        for path, handle in self.handles.items():
            value = get_path(scene, path)
            if isinstance(value, int | float | bool | str | tuple) and handle.value != value:
                handle.value = value

    def _build(self, scene: Scene) -> None:
        for name, thing in scene.named():
            folder = self._gui.add_folder(name, expand_by_default=False)
            self._folders.append(folder)
            with folder:
                self._fields(name, thing)

    def _fields(self, path: str, thing: Description) -> None:
        for card in cards(type(thing)):
            if card.name in HIDDEN:
                continue
            value = getattr(thing, card.name)
            where = f"{path}.{card.name}"
            if card.name == "fabric":
                self._presets(where, value)
            if isinstance(value, Description):
                self._fields(where, value)
            else:
                self._widget(where, card, value)

    def _presets(self, path: str, value: Any) -> None:
        known = next((name for name, fabric in FABRICS.items() if fabric == value), "as given")
        choice = self._gui.add_dropdown("preset", options=("as given", *FABRICS), initial_value=known)
        choice.on_update(lambda event: self._set(path, choice.value) if choice.value in FABRICS else None)

    def _widget(self, path: str, card: FieldCard, value: Any) -> None:
        label = path.split(".")[-1] + (f" [{card.unit}]" if card.unit else "")
        make = self._maker(card, value)
        if make is None:
            return
        widget = make(label)
        widget.on_update(lambda event: self._set(path, widget.value) if event.client is not None else None)
        self.handles[path] = widget

    def _maker(self, card: FieldCard, value: Any) -> Callable[[str], Any] | None:
        """How a field is shown; None for those that a panel cannot."""
        gui, hint = self._gui, card.help
        if isinstance(value, bool):
            return lambda label: gui.add_checkbox(label, initial_value=value, hint=hint)
        if card.choices and isinstance(value, str):
            return lambda label: gui.add_dropdown(label, options=card.choices, initial_value=value, hint=hint)
        if isinstance(value, int | float) and card.slider is not None:
            low, high = min(card.slider[0], value), max(card.slider[1], value)
            step: Any = 1 if isinstance(value, int) else (high - low) / STEPS
            return lambda label: gui.add_slider(label, low, high, step, value, hint=hint)
        if isinstance(value, int | float):
            return lambda label: gui.add_number(label, initial_value=value, min=card.low, max=card.high, hint=hint)
        if isinstance(value, tuple) and len(value) == 3 and all(isinstance(v, int | float) for v in value):
            return lambda label: gui.add_vector3(label, initial_value=value, step=0.05, hint=hint)
        return None

    def _set(self, path: str, value: Any) -> None:
        self._runner.put(lambda runner: runner.session.set(path, value))
