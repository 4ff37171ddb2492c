"""State: copies, hashes, files."""

import numpy as np
import pytest

import pliant
from pliant.gallery import load


@pytest.fixture
def state() -> pliant.State:
    state = pliant.build(load("curtain")).initial_state()
    state.memory["phase"] = np.arange(3.0)
    return state


def test_a_copy_is_equal_and_apart(state):
    twin = state.copy()
    assert twin.hash() == state.hash()
    twin.position[0, 0] += 1e-12
    assert twin.hash() != state.hash()


@pytest.mark.parametrize("name", ["position", "velocity", "inverse_mass"])
def test_the_hash_sees_every_array(state, name):
    before = state.hash()
    getattr(state, name).flat[5] += 1.0
    assert state.hash() != before


def test_memory_counts(state):
    before = state.hash()
    state.memory["phase"][1] = 7.0
    assert state.hash() != before


def test_saved_and_loaded_is_bit_for_bit(state, tmp_path):
    state.save(tmp_path / "a.npz")
    loaded = pliant.State.load(tmp_path / "a.npz")
    assert loaded.hash() == state.hash()
    assert not list(tmp_path.glob("*.part"))


def test_a_file_that_is_no_state_says_so(tmp_path):
    (tmp_path / "b.npz").write_bytes(b"no archive at all")
    with pytest.raises(pliant.FormatError, match="not a saved state"):
        pliant.State.load(tmp_path / "b.npz")


def test_restoring_keeps_the_arrays_that_views_point_to(state):
    view = state.position[:3]
    other = state.copy()
    other.position[:] = 5.0
    state.restore(other)
    assert (view == 5.0).all()
