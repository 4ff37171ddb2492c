"""The page: a viser server on this machine, a stage behind it, and everything a person does with it.

The server listens on 127.0.0.1 only. Pages send drags, values and clicks; they never send code or paths. Frames go out
at the page's own pace: a slow page gets fewer of them, not late ones.
"""

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from pliant import gallery
from pliant.errors import PliantError, UnsupportedError
from pliant.scene import Scene
from pliant.sinks.formats import formats
from pliant.studio.hands import Hands
from pliant.studio.panels import Panels
from pliant.studio.recording import Recorder
from pliant.studio.runner import Runner
from pliant.studio.transport import Transport
from pliant.studio.view import StageView, strain_colors
from pliant.world import Springs

PUBLISH_RATE = 40.0  # frames per second at most that are sent to pages


class Studio:
    """One live stage in the browser. `close()` ends it."""

    def __init__(
        self, scene: Scene | str = "show", *, host: str = "127.0.0.1", port: int = 8080, folder: str | Path = "out"
    ) -> None:
        self.name = scene if isinstance(scene, str) else (scene.title or "scene")
        said = gallery.load(scene) if isinstance(scene, str) else scene
        self.server = _server(host, port)
        self.folder = Path(folder)
        self.dark = False
        self._lock = threading.RLock()  # between the publishing thread and a change of scene
        self._closed = threading.Event()
        self.server.scene.set_up_direction("+y")
        self.server.gui.configure_theme(dark_mode=self.dark, show_logo=False, show_share_button=False)
        self.server.gui.set_panel_label("pliant")
        self._menu()
        self._open(said)
        self.server.on_client_connect(self._greet)
        self.server.on_client_disconnect(lambda client: self.hands.leave(client.client_id))
        self._publisher = threading.Thread(target=self._publish, name="pliant-publisher", daemon=True)
        self._publisher.start()

    @property
    def url(self) -> str:
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def open_scene(self, scene: Scene | str) -> None:
        """Another scene on the same page."""
        said = gallery.load(scene) if isinstance(scene, str) else scene
        with self._lock:
            self.name = scene if isinstance(scene, str) else (scene.title or "scene")
            self._shut()
            self._open(said)
            for client in self.server.get_clients().values():
                self._greet(client)

    def close(self) -> None:
        self._closed.set()
        self._publisher.join(timeout=5.0)
        self.runner.stop()
        self.server.stop()

    def wait(self) -> None:
        """Serve until somebody presses Ctrl-C."""
        try:
            while not self._closed.is_set():
                time.sleep(0.2)
        except KeyboardInterrupt:
            self.close()

    def _menu(self) -> None:
        gui = self.server.gui
        self._status = gui.add_markdown("")
        choice = gui.add_dropdown("scene", options=tuple(sorted(gallery.SCENES)), hint="Everything the gallery has")
        if self.name in gallery.SCENES:
            choice.value = self.name
        choice.on_update(self._scene_chosen)

    def _scene_chosen(self, event: Any) -> None:
        if event.client is not None:
            self._guarded(self.open_scene, event.target.value)

    def _open(self, scene: Scene) -> None:
        self.runner = Runner(scene)
        snapshot = self.runner.latest
        self.view = StageView(self.server, self.runner.session.stage.world, snapshot.frame, dark=self.dark)
        self.hands = Hands(self.runner)
        gui = self.server.gui
        self._tabs = gui.add_tab_group()
        with self._tabs.add_tab("Play"):
            self.transport = Transport(gui, self.runner)
            self._coloring = gui.add_dropdown("colours", options=("fabric", "strain"), hint="What the colours mean")
            self._coloring.on_update(lambda event: self._recolor())
        with self._tabs.add_tab("Parameters"):
            self.panels = Panels(gui, self.runner)
        with self._tabs.add_tab("Save"):
            self.recorder = Recorder(gui, self.runner, self.folder, tuple(sorted(formats())))
        self._catch_drags()
        self._shown = -1
        self.runner.start()

    def _shut(self) -> None:
        self.runner.stop()
        self.view.remove()
        self._tabs.remove()

    def _catch_drags(self) -> None:
        for name, mesh in self.view.meshes.items():
            if name in self.runner.session.stage.world.parts:
                mesh.on_drag(self._dragged(name))

    def _dragged(self, name: str) -> Any:
        def heard(event: Any) -> None:
            self.hands.drag(event.client_id, name, event.phase, event.start_position, event.end_position)

        return heard

    def _greet(self, client: Any) -> None:
        view = self.runner.session.scene.view
        eye, target = (np.array(view.eye), np.array(view.target)) if view is not None else self.view.camera()
        client.camera.up_direction = (0.0, 1.0, 0.0)
        client.camera.position, client.camera.look_at = tuple(eye), tuple(target)

    def _publish(self) -> None:
        while not self._closed.wait(1.0 / PUBLISH_RATE):
            with self._lock:
                snapshot = self.runner.latest
                if snapshot.serial == self._shown:
                    continue
                self._shown = snapshot.serial
                with self.server.atomic():
                    self.view.show(snapshot.frame)
                    self._paint(snapshot.frame)
                    self.transport.show(snapshot)
                self._tell(snapshot)

    def _tell(self, snapshot: Any) -> None:
        """What the stage costs, a few times a second, and what it has to say."""
        if snapshot.serial % 20 and not self.runner.notices:
            return
        shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in snapshot.load.items())
        text = f"**{snapshot.real_time_factor:.1f} x real time**, {snapshot.ms:.2f} ms per frame\n\n{shares}"
        while self.runner.notices:
            notice = self.runner.notices.popleft()
            for client in self.server.get_clients().values():
                client.add_notification("pliant", notice, color="red", auto_close_seconds=8.0)
        self._status.content = text

    def _recolor(self) -> None:
        with self._lock:
            if self._coloring.value == "fabric":
                self.view.remove()
                self.view = StageView(
                    self.server, self.runner.session.stage.world, self.runner.latest.frame, dark=self.dark
                )
                self._catch_drags()
            self._shown = -1

    def _paint(self, frame: Any) -> None:
        if self._coloring.value != "strain":
            return
        world = self.view.world
        for name, part in frame.items():
            if name in world.parts and world.parts[name].has(Springs) and name in self.view.meshes:
                self.view.meshes[name].color = strain_colors(world, name, part.points)

    def _guarded(self, action: Any, *arguments: Any) -> None:
        try:
            action(*arguments)
        except PliantError as error:
            self.runner.notices.append(str(error))


def _server(host: str, port: int) -> Any:
    try:
        import viser
    except ImportError:
        raise UnsupportedError("the studio needs viser: pip install pliant[studio]") from None
    return viser.ViserServer(host=host, port=port, label="pliant", verbose=False)
