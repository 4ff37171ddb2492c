"""Scene files: what is written loads back equal, and mistakes are named with their line."""

import dataclasses
import hashlib
import json
import shutil
import tomllib

import numpy as np
import pytest

import pliant
from pliant.description import Description
from pliant.gallery import SCENES, load
from pliant.scene import set_path
from pliant.scene.schema import scene_schema


@pytest.fixture(scope="module")
def schema():
    jsonschema = pytest.importorskip("jsonschema")
    said = json.loads(json.dumps(scene_schema()))
    jsonschema.Draft7Validator.check_schema(said)
    return jsonschema.Draft7Validator(said)


def everything(thing, seen):
    """Every number of a world, in order, as bytes: what a run depends on and nothing else."""
    if isinstance(thing, np.ndarray):
        seen.update(thing.tobytes())
    elif isinstance(thing, dict):
        for key, value in thing.items():
            everything(value, seen.update(str(key).encode()) or seen)
    elif isinstance(thing, list | tuple):
        for value in thing:
            everything(value, seen)
    elif type(thing).__module__.startswith("pliant."):  # descriptions, tables, and what moves an actor
        everything({name: getattr(thing, name) for name in named(thing)}, seen)
    else:
        assert isinstance(thing, type(None) | bool | int | float | str | slice | np.generic), type(thing)
        seen.update(repr(thing).encode())
    return seen


def named(thing):
    if isinstance(thing, Description):
        return list(type(thing).model_fields)
    return [f.name for f in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else list(vars(thing))


@pytest.mark.parametrize("name", SCENES)
def test_every_gallery_scene_survives_its_file(name, tmp_path, schema):
    """What is loaded is equal, builds the same world to the last bit and fits the schema that editors use."""
    scene = load(name)
    scene.save(tmp_path / "scene.toml")
    loaded = pliant.Scene.load(tmp_path / "scene.toml")
    assert loaded == scene
    one, other = pliant.build(loaded), pliant.build(scene)
    assert one.initial_state().hash() == other.initial_state().hash()
    assert everything(one, hashlib.sha256()).digest() == everything(other, hashlib.sha256()).digest()
    document = tomllib.loads((tmp_path / "scene.toml").read_text())
    assert [error.message for error in schema.iter_errors(document)] == []


@pytest.mark.parametrize("name", ["curtain", "flag"])
def test_a_loaded_scene_runs_to_the_same_state(name, tmp_path):
    scene = set_path(set_path(load(name), f"{name}.columns", 12), f"{name}.rows", 8)
    scene.save(tmp_path / "scene.toml")
    hashes = []
    for said in (scene, pliant.Scene.load(tmp_path / "scene.toml")):
        session = pliant.Session(said, fps=60, history=False)
        for _ in range(3):
            session.step()
        hashes.append(session.state.hash())
    assert hashes[0] == hashes[1]


def test_the_schema_marks_what_a_person_gets_wrong(schema):
    document = {"format": 1, "parts": {"flag": {"type": "sheet", "fabric": "silk", "pinned": "left"}}}
    assert schema.is_valid(document)
    for path, value in (("columns", "many"), ("fabric", "silkk"), ("widht", 2.0), ("width", -1.0)):
        flag = document["parts"]["flag"] | {path: value}
        assert not schema.is_valid({"format": 1, "parts": {"flag": flag}}), path
    assert not schema.is_valid({"format": 2, "parts": {}})


@pytest.fixture
def saved(tmp_path):
    mesh = pliant.Cloth.sheet(width=1, height=1, columns=12, rows=12).mesh()
    cloth = pliant.Cloth.from_mesh(mesh.points, mesh.triangles, fabric="denim", pinned="top")
    wind = pliant.Wind(velocity=(6, 0, 1), gust=0.3, seed=7)
    scene = pliant.Scene(parts={"a": cloth}, fields=(pliant.Gravity(), wind), colliders=(pliant.Ground(),))
    scene.save(tmp_path / "scene.toml")
    return scene, tmp_path / "scene.toml"


def test_big_arrays_stand_beside(saved):
    scene, path = saved
    assert path.with_suffix(".npz").is_file()
    assert "array" in path.read_text()
    np.testing.assert_array_equal(pliant.Scene.load(path).parts["a"].points, scene.parts["a"].points)


def test_equal_scenes_give_equal_text(saved, tmp_path):
    scene, path = saved
    scene.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_text() == path.read_text()


MISTAKES = {
    "velocity = [6.0, 0.0, 1.0]": ("velocity = [6.0, 0.0]", r":\d+: Wind\.velocity"),
    "gust = 0.3": ("gsut = 0.3", r":\d+: Wind: no field 'gsut'.*did you mean 'gust'"),
    'type = "wind"': ('type = "wnd"', r":\d+: no type 'wnd'"),
    "format = 1": ("format = 99", r":1: format is 99; this version reads format = 1"),
    "density = 0.4": ("density = -1", r":\d+: Fabric\.density = -1; must be > 0"),
    "[[colliders]]": ("[[colliders]", r":\d+: .*the file must be TOML"),
}


@pytest.mark.parametrize("old", MISTAKES)
def test_a_mistake_is_named_with_its_line(saved, old, tmp_path):
    _, path = saved
    new, message = MISTAKES[old]
    text = path.read_text()
    assert old in text
    broken = tmp_path / "broken.toml"
    broken.write_text(text.replace(old, new, 1))
    shutil.copy(path.with_suffix(".npz"), broken.with_suffix(".npz"))
    with pytest.raises(pliant.PliantError, match=message) as caught:
        pliant.Scene.load(broken)
    line = int(str(caught.value).split("broken.toml:")[1].split(":")[0])
    if new.split(" ")[0] not in ("format",):
        assert new.split(" = ")[0] in broken.read_text().splitlines()[line - 1]


def test_a_missing_array_file_is_said(saved):
    _, path = saved
    path.with_suffix(".npz").unlink()
    with pytest.raises(pliant.SceneError, match="keep the two files together"):
        pliant.Scene.load(path)


def test_no_such_file():
    with pytest.raises(pliant.SceneError, match="no such file"):
        pliant.Scene.load("nowhere.toml")


def test_an_unwritable_place_is_said(saved, tmp_path):
    scene, _ = saved
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(pliant.FormatError, match="cannot be written"):
        scene.save(tmp_path / "taken" / "scene.toml")
