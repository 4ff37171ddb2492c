"""What a visitor drops on the page comes on stage: a mesh as balloon, cloth or obstacle, a motion as a puppet."""

import contextlib
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.colliders import Ground, MeshCollider
from pliant.errors import PliantError, SceneError
from pliant.forces import Gravity, Wind
from pliant.geometry.skeleton import Clip, Skeleton, forward
from pliant.lowering import build
from pliant.scene import Actor, Balloon, Character, Cloth, Drive, Gas, Performance, Puppet, Scene
from pliant.studio.reading import BODY, Read, read_guarded

WAYS = ("what fits", "cloth", "balloon", "obstacle")
SMALL, LARGE, USUAL = 0.05, 4.0, 0.8  # [m] extents that are kept as they are; others are brought to the usual one
PULL = 3000.0  # [N/m/kg] of a motion on a puppet, so that a hand can still take a limb
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
        return _moving(title, found)
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


def _moving(title: str, found: Read) -> tuple[Scene, tuple[str, ...]]:
    """The first of these that fits: the character with its skin, the project's puppet, a capsule along every bone."""
    a = found.arrays
    skeleton = Skeleton(tuple(str(n) for n in a["names"]), a["parents"], a["translations"], a["rotations"])
    clip = Clip(title, float(found.facts["fps"]), a["clip_translations"], a["clip_rotations"])
    moves = bool(found.facts["moves"])
    ways: list[Callable[[], dict[str, Any]]] = []
    if "body_points" in a:
        character = _character(a)
        ways.append(lambda: _person(title, character, skeleton, clip if moves else None))
        ways.append(lambda: {title: Actor(character=character, clip=Performance.of(skeleton, clip))})
    if moves:
        ways.append(lambda: {title: _led(Puppet.human(), skeleton, clip)})
    seconds = min(max(len(clip) / clip.fps, 1.0), 60.0)
    for way in ways:
        with contextlib.suppress(PliantError):
            return _staged(title, way(), seconds), found.words
    sized, note = _sized(skeleton, clip)
    words = (*found.words, *note, "its bones do not tell which limbs they are: it comes as a capsule along each")
    return _staged(title, {title: _capsules(*sized)}, seconds), words


def _sized(skeleton: Skeleton, clip: Clip) -> tuple[tuple[Skeleton, Clip], tuple[str, ...]]:
    """Bones and motion at a size that a person can play with."""
    place, _ = forward(skeleton.parents, skeleton.translations[None], skeleton.rotations_xyzw[None])
    extent = float(np.ptp(place[0], axis=0).max())
    if SMALL <= extent <= LARGE:
        return (skeleton, clip), ()
    by = USUAL / max(extent, 1e-12)
    small = replace(skeleton, translations=by * skeleton.translations)
    return (small, replace(clip, translations=by * clip.translations)), (
        f"it is {extent:.3g} m in size; on stage it is {USUAL:g} m",
    )


def _staged(title: str, parts: dict[str, Any], seconds: float) -> Scene:
    scene = Scene(
        parts=parts, fields=(Gravity(),), colliders=(Ground(),), title=title.replace("_", " "), seconds=seconds
    )
    build(scene)
    return scene


def _character(a: dict[str, Array]) -> Character:
    given: dict[str, Any] = {name: a[f"body_{name}"] for name in BODY if f"body_{name}" in a}
    names, parents = tuple(str(n) for n in given["names"]), tuple(int(p) for p in given["parents"])
    return Character(**given | {"names": names, "parents": parents})


def _person(title: str, character: Character, skeleton: Skeleton, clip: Clip | None) -> dict[str, Any]:
    """A body that a puppet of its own measures leads; without a motion it hangs by its hips."""
    puppet = Puppet.from_character(character)
    hanging = puppet.replace(held=(puppet.segments[0].name,))
    puppet = hanging if clip is None else _led(puppet, skeleton, clip)
    bones = f"{title}_bones"
    return {bones: puppet, title: Actor(character=character, puppet=bones)}


def _led(puppet: Puppet, skeleton: Skeleton, clip: Clip) -> Puppet:
    return puppet.replace(drive=Drive.retargeted(puppet, skeleton, clip, stiffness=PULL))


def _capsules(skeleton: Skeleton, clip: Clip) -> Puppet:
    puppet = Puppet.from_character(skeleton)
    return puppet.replace(drive=Drive.from_clip(puppet, skeleton, clip, stiffness=PULL))
