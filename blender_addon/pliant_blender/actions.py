"""What the buttons do, as functions: import a recording, send a mesh or a rig, simulate a mesh and get it back."""

from dataclasses import dataclass, field
from pathlib import Path

import bpy
import numpy as np

from .client import PliantRunError, run
from .exchange import Job, PointCache, Recording, save_recording, to_pliant

MODIFIER = "pliant"


def points_of(mesh: bpy.types.Mesh, matrix: np.ndarray) -> np.ndarray:
    """(n, 3) in the world."""
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def triangles_of(mesh: bpy.types.Mesh) -> np.ndarray:
    mesh.calc_loop_triangles()
    triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    return triangles.reshape(-1, 3)


def played(thing: bpy.types.Object, frames: range) -> tuple[np.ndarray, np.ndarray]:
    """(f, n, 3) of an object in the world as Blender evaluates it, rig and all, and its triangles.

    The result of a simulation from before is left out, so that a second run begins where the first did.
    """
    scene, before = bpy.context.scene, bpy.context.scene.frame_current
    own = thing.modifiers.get(MODIFIER)
    shown = own.show_viewport if own else False
    if own:
        own.show_viewport = False
    clip, triangles = [], np.empty((0, 3), np.int32)
    try:
        for frame in frames:
            scene.frame_set(frame)
            evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
            mesh = evaluated.to_mesh()
            clip.append(points_of(mesh, np.array(evaluated.matrix_world)))
            triangles = triangles_of(mesh) if not len(triangles) else triangles
            evaluated.to_mesh_clear()
    finally:
        if own:
            own.show_viewport = shown
        scene.frame_set(before)
    if len({len(points) for points in clip}) > 1:
        raise PliantRunError(f"{thing.name}: its number of points changes within the clip; turn such modifiers off")
    return np.stack(clip), triangles


def painted(thing: bpy.types.Object, group: str) -> np.ndarray:
    """(n,) weights of a vertex group."""
    found = thing.vertex_groups.get(group)
    if found is None:
        names = ", ".join(g.name for g in thing.vertex_groups) or "none"
        raise PliantRunError(f"{thing.name}: no vertex group {group!r} (has: {names})")
    weights = np.zeros(len(thing.data.vertices))
    for vertex in thing.data.vertices:
        for entry in vertex.groups:
            if entry.group == found.index:
                weights[vertex.index] = entry.weight
    return weights


def rate() -> float:
    render = bpy.context.scene.render
    return render.fps / render.fps_base


def clip_range() -> range:
    scene = bpy.context.scene
    return range(scene.frame_start, scene.frame_end + 1)


def import_recording(path: Path, folder: Path, python: str) -> list[bpy.types.Object]:
    """Every part of a recording as an object that plays it from the scene's first frame."""
    if path.suffix.lower() != ".npz":
        path = converted(path, folder / f"{path.stem}.npz", python)
    clip = Recording(path)
    frames = iter(clip)
    first = next(frames, None)
    if first is None or not list(clip.parts()):
        raise PliantRunError(f"{path}: has no surface to show")
    made, caches = [], []
    for k, (name, rows, triangles) in enumerate(clip.parts()):
        thing = new_object(name, first[rows], triangles)
        if clip.uv is not None and not np.isnan(clip.uv[rows]).any():
            textured(thing.data, clip.uv[rows])
        if clip.colors is not None and k < len(clip.colors):
            thing.color = (*(float(c) for c in clip.colors[k][:3]), 1.0)
        caches.append((rows, PointCache(folder / f"{path.stem}_{thing.name}.pc2", len(first[rows]))))
        made.append(thing)
    for points in Recording(path):
        for rows, cache in caches:
            cache.write(points[rows])
    for thing, (_, cache) in zip(made, caches, strict=True):
        plays(thing, cache.keep())
    return made


def converted(source: Path, target: Path, python: str) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    run(["convert", str(source), str(target)], python)
    return target


def new_object(name: str, points: np.ndarray, triangles: np.ndarray) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], triangles.tolist())
    mesh.shade_smooth()
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def textured(mesh: bpy.types.Mesh, uv: np.ndarray) -> None:
    layer = mesh.uv_layers.new(name="UVMap")
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    layer.data.foreach_set("uv", np.ascontiguousarray(uv[corners], np.float32).ravel())


