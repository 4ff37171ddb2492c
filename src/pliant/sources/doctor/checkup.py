"""`check(path)`: one report for any file; what cannot be read is a finding, never a traceback."""

from pathlib import Path

from pliant.errors import FormatError, PliantError
from pliant.sources.doctor.characters import check_character, is_character
from pliant.sources.doctor.finding import Finding, Report, many
from pliant.sources.doctor.motions import check_motion, repaired_motion
from pliant.sources.doctor.repairs import repair, save_obj, save_text
from pliant.sources.doctor.surfaces import judge, sound, uses
from pliant.sources.meshes import READERS, read_raw
from pliant.sources.recordings import READERS as RECORDINGS
from pliant.sources.recordings import load_recording
from pliant.sources.units import metres, upward
from pliant.sources.usd_characters import USD


def check(path: str | Path, *, up: str = "y", unit: str | float = "m") -> Report:
    """Look at a mesh, a character, a motion or a recording; `up` and `unit` are a mesh's, as in `read_mesh`."""
    path = Path(path)
    suffix = path.suffix.lower()
    try:
        if suffix == ".bvh":
            return _motion(path)
        if suffix in (".glb", ".gltf", *USD) and is_character(path):
            return check_character(path)
        if suffix in READERS and not path.is_dir():
            return _mesh(path, up, metres(unit))
        if suffix in RECORDINGS:
            return _recording(path)
    except PliantError as error:
        said = str(error).removeprefix(f"{path}: ")
        return Report(path, "unknown", "cannot be read", (Finding("error", "unreadable", said),))
    known = ", ".join(sorted({".bvh", *READERS, *RECORDINGS}))
    finding = Finding("error", "unreadable", f"nothing here reads {suffix or 'files without a suffix'} (has: {known})")
    return Report(path, "unknown", "cannot be read", (finding,))


def fix(
    path: str | Path, target: str | Path, *, close: bool = False, up: str = "y", unit: str | float = "m"
) -> tuple[str, ...]:
    """Write a repaired copy of a mesh (as .obj, metres, Y up) or of a motion (as .bvh); says what it changed."""
    path, target = Path(path), Path(target)
    if path.suffix.lower() == ".bvh":
        _expect(target, ".bvh")
        text, changes = repaired_motion(path)
        save_text(text, target)
        return changes
    _expect(target, ".obj")
    raw, factor = read_raw(path), metres(unit)
    brought: tuple[str, ...] = ()
    if up != "y" or factor != 1.0:
        raw = raw._replace(points=upward(raw.points, up) * factor)
        brought = (f"brought from {up.upper()} up and {factor:g} m per unit to Y up and metres",)
    repaired = repair(raw, close=close)
    save_obj(repaired.mesh, target)
    return (*brought, *repaired.changes)


def _motion(path: Path) -> Report:
    """A motion that cannot be read as it is may be repairable; then the finding says so."""
    try:
        return check_motion(path)
    except FormatError as error:
        try:
            repaired_motion(path)
        except PliantError:
            raise error from None
        said = str(error).removeprefix(f"{path}: ")
        finding = Finding("error", "unreadable", said, fixable=True)
        return Report(path, "motion", "BVH motion that cannot be read", (finding,))


def _expect(target: Path, suffix: str) -> None:
    if target.suffix.lower() != suffix:
        raise FormatError(f"{target}: a repaired copy of this kind is written as {suffix}")


def _mesh(path: Path, up: str, unit: float) -> Report:
    raw = read_raw(path)
    raw, found = sound(raw._replace(points=upward(raw.points, up)))
    notes = [Finding("note", "reader", note) for note in raw.notes]
    if len(raw.starts) < 2:
        what = Finding("error", "no-faces", f"{many(len(raw.points), 'point')} and no face that can be used")
        return Report(path, "mesh", "a mesh without a surface", (*found, what, *notes))
    facts, more = judge(raw, unit)
    found += more
    summary = f"{many(facts.vertices, 'point')}, {many(facts.faces, 'face')}, {many(facts.components, 'piece')}"
    kind = "closed" if facts.closed else "open"
    size = " x ".join(f"{x:.3g}" for x in (raw.points.max(axis=0) - raw.points.min(axis=0)) * unit)
    return Report(path, "mesh", f"{kind} mesh: {summary}, {size} m", tuple(found + notes), uses(facts, found))


def _recording(path: Path) -> Report:
    clip = load_recording(path)
    count = sum(1 for _ in clip)
    if count != len(clip):
        raise FormatError(f"{path}: has {count} frames of {len(clip)}; cut off?")
    parts = ", ".join(role.name for role in clip.roles)
    return Report(path, "recording", f"recording: {many(count, 'frame')} at {clip.fps:g}/s of {parts}", ())
