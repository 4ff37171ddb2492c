"""Every Python block of README and docs runs, and every `pliant …` line of them is a real one."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pliant.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language):
    for page in PAGES:
        if page.is_file():
            for number, (kind, marks, text) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
                if kind == language and "no-run" not in marks:
                    slow = [pytest.mark.slow] if "slow" in marks else []
                    yield pytest.param(text, id=f"{page.relative_to(ROOT)}-{number}", marks=slow)


@pytest.mark.parametrize("text", list(blocks("python")))
def test_python_block(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "block", "exec"), {"__name__": "block"})


@pytest.mark.parametrize("text", list(blocks("console")))
def test_console_block_names_real_verbs_and_options(text):
    for line in text.splitlines():
        words = shlex.split(line.removeprefix("$").strip(), comments=True)
        if not words or words[0] != "pliant":
            continue
        shown = CliRunner().invoke(app, [words[1], "--help"], env={"COLUMNS": "300"})
        assert shown.exit_code == 0, line
        for word in words[2:]:
            if word.startswith("--"):
                assert word in shown.output, f"{line}: {word}"
