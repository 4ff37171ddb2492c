"""Motion that a puppet follows: a clip of a skeleton, key poses, or any poses sampled in time."""

import itertools
from typing import Any, Self

import numpy as np

from pliant.arrays import Array
from pliant.description import Description, quantity
from pliant.errors import SceneError
from pliant.geometry import rotation
from pliant.geometry.skeleton import Clip, Skeleton, forward
from pliant.kernels.rigid import between


class Drive(Description):
    """Poses of some segments in time. Driven segments are held on their way, or softly pulled to it."""

    segments: tuple[str, ...] = quantity(help="Segments that follow; all others hang free")
    fps: float = quantity(60.0, unit="1/s", above=0.0, high=1e5, help="Samples per second")
    positions: Any = quantity(unit="m", help="(f, s, 3) centres")
    rotations_xyzw: Any = quantity(help="(f, s, 4) orientations")
    stiffness: float | None = quantity(
        None, unit="N/m/kg", above=0.0, high=1e6, help="Softness of the pull; none: they follow exactly"
    )

    def model_post_init(self, context: Any) -> None:
        positions, turns = np.array(self.positions, float), np.array(self.rotations_xyzw, float)
        count = len(self.segments)
        if positions.ndim != 3 or positions.shape[1:] != (count, 3) or len(positions) < 1:
            raise SceneError(f"Drive.positions: shape is {positions.shape}; expected (frames, {count}, 3)")
        if turns.shape != (*positions.shape[:2], 4):
            raise SceneError(f"Drive.rotations_xyzw: shape is {turns.shape}; expected {(*positions.shape[:2], 4)}")
        bad = np.flatnonzero(~(np.isfinite(positions).all(axis=(1, 2)) & np.isfinite(turns).all(axis=(1, 2))))
        if bad.size:
            raise SceneError(f"Drive: frame {bad[0]} is not finite; every pose must be numbers")
        if np.linalg.norm(turns, axis=2).min() < 1e-6:
            raise SceneError("Drive.rotations_xyzw: a quaternion is zero; no turn is (0, 0, 0, 1)")
        object.__setattr__(self, "positions", positions)
        # unit ones stay as they are, to the last bit: a drive that comes back from its file is the same drive
        off = np.abs(np.linalg.norm(turns, axis=-1, keepdims=True) - 1.0) > 1e-12
        object.__setattr__(self, "rotations_xyzw", np.where(off, rotation.normalized(turns), turns))

    def at(self, time: float) -> tuple[Array, Array]:
        """Centres (s, 3) and orientations (s, 4); between two samples by the shorter way; it rests at the last."""
        place = min(max(time * self.fps, 0.0), len(self.positions) - 1.0)
        k = min(int(place), max(len(self.positions) - 2, 0))
        n = min(k + 1, len(self.positions) - 1)
        position, turn = np.empty_like(self.positions[0]), np.empty_like(self.rotations_xyzw[0])
        before, after = ((self.positions[row], self.rotations_xyzw[row]) for row in (k, n))
        between(before, after, place - k, position, turn)
        return position, turn

    def led_in(self, puppet: Any, seconds: float) -> Self:
        """The same, begun at the puppet's own pose: what hangs on it is drawn along to where a clip begins."""
        count = max(round(seconds * self.fps), 1)
        own = [puppet.segments[puppet.index(name)] for name in self.segments]
        t = np.arange(count) / count
        t = (t * t * (3.0 - 2.0 * t))[:, None, None]
        start, first = np.array([s.center for s in own], float), self.positions[0]
        turn = rotation.normalized(np.array([s.rotation_xyzw for s in own], float))
        turns = rotation.slerp(turn[None], self.rotations_xyzw[:1], t[..., 0])
        return self.replace(
            positions=np.concatenate([start + t * (first - start), self.positions]),
            rotations_xyzw=np.concatenate([turns, self.rotations_xyzw]),
        )

    @classmethod
    def from_clip(
        cls, puppet: Any, skeleton: Skeleton, clip: Clip, *, segments: tuple[str, ...] | None = None, **options: Any
    ) -> Self:
        """A clip of the skeleton that `Puppet.from_character` was made of; segments carry the names of its joints."""
        names = [segment.name for segment in puppet.segments]
        chosen = tuple(names) if segments is None else segments
        rest_position, rest_turn = forward(skeleton.parents, skeleton.translations, skeleton.rotations_xyzw)
        position, turn = forward(skeleton.parents, clip.translations, clip.rotations_xyzw)
        bones = np.array([skeleton.names.index(name) for name in chosen])
        center = np.array([puppet.segments[names.index(name)].center for name in chosen])
        own = np.array([puppet.segments[names.index(name)].rotation_xyzw for name in chosen])
        back = rotation.inverse(rest_turn[bones])
        local = rotation.rotate(back, center - rest_position[bones])
        return cls(
            segments=chosen,
            fps=clip.fps,
            positions=position[:, bones] + rotation.rotate(turn[:, bones], local[None]),
            rotations_xyzw=rotation.multiply(turn[:, bones], rotation.multiply(back, own)[None]),
            **options,
        )

    @classmethod
    def retargeted(
        cls,
        puppet: Any,
        skeleton: Skeleton,
        clip: Clip,
        *,
        segments: tuple[str, ...] | None = None,
        joints: dict[str, str] | None = None,
        **options: Any,
    ) -> Self:
        """A clip of any skeleton for a human puppet, by the names of its joints.

        Args:
            puppet: Of the segments of `Puppet.human()`.
            skeleton: From `read_bvh` or a character.
            clip: Its motion.
            segments: Which follow; all others hang free. None: all.
            joints: Segment to joint, where the names do not tell.
            options: `stiffness` for a soft pull.
        """
        from pliant.scene.retarget import retargeted

        pose = retargeted(puppet, skeleton, clip, joints or {})
        return cls.of_pose(puppet, pose, fps=clip.fps, segments=segments, **options)

    @classmethod
    def walk(
        cls,
        puppet: Any,
        *,
        speed: float | None = None,
        seconds: float = 6.0,
        heading: float = 0.0,
        radius: float | None = None,
        segments: tuple[str, ...] | None = None,
        **options: Any,
    ) -> Self:
        """A walk of a human puppet, from standing to standing; standing feet do not slide.

        Args:
            puppet: Of the segments of `Puppet.human()`.
            speed: [m/s]; none: what its legs do with ease.
            seconds: How long.
            heading: Way about the vertical [deg]; 0 is along +z, 90 along +x.
            radius: Of a circle to walk on [m], to its left; below 0 to its right. None: straight ahead.
            segments: Which follow; all others hang free. None: all.
            options: `stiffness` for a soft pull, `fps`.
        """
        from pliant.scene.gait import walking
        from pliant.scene.rounds import rounded

        fps = float(options.pop("fps", 60.0))
        pose = walking(puppet, speed, seconds, fps)
        if radius is not None:
            pose = rounded(puppet, pose, radius)
        return cls.of_pose(puppet, pose, fps=fps, heading=heading, segments=segments, **options)

    @classmethod
    def dance(
        cls,
        puppet: Any,
        *,
        beat: float = 0.5,
        seconds: float = 8.0,
        heading: float = 0.0,
        segments: tuple[str, ...] | None = None,
        **options: Any,
    ) -> Self:
        """A dance on the spot of a human puppet, from standing to standing, `beat` [s] a beat; else as `walk`."""
        from pliant.scene.gait import dancing

        fps = float(options.pop("fps", 60.0))
        return cls.of_pose(
            puppet, dancing(puppet, beat, seconds, fps), fps=fps, heading=heading, segments=segments, **options
        )

    @classmethod
    def of_pose(
        cls,
        puppet: Any,
        pose: Any,
        *,
        fps: float = 60.0,
        heading: float = 0.0,
        segments: tuple[str, ...] | None = None,
        **options: Any,
    ) -> Self:
        """Poses of the whole puppet in time (`scene.gait.Pose`), turned about the vertical by `heading` [deg]."""
        chosen = tuple(s.name for s in puppet.segments) if segments is None else segments
        for name in chosen:
            puppet.index(name)
        turn = rotation.from_rotation_vector(np.array([0.0, np.deg2rad(heading), 0.0]))
        home = np.array(puppet.segments[puppet.index("torso")].center) * (1.0, 0.0, 1.0)
        places = np.stack([pose.places[name] for name in chosen], axis=1) - home
        rest = np.array([puppet.segments[puppet.index(name)].rotation_xyzw for name in chosen])
        turns = rotation.multiply(np.stack([pose.turns[name] for name in chosen], axis=1), rest[None])
        return cls(
            segments=chosen,
            fps=fps,
            positions=home + rotation.rotate(turn, places),
            rotations_xyzw=rotation.multiply(turn, turns),
            **options,
        )

    @classmethod
    def from_keys(
        cls,
        puppet: Any,
        times: tuple[float, ...],
        poses: tuple[dict[str, Any], ...],
        *,
        fps: float = 60.0,
        **options: Any,
    ) -> Self:
        """Key poses: for each time, rotation vectors [deg] of segments against their parents; others stay as at rest.

        Between keys the turns of the joints are interpolated, at rest at every key.
        """
        if len(times) != len(poses) or len(times) < 2 or any(b <= a for a, b in itertools.pairwise(times)):
            raise SceneError(f"Drive.from_keys: {len(times)} times, {len(poses)} poses; give two or more, times rising")
        names = [segment.name for segment in puppet.segments]
        keys = np.zeros((len(times), len(names), 3))
        for row, pose in zip(keys, poses, strict=True):
            for name, vector in pose.items():
                if np.shape(vector) != (3,):
                    raise SceneError(f"Drive.from_keys: {name!r} is turned by {vector}; give three angles [deg]")
                row[puppet.index(name)] = np.deg2rad(vector)
        turns = rotation.from_rotation_vector(keys)
        sample = np.arange(int(np.ceil((times[-1] - times[0]) * fps)) + 1) / fps + times[0]
        k = np.clip(np.searchsorted(times, sample, side="right") - 1, 0, len(times) - 2)
        s = np.clip((sample - np.array(times)[k]) / np.diff(times)[k], 0.0, 1.0)
        blend = (s * s * (3.0 - 2.0 * s))[:, None] * np.ones(len(names))
        positions, rotations = _posed(puppet, rotation.slerp(turns[k], turns[k + 1], blend))
        return cls(segments=tuple(names), fps=fps, positions=positions, rotations_xyzw=rotations, **options)


def _posed(puppet: Any, turns: Array) -> tuple[Array, Array]:
    """Centres and orientations (f, n, …) when every joint's child is turned by `turns` (f, n, 4) against its parent."""
    center = np.array([segment.center for segment in puppet.segments])
    rest = np.array([segment.rotation_xyzw for segment in puppet.segments])
    position = np.broadcast_to(center, (len(turns), *center.shape)).copy()
    turned = turns.copy()  # of each segment away from rest, world axes
    waiting = list(puppet.joints)
    done = {segment.name for segment in puppet.segments} - {joint.child for joint in puppet.joints}
    while waiting:
        ready = [joint for joint in waiting if joint.parent in done and joint.child not in done]
        if not ready:
            break
        for joint in ready:
            a, b = puppet.index(joint.parent), puppet.index(joint.child)
            turned[:, b] = rotation.multiply(turned[:, a], turns[:, b])
            anchor = position[:, a] + rotation.rotate(turned[:, a], np.array(joint.anchor) - center[a])
            position[:, b] = anchor + rotation.rotate(turned[:, b], center[b] - np.array(joint.anchor))
            done.add(joint.child)
        waiting = [joint for joint in waiting if joint not in ready]
    return position, rotation.multiply(turned, rest[None])
