"""Compiling ahead: every scene of every lane runs once, however many cores there are; a fault is one line."""

import subprocess

import pytest

from pliant.errors import PliantError
from pliant.gallery import SCENES
from pliant.gallery.warming import LANES, warm


@pytest.mark.parametrize("cores", [1, 2, 8])
def test_every_scene_of_the_lanes_runs_once(monkeypatch, cores):
    asked = []

    def run(command, **_):
        asked.append(command[command.index("run") + 1])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    names = sorted(name for lane in LANES for name in lane)
    assert sorted(warm(cores)) == sorted(asked) == names
    assert set(names) <= set(SCENES)


def test_a_scene_that_fails_is_named(monkeypatch):
    monkeypatch.setattr(subprocess, "run", lambda c, **_: subprocess.CompletedProcess(c, 2, "", "no such thing\n"))
    with pytest.raises(PliantError, match=r"^warm: the scene '\w+' ended with 2 \(no such thing\)$"):
        list(warm(2))
