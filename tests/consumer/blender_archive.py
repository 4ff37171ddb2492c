"""Run by a Python with bpy: a turning, scaled cube with a head on it as an Alembic archive, and what Blender shows."""

import sys

import bpy
import numpy as np


def shown() -> np.ndarray:
    graph, blocks = bpy.context.evaluated_depsgraph_get(), []
    for thing in sorted(bpy.data.objects, key=lambda thing: thing.name):
        evaluated = thing.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        world = np.array(evaluated.matrix_world)
        x, y, z = (points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]).T
        blocks.append(np.stack([x, z, -y], axis=1))
    return np.concatenate(blocks)


def main(archive: str, out: str, fps: str, frames: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(float(fps))
    last = int(frames) - 1
    bpy.ops.mesh.primitive_cube_add(size=2)
    cube = bpy.context.object
    for frame, place, turn in ((0, (0, 0, 0), (0, 0, 0)), (last, (1, 2, 3), (0.3, 0.7, 1.1))):
        cube.location, cube.rotation_euler = place, turn
        cube.keyframe_insert("location", frame=frame)
        cube.keyframe_insert("rotation_euler", frame=frame)
    cube.scale = (1, 2, 0.5)
    bpy.ops.mesh.primitive_monkey_add(location=(3, 0, 0))
    bpy.context.object.parent = cube
    bpy.ops.wm.alembic_export(filepath=archive, as_background_job=False, start=0, end=last)
    played = []
    for index in range(last + 1):
        bpy.context.scene.frame_set(index)
        played.append(shown())
    np.save(out, np.stack(played))


main(*sys.argv[1:])
