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
        (["run", "curtain", "--frames", "2", "--seconds", "1"], 2, "give one of the two"),
        (["run", "curtain", "--threads", "0"], 2, "threads = 0; must be >= 1"),
        (["run", "curtain", "--seed", "-1"], 2, "--seed -1: must be >= 0"),
        (["run", "curtain", "--set", "curtain.integrator={name=approximate"], 2, "is no table"),
        (["run", "curtain", "--integrator", "xpdb"], 2, "did you mean 'xpbd'"),
        (["run", "curtain", "--set", "curtain.fabric=coton"], 2, "did you mean 'cotton'"),
        (["run", "curtain", "--set", "curtain.fabric.stretch=-3"], 2, "Fabric.stretch = -3; must be > 0"),
        (["run", "curtain", "--out", "/dev/null/a.npz"], 2, "is a file, not a folder"),
        (["run", "curtain", "--out", "/proc/nowhere/a.npz"], 2, "cannot be written"),
        (["run", "curtain", "--moments", "3"], 2, "--moments: says how to write; give an --out too"),
        (["run", "curtain", "--with", "size=9x9"], 2, "--with: says how to write; give an --out too"),
        (["run", "curtain", "--out", "a.png", "--with", "size"], 2, "is no name=value"),
        (["run", "curtain", "--out", "a.png", "--with", "sise=9x9"], 2, "no option 'sise'"),
        (["run", "curtain", "--out", "a.glb", "--with", "error=none"], 2, "error = 'none'; must be 0 or more"),
        (["list", "wobble"], 2, "'scenes', 'integrators', 'fabrics', 'formats'"),
        (["convert", "nowhere.npz", "b.glb"], 2, "no such file"),
        (["studio", "nowhere", "--no-open"], 2, "no scene 'nowhere'"),
        (["bench", "nothing"], 2, "no benchmark 'nothing'"),
        (["check"], 2, "files"),
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


PROGRAMS = {
    "raises": ("import pliant\nx = 1 / 0\n", ":2: ZeroDivisionError: division by zero"),
    "says nonsense": ("import pliant\npliant.Cloth(widht=1)\n", ":2: Cloth: no field 'widht'"),
    "is no Python": ("x = 1\ndef (\n", ":2: invalid syntax; the file must be Python"),
    "has no scene": ("x = 1\n", ": defines no `scene`"),
    "wants what is not there": ("import nothing_of_the_kind\n", ":1: ModuleNotFoundError"),
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_a_python_scene_that_fails_is_one_line_with_its_place(pliant, tmp_path, case):
    text, says = PROGRAMS[case]
    path = tmp_path / "mine.py"
    path.write_text(text)
    done = pliant("run", str(path))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"pliant: {path}{says}")
    assert len(done.stderr.splitlines()) == 1


def test_a_python_scene_may_import_what_lies_beside_it(pliant, tmp_path):
    (tmp_path / "beside_it.py").write_text("size = 3\n")
    (tmp_path / "mine.py").write_text(
        "import pliant\nfrom beside_it import size\n"
        "scene = pliant.Scene(parts={'a': pliant.Cloth.sheet(width=1, height=1, columns=size, rows=size)})\n"
    )
    done = pliant("run", str(tmp_path / "mine.py"), "--frames", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["particles"] == 16


RAG = """
import pliant
rag = pliant.Cloth.sheet(width=1, height=1, columns=6, rows=6, fabric=pliant.RawFabric.uniform(stiffness=50.0),
                         pinned="top", integrator="explicit")
scene = pliant.Scene(parts={"rag": rag}, substeps=1)
"""


def test_a_run_that_diverges_leaves_whole_files_and_says_where(pliant, tmp_path):
    from pliant import load_recording

    path, outputs = tmp_path / "rag.py", [tmp_path / name for name in ("a.npz", "a.csv", "a.pc2")]
    path.write_text(RAG)
    done = pliant("run", str(path), "--frames", "5000", *(word for out in outputs for word in ("--out", str(out))))
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if line.strip()]
    assert "part 'rag', particle" in line
    assert "at t = " in line
    clips = [load_recording(out) for out in outputs if out.suffix != ".csv"]
    assert len({len(clip) for clip in clips}) == 1
    assert 20 < len(clips[0]) < 5000
    assert all(out.exists() for out in outputs)
    assert not [beside for beside in tmp_path.iterdir() if ".part" in beside.name]  # nothing half-written


def test_threads_change_nothing_and_a_seed_changes_the_wind(pliant):
    def hashed(*options):
        done = pliant(
            "run", "flag", "--frames", "3", "--set", "flag.columns=8", "--set", "flag.rows=6", "--json", *options
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["state_hash"]

    plain = hashed("--seed", "3")
    assert hashed("--seed", "3", "--threads", "1") == plain
    assert hashed("--seed", "4") != plain


def test_a_fault_of_ours_is_one_line_too(pliant, monkeypatch):
    from pliant.cli import scenes

    def broken(name):
        raise KeyError(name)

    monkeypatch.setattr(scenes.gallery, "load", broken)
    done = pliant("run", "curtain")
    assert done.returncode == 1
    assert done.stderr == "pliant: KeyError: 'curtain'; this is a fault of pliant, --debug shows where it arose\n"


@pytest.mark.parametrize("what", ["scenes", "integrators", "fabrics", "formats"])
def test_lists(pliant, what):
    done = pliant("list", what)
    assert done.returncode == 0
    assert what in done.stdout


def test_the_list_of_methods_says_what_may_be_asked_of_them(pliant, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    listed = pliant("list", "integrators").stdout
    assert "sweeps = 2, 2 to 1000" in listed
    assert "form = split, of paper half full split backward" in listed


@pytest.mark.parametrize(
    "options",
    [
        ["--set", 'curtain.integrator={name="approximate", sweeps=8}'],
        ["--integrator", "approximate", "--set", "curtain.integrator.sweeps=8"],
        ["--set", "curtain.integrator=approximate", "--set", "curtain.integrator.sweeps=8"],
    ],
)
def test_a_method_and_its_options_can_be_said_in_three_ways(pliant, options):
    small = ["--set", "curtain.columns=5", "--set", "curtain.rows=5", "--frames", "3", "--json"]
    report, usual = (
        json.loads(pliant("run", "curtain", *small, *said).stdout)
        for said in (options, ["--integrator", "approximate"])
    )
    assert report["integrator"] == usual["integrator"] == {"curtain": "approximate"}
    assert report["state_hash"] != usual["state_hash"]


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
    found = json.loads(pliant("check", str(path), "--json").stdout)["files"][0]
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
