"""BVH motion capture (Biovision's format) -> a skeleton and a clip in metres, Y up.

A channel is applied in the order in which it stands: R = R_1 R_2 R_3. Position channels REPLACE the joint's OFFSET by
default, as Blender and most editors do; `root_offset="add"` adds them to it, as three.js does. The two differ only in
files whose root has an OFFSET of its own. An end site becomes a joint named after its parent, `Head` -> `Head_End`.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.geometry import rotation
from pliant.geometry.skeleton import Clip, Skeleton, forward
from pliant.sources.raw import FARTHEST, numbers, text, usable
from pliant.sources.units import METRES, TURN_TO_Y, Up, metres

_POSITION = {"xposition": 0, "yposition": 1, "zposition": 2}
_ROTATION = {"xrotation": 0, "yrotation": 1, "zrotation": 2}
_CHAIN = 1.3  # [m] along the bones from the hips to the fingertips of a grown person


class Motion(NamedTuple):
    """A BVH file, read."""

    skeleton: Skeleton
    clip: Clip
    notes: tuple[str, ...]


@dataclass
class _Joint:
    name: str
    parent: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    channels: list[str] = field(default_factory=list)


def read_bvh(
    path: str | Path,
    *,
    up: Up | Literal["auto"] = "auto",
    unit: str | float = "auto",
    root_offset: Literal["replace", "add"] = "replace",
    truncated: bool = False,
) -> Motion:
    """Read a skeleton and its motion.

    Args:
        path: The file.
        up: The file's up axis; `auto` takes the axis along which the figure stands.
        unit: A name (m, cm, in, cmu …) or metres in one unit; `auto` takes the one that makes the figure human-sized.
        root_offset: What position channels do to a joint's OFFSET, see above.
        truncated: Accept a file with fewer frames than it declares, and say so in the notes.
    """
    path = Path(path)
    joints, fps, rows, notes = _parsed(path, truncated)
    if root_offset not in ("replace", "add"):
        raise FormatError(f"root_offset = {root_offset!r}; must be 'replace' or 'add'")
    parents = np.array([joint.parent for joint in joints])
    offsets = np.array([joint.offset for joint in joints], np.float64)
    translations, turns = _channels(joints, offsets, rows, root_offset == "add")
    up = _stands_along(joints, parents, offsets) if up == "auto" else up
    if up not in TURN_TO_Y:
        raise FormatError(f"up = {up!r}; must be 'x', 'y', 'z' or 'auto'")
    name = _nearest_unit(parents, offsets if offsets.any() else translations[0]) if unit == "auto" else unit
    scale, upright = metres(name), TURN_TO_Y[up]
    rest = np.tile(rotation.IDENTITY, (len(joints), 1))
    roots = parents < 0
    for places, quaternions in ((offsets, rest), (translations, turns)):
        places[..., roots, :] = rotation.rotate(upright, places[..., roots, :])
        quaternions[..., roots, :] = rotation.multiply(upright, quaternions[..., roots, :])
    skeleton = Skeleton(tuple(joint.name for joint in joints), parents, offsets * scale, rest)
    clip = Clip(path.stem, fps, translations * scale, turns)
    how = {True: "detected", False: "as said"}
    notes.append(f"{up.upper()} up, 1 unit = {scale:.6g} m ({name}, {how[unit == 'auto']})")
    return Motion(skeleton, clip, tuple(notes))


def _parsed(path: Path, truncated: bool) -> tuple[list[_Joint], float, Array, list[str]]:
    """Joints, frame rate, (frames, channels) numbers and notes."""
    words = _Words(path, text(path, "BVH"))
    joints = _hierarchy(words)
    words.expect("MOTION")
    words.expect("Frames:")
    declared = words.count("number of frames")
    words.expect("Frame")
    words.expect("Time:")
    seconds = words.number("frame time")
    if not 0.0 < seconds < 3600.0:
        raise FormatError(f"{path}: frame time is {seconds:g} s; must be above 0")
    width = sum(len(joint.channels) for joint in joints)
    values = numbers(words.rest(), f"{path}: motion")
    bad = np.flatnonzero(~usable(values[:, None]))
    if bad.size:
        raise FormatError(
            f"{path}: frame {bad[0] // max(width, 1)} has the value {values[bad[0]]}; must be finite and below 1e9"
        )
    found = len(values) // max(width, 1)
    notes = []
    if found < declared or len(values) % max(width, 1):
        said = f"declares {declared} frames of {width} numbers, has {len(values)} numbers, {found} whole frames"
        if not (truncated and found):
            raise FormatError(f"{path}: {said}; the file is cut off (read what there is with truncated=True)")
        notes.append(said)
    if found > declared:
        notes.append(f"declares {declared} frames, has {found}; the rest is left out")
    frames = min(found, declared)
    if not frames:
        raise FormatError(f"{path}: has no frames")
    return joints, 1.0 / seconds, values[: frames * width].reshape(frames, width), notes


class _Words:
    """The file's words, read from front to back."""

    def __init__(self, path: Path, content: str) -> None:
        self.path, self._at = path, 0
        self._words = content.split()
        if self._words[0].upper() != "HIERARCHY":
            raise FormatError(f"{path}: begins with {self._words[0][:40]!r}; a BVH file begins with HIERARCHY")

    def take(self, what: str) -> str:
        if self._at >= len(self._words):
            raise FormatError(f"{self.path}: ends where {what} should stand; the file is cut off")
        self._at += 1
        return self._words[self._at - 1]

    def peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def expect(self, word: str) -> None:
        found = self.take(word)
        if found.lower() == word.lower():
            return
        if found.lower() + ":" == word.lower() and self.take(":") == ":":  # `Frames : 5`
            return
        raise FormatError(f"{self.path}: {found[:40]!r} where {word} should stand")

    def number(self, what: str) -> float:
        value = float(numbers([self.take(what)], f"{self.path}: {what}")[0])
        if not abs(value) <= FARTHEST:
            raise FormatError(f"{self.path}: {what} is {value:g}; must be finite and below 1e9")
        return value

    def count(self, what: str) -> int:
        word = self.take(what)
        if not word.isdigit():
            raise FormatError(f"{self.path}: {what} is {word[:40]!r}; a whole number is needed")
        return int(word[:9])

    def rest(self) -> list[str]:
        return self._words[self._at :]

    def name(self) -> str:
        """Words up to the brace: some exporters leave blanks in names."""
        name = [self.take("a joint's name")]
        while (word := self.take("{")) != "{":
            name.append(word)
        return " ".join(name)


