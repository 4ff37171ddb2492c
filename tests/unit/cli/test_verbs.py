"""The command line as a user meets it: exit codes, one line for a mistake, one JSON object on request."""

import json
import subprocess
import sys
from typing import NamedTuple

import pytest

from pliant import __version__ as version
from pliant.cli import main

KEYS = {
    "scene", "integrator", "frames", "fps", "particles", "ms_per_frame", "time_to_first_frame_s", "peak_rss_mb",
    "max_strain", "mean_strain", "finite", "state_hash", "outputs",
}  # fmt: skip


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def pliant(capfd):
    """Run one command line in this process."""

    def run(*arguments: str) -> Done:
        with pytest.raises(SystemExit) as leaving:
            main(list(arguments))
        said = capfd.readouterr()
        return Done(int(leaving.value.code or 0), said.out, said.err)

    return run


def test_the_module_runs_as_a_program():
    done = subprocess.run([sys.executable, "-m", "pliant", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == version


def test_json_is_one_object_with_the_promised_keys(pliant):
    done = pliant("run", "curtain", "--frames", "3", "--set", "curtain.columns=6", "--set", "curtain.rows=6", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert set(report) >= KEYS
    assert report["particles"] == 49
    assert report["frames"] == 3
    assert set(report["ms_per_frame"]) == {"median", "p95", "first"}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["run", "curtian"], 2, "did you mean 'curtain'"),
        (["run", "curtain", "--set", "curtain.colums=3"], 2, "did you mean 'curtain.columns'"),
        (["run", "curtain", "--set", "curtain.columns"], 2, "expected path=value"),
        (["run", "curtain", "--set", "curtain.columns=-4"], 2, "must be >= 1"),
        (["run", "curtain", "--out", "a.xyz"], 2, "no format '.xyz'"),
        (["run", "curtain", "--frams"], 2, "No such option"),
        (["run", "curtain", "--integrator", "symplectic"], 1, "set substeps >="),
        (["run", "nowhere.toml"], 2, "no such file"),
        (["run", "nowhere.py"], 2, "no such file"),
        (["run"], 2, "scene"),
        (["wobble"], 2, "wobble"),
    ],
)
def test_a_mistake_is_one_line_and_a_code(pliant, arguments, code, says):
    done = pliant(*arguments)
    assert done.returncode == code
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1
    assert says in lines[0]
    assert "Traceback" not in done.stderr


def test_a_python_scene(pliant, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "import pliant\nscene = pliant.Scene(parts={'a': pliant.Cloth.sheet(width=1, height=1, columns=4, rows=4)})\n"
    )
    monkeypatch.chdir(tmp_path)
    done = pliant("run", "mine.py", "--frames", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["particles"] == 25


@pytest.mark.parametrize("what", ["scenes", "integrators", "fabrics", "formats"])
def test_lists(pliant, what):
    done = pliant("list", what)
    assert done.returncode == 0
    assert what in done.stdout


def test_doctor_names_the_versions(pliant):
    done = pliant("doctor", "--json")
    assert done.returncode == 0, done.stderr
    assert {"pliant", "python", "numba"} <= set(json.loads(done.stdout))


SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def test_check_says_what_is_wrong_and_fix_repairs_it(pliant, tmp_path):
    path, fixed = tmp_path / "a.obj", tmp_path / "b.obj"
    path.write_text(SQUARE + "f 1 2 3\nf 1 4 3\n")
    done = pliant("check", str(path), "--fix", str(fixed))
    assert done.returncode == 1
    assert "neighbours across 1 edge are wound in opposite ways (edge 2-0)" in done.stdout
    assert "turned 1 face around" in done.stdout
    assert pliant("check", str(fixed)).returncode == 0
    found = json.loads(pliant("check", str(path), "--json").stdout)[0]
    assert [finding["code"] for finding in found["findings"] if finding["severity"] == "error"] == ["winding"]


def test_check_judges_scene_files_and_never_shows_a_traceback(pliant, tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("nonsense = [")
    done = pliant("check", str(path), str(tmp_path / "none.obj"))
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    assert "a scene that cannot be built" in done.stdout
    assert "error: No such file or directory" in done.stdout


def test_convert_writes_the_other_format(pliant, tmp_path):
    source, target = tmp_path / "a.npz", tmp_path / "b.pc2"
    assert pliant("run", "curtain", "--frames", "3", "--out", str(source)).returncode == 0
    done = pliant("convert", str(source), str(target), "--for", "unreal")
    assert done.returncode == 0
    assert "3 frames at 60/s of curtain" in done.stdout
    assert pliant("convert", str(source), str(source)).returncode == 2
    assert "is the source; choose another name" in pliant("convert", str(source), str(source)).stderr
