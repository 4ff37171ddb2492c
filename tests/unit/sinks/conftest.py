"""A short clip made by hand: a waving flag with texture coordinates, a plain sheet, and two jointed bodies."""

from types import SimpleNamespace

import numpy as np
import pytest

from pliant.geometry import rotation
from pliant.geometry.surface import grid
from pliant.sinks.convert import bare_world
from pliant.world import Frame, Look, PartFrame, Pose

FPS = 30.0
NONE = np.empty((0, 3), np.uint32)


def frame_at(index):
    time = index / FPS
    uv, triangles = grid(12, 8)
    u, v = uv.T
    flag = np.stack([u, 1.0 + 0.2 * u * np.sin(5 * u - 7 * time), v], axis=1).astype(np.float32)
    sheet = np.stack([u + 2.0, 0.1 * v * time, v], axis=1).astype(np.float32)
    angle = 0.4 * time
    turns = rotation.from_rotation_vector(np.array([[0, 0, angle], [2 * angle, 0, 0.1]])).astype(np.float32)
    places = np.array([[0, 1, time], [0, 1, time]], np.float32)
    places[1] += rotation.rotate(turns[0], np.array([0, -0.25, 0])) + rotation.rotate(turns[1], np.array([0, -0.25, 0]))
    poses = [Pose(name, place, turn) for name, place, turn in zip(("upper", "lower arm"), places, turns, strict=True)]
    still, nobody = np.zeros_like(flag), np.empty((0, 4), np.float32)
    return Frame(
        index,
        time,
        {
            "flag": PartFrame("flag", "cloth", flag, triangles, still + 1, nobody, Look(), uv.astype(np.float32)),
            "red sheet": PartFrame(
                "red sheet",
                "cloth",
                sheet,
                triangles,
                still,
                nobody,
                Look((0.75, 0.125, 0.25)),
                None,
                {"pressure": 2.5},
            ),
            "puppet": PartFrame(
                "puppet", "puppet", places, NONE, np.zeros_like(places), turns, Look(), None, {"poses": poses}
            ),
        },
    )


@pytest.fixture(scope="session")
def clip():
    frames = [frame_at(k) for k in range(20)]
    return SimpleNamespace(frames=frames, fps=FPS, world=bare_world(list(frames[0].values())))


@pytest.fixture(scope="session")
def flag(clip):
    """The flag alone."""
    frames = [Frame(f.index, f.time, {"flag": f["flag"]}) for f in clip.frames]
    return SimpleNamespace(frames=frames, fps=FPS, world=bare_world([frames[0]["flag"]]))
