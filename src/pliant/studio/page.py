"""The page: a viser server behind a door, a stage behind it, and everything a person does with it.

Pages send drags, values, clicks and files; they never send code or paths. Frames go out at the page's own pace: a slow
page gets fewer of them, not late ones.
"""

import html
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from pliant import gallery
from pliant.errors import PliantError, UnsupportedError
from pliant.scene import Scene
from pliant.studio.acts import Act
from pliant.studio.bringing import brought
from pliant.studio.door import Door
from pliant.studio.framing import framed
from pliant.studio.gallery_wall import Wall
from pliant.studio.plots import Plots
from pliant.studio.runner import Snapshot
from pliant.studio.served import Served
from pliant.studio.surroundings import Surroundings
from pliant.studio.view import FIELD_OF_VIEW

PUBLISH_RATE = 40.0  # frames per second at most that are sent to pages
TOLD = 10  # published instants between two looks at the cost
BARS = ("#c8452f", "#2f6fc8", "#2f9e62", "#c98a1b", "#8a5fc0", "#3aa6a6")


class Studio:
    """One live stage in the browser. `close()` ends it."""

    def __init__(
        self,
        scene: Scene | str = "show",
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        folder: str | Path = "out",
        token: str | None = None,
    ) -> None:
        said = gallery.load(scene) if isinstance(scene, str) else scene
        self.name = scene if isinstance(scene, str) else (scene.title or "scene")
        self.served = Served()
        self.door = Door(host, self.served, token)
        self.folder = Path(folder)
        self.dark = False
        self._lock = threading.RLock()  # between the publishing thread and a change of scene
        self._closed = threading.Event()
        self._shown = -1
        self._published = 0
        self._places: deque[tuple[float, ...]] = deque(maxlen=8)  # of cameras whose pages were lost
        self.server = _server(self.door, host, port)
        self.surroundings = Surroundings(self.server, self.dark)
        gui = self.server.gui
        gui.set_panel_label("pliant")
        self._status = gui.add_html("", order=0.0)
        self.act = Act(self, said)
        with gui.add_folder("plots", order=2.0):
            self.plots = Plots(gui)
        with gui.add_folder("gallery · bring a file", expand_by_default=False, order=0.5):
            self.wall = Wall(gui, self.served, self._picked, self._dropped)
        self._look = gui.add_checkbox("dark", initial_value=self.dark, hint="Dark or light", order=4.0)
        self._look.on_update(lambda event: self.set_theme(bool(self._look.value)))
        self.server.on_client_connect(self._welcome)
        self.server.on_client_disconnect(self._parted)
        self.act.runner.start()
        self._publisher = threading.Thread(target=self._publish, name="pliant-publisher", daemon=True)
        self._publisher.start()

    @property
    def url(self) -> str:
        """The whole address, with the token where one is needed."""
        key = f"/?token={self.door.token}" if self.door.token is not None else ""
        return f"http://{self.server.get_host()}:{self.server.get_port()}{key}"

    @property
    def runner(self) -> Any:
        return self.act.runner

    def open_scene(self, scene: Scene | str) -> None:
        """Another scene on the same page."""
        said = gallery.load(scene) if isinstance(scene, str) else scene
        with self._lock:
            before = self.act
            after = Act(self, said)  # what cannot be built is refused here, and the old scene goes on
            before.close()
            self.act = after
            self.plots.forget()
            self.name = scene if isinstance(scene, str) else (scene.title or "scene")
            self._shown = -1
            self.all_look_again()
            after.runner.start()

    def set_theme(self, dark: bool) -> None:
        """Dark or light, for everybody."""
        with self._lock:
            self.dark = dark
            self.surroundings.theme(dark)
            self.surroundings.stand(self.act.view)

    def notify(self, text: str, *, good: bool = False) -> None:
        """A line for everybody."""
        for client in self.server.get_clients().values():
            seconds = 6.0 if good else 9.0
            client.add_notification("pliant", text, color="green" if good else "red", auto_close_seconds=seconds)

    def close(self) -> None:
        self._closed.set()
        self._publisher.join(timeout=5.0)
        self.act.close()
        self.server.stop()

    def wait(self) -> None:
        """Serve until somebody presses Ctrl-C."""
        try:
            while not self._closed.is_set():
                time.sleep(0.2)
        except KeyboardInterrupt:
            self.close()

    def _repr_html_(self) -> str:
        """In a notebook: the same page, inline."""
        source = html.escape(self.url, quote=True)
        style = "width:100%;height:620px;border:1px solid rgba(127,127,127,.3);border-radius:8px"
        return f'<iframe src="{source}" style="{style}" title="pliant studio"></iframe>'

    def _picked(self, name: str) -> None:
        if name in gallery.SCENES:
            self._guarded(self.open_scene, name)

    def _dropped(self, uploaded: Any, client: Any) -> None:
        """A file from a page: looked at in a process of its own, then on stage."""
        self._guarded(self._bring, uploaded.name, uploaded.content)

    def _bring(self, name: str, content: bytes) -> None:
        self.notify(f"looking at {name[:60]}…", good=True)
        scene, words = brought(name, content, str(self.wall.way.value))
        self.open_scene(scene)
        self.notify("; ".join(words)[:600], good=True)

    def _welcome(self, client: Any) -> None:
        """A page opens; one that was here a moment ago keeps its place."""
        place = tuple(float(x) for x in client.camera.position)
        if not any(np.allclose(place, known, atol=1e-3) for known in self._places):
            self.look_at_all(client)

    def look_at_all(self, client: Any) -> None:
        """Put a page's camera where the scene is seen best."""
        camera, scene = client.camera, self.act.runner.session.scene
        eye, target = framed(self.act.view, scene.view, camera.image_width, camera.image_height, beside=self.act.beside)
        camera.up_direction = (0.0, 1.0, 0.0)
        camera.fov = FIELD_OF_VIEW
        camera.near, camera.far = 0.02, 500.0
        camera.position, camera.look_at = tuple(map(float, eye)), tuple(map(float, target))

    def all_look_again(self) -> None:
        """What there is to see became more or less: every camera finds its place anew."""
        for client in self.server.get_clients().values():
            self.look_at_all(client)

    def _parted(self, client: Any) -> None:
        self._places.append(tuple(float(x) for x in client.camera.position))
        self.act.hands.leave(client.client_id)

    def _publish(self) -> None:
        said = ""
        while not self._closed.wait(1.0 / PUBLISH_RATE):
            with self._lock:
                self._pass_on_notices()
                try:
                    self._show_latest()
                except Exception as error:  # one thing that cannot be shown must not end the page
                    text = f"something cannot be shown ({type(error).__name__}: {str(error)[:120]})"
                    if text != said:
                        self.notify(text)
                    said = text

    def _show_latest(self) -> None:
        snapshot = self.act.runner.latest
        if snapshot.serial == self._shown:
            return
        self._shown = snapshot.serial
        self._published += 1
        if self._published % TOLD == 1 or not snapshot.playing:
            self._status.content = status(snapshot)
        with self.server.atomic():
            self.act.show(snapshot)

    def _pass_on_notices(self) -> None:
        notices = self.act.runner.notices
        while notices:
            self.notify(notices.popleft())

    def _guarded(self, action: Any, *arguments: Any) -> None:
        try:
            action(*arguments)
        except PliantError as error:
            self.notify(str(error))


