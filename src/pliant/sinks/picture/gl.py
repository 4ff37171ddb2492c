"""The OpenGL renderer: offscreen on EGL, on a GPU or in software. A shadow map from the key light, a blurred one from
above for the sky, then floor and surfaces with four samples per pixel."""

from importlib import import_module
from importlib.resources import files
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.errors import UnsupportedError
from pliant.geometry.surface import edges
from pliant.sinks.picture.shot import FLOOR_BLUR, FLOOR_SIZE, PENUMBRA, SHADOW_SIZE, SKY_BLUR, SKY_SIZE, Shot
from pliant.sinks.picture.surface import Surface

SAMPLES = 4
PROGRAMS = ("surface", "ground", "floor", "depth", "blur", "wire")
SHARED = {
    "surface.vert": ("sky.glsl",),
    "surface.frag": ("light.glsl",),
    "ground.frag": ("light.glsl",),
    "floor.frag": ("light.glsl", "sky.glsl"),
}
WIRE_COLOR = (0.06, 0.07, 0.09, 0.45)


def shader(name: str, *, version: str = "#version 330 core\n") -> str:
    """The text of one shader, with the version line and what it shares with others."""
    folder = files("pliant.sinks.picture") / "shaders"
    return version + "".join((folder / part).read_text(encoding="utf-8") for part in (*SHARED.get(name, ()), name))


class _Mesh:
    """Buffers of one surface on the graphics side."""

    def __init__(self, context: Any, programs: dict[str, Any], surface: Surface, wire: bool) -> None:
        count = len(surface.points)
        self.vertices = context.buffer(reserve=count * 24)
        tint = np.ones((count, 3), np.float32) if surface.tint is None else surface.tint
        self.pattern = context.buffer(np.hstack([surface.pattern, tint]).astype(np.float32).tobytes())
        self.indices = context.buffer(np.ascontiguousarray(surface.triangles, np.uint32).tobytes())
        layout = [(self.vertices, "3f 3f", "position", "normal"), (self.pattern, "2f 3f", "pattern", "tint")]
        self.lit = context.vertex_array(programs["surface"], layout, self.indices)
        bare = [(self.vertices, "3f 12x", "position")]
        self.depth = context.vertex_array(programs["depth"], bare, self.indices)
        self.wire = None
        if wire and not surface.still:
            self.edges = context.buffer(np.ascontiguousarray(edges(surface.triangles), np.uint32).tobytes())
            self.wire = context.vertex_array(programs["wire"], bare, self.edges)
        self.packed = np.empty((count, 6), np.float32)
        self.shape = (count, len(surface.triangles))
        self.fresh = True

    def update(self, surface: Surface) -> None:
        if surface.still and not self.fresh:
            return
        self.packed[:, :3], self.packed[:, 3:] = surface.points, surface.normals
        self.vertices.write(self.packed)
        self.fresh = False

    def release(self) -> None:
        for name in ("lit", "depth", "wire", "edges", "vertices", "pattern", "indices"):
            if getattr(self, name, None) is not None:
                getattr(self, name).release()


