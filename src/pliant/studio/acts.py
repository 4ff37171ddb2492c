"""One scene on the page: its stage, its meshes, its panels and tools. A change of scene makes a new one."""

import contextlib
import threading
from typing import Any

import numpy as np

from pliant.integrators import INTEGRATORS
from pliant.scene import Scene
from pliant.studio.deck import Deck, restart
from pliant.studio.hands import BRUSHES, TOOLS, Drag, Hands
from pliant.studio.overlays import Overlays
from pliant.studio.panels import FOR_JOINTS, Panels
from pliant.studio.poses import Poses
from pliant.studio.runner import Runner, Snapshot
from pliant.studio.saving import Recorder
from pliant.studio.shades import CHOICES, Shades
from pliant.studio.twin import Twin
from pliant.studio.vane import Vane
from pliant.studio.view import StageView

ALONE = "nothing"
APART = 2.3  # of the scene's half width: how far to the side the twin stands
PARTING = 3.0  # [s] until the panels of a scene that is gone are taken away
OVERLAYS_EVERY = 3  # shown instants between two looks at the physics


class Act:
    """Everything that belongs to one scene."""

    def __init__(self, studio: Any, scene: Scene) -> None:
        self.runner = Runner(scene)
        self._studio, self._server = studio, studio.server
        world, frame = self.runner.session.stage.world, self.runner.latest.frame
        self.view = StageView(self._server, studio.served, world, frame)
        self.beside: StageView | None = None
        self.hands = Hands(self.runner)
        self.shades, self._shades_beside = Shades(), Shades()
        self._calls = 0
        studio.surroundings.stand(self.view)
        self.vane = Vane(self._server, self.runner, self.view)
        gui = self._server.gui
        self._tabs = gui.add_tab_group(order=1.0)
        with self._tabs.add_tab("Play"):
            self._play_tab(gui)
        with self._tabs.add_tab("Tune"):
            self.panels = Panels(gui, self.runner)
        with self._tabs.add_tab("See"):
            self._see_tab(gui)
        with self._tabs.add_tab("Save"):
            self.recorder = Recorder(gui, self.runner, studio.folder)
        self._catch_drags(self.view)

    def show(self, snapshot: Snapshot) -> None:
        """Bring the page up to date with an instant."""
        world = self.runner.session.stage.world
        self.view.world = world
        if self.view.show(snapshot.frame, self.shades.of(world, snapshot.frame)):
            self._catch_drags(self.view)
        self._show_twin(snapshot)
        self.deck.show(snapshot)
        self._studio.plots.show(snapshot, world, 1e3 / self.runner.session.fps)
        self._calls += 1
        if self._calls % OVERLAYS_EVERY == 0 or not snapshot.playing:
            self.overlays.show(world, snapshot.frame, self.view)
            scene = self.runner.session.scene
            self.vane.show(scene)
            self.panels.show(scene)

    def close(self) -> None:
        self.runner.stop()
        self.recorder.close()
        self.overlays.remove()
        self.vane.remove()
        for view in (self.view, self.beside):
            if view is not None:
                view.remove()
        self._tabs.visible = False  # a slow page may still have a last change of its widgets to come
        last = threading.Timer(PARTING, self._part)
        last.daemon = True
        last.start()

    def _part(self) -> None:
        with contextlib.suppress(RuntimeError):  # the server may be gone by now
            self._tabs.remove()

    def compare(self, method: str) -> None:
        """The same scene once more under another method; both start over."""
        chosen = None if method == ALONE else method

        def command(runner: Runner) -> None:
            runner.twin = None
            if chosen is not None:
                restart(runner)
                runner.twin = Twin(runner.session, chosen)

        self.runner.put(command)

    def _play_tab(self, gui: Any) -> None:
        hint = "; ".join(f"{name}: {text.lower()}" for name, text in TOOLS.items())
        self.tool = gui.add_dropdown("mouse", tuple(TOOLS), initial_value="grab", hint=hint)
        self.tool.on_update(lambda event: self._take_tool())
        self._told = gui.add_html(_told("grab"))
        self.size = gui.add_slider("brush size", 0.05, 0.6, 0.01, 0.2, hint="Radius of the brush, in sizes of the part")
        self.size.on_update(lambda event: setattr(self.hands, "size", float(self.size.value)))
        self.size.visible = False
        self.poses = Poses(gui, self.runner)
        self.deck = Deck(gui, self.runner)
        whole = gui.add_button(
            "see everything", color="gray", hint="Put your camera back to where the whole scene is seen"
        )
        whole.on_click(lambda event: self._studio.look_at_all(event.client) if event.client is not None else None)

    def _see_tab(self, gui: Any) -> None:
        self.colors = gui.add_dropdown("colours", CHOICES, hint="What the colours mean")
        self.colors.on_update(lambda event: self._recolor())
        self.overlays = Overlays(gui, self._server)
        world = self.runner.session.stage.world
        jointed = all("shell" in part.extra for part in world.parts.values())
        names = tuple(sorted(n for n in INTEGRATORS if (n in FOR_JOINTS) == jointed))
        self.other = gui.add_dropdown(
            "compare with", (ALONE, *names), hint="The same scene under another method, beside and in step"
        )
        self.other.on_update(lambda event: self.compare(str(self.other.value)) if event.client is not None else None)

    def _take_tool(self) -> None:
        if self.tool.value in TOOLS:
            self.hands.tool = str(self.tool.value)
            self._told.content = _told(self.hands.tool)
            self.size.visible = self.hands.tool in BRUSHES

    def _recolor(self) -> None:
        self.shades.choice = str(self.colors.value)
        self.runner.put(lambda runner: None)

    def _show_twin(self, snapshot: Snapshot) -> None:
        twin = self.runner.twin
        if twin is None or snapshot.twin is None:
            if self.beside is not None:
                self.beside.remove()
                self.beside = None
                self._studio.all_look_again()
            return
        world = twin.session.stage.world
        if self.beside is None:
            width = 0.5 * float(self.view.bounds.high[0] - self.view.bounds.low[0])
            apart = APART * max(width, 0.4 * self.view.bounds.radius)
            self.beside = StageView(self._server, self._studio.served, world, snapshot.twin, offset=apart)
            self._catch_drags(self.beside)
            self._studio.all_look_again()
        self._shades_beside.choice = self.shades.choice
        self.beside.show(snapshot.twin, self._shades_beside.of(world, snapshot.twin))

    def _catch_drags(self, view: StageView) -> None:
        for name, mesh in view.meshes.items():
            if name.split(" ")[0] in view.parts:
                mesh.remove_drag_callback("all")
                mesh.on_drag(self._dragged(name, view.offset))

    def _dragged(self, name: str, offset: float) -> Any:
        aside = np.array([offset, 0.0, 0.0])

        async def heard(event: Any) -> None:  # on the server's own loop, so that a drag's events keep their order
            start, end = np.asarray(event.start_position, float), np.asarray(event.end_position, float)
            eye = np.asarray(event.client.camera.position, float)
            drag = Drag(event.client_id, name, event.phase, start - aside, end - aside, eye - aside)
            self.hands.drag(drag)

        return heard


def _told(tool: str) -> str:
    return f'<div class="pliant-hint">{TOOLS[tool]}</div>'
