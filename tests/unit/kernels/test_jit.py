"""Machine code from the cache: an edit of anything that went into it makes it anew."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pliant

INNER = "from pliant.kernels import folded\nTWO = {two}\n@folded\ndef more(x):\n    return x + {step}\n"
OUTER = """from pliant.kernels import kernel
from inner import TWO, more

@kernel
def answer(x):
    return TWO * more(x)

print(answer(1.0), sum(answer.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_an_edit_of_a_called_loop_or_a_read_number_makes_its_callers_anew(tmp_path):
    """numba alone looks at the file of `answer`, which none of these edits touches."""
    (tmp_path / "outer.py").write_text(OUTER)

    def run(two, step, time):
        (tmp_path / "inner.py").write_text(INNER.format(two=two, step=step))
        os.utime(tmp_path / "inner.py", (time, time))
        own = {"PYTHONPATH": str(Path(pliant.__file__).parents[1]), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        environment = os.environ | own | {"PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "outer.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert run(2, 3, 1000.0) == ["8.0", "0"]
    assert run(2, 3, 1000.0) == ["8.0", "1"]
    assert run(2, 4, 2000.0) == ["10.0", "0"]
    assert run(5, 4, 2000.0) == ["25.0", "0"]
    assert run(5, 4, 2000.0) == ["25.0", "1"]