def status(snapshot: Snapshot) -> str:
    """How fast the stage is, and where its time goes."""
    if snapshot.serial < 2:
        return '<div class="pliant-cost"><b>one moment</b><br><small>kernels are being prepared, once</small></div>'
    total = sum(snapshot.load.values()) or 1.0
    shares = [(name, load / total) for name, load in sorted(snapshot.load.items(), key=lambda pair: -pair[1])]
    bars = "".join(
        f'<i style="width:{100 * share:.1f}%;background:{BARS[k % len(BARS)]}" title="{html.escape(name)}"></i>'
        for k, (name, share) in enumerate(shares)
    )
    listed = ", ".join(f"{html.escape(name)} {100 * share:.0f} %" for name, share in shares[:5])
    listed = listed or "figures in poses, draped anew for each frame"
    more = f" and {len(shares) - 5} more" if len(shares) > 5 else ""
    paused = "" if snapshot.playing else " · paused"
    factor = _factor(snapshot.real_time_factor)
    return (
        f'<div class="pliant-cost"><b>{factor} × real time</b> · {snapshot.ms:.2f} ms per frame'
        f' · {snapshot.frame.time:.2f} s{paused}<div class="pliant-bar">{bars}</div><small>{listed}{more}</small></div>'
    )


def _factor(value: float) -> str:
    return f"{value:.1f}" if value >= 1.0 else f"{value:.2f}"


def _server(door: Door, host: str, port: int) -> Any:
    """viser's server, its door in place, its own ways out of this machine shut."""
    try:
        import viser
        from viser import _messages
    except ImportError:
        raise UnsupportedError("the studio needs viser: pip install pliant[studio]") from None
    import contextlib
    import io

    with door.standing(), contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=port, label="pliant", verbose=False)
    for message in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):  # nobody opens a tunnel from the page
        server._websock_server.unregister_handler(message)
    return server
