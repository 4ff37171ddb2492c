"""Run by a Python that has bpy: import a file, play it, save what Blender evaluates as (frames, points, 3), Y up."""

import sys
from pathlib import Path

import bpy
import numpy as np


def imported(path: Path) -> None:
    kind = path.suffix
    if kind in (".pc2", ".mdd"):
        bpy.ops.wm.obj_import(filepath=f"{path}.obj")
        cache = bpy.data.objects[0].modifiers.new("cache", "MESH_CACHE")
        cache.cache_format, cache.filepath, cache.frame_start = kind[1:].upper(), str(path), 0.0
    elif kind == ".abc":
        bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    elif kind in (".glb", ".gltf"):
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.wm.usd_import(filepath=str(path))


def evaluated() -> np.ndarray:
    graph = bpy.context.evaluated_depsgraph_get()
    blocks = []
    for thing in sorted(bpy.data.objects, key=lambda thing: thing.name):
        if thing.type == "MESH" and not thing.name.startswith("Icosphere"):
            shown = thing.evaluated_get(graph)
            mesh = shown.to_mesh()
            points = np.empty(3 * len(mesh.vertices), np.float32)
            mesh.vertices.foreach_get("co", points)
            world = np.array(shown.matrix_world)
            x, y, z = (points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]).T
            blocks.append(np.stack([x, z, -y], axis=1))
            shown.to_mesh_clear()
    return np.concatenate(blocks)


def main(path: str, out: str, fps: str, frames: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = round(float(fps)), 1.0
    imported(Path(path))
    played = []
    for index in range(int(frames)):
        scene.frame_set(index)
        played.append(evaluated())
    np.save(out, np.stack(played))


main(*sys.argv[1:])
