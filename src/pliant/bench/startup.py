"""How long until something moves: import, first frame of `curtain` with warm and cold machine code, and its pace."""

import os
import subprocess
import sys
import tempfile
from time import perf_counter

from pliant.bench.report import Report

_FIRST_FRAME = "import pliant; from pliant import gallery; next(pliant.simulate(gallery.load('curtain')))"
_PACE = """
import time, pliant
from pliant import gallery
frames = pliant.simulate(gallery.load('curtain'), seconds=4, fps=60)
next(frames)
began = time.perf_counter()
count = sum(1 for _ in frames)
print((time.perf_counter() - began) / (count / 60))
"""


def startup() -> Report:
    """Seconds of whole Python processes, started one after the other."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        cold, _ = _run(_FIRST_FRAME, environment)
        warm, _ = min(_run(_FIRST_FRAME, environment) for _ in range(3))
        importing, _ = min(_run("import pliant", environment) for _ in range(3))
        bare, _ = min(_run("pass", environment) for _ in range(3))
        _, printed = _run(_PACE, environment)
    pace = 1.0 / float(printed)
    values = {
        "import_s": importing - bare,
        "first_frame_warm_s": warm,
        "first_frame_cold_s": cold,
        "curtain_times_real_time": pace,
    }
    rows: list[tuple[str, ...]] = [
        ("import pliant", f"{importing - bare:.2f} s", "< 1 s"),
        ("first frame of curtain, warm cache", f"{warm:.2f} s", "< 2.5 s"),
        ("first frame of curtain, cold cache", f"{cold:.2f} s", "< 25 s"),
        ("curtain, 4 s at 60 fps", f"{pace:.1f} x real time", "> 1"),
    ]
    return Report("from nothing to the first frame", ("what", "measured", "wanted"), rows, values)


def _run(program: str, environment: dict[str, str]) -> tuple[float, str]:
    """(seconds, what it printed) of one fresh process."""
    began = perf_counter()
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
    return perf_counter() - began, done.stdout.strip()
