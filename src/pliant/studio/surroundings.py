"""Light, ground and background of the page, for the light and the dark theme."""

from typing import Any, NamedTuple

from pliant.studio.view import StageView


class Mood(NamedTuple):
    """Colours (sRGB, 0..255) and strengths of one theme."""

    key: float
    sky: float
    sky_color: tuple[int, int, int]
    ground_color: tuple[int, int, int]
    room: float
    floor: tuple[int, int, int]
    line: tuple[int, int, int]
    strong: tuple[int, int, int]
    shadow: float


LIGHT = Mood(
    key=2.2,
    sky=0.85,
    sky_color=(214, 226, 245),
    ground_color=(176, 166, 154),
    room=0.05,
    floor=(226, 228, 230),
    line=(212, 214, 218),
    strong=(196, 199, 204),
    shadow=0.30,
)
DARK = Mood(
    key=2.0,
    sky=0.65,
    sky_color=(160, 178, 215),
    ground_color=(62, 60, 62),
    room=0.05,
    floor=(36, 39, 44),
    line=(50, 54, 60),
    strong=(64, 69, 77),
    shadow=0.55,
)


class Surroundings:
    """What stands around every scene."""

    def __init__(self, server: Any, dark: bool) -> None:
        self._server = server
        self._things: list[Any] = []
        server.scene.set_up_direction("+y")
        server.scene.world_axes.visible = False
        server.scene.configure_default_lights(enabled=False)
        self.theme(dark)

    def theme(self, dark: bool) -> None:
        """Change the light; `stand` puts the ground under a scene again."""
        self.mood = DARK if dark else LIGHT
        self._server.gui.configure_theme(
            dark_mode=dark, show_logo=False, show_share_button=False, control_width="medium", brand_color=(200, 69, 47)
        )
        self._server.scene.configure_environment_map("studio", environment_intensity=self.mood.room)

    def stand(self, view: StageView) -> None:
        """Ground and lamps for a scene."""
        for thing in self._things:
            thing.remove()
        scene, mood, bounds = self._server.scene, self.mood, view.bounds
        size, center = 40.0 * max(bounds.radius, 0.5), bounds.center
        cell = 0.1 if bounds.radius < 0.5 else 0.5 if bounds.radius < 5.0 else 2.5
        lamp = (float(center[0] - 3.0), float(center[1] + 5.0), float(center[2] + 3.5))
        self._things = [
            scene.add_grid(
                "/ground",
                width=size,
                height=size,
                plane="xz",
                cell_size=cell,
                section_size=5 * cell,
                cell_color=mood.line,
                section_color=mood.strong,
                cell_thickness=0.6,
                section_thickness=0.9,
                plane_color=mood.floor,
                plane_opacity=1.0,
                fade_distance=9.0 * bounds.radius + 3.0,
                fade_strength=1.0,
                shadow_opacity=mood.shadow,
                position=(float(center[0]), view.floor() - 0.002, float(center[2])),
            ),
            scene.add_light_directional(
                "/lamp", color=(255, 246, 232), intensity=mood.key, cast_shadow=True, position=lamp
            ),
            scene.add_light_hemisphere(
                "/sky", sky_color=mood.sky_color, ground_color=mood.ground_color, intensity=mood.sky
            ),
            scene.add_light_directional(
                "/rim",
                color=(206, 222, 255),
                intensity=0.35 * mood.key,
                position=(float(center[0] + 3.0), float(center[1] + 2.0), float(center[2] - 4.0)),
            ),
        ]
