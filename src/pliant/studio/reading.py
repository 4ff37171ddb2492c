"""Read a visitor's file in a process of its own, with little memory and time: `python -m pliant.studio.reading`.

The parent gets plain arrays and the doctor's words, or one line that says why not. Nothing in a file is ever executed.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError, PliantError

MESHES = (".obj", ".ply", ".stl", ".glb", ".gltf")
ACCEPTED = (*MESHES, ".bvh", ".toml")
MEMORY = 4 * 2**30  # [byte] of address space; a file that needs more is refused
SECONDS = 60.0  # until the reading process is stopped
WRITTEN = 512 * 2**20  # [byte] that it may write
BODY = ("points", "triangles", "uv", "bones", "weights", "names", "parents", "joints")  # fields of a Character
POINTS = 200_000  # of a mesh that is brought on stage


class Read(NamedTuple):
    """What a file holds."""

    kind: str  # mesh, motion, scene
    words: tuple[str, ...]  # the doctor's
    arrays: dict[str, Array]
    facts: dict[str, Any]


def read_guarded(name: str, content: bytes) -> Read:
    """A file that somebody sent, by its name's suffix alone; its name is never a path here."""
    suffix = "." + name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if suffix not in ACCEPTED:
        listed = ", ".join(ACCEPTED)
        raise FormatError(f"{suffix or 'a file without a suffix'} cannot be brought on stage; send one of {listed}")
    with tempfile.TemporaryDirectory(prefix="pliant-read-") as folder:
        source, target = Path(folder) / f"file{suffix}", Path(folder) / "arrays.npz"
        source.write_bytes(content)
        command = [sys.executable, "-m", "pliant.studio.reading", str(source), str(target)]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=SECONDS, check=False, env=_environment(), cwd=folder
            )
        except subprocess.TimeoutExpired:
            raise FormatError(f"the file took more than {SECONDS:g} s to read; send a smaller one") from None
        return _answer(done, target, str(source))


def _answer(done: "subprocess.CompletedProcess[bytes]", target: Path, source: str) -> Read:
    try:
        said = json.loads(done.stdout)
    except ValueError:
        raise FormatError("the file could not be read within the memory it may take; send a smaller one") from None
    words = tuple(str(line).replace(f"{source}: ", "").replace(source, "the file") for line in said["words"])
    if "error" in said:
        raise FormatError(str(said["error"]).replace(f"{source}: ", "").replace(source, "the file"))
    arrays: dict[str, Array] = {}
    if target.exists():
        with np.load(target, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    return Read(str(said["kind"]), words, arrays, said["facts"])


def _environment() -> dict[str, str]:
    """What a reader needs of the surroundings, and no more."""
    kept = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH", "VIRTUAL_ENV") if name in os.environ
    }
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(
        p for p in (root, *(os.path.abspath(q) for q in kept.get("PYTHONPATH", "").split(os.pathsep) if q))
    )
    return kept | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def main(source: str, target: str) -> None:
    """In the process of its own: look, read, write the arrays, and say what was found as JSON."""
    _confine()
    said: dict[str, Any] = {"words": [], "facts": {}, "kind": "mesh"}
    try:
        _read(Path(source), Path(target), said)
    except PliantError as error:
        said["error"] = str(error)
    except MemoryError:
        said["error"] = "the file needs more memory than it may take; send a smaller one"
    except Exception as error:
        said["error"] = f"the file is damaged ({type(error).__name__})"
    print(json.dumps(said))  # noqa: T201  this is how the parent hears of it


def _confine() -> None:
    """Limits of this process; where the system has none, the parent's clock remains."""
    try:
        import resource
    except ImportError:
        return
    for what, limit in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, int(SECONDS)),
        (resource.RLIMIT_FSIZE, WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ):
        _, most = resource.getrlimit(what)
        resource.setrlimit(what, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


def _read(source: Path, target: Path, said: dict[str, Any]) -> None:
    from pliant.sources.doctor import check

    if source.suffix == ".toml":
        from pliant.lowering import build
        from pliant.scene import Scene

        scene = Scene.load(source)
        for name, part in scene.parts.items():  # what can be seen beforehand need not be tried
            count = (getattr(part, "columns", 0) + 1) * (getattr(part, "rows", 0) + 1)
            if count > POINTS:
                raise FormatError(
                    f"part {name!r} has {count} points; a stage takes {POINTS} of one part: make it smaller"
                )
        build(scene)
        said |= {"kind": "scene", "words": [f"scene of {', '.join(scene.parts)}"]}
        return
    report = check(source)
    said["words"] = report.lines()
    if report.kind == "character":
        _character(source, target, said)
    elif source.suffix == ".bvh":
        from pliant.sources import read_bvh

        motion = read_bvh(source, truncated=True)
        _skeleton(motion.skeleton, motion.clip, target, said)
    else:
        _mesh(source, target, said)


def _mesh(source: Path, target: Path, said: dict[str, Any]) -> None:
    from pliant.geometry.closed import oriented
    from pliant.geometry.surface import boundary_edges, enclosed_volume
    from pliant.sources import read_mesh
    from pliant.sources.doctor import fix

    repaired = source.with_name("repaired.obj")
    changes = fix(source, repaired)
    said["words"] = [*said["words"], *(f"put right: {change}" for change in changes)]
    record = read_mesh(repaired)
    points, triangles = record.points, record.triangles
    if len(points) > POINTS:
        raise FormatError(f"{len(points)} points; a stage takes {POINTS} of one file: simplify it")
    closed = len(boundary_edges(triangles)) == 0
    if closed and enclosed_volume(points, triangles) <= 0.0:
        triangles = oriented(points, triangles)
    extent = float(np.ptp(points, axis=0).max())
    np.savez(target, points=points, triangles=triangles)
    said |= {"kind": "mesh", "facts": {"closed": closed, "extent": extent}}


def _character(source: Path, target: Path, said: dict[str, Any]) -> None:
    """Skeleton and motion of a character; its body too, where it is one of a person."""
    from pliant.geometry.skeleton import Clip
    from pliant.scene import Character
    from pliant.sources.gltf import read_gltf

    scene = read_gltf(source)
    skeleton, _ = scene.skeleton()
    if scene.animations:
        clip = scene.clip(scene.animations[0])
    else:
        clip = Clip("rest", 30.0, skeleton.translations[None], skeleton.rotations_xyzw[None])
    body: dict[str, Any] = {}
    try:
        person = Character.load(source)
    except PliantError as error:
        said["words"] = [*said["words"], f"it comes without its body: {error}"]
    else:
        body = {f"body_{name}": getattr(person, name) for name in BODY if getattr(person, name) is not None}
        said["words"] = [*said["words"], *person.notes]
    _skeleton(skeleton, clip, target, said, body)
    said["facts"]["moves"] = bool(scene.animations)


def _skeleton(skeleton: Any, clip: Any, target: Path, said: dict[str, Any], also: dict[str, Any] | None = None) -> None:
    np.savez(
        target,
        **(also or {}),
        names=np.array(skeleton.names),
        parents=skeleton.parents,
        translations=skeleton.translations,
        rotations=skeleton.rotations_xyzw,
        clip_translations=clip.translations,
        clip_rotations=clip.rotations_xyzw,
    )
    said |= {"kind": "motion", "facts": {"fps": float(clip.fps), "frames": len(clip), "moves": True}}


if __name__ == "__main__":
    main(*sys.argv[1:3])
