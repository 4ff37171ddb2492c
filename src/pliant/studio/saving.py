"""Record what happens on the stage into files of the chosen folder, and hand them to the page.

Names come from here, never from a page, so nothing a page sends can leave the folder.
"""

import io
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

from pliant.errors import PliantError
from pliant.sinks.formats import formats
from pliant.sinks.record import open_sinks
from pliant.studio.recording import Recording
from pliant.studio.runner import Runner
from pliant.world import Frame

FEW = 30  # frames whose writing nobody notices
HANDED_OVER = 256 * 2**20  # [byte] larger files stay in the folder


class Recorder:
    """Starts and ends recordings; saves the run as a scene file that repeats it exactly."""

    def __init__(self, gui: Any, runner: Runner, folder: Path) -> None:
        self._runner, self._folder = runner, folder
        self._now: Recording | None = None
        self._pressing = threading.Lock()
        self.made: list[Path] = []
        self._suffixes = tuple(sorted(formats()))
        first = ".html" if ".html" in self._suffixes else self._suffixes[0]
        self._format = gui.add_dropdown("format", self._suffixes, initial_value=first, hint="`pliant list formats`")
        self._button = gui.add_button("record", hint="Start or end a recording")
        self._button.on_click(lambda event: self._guarded(self.toggle, event.client))
        self._scene = gui.add_button("save as scene", hint="A .toml that repeats this run bit for bit")
        self._scene.on_click(lambda event: self._guarded(self.save_scene, event.client))
        self._said = gui.add_markdown(f"into `{self._folder}`")

    @property
    def recording(self) -> bool:
        return self._now is not None

    def toggle(self, client: Any = None) -> Path | None:
        """Start a recording; or end it, and hand the file over."""
        with self._pressing:  # two visitors may press at once
            return self._toggle(client)

    def _toggle(self, client: Any) -> Path | None:
        if self._now is None:
            self._begin()
            self._button.label, self._button.color = "stop recording", "red"
            self._said.content = "recording…"
            return None
        self._button.disabled = True
        recording, self._now = self._now, None
        try:
            self._runner.ask(lambda runner: self._unhook())
            if recording.waiting > FEW:
                self._said.content = f"writing {recording.waiting} frames…"
            path = recording.finish()
        finally:
            self._button.label, self._button.color, self._button.disabled = "record", None, False
            self._said.content = f"into `{self._folder}`"
        self._hand_over(path, client)
        return path

    def save_scene(self, client: Any = None) -> Path:
        """Write the run so far as a scene file."""
        path = self._target(".toml")
        self._runner.ask(lambda runner: runner.session.recorded()).save(path)
        self._hand_over(path, client)
        return path

    def close(self) -> None:
        """The scene goes: what was recorded is kept."""
        recording, self._now = self._now, None
        if recording is not None:
            try:
                recording.finish()
            except (PliantError, OSError) as error:
                self._runner.notices.append(str(error))

    def _guarded(self, action: Any, client: Any) -> None:
        try:
            action(client)
        except (PliantError, OSError) as error:
            self._runner.notices.append(str(error))

    def _hand_over(self, path: Path, client: Any) -> None:
        """Tell the page, and send the file; what is several files goes as one archive."""
        self.made.append(path)
        names = sorted(p for p in path.parent.glob(f"{path.stem}*") if not p.name.startswith("."))
        size = sum(p.stat().st_size for p in names if p.is_file())
        self._said.content = f"wrote `{path}` ({size / 2**20:.2f} MB)"
        if client is None or size > HANDED_OVER:
            return
        if len(names) == 1 and path.is_file():
            client.send_file_download(path.name, path.read_bytes(), save_immediately=True)
            return
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                for piece in [name] if name.is_file() else sorted(p for p in name.rglob("*") if p.is_file()):
                    archive.write(piece, piece.relative_to(path.parent))
        client.send_file_download(f"{path.stem}.zip", packed.getvalue(), save_immediately=True)

    def _target(self, suffix: str) -> Path:
        if suffix not in (*self._suffixes, ".toml"):
            raise PliantError(f"format {suffix!r} is not there; choose one of the list")
        self._folder.mkdir(parents=True, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        path, count = self._folder / f"pliant-{stamp}{suffix}", 1
        while path.exists():
            count += 1
            path = self._folder / f"pliant-{stamp}-{count}{suffix}"
        return path

    def _begin(self) -> None:
        session = self._runner.session
        offered = {"fps": session.fps, "title": session.scene.title, "view": session.scene.view}
        target, world = self._target(str(self._format.value)), session.stage.world
        recording = Recording(lambda: open_sinks([target], world, None, **offered)[0], session.frame)
        recording.begin()
        self._now = recording
        self._runner.ask(lambda runner: runner.on_frame.append(self._write))

    def _write(self, frame: Frame) -> None:
        """On the stage's thread: one more frame; a recording that failed ends, and the stage goes on without it."""
        recording = self._now
        if recording is None:
            return
        recording.take(frame)
        if recording.error is not None:
            self._now = None
            self._unhook()
            self._runner.notices.append(f"the recording ended: {recording.error}")
            self._button.label, self._button.color = "record", None

    def _unhook(self) -> None:
        if self._write in self._runner.on_frame:
            self._runner.on_frame.remove(self._write)