class GLRenderer:
    """Draws surfaces of any number of frames at one size. An OpenGL context belongs to the thread that made it."""

    def __init__(self, size: tuple[int, int], *, wire: bool = False) -> None:
        self.size, self.with_wire = size, wire
        self.context = _context()
        try:
            self.programs = {name: self._program(name) for name in PROGRAMS}
            self._targets()
        except Exception as error:  # a driver that cannot do what it says: as good as none
            self.context.release()
            said = str(error).strip().splitlines()
            raise UnsupportedError(f"OpenGL here refuses the stage ({said[0] if said else 'without a word'})") from None
        self._meshes: dict[tuple[str, int], _Mesh] = {}

    def _program(self, name: str) -> Any:
        vertex = "blur" if name == "floor" else name  # both cover their whole target
        return self.context.program(vertex_shader=shader(f"{vertex}.vert"), fragment_shader=shader(f"{name}.frag"))

    def _targets(self) -> None:
        context, full, sky = self.context, self.size, (SKY_SIZE, SKY_SIZE)
        samples = min(SAMPLES, context.max_samples)
        self.canvas = context.framebuffer(
            context.renderbuffer(full, 4, samples=samples), context.depth_renderbuffer(full, samples=samples)
        )
        self.resolved = context.framebuffer(context.renderbuffer(full, 4))
        self.shadow_map = context.depth_texture((SHADOW_SIZE, SHADOW_SIZE))
        self.shadow_map.compare_func = "<="
        self.shadow_map.repeat_x = self.shadow_map.repeat_y = False
        self.shadow = context.framebuffer(depth_attachment=self.shadow_map)
        self.bare_depth = context.sampler(filter=(context.NEAREST, context.NEAREST), repeat_x=False, repeat_y=False)
        self.moments = [context.texture(sky, 2, dtype="f4") for _ in range(2)]
        for texture in self.moments:
            texture.repeat_x = texture.repeat_y = False
        self.sky = context.framebuffer(self.moments[0], context.depth_renderbuffer(sky))
        self.blurs = [context.framebuffer(self.moments[1]), context.framebuffer(self.moments[0])]
        self.floor_maps = [context.texture((FLOOR_SIZE, FLOOR_SIZE), 2, dtype="f1") for _ in range(2)]
        for texture in self.floor_maps:
            texture.repeat_x = texture.repeat_y = False
        self.floor_targets = [context.framebuffer(texture) for texture in self.floor_maps]
        self.floor = context.vertex_array(self.programs["floor"], [])
        self.ground = context.vertex_array(self.programs["ground"], [])
        self.blur = context.vertex_array(self.programs["blur"], [])

    def render(self, shot: Shot, surfaces: list[Surface]) -> Array:
        """(h, w, 3) uint8, row 0 on top."""
        meshes = self._uploaded(surfaces)
        self._shadows(shot, meshes)
        self._sky(shot, meshes)
        self._floor(shot)
        self._beauty(shot, surfaces, meshes)
        self.context.copy_framebuffer(self.resolved, self.canvas)
        pixels = np.frombuffer(self.resolved.read(components=3, alignment=1), np.uint8)
        return np.ascontiguousarray(pixels.reshape(self.size[1], self.size[0], 3)[::-1])

    def _uploaded(self, surfaces: list[Surface]) -> list[_Mesh]:
        used: dict[tuple[str, int], _Mesh] = {}
        for k, surface in enumerate(surfaces):
            mesh = self._meshes.get((surface.name, k))
            if mesh is None or mesh.shape != (len(surface.points), len(surface.triangles)):
                mesh = _Mesh(self.context, self.programs, surface, self.with_wire)
            mesh.update(surface)
            used[surface.name, k] = mesh
        for key, mesh in self._meshes.items():
            if used.get(key) is not mesh:
                mesh.release()
        self._meshes = used
        return list(used.values())

    def _depths(self, matrix: Array, meshes: list[_Mesh]) -> None:
        _set(self.programs["depth"], view_projection=matrix)
        self.context.enable_only(self.context.DEPTH_TEST)
        for mesh in meshes:
            mesh.depth.render()

    def _shadows(self, shot: Shot, meshes: list[_Mesh]) -> None:
        self.shadow.use()
        self.shadow.clear(depth=1.0)
        self._depths(shot.rig.shadow, meshes)

    def _sky(self, shot: Shot, meshes: list[_Mesh]) -> None:
        self.sky.use()
        self.sky.clear(1.0, 1.0, 0.0, 0.0, depth=1.0)
        self._depths(shot.rig.sky, meshes)
        self._blurred(self.moments, self.blurs, SKY_BLUR)

    def _blurred(self, maps: list[Any], targets: list[Any], deviation: float) -> None:
        """The first map through the second and back, by a Gaussian of that deviation, of the map."""
        self.context.disable(self.context.DEPTH_TEST)
        step = deviation / 2.0
        for target, source, stride in zip(targets, maps, ((step, 0.0), (0.0, step)), strict=True):
            target.use()
            source.use(1)
            _set(self.programs["blur"], source=1, stride=stride)
            self.blur.render(vertices=3)

    def _floor(self, shot: Shot) -> None:
        self.floor_targets[0].use()
        self.shadow_map.use(0)
        self.moments[0].use(1)
        self.shadow_map.use(2)
        self.bare_depth.use(2)
        _set(self.programs["floor"], **light_uniforms(shot), **floor_uniforms(shot))
        self.floor.render(vertices=3)
        self.bare_depth.clear(2)
        self._blurred(self.floor_maps, self.floor_targets[::-1], FLOOR_BLUR)

    def _beauty(self, shot: Shot, surfaces: list[Surface], meshes: list[_Mesh]) -> None:
        self.canvas.use()
        self.canvas.clear(depth=1.0)
        self.shadow_map.use(0)
        self.moments[0].use(1)
        self.floor_maps[0].use(2)
        light = light_uniforms(shot)
        ground, surface_program = self.programs["ground"], self.programs["surface"]
        self.context.enable_only(self.context.DEPTH_TEST)
        _set(surface_program, **light, view_projection=shot.view_projection)
        for surface, mesh in nearest_first(shot, surfaces, meshes):
            _set(surface_program, **finish_uniforms(surface), push=shot.yielding if surface.yields else 0.0)
            mesh.lit.render()
        _set(ground, **light, **ground_uniforms(shot))
        self.ground.render(vertices=3)  # lies behind everything, so that only what is left is shaded
        if self.with_wire:
            self._wires(shot, meshes)

    def _wires(self, shot: Shot, meshes: list[_Mesh]) -> None:
        context = self.context
        context.enable_only(context.DEPTH_TEST | context.BLEND)
        context.blend_func = context.SRC_ALPHA, context.ONE_MINUS_SRC_ALPHA
        _set(self.programs["wire"], view_projection=shot.view_projection, wire_color=WIRE_COLOR)
        for mesh in meshes:
            if mesh.wire is not None:
                mesh.wire.render(mode=context.LINES)

    def release(self) -> None:
        self.context.release()


