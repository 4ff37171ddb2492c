"""Every example runs by itself; each checks a number of its own result."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60
    runpy.run_path(str(path), run_name="__main__")


def test_the_page_names_every_example():
    page = (EXAMPLES[0].parent / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES] == [
        line.split("`")[1] for line in page.splitlines() if line.startswith("| `")
    ]
