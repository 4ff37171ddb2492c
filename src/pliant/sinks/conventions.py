"""Axes and units of the programs that read our files: `--for blender|houdini|unity|unreal|godot`.

Formats that say their own axes (glTF, USD) stay right-handed; formats of bare numbers are written in the program's
own. A mirrored convention also turns every triangle around, so that outside stays outside.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError, unknown


class Convention(NamedTuple):
    """How a program counts."""

    up: str = "Y"
    units_per_metre: float = 1.0
    left_handed: bool = False

    def points(self, points: Array) -> Array:
        """(…, 3) float32 in the program's axes and unit."""
        return np.ascontiguousarray(self.directions(points) * np.float32(self.units_per_metre))

    def directions(self, vectors: Array) -> Array:
        """(…, 3) float32, turned but not scaled."""
        x, y, z = np.moveaxis(np.asarray(vectors, np.float32), -1, 0)
        if self.up == "Z":
            return np.stack([x, z, y] if self.left_handed else [x, -z, y], axis=-1)
        return np.stack([-x, y, z] if self.left_handed else [x, y, z], axis=-1)

    def triangles(self, triangles: Array) -> Array:
        return np.ascontiguousarray(triangles[:, ::-1] if self.left_handed else triangles)

    def right_handed(self) -> "Convention":
        """The nearest convention of a format that knows no mirrored axes."""
        return self._replace(left_handed=False)


OURS = Convention()
APPS = {
    "blender": Convention(up="Z"),
    "houdini": Convention(),
    "unity": Convention(left_handed=True),
    "unreal": Convention(up="Z", units_per_metre=100.0, left_handed=True),
    "godot": Convention(),
}


def convention(target_app: str | None) -> Convention:
    """Of a program by name; ours (metres, Y up, right-handed) without one."""
    if target_app is None:
        return OURS
    if target_app not in APPS:
        raise FormatError(unknown("program", target_app, APPS))
    return APPS[target_app]
