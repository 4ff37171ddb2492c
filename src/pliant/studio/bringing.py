"""What a visitor drops on the page comes on stage: a mesh as balloon, cloth or obstacle, a motion as a puppet."""

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.colliders import Ground, MeshCollider
from pliant.errors import SceneError
from pliant.forces import Gravity, Wind
from pliant.geometry.skeleton import Clip, Skeleton
from pliant.scene import Balloon, Cloth, Drive, Gas, Puppet, Scene
from pliant.studio.reading import Read, read_guarded

WAYS = ("what fits", "cloth", "balloon", "obstacle")
SMALL, LARGE, USUAL = 0.05, 4.0, 0.8  # [m] extents that are kept as they are; others are brought to the usual one
CLEAR = 0.25  # of its own size: how high above the ground a thing is put


def brought(name: str, content: bytes, way: str = WAYS[0]) -> tuple[Scene, tuple[str, ...]]:
    """A scene with what the file holds, and what the doctor said of it."""
    found = read_guarded(name, content)
    title = re.sub(r"[^A-Za-z0-9_-]+", "_", name.rsplit(".", 1)[0]).strip("_")[:40] or "file"
    if found.kind == "scene":
        with tempfile.TemporaryDirectory(prefix="pliant-read-") as folder:
            path = Path(folder) / "scene.toml"
            path.write_bytes(content)
            return Scene.load(path), found.words
    if found.kind == "motion":
        return _moving(title, found), found.words
    return _meshed(title, found, way)


def _meshed(title: str, found: Read, way: str) -> tuple[Scene, tuple[str, ...]]:
    closed = bool(found.facts["closed"])
    points, note = _placed(found.arrays["points"], float(found.facts["extent"]))
    triangles = found.arrays["triangles"]
    words = (*found.words, *note)
    if way == WAYS[0]:
        way = "balloon" if closed else "cloth"
    if way != "cloth" and not closed:
        raise SceneError(f"{title}: the mesh is open, so it cannot be a {way}; bring it as cloth, or close it")
    parts: dict[str, Any]
    colliders: tuple[Any, ...] = (Ground(),)
    if way == "balloon":
        parts = {title: Balloon.from_mesh(points, triangles, gas=Gas(kind="air", fill=1.02), nozzle_radius=0.0)}
    elif way == "cloth":
        parts = {title: Cloth.from_mesh(points, triangles, fabric="cotton")}
    else:
        size = float(np.ptp(points, axis=0).max())
        top = float(points[:, 1].max())
        sheet = Cloth.sheet(
            width=1.6 * size, height=1.6 * size, columns=40, rows=40, lies="flat", center=(0, top + 0.1 * size, 0)
        )
        parts, colliders = {"cloth": sheet}, (Ground(), MeshCollider(points=points, triangles=triangles))
    scene = Scene(
        parts=parts, fields=(Gravity(), Wind()), colliders=colliders, title=title.replace("_", " "), seconds=8.0
    )
    return scene, words


def _placed(points: Array, extent: float) -> tuple[Array, tuple[str, ...]]:
    """Above the middle of the stage, at a size that a person can play with."""
    note: tuple[str, ...] = ()
    if not SMALL <= extent <= LARGE:
        points = points * (USUAL / max(extent, 1e-12))
        note = (f"it is {extent:.3g} m in size; on stage it is {USUAL:g} m",)
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    shift = np.array([0.5 * (low[0] + high[0]), low[1] - CLEAR * size, 0.5 * (low[2] + high[2])])
    return points - shift, note


def _moving(title: str, found: Read) -> Scene:
    a = found.arrays
    skeleton = Skeleton(tuple(str(n) for n in a["names"]), a["parents"], a["translations"], a["rotations"])
    clip = Clip(title, float(found.facts["fps"]), a["clip_translations"], a["clip_rotations"])
    puppet = Puppet.from_character(skeleton)
    puppet = puppet.replace(drive=Drive.from_clip(puppet, skeleton, clip))
    seconds = min(max(len(clip) / clip.fps, 1.0), 60.0)
    parts: dict[str, Any] = {title: puppet}
    return Scene(
        parts=parts, fields=(Gravity(),), colliders=(Ground(),), title=title.replace("_", " "), seconds=seconds
    )
