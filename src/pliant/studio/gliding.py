"""Values glide where they are going: a slider that jumps would tear, kick or blow a scene up within one frame."""

import math
from dataclasses import dataclass
from typing import Any

from pliant.loop import Session
from pliant.scene import Scene, get_path, set_path

FRAMES = 15  # that a change of a number takes
FAR = 2.0  # positive numbers farther apart than this ratio glide by equal ratios, others by equal steps
MATERIALS = {"fabric", "skin", "gas"}


@dataclass
class _Glide:
    start: tuple[float, ...]
    goal: Any
    done: int = 0


class Gliding:
    """The numbers of one session that are on their way."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._glides: dict[str, _Glide] = {}

    @property
    def busy(self) -> bool:
        return bool(self._glides)

    def change(self, path: str, value: Any) -> None:
        """Set a value at once, or begin to glide to it; a value that may not be is refused at once."""
        scene = self._session.scene
        set_path(scene, path, value)
        old = get_path(scene, path)
        self._glides.pop(path, None)
        if not _glides(scene, path) or not (_numbers(old) and _numbers(value)) or _plain(old) == _plain(value):
            self._session.set(path, value)
            return
        self._glides[path] = _Glide(_plain(old), value)

    def advance(self) -> None:
        """One frame further."""
        for path, glide in list(self._glides.items()):
            glide.done += 1
            if glide.done >= FRAMES:
                del self._glides[path]
                self._session.set(path, glide.goal)
                continue
            share = glide.done / FRAMES
            between = [_between(a, b, share) for a, b in zip(glide.start, _plain(glide.goal), strict=True)]
            self._session.set(path, tuple(between) if isinstance(glide.goal, tuple | list) else between[0])

    def forget(self) -> None:
        self._glides.clear()


def _glides(scene: Scene, path: str) -> bool:
    """Materials and fields do; what a mesh is made of jumps, for it is made anew."""
    first, *rest = path.split(".")
    if first in scene.parts:
        return bool(rest) and rest[0] in MATERIALS and rest[-1] not in ("burst", "valve_from", "valve_until")
    return bool(rest)


def _numbers(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return len(value) == 3 and all(isinstance(v, int | float) for v in value)
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool))


def _plain(value: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in value) if isinstance(value, tuple | list) else (float(value),)


def _between(a: float, b: float, share: float) -> float:
    if a > 0.0 and b > 0.0 and max(a, b) / min(a, b) > FAR:
        return math.exp((1.0 - share) * math.log(a) + share * math.log(b))
    return a + share * (b - a)