def nearest_first(shot: Shot, surfaces: list[Surface], meshes: list[_Mesh]) -> list[tuple[Surface, _Mesh]]:
    """What is drawn first hides what needs no shading then."""
    away = [
        float(np.linalg.norm(s.points[:: max(len(s.points) // 64, 1)].mean(axis=0) - shot.camera.eye)) for s in surfaces
    ]
    order = np.argsort(away, kind="stable")
    return [(surfaces[k], meshes[k]) for k in order]


def light_uniforms(shot: Shot) -> dict[str, Any]:
    """What light.glsl needs, by name."""
    theme, rig = shot.theme, shot.rig
    return {
        "eye": shot.camera.eye,
        "key_direction": rig.key,
        "key_color": theme.key,
        "sky_color": theme.sky,
        "bounce_color": theme.bounce,
        "rim_direction": rig.rim,
        "rim_color": theme.rim,
        "floor_color": theme.floor,
        "horizon_color": theme.horizon,
        "zenith_color": theme.zenith,
        "shadow_matrix": rig.shadow,
        "sky_matrix": rig.sky,
        "shadow_softness": PENUMBRA,
        "sky_fade": rig.sky_fade,
        "shadow_map": 0,
        "sky_map": 1,
        "stand": shot.camera.eye,
        "lift": shot.bias,
        "sun": rig.key,
        "dither": shot.dither,
    }


def ground_uniforms(shot: Shot) -> dict[str, Any]:
    return {
        "unprojection": np.linalg.inv(shot.view_projection),
        "center": shot.center,
        "reach": shot.radius,
        "floor_height": shot.floor,
        "grid": shot.grid,
        "line_color": shot.theme.line,
        "floor_box": shot.rig.floor,
        "floor_map": 2,
    }


def floor_uniforms(shot: Shot) -> dict[str, Any]:
    return {
        "floor_box": shot.rig.floor,
        "floor_height": shot.floor,
        "spread": shot.rig.spread,
        "depth_map": 2,
    }


def finish_uniforms(surface: Surface) -> dict[str, Any]:
    finish = surface.finish
    return {
        "front_color": finish.front,
        "back_color": finish.back,
        "pattern_kind": finish.pattern,
        "answer": (finish.roughness, finish.shine, finish.sheen, finish.thin),
        "metal": finish.metal,
    }


def _set(program: Any, **values: Any) -> None:
    """Uniforms by name; one the compiler dropped, because its shader does not use it, is left out."""
    for name, value in values.items():
        if name not in program:
            continue
        if isinstance(value, np.ndarray) and value.shape == (4, 4):
            program[name].write(np.ascontiguousarray(value.T, np.float32))
        else:
            program[name].value = tuple(map(float, value)) if isinstance(value, np.ndarray) else value


def _context() -> Any:
    try:
        moderngl: Any = import_module("moderngl")
    except ImportError:
        raise UnsupportedError("pictures by OpenGL need moderngl; install pliant[render]") from None
    try:
        return moderngl.create_context(standalone=True, backend="egl", require=330)
    except Exception as error:  # the loader raises whatever its platform does
        raise UnsupportedError(f"no OpenGL 3.3 without a display here ({error}); install EGL, e.g. libegl1") from None
