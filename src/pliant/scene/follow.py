"""Points of a cloth that follow a recording, bones or painted weights; and animated bodies in its way."""

from pathlib import Path
from typing import Any, Self

import numpy as np

from pliant.arrays import Array, as_indices, frozen
from pliant.colliders import MeshCollider
from pliant.description import Description, quantity
from pliant.errors import SceneError
from pliant.geometry import rotation
from pliant.geometry.skeleton import Clip, Skeleton, forward
from pliant.world import PointTrack


class Follow(Description):
    """Some points of a part go where a track says: held where the weight is 1, pulled there where it is less."""

    rows: Any = quantity(help="(k,) indices of the points")
    track: PointTrack = quantity(help="Where each of them goes")
    weights: Any = quantity(None, help="(k,) painted weights 0..1; none: all are held")
    stiffness: float = quantity(
        2000.0, unit="N/m/kg", above=0.0, high=1e8, slider=(50, 10000), help="Pull of a weight just below 1"
    )

    def model_post_init(self, context: Any) -> None:
        rows = np.asarray(self.rows)
        count = self.track.positions.shape[1]
        if rows.shape != (count,) or rows.dtype.kind not in "iu":
            raise SceneError(f"Follow.rows: {rows.dtype} of shape {rows.shape}; the track moves {count} points")
        object.__setattr__(self, "rows", frozen(rows.astype(np.uint32)))
        if self.weights is not None:
            object.__setattr__(self, "weights", frozen(_as_weights(self.weights, count)))

    @property
    def held(self) -> Array:
        """Rows that are held."""
        return self.rows if self.weights is None else self.rows[self.weights >= 1.0]

    @classmethod
    def recording(
        cls, clip: Any, part: str | None = None, *, rows: Any = None, weights: Any = None, **options: Any
    ) -> Self:
        """Points that go as the same points of a recording do.

        Args:
            clip: A path, a recording or frames; its mesh has the cloth's own vertex order.
            part: Which part of it; none: the only one.
            rows: Indices of the points; none: all whose weight is above 0.
            weights: Painted weight of every point of the part (n,), or of every row (k,).
            options: `stiffness`.
        """
        frames = opened(clip)
        if rows is None and weights is None:
            raise SceneError("Follow.recording: give rows, or weights of all points")
        if rows is None:
            rows = np.flatnonzero(np.asarray(weights) > 0.0)
            if not len(rows):
                raise SceneError("Follow.recording: every weight is 0; nothing would follow")
        rows = np.asarray(rows)
        if weights is not None and len(weights) != len(rows):
            weights = np.asarray(weights)[rows]
        first = part_of(next(iter(frames)), part)
        rows = as_indices(rows, count=len(first.points), name="Follow.rows")
        track = PointTrack.of(frames, part, rows=rows)
        return cls(rows=rows, track=track, weights=weights, **options)

    @classmethod
    def bones(
        cls, points: Any, skeleton: Skeleton, clip: Clip, bones: dict[str, Any], *, shares: Any = None, **options: Any
    ) -> Self:
        """Points that go with bones, as they stand to them in the clip's first frame.

        Args:
            points: (n, 3) of the cloth [m].
            skeleton: From `read_bvh` or a character.
            clip: Its motion.
            bones: For each bone the indices of its points; a point of several bones is blended between them.
            shares: For each bone the weight of each of its points; none: all equal.
            options: `weights` (k,) in rising order of the points, and `stiffness`.
        """
        points = np.asarray(points, float)
        unknown_bones = set(bones) - set(skeleton.names)
        if unknown_bones or not bones:
            raise SceneError(
                f"Follow.bones: no bone {sorted(unknown_bones)[:1]}; there are {', '.join(skeleton.names)}"
            )
        place, turn = forward(skeleton.parents, clip.translations, clip.rotations_xyzw)
        goal, total = np.zeros((len(clip), *points.shape)), np.zeros(len(points))
        for bone, rows in bones.items():
            rows = as_indices(rows, count=len(points), name=f"Follow.bones[{bone!r}]")
            joint, share = skeleton.names.index(bone), np.ones(len(rows))
            if shares is not None:
                share = np.asarray(shares[bone], float)
            away = rotation.multiply(turn[:, joint], rotation.inverse(turn[0, joint])[None])
            moved = rotation.rotate(away[:, None], points[rows] - place[0, joint]) + place[:, None, joint]
            goal[:, rows] += share[:, None] * moved
            total[rows] += share
        rows = np.flatnonzero(total > 0.0)
        track = PointTrack(fps=clip.fps, positions=goal[:, rows] / total[rows, None])
        return cls(rows=rows, track=track, **options)


def moving_obstacle(clip: Any, part: str | None = None, *, join: bool = True, **options: Any) -> MeshCollider:
    """A recorded or animated closed mesh as an obstacle.

    Args:
        clip: A path, a recording or frames: an animated body of any format of `load_recording`.
        part: Which part of it; none: the only one.
        join: Join points at exactly the same place, as seams of texture coordinates split them.
        options: Of `MeshCollider`, such as `friction`.
    """
    frames = opened(clip)
    first = part_of(next(iter(frames)), part)
    points, triangles = first.points.astype(float), first.triangles.astype(np.int64)
    rows = np.arange(len(points))
    if join:
        _, rows, where = np.unique(points, axis=0, return_index=True, return_inverse=True)
        triangles = where.ravel()[triangles]
        whole = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
        triangles = triangles[whole]
    track = PointTrack.of(frames, first.name, rows=rows)
    return MeshCollider(points=track.positions[0], triangles=triangles, deform=track, **options)


def opened(clip: Any) -> Any:
    """A recording of a path, or frames as they are, ready to be gone through twice."""
    if isinstance(clip, str | Path):
        from pliant.sources.recordings import load_recording

        return load_recording(clip)
    return clip if hasattr(clip, "fps") else list(clip)


def part_of(frame: Any, part: str | None) -> Any:
    """A part of a frame by name; without one the only part there is."""
    if part is None and len(frame) != 1:
        raise SceneError(f"the clip has the parts {', '.join(frame)}; say which one")
    return frame[part if part is not None else next(iter(frame))]


def _as_weights(value: Any, count: int) -> Array:
    weights = np.array(value, float)
    if weights.shape != (count,) or not ((weights >= 0.0) & (weights <= 1.0)).all():
        raise SceneError(f"Follow.weights: shape is {weights.shape}; expected ({count},) numbers of 0 to 1")
    return weights
