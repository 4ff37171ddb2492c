"""Record what happens on the stage into files of the chosen folder, and hand them to the page.

Names come from here, never from a page, so nothing a page sends can leave the folder.
"""

import time
from pathlib import Path
from typing import Any

from pliant.errors import PliantError
from pliant.sinks import Sink
from pliant.sinks.record import open_sinks
from pliant.studio.runner import Runner
from pliant.world import Frame


class Recorder:
    """Starts and ends recordings; saves the run as a scene file that repeats it exactly."""

    def __init__(self, gui: Any, runner: Runner, folder: Path, suffixes: tuple[str, ...]) -> None:
        self._runner, self._folder = runner, folder
        self._sink: Sink | None = None
        self._format = gui.add_dropdown(
            "format", options=suffixes, initial_value=".html" if ".html" in suffixes else suffixes[0]
        )
        self._button = gui.add_button("record", hint="Start or end a recording")
        self._button.on_click(lambda event: self.toggle())
        self._scene = gui.add_button("save as scene", hint="A .toml that repeats this run bit for bit")
        self._scene.on_click(lambda event: self.save_scene(event.client))
        self._said = gui.add_markdown("")

    @property
    def recording(self) -> bool:
        return self._sink is not None

    def toggle(self) -> None:
        """Start a recording, or end it and name its file."""
        try:
            if self._sink is None:
                self._runner.ask(self._begin)
                self._button.label = "stop recording"
                self._said.content = "recording…"
            else:
                self._runner.ask(self._end)
                self._button.label = "record"
        except PliantError as error:
            self._runner.notices.append(str(error))

    def save_scene(self, client: Any = None) -> Path:
        """Write the run so far as a scene file."""
        path = self._target(".toml")
        self._runner.ask(lambda runner: runner.session.recorded()).save(path)
        self._said.content = f"wrote `{path}`"
        if client is not None:
            client.send_file_download(path.name, path.read_bytes())
        return path

    def _target(self, suffix: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        path, count = self._folder / f"pliant-{stamp}{suffix}", 1
        while path.exists():
            count += 1
            path = self._folder / f"pliant-{stamp}-{count}{suffix}"
        return path

    def _begin(self, runner: Runner) -> None:
        session = runner.session
        offered = {"fps": session.fps, "title": session.scene.title, "view": session.scene.view}
        (self._sink,) = open_sinks([self._target(self._format.value)], session.stage.world, None, **offered)
        runner.on_frame.append(self._write)

    def _write(self, frame: Frame) -> None:
        if self._sink is not None:
            self._sink.write(frame)

    def _end(self, runner: Runner) -> None:
        sink, self._sink = self._sink, None
        runner.on_frame.remove(self._write)
        if sink is not None:
            sink.close()
            self._said.content = f"wrote `{sink.target}`"