def plays(thing: bpy.types.Object, cache: Path) -> None:
    """The object's points come from the cache, whatever moved them before."""
    modifier = thing.modifiers.get(MODIFIER) or thing.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", str(cache)
    modifier.frame_start = float(bpy.context.scene.frame_start)
    modifier.interpolation = "LINEAR"
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"


def send_mesh(thing: bpy.types.Object, path: Path, group: str = "") -> None:
    """The mesh as it plays, rig and all, as a recording; a vertex group goes along as `weights`."""
    clip, triangles = played(thing, clip_range())
    more = {"weights": painted(thing, group)} if group else {}
    save_recording(path, thing.name, clip, triangles, rate(), **more)


def send_rig(rig: bpy.types.Object, path: Path) -> None:
    """An armature's motion as BVH, for `pliant.read_bvh`."""
    if rig.type != "ARMATURE":
        raise PliantRunError(f"{rig.name}: is no armature")
    frames = clip_range()
    with bpy.context.temp_override(active_object=rig, object=rig, selected_objects=[rig]):
        bpy.ops.export_anim.bvh(
            filepath=str(path),
            frame_start=frames[0],
            frame_end=frames[-1],
            rotate_mode="NATIVE",
            root_transform_only=True,
        )


@dataclass
class Wishes:
    """What the panel says of a simulation."""

    fabric: str = "cotton"
    group: str = ""  # vertex group of pinned points
    obstacles: list[bpy.types.Object] = field(default_factory=list)
    ground: bool = False
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m/s], Blender's axes


def write_job(thing: bpy.types.Object, wishes: Wishes, path: Path) -> np.ndarray:
    """The scene file of a cloth, its pins and what is in its way; gives the clip (f, n, 3) it begins from."""
    clip, triangles = played(thing, clip_range())
    if clip.shape[1] != len(thing.data.vertices):
        raise PliantRunError(f"{thing.name}: modifiers change the number of its points; turn them off while simulating")
    job = Job()
    job.table("[parts.cloth]", type="cloth", fabric=wishes.fabric, points=to_pliant(clip[0]), triangles=triangles)
    if wishes.group:
        weights = painted(thing, wishes.group)
        rows = np.flatnonzero(weights > 0.0)
        if not len(rows):
            raise PliantRunError(f"{thing.name}: vertex group {wishes.group!r} holds no point")
        job.table("[parts.cloth.follow]", type="follow", rows=rows.astype(np.uint32), weights=weights[rows])
        job.table("[parts.cloth.follow.track]", type="pointtrack", fps=rate(), positions=to_pliant(clip[:, rows]))
    job.table("[[fields]]", type="gravity")
    job.table("[[fields]]", type="wind", velocity=tuple(to_pliant(np.array(wishes.wind))))
    for obstacle in wishes.obstacles:
        moving, faces = played(obstacle, clip_range())
        job.table("[[colliders]]", type="meshcollider", points=to_pliant(moving[0]), triangles=faces)
        job.table("[colliders.deform]", type="pointtrack", fps=rate(), positions=to_pliant(moving))
    if wishes.ground:
        job.table("[[colliders]]", type="ground")
    job.save(path)
    return clip


def command(job: Path, result: Path) -> list[str]:
    count = max(len(clip_range()) - 1, 1)
    return ["run", str(job), "--frames", str(count), "--fps", repr(rate()), "--out", str(result)]


def take_back(thing: bpy.types.Object, first: np.ndarray, result: Path, folder: Path) -> Path:
    """The simulated points on the object itself, which may move: the cache is written in its own axes."""
    scene, before = bpy.context.scene, bpy.context.scene.frame_current
    cache = PointCache(folder / f"{thing.name}.pc2", len(first))
    frames = clip_range()
    clip = iter(Recording(result))
    try:
        for frame in frames:
            scene.frame_set(frame)
            points = first if frame == frames[0] else next(clip)
            back = np.linalg.inv(np.array(thing.matrix_world))
            cache.write(points @ back[:3, :3].T + back[:3, 3])
    finally:
        scene.frame_set(before)
    plays(thing, cache.keep())
    return cache.path


def simulate(thing: bpy.types.Object, wishes: Wishes, folder: Path, python: str) -> Path:
    """All of it, waiting for the end."""
    job, result = folder / f"{thing.name}.toml", folder / f"{thing.name}_result.npz"
    clip = write_job(thing, wishes, job)
    run(command(job, result), python)
    return take_back(thing, clip[0], result, folder)
