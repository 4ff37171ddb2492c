"""Motion capture that an Actor follows: a skeleton at rest and its transforms over time, as plain arrays."""

from pathlib import Path
from typing import Any, Self

import numpy as np

from pliant.arrays import frozen
from pliant.description import Description, quantity
from pliant.errors import FormatError, SceneError
from pliant.geometry.skeleton import Clip, Skeleton


class Performance(Description):
    """A clip of any skeleton whose joints have names that tell what they are."""

    names: tuple[str, ...] = quantity(help="Joints, parents first")
    parents: tuple[int, ...] = quantity(help="Parent of each joint, -1 at a root")
    rest_translations: Any = quantity(unit="m", help="(j, 3) from the parent at rest")
    rest_rotations_xyzw: Any = quantity(help="(j, 4) relative to the parent at rest")
    fps: float = quantity(30.0, unit="1/s", above=0.0, high=1e5, help="Samples per second")
    translations: Any = quantity(unit="m", help="(f, j, 3)")
    rotations_xyzw: Any = quantity(help="(f, j, 4)")

    def model_post_init(self, context: Any) -> None:
        count = len(self.names)
        shapes = {
            "rest_translations": (count, 3),
            "rest_rotations_xyzw": (count, 4),
            "translations": (-1, count, 3),
            "rotations_xyzw": (-1, count, 4),
        }
        for name, shape in shapes.items():
            value = np.array(getattr(self, name), float)
            if value.ndim != len(shape) or value.shape[-2:] != shape[-2:] or not len(value):
                raise SceneError(f"Performance.{name}: shape is {value.shape}; expected {shape} for {count} joints")
            bad = np.flatnonzero(~np.isfinite(value).reshape(len(value), -1).all(axis=1))
            if bad.size:
                raise SceneError(f"Performance.{name}: row {bad[0]} is not finite; every transform must be numbers")
            object.__setattr__(self, name, frozen(value))

    @property
    def seconds(self) -> float:
        return (len(self.translations) - 1) / self.fps

    @classmethod
    def of(cls, skeleton: Skeleton, clip: Clip) -> Self:
        return cls(
            names=skeleton.names,
            parents=tuple(int(p) for p in skeleton.parents),
            rest_translations=skeleton.translations,
            rest_rotations_xyzw=skeleton.rotations_xyzw,
            fps=clip.fps,
            translations=clip.translations,
            rotations_xyzw=clip.rotations_xyzw,
        )

    @classmethod
    def load(cls, path: str | Path, *, clip: str | int = 0, fps: float = 30.0, **options: Any) -> Self:
        """A BVH file, or an animation of a glTF or USD file by name or number; `options` are those of `read_bvh`."""
        path = Path(path)
        if path.suffix.lower() == ".bvh":
            from pliant.sources.bvh import read_bvh

            motion = read_bvh(path, **options)
            return cls.of(motion.skeleton, motion.clip)
        from pliant.sources.usd_characters import USD, read_rigged

        if path.suffix.lower() not in (".glb", ".gltf", *USD):
            raise FormatError(
                f"{path}: no reader of motion for {path.suffix or 'no suffix'!r} (has: .bvh, .glb, .gltf, .usd)"
            )
        scene = read_rigged(path)
        if not scene.skins or not scene.animations:
            raise FormatError(
                f"{path}: has {len(scene.skins)} skins and {len(scene.animations)} clips; one of each is needed"
            )
        names = [animation.name for animation in scene.animations]
        if isinstance(clip, str) and clip not in names:
            raise FormatError(f"{path}: has no clip {clip!r} (has: {', '.join(names)})")
        row = names.index(clip) if isinstance(clip, str) else clip
        if not 0 <= row < len(names):
            raise FormatError(f"{path}: has no clip {row} (has {len(names)})")
        skeleton, _ = scene.skeleton(0)
        return cls.of(skeleton, scene.clip(scene.animations[row], 0, fps))
