"""pliant in Blender: a sidebar tab that imports recordings, sends meshes and rigs, simulates cloth and gets it back."""

import subprocess
import tempfile
from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import actions
from .client import PliantRunError, finish, python_with_pliant, start

bl_info = {
    "name": "pliant",
    "author": "The pliant authors",
    "version": (0, 1, 0),
    "blender": (4, 2, 0),
    "location": "3D Viewport > Sidebar > pliant",
    "description": "Import recordings, send meshes and rigs, simulate cloth",
    "category": "Animation",
}
FABRICS = ("cotton", "silk", "wool", "denim", "leather", "paper", "rubber", "chiffon")


class PliantPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    python: bpy.props.StringProperty(
        name="Python with pliant", description="Empty: PLIANT_PYTHON, or Blender's own", subtype="FILE_PATH"
    )

    def draw(self, context):
        self.layout.prop(self, "python")


class PliantSettings(bpy.types.PropertyGroup):
    fabric: bpy.props.EnumProperty(name="Fabric", items=[(name, name.title(), "") for name in FABRICS])
    group: bpy.props.StringProperty(name="Pins", description="Vertex group: 1 follows exactly, 0 hangs free")
    obstacles: bpy.props.PointerProperty(
        name="Obstacles", description="Closed meshes in the way, moving or not", type=bpy.types.Collection
    )
    ground: bpy.props.BoolProperty(name="Ground", description="A floor at height 0")
    wind: bpy.props.FloatVectorProperty(name="Wind", description="Velocity of the air", unit="VELOCITY", size=3)


def python() -> str:
    addon = bpy.context.preferences.addons.get(__package__)
    return python_with_pliant(addon.preferences.python if addon else "")


def cache_folder() -> Path:
    """Beside the saved file, so that it plays again tomorrow; else a temporary folder."""
    if bpy.data.filepath:
        return Path(bpy.data.filepath).with_name("pliant_cache")
    return Path(tempfile.gettempdir()) / "pliant_cache"


def wishes_of(scene) -> actions.Wishes:
    settings = scene.pliant
    inside = settings.obstacles.all_objects if settings.obstacles else ()
    return actions.Wishes(
        fabric=settings.fabric,
        group=settings.group,
        obstacles=[thing for thing in inside if thing.type == "MESH"],
        ground=settings.ground,
        wind=tuple(settings.wind),
    )


class Doing(bpy.types.Operator):
    """Shows what went wrong as one line."""

    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            self.report({"INFO"}, self.do(context))
        except (PliantRunError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class PLIANT_OT_import(Doing, ImportHelper):
    """Every part of a recording as an object that plays it"""

    bl_idname, bl_label = "pliant.import_recording", "Import Recording"
    filter_glob: bpy.props.StringProperty(
        default="*.npz;*.zarr;*.abc;*.pc2;*.mdd;*.glb;*.usd*;*.obj;*.ply", options={"HIDDEN"}
    )

    def do(self, context):
        path = Path(self.filepath)
        program = "" if path.suffix.lower() == ".npz" else python()
        made = actions.import_recording(path, cache_folder(), program)
        return f"imported {', '.join(thing.name for thing in made)}"


class PLIANT_OT_send_mesh(Doing, ExportHelper):
    """The active mesh as it plays, rig and all, as a recording"""

    bl_idname, bl_label, filename_ext = "pliant.send_mesh", "Send Mesh", ".npz"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def do(self, context):
        actions.send_mesh(context.object, Path(self.filepath), context.scene.pliant.group)
        return f"wrote {self.filepath}"


class PLIANT_OT_send_rig(Doing, ExportHelper):
    """The active armature's motion as BVH"""

    bl_idname, bl_label, filename_ext = "pliant.send_rig", "Send Rig", ".bvh"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "ARMATURE"

    def do(self, context):
        actions.send_rig(context.object, Path(self.filepath))
        return f"wrote {self.filepath}"


class PLIANT_OT_simulate(Doing):
    """Simulate the active mesh as cloth over the scene's frames; Esc stops"""

    bl_idname, bl_label = "pliant.simulate", "Simulate"
    _running: subprocess.Popen | None = None

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def do(self, context):
        cache = actions.simulate(context.object, wishes_of(context.scene), cache_folder(), python())
        return f"simulated {context.object.name} into {cache}"

    def invoke(self, context, event):
        """In a window: pliant runs beside, Blender stays usable."""
        try:
            folder, self._name = cache_folder(), context.object.name
            job, self._result = folder / f"{self._name}.toml", folder / f"{self._name}_result.npz"
            self._first = actions.write_job(context.object, wishes_of(context.scene), job)[0]
            self._running = start(actions.command(job, self._result), python())
        except (PliantRunError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(0.2, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set("pliant is simulating; Esc stops")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._running.terminate()
            return self._done(context, {"CANCELLED"})
        if event.type != "TIMER" or self._running.poll() is None:
            return {"PASS_THROUGH"}
        try:
            finish(self._running)
            actions.take_back(bpy.data.objects[self._name], self._first, self._result, cache_folder())
        except (PliantRunError, OSError, KeyError) as error:
            self.report({"ERROR"}, str(error))
            return self._done(context, {"CANCELLED"})
        return self._done(context, {"FINISHED"})

    def _done(self, context, answer):
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        return answer


class PLIANT_PT_panel(bpy.types.Panel):
    bl_label, bl_idname = "pliant", "PLIANT_PT_panel"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "pliant"

    def draw(self, context):
        layout, settings = self.layout, context.scene.pliant
        layout.use_property_split = True
        layout.prop(settings, "fabric")
        if context.object is not None and context.object.type == "MESH":
            layout.prop_search(settings, "group", context.object, "vertex_groups")
        for name in ("obstacles", "ground", "wind"):
            layout.prop(settings, name)
        layout.operator("pliant.simulate", icon="PLAY")
        layout.separator()
        layout.operator("pliant.import_recording", icon="IMPORT")
        layout.operator("pliant.send_mesh", icon="EXPORT")
        layout.operator("pliant.send_rig", icon="ARMATURE_DATA")


CLASSES = (
    PliantPreferences,
    PliantSettings,
    PLIANT_OT_import,
    PLIANT_OT_send_mesh,
    PLIANT_OT_send_rig,
    PLIANT_OT_simulate,
    PLIANT_PT_panel,
)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.Scene.pliant = bpy.props.PointerProperty(type=PliantSettings)


def unregister():
    del bpy.types.Scene.pliant
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
