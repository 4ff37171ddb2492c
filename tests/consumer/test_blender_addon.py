"""The Blender add-on's own tests, inside a Python with bpy and pytest named in PLIANT_BPY."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BPY = os.environ.get("PLIANT_BPY")
pytestmark = [pytest.mark.consumer, pytest.mark.slow]


@pytest.mark.skipif(not BPY, reason="needs a Python with bpy and pytest, named in PLIANT_BPY")
def test_the_addon_passes_its_own_tests_in_blender(tmp_path):
    program = tmp_path / "python"  # bpy's Python must not see this one's packages, and this one must find pliant
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT / "src"}" exec "{sys.executable}" "$@"\n')
    program.chmod(0o755)
    command = [BPY, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "blender_addon/pytest.ini", "blender_addon"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PLIANT_PYTHON"] = str(program)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " skipped" not in done.stdout