def _hierarchy(words: _Words) -> list[_Joint]:
    words.expect("HIERARCHY")
    joints: list[_Joint] = []
    open_joints: list[int] = []
    while True:
        word = words.take("a joint or }").upper()
        if word in ("ROOT", "JOINT", "END"):
            if (word == "ROOT") != (not open_joints):
                raise FormatError(f"{words.path}: {word} stands at a wrong depth; braces do not match")
            name, parent = words.name(), open_joints[-1] if open_joints else -1
            joints.append(_Joint(f"{joints[parent].name}_End" if word == "END" else name, parent))
            open_joints.append(len(joints) - 1)
        elif word == "}" and open_joints:
            open_joints.pop()
            if not open_joints and words.peek().upper() != "ROOT":
                break
        elif word == "OFFSET" and open_joints:
            x, y, z = (words.number("OFFSET") for _ in range(3))
            joints[open_joints[-1]].offset = (x, y, z)
        elif word == "CHANNELS" and open_joints:
            joints[open_joints[-1]].channels = _channel_names(words)
        else:
            raise FormatError(
                f"{words.path}: {word[:40]!r} where ROOT, JOINT, OFFSET, CHANNELS or a brace should stand"
            )
    return joints


def _channel_names(words: _Words) -> list[str]:
    names = [words.take("a channel").lower() for _ in range(min(words.count("number of channels"), 12))]
    for name in names:
        if name not in _POSITION and name not in _ROTATION:
            raise FormatError(
                f"{words.path}: channel {name[:40]!r} is not known (has: {', '.join((*_POSITION, *_ROTATION))})"
            )
    return names


def _channels(joints: list[_Joint], offsets: Array, rows: Array, add: bool) -> tuple[Array, Array]:
    """Local translations and rotations of every frame and joint, in the file's axes and unit."""
    translations = np.repeat(offsets[None], len(rows), axis=0)
    turns = np.tile(rotation.IDENTITY, (len(rows), len(joints), 1))
    column = 0
    for row, joint in enumerate(joints):
        for channel in joint.channels:
            value = rows[:, column]
            column += 1
            if channel in _POSITION:
                axis = _POSITION[channel]
                translations[:, row, axis] = value + (offsets[row, axis] if add else 0.0)
            else:
                vector = np.zeros((len(rows), 3))
                vector[:, _ROTATION[channel]] = np.radians(value)
                turns[:, row] = rotation.multiply(turns[:, row], rotation.from_rotation_vector(vector))
    return translations, turns


def _stood(parents: Array, offsets: Array) -> Array:
    """(j, 3) joints of the rest pose, its root at the origin."""
    local = np.where((parents < 0)[:, None], 0.0, offsets)
    return forward(parents, local, np.tile(rotation.IDENTITY, (len(parents), 1)))[0]


def _stands_along(joints: list[_Joint], parents: Array, offsets: Array) -> Up:
    """The axis from the root to the head, or without a head the longer one of Y and Z."""
    rest = _stood(parents, offsets)
    heads = [row for row, joint in enumerate(joints) if "head" in joint.name.lower()]
    reach = np.abs(rest[heads[0]]) if heads else np.ptp(rest, axis=0) * (0.0, 1.0, 1.0)
    return "z" if reach[2] > reach[1] else "y"


def _nearest_unit(parents: Array, translations: Array) -> str:
    """The unit in which the longest chain of bones from the root, pose aside, is nearest to a grown person's."""
    length = np.linalg.norm(translations, axis=1)
    chain = np.zeros(len(parents))
    for row, parent in enumerate(parents):
        chain[row] = chain[parent] + length[row] if parent >= 0 else 0.0
    if not chain.max() > 0.0:
        return "m"
    return min(METRES, key=lambda name: abs(np.log(chain.max() * METRES[name] / _CHAIN)))
