"""Every filter: the frame it is given stays untouched, and the same frame gives the same bits, whatever came before."""

import numpy as np
import pytest

import pliant
from conformance.rooms import cloth, concrete
from pliant import filters
from pliant.filters import BoundFilter, Filter
from pliant.world import Frame

FILTERS = concrete(filters)


def arrays(frame):
    return {
        f"{name}.{key}": np.array(getattr(part, key))
        for name, part in frame.items()
        for key in ("points", "triangles", "velocities", "normals")
    }


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_leaves_its_input_alone_and_remembers_nothing(name):
    world = cloth(pinned="top-corners")
    bound = FILTERS[name].example().bind(world)
    first, second = list(pliant.simulate(world, frames=2))
    given = arrays(first)
    made = arrays(bound.apply(first))
    bound.apply(second)
    assert same(arrays(first), given)
    assert same(arrays(bound.apply(first)), made)


class Ghost(Filter):
    """A second sheet beside the first, which the world does not know."""

    def bind(self, world):
        return _Ghost()


class _Ghost(BoundFilter):
    def apply(self, frame):
        import dataclasses

        sheet = frame["sheet"]
        moved = (sheet.points + np.float32(1.5)).astype(np.float32)
        ghost = dataclasses.replace(sheet, name="ghost", kind="garment", points=moved)
        return Frame(frame.index, frame.time, {**frame.parts, "ghost": ghost})


def haunted():
    sheet = pliant.Cloth.sheet(width=1, height=1, columns=4, rows=4, pinned="top-corners")
    return pliant.Scene(parts={"sheet": sheet}, filters=(Ghost(),), seconds=0.1)


def test_simulate_and_session_show_what_a_filter_makes():
    frame = next(pliant.simulate(haunted(), frames=1))
    assert list(frame) == ["sheet", "ghost"]
    assert np.array_equal(pliant.Session(haunted()).step()["ghost"].points, frame["ghost"].points)


@pytest.mark.parametrize("suffix", ["npz", "glb", "png", "gif", "html", "obj", "ply", "csv", "pc2", "bvh"])
def test_every_sink_takes_a_part_that_the_world_does_not_know(suffix, tmp_path):
    target = tmp_path / f"out.{suffix}"
    if suffix == "bvh":
        with pytest.raises(pliant.PliantError):
            pliant.save(haunted(), target, frames=2)
        return
    pliant.save(haunted(), target, frames=2)
    assert any(tmp_path.iterdir())
    if suffix in ("npz", "glb"):
        clip = pliant.load_recording(target)
        assert set(next(iter(clip))) == {"sheet", "ghost"}
