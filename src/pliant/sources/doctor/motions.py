"""Judging motion: what a BVH file says and whether a body could move so."""

import re
from pathlib import Path

import numpy as np

from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.geometry.skeleton import forward
from pliant.sources.bvh import Motion, read_bvh
from pliant.sources.doctor.finding import Finding, Report, many
from pliant.sources.raw import text

SPEED = 30.0  # [m/s] no joint of a living body is faster; a jump in the data is


def check_motion(path: Path) -> Report:
    found: list[Finding] = []
    try:
        motion = read_bvh(path)
    except FormatError as error:
        said = str(error).removeprefix(f"{path}: ")
        try:
            motion = read_bvh(path, truncated=True)
        except FormatError:
            return Report(path, "motion", "BVH motion that cannot be read", (Finding("error", "unreadable", said),))
        found.append(Finding("error", "cut-off", said.split(" (read")[0], "", 1, "", True))
    found += _judge(motion)
    clip = motion.clip
    summary = f"{many(len(motion.skeleton.names), 'joint')}, {many(len(clip), 'frame')} at {clip.fps:.4g}/s"
    return Report(path, "motion", f"BVH motion: {summary}; {motion.notes[-1]}", tuple(found))


def _judge(motion: Motion) -> list[Finding]:
    found = []
    skeleton, clip = motion.skeleton, motion.clip
    names = [name for name in skeleton.names if skeleton.names.count(name) > 1]
    if names:
        what = f"{many(len(names), 'joint shares its', 'joints share their')} name with another ({names[0]!r})"
        found.append(Finding("warning", "names", what, "", len(names), "bones are found by name; rename them"))
    if not 10.0 <= clip.fps <= 500.0:
        advice = "the frame time is in seconds; it may have been written in milliseconds or as a rate"
        found.append(Finding("warning", "rate", f"{clip.fps:.4g} frames/s", "", 1, advice))
    root = skeleton.translations[skeleton.parents < 0]
    if np.abs(root).max() > 0.0:
        advice = "positions replace it here as in Blender, others add it; say root_offset='add' if the figure floats"
        found.append(Finding("note", "root-offset", "the root has an OFFSET beside its positions", "", 1, advice))
    bones = np.linalg.norm(clip.translations[0], axis=1)
    short = np.flatnonzero((bones == 0.0) & (skeleton.parents >= 0))
    if short.size:
        where = ", ".join(skeleton.names[k] for k in short[:3])
        what = f"{many(len(short), 'bone has', 'bones have')} no length"
        found.append(Finding("note", "no-length", what, where, len(short), "they only turn"))
    return found + _jumps(motion)


def _jumps(motion: Motion) -> list[Finding]:
    skeleton, clip = motion.skeleton, motion.clip
    if len(clip) < 2:
        return []
    places, _ = forward(skeleton.parents, clip.translations, rotation.normalized(clip.rotations_xyzw))
    speed = np.linalg.norm(np.diff(places, axis=0), axis=2) * clip.fps
    frames = np.flatnonzero((speed > SPEED).any(axis=1))
    if not frames.size:
        return []
    worst = int(speed.max(axis=0).argmax())
    what = f"{many(len(frames), 'frame is', 'frames are')} faster than {SPEED:g} m/s, up to {speed.max():.3g} m/s"
    where = f"from frame {frames[0]}, joint {skeleton.names[worst]}"
    advice = "cloth will be torn through things there; smooth the jump, or check unit and frame time"
    return [Finding("warning", "jump", what, where, len(frames), advice)]


def repaired_motion(path: Path) -> tuple[str, tuple[str, ...]]:
    """The file's text with decimal points and the number of frames it really has, and what was changed."""
    said, changes = text(path, "BVH"), []
    decimals = re.compile(r"(?<=\d),(?=\d)")
    if decimals.search(said) and "." not in said.partition("MOTION")[2]:
        said = decimals.sub(".", said)
        changes.append("wrote decimals with a point")
    head, _, rows = said.partition("Frame Time:")
    seconds, _, numbers = rows.strip().partition("\n")
    declared = re.search(r"Frames:\s*(\d+)", head)
    width = sum(int(count) for count in re.findall(r"CHANNELS\s+(\d+)", head))
    words = numbers.split()
    if declared is None or not width or len(words) < width:
        raise FormatError(f"{path}: has no whole frame; it cannot be repaired")
    frames = min(len(words) // width, int(declared[1]))
    if frames < int(declared[1]):
        changes.append(f"kept the {frames} whole frames of {declared[1]} declared")
    head = head[: declared.start(1)] + str(frames) + head[declared.end(1) :]
    lines = [" ".join(words[k * width : (k + 1) * width]) for k in range(frames)]
    return "\n".join([f"{head}Frame Time: {seconds.strip()}", *lines]) + "\n", tuple(changes)
