"""How long until something moves: import, first frame of `curtain` with warm and cold machine code, and its pace.

Machine code and Python's byte code are kept in a folder of the run's own: cold is what somebody meets who has just
installed pliant, warm is every later time. Other work on the machine lengthens the clock but hardly the CPU time.
"""

import os
import resource
import subprocess
import sys
import tempfile
from time import perf_counter
from typing import NamedTuple

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
        environment = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        cold = _run(_FIRST_FRAME, environment)
        warm = min(_run(_FIRST_FRAME, environment) for _ in range(3))
        importing = min(_run("import pliant", environment) for _ in range(5))
        bare = min(_run("pass", environment) for _ in range(5))
        pace = 1.0 / float(_run(_PACE, environment).printed)
    rows: list[tuple[str, ...]] = [
        ("import pliant", f"{importing.clock - bare.clock:.2f} s", f"{importing.cpu - bare.cpu:.2f} s", "< 1 s"),
        ("first frame of curtain, warm cache", f"{warm.clock:.2f} s", f"{warm.cpu:.2f} s", "< 2.5 s"),
        ("first frame of curtain, cold cache", f"{cold.clock:.2f} s", f"{cold.cpu:.2f} s", "< 25 s"),
        ("curtain, 4 s at 60 fps", f"{pace:.1f} x real time", "", "> 1"),
    ]
    values = {
        "import_s": importing.clock - bare.clock,
        "import_cpu_s": importing.cpu - bare.cpu,
        "first_frame_warm_s": warm.clock,
        "first_frame_warm_cpu_s": warm.cpu,
        "first_frame_cold_s": cold.clock,
        "first_frame_cold_cpu_s": cold.cpu,
        "curtain_times_real_time": pace,
    }
    return Report("from nothing to the first frame", ("what", "clock", "CPU time", "wanted"), rows, values)


class _Ran(NamedTuple):
    """One fresh process."""

    clock: float  # [s]
    cpu: float  # [s] of all its threads
    printed: str


def _run(program: str, environment: dict[str, str]) -> _Ran:
    began, before = perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
    clock, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return _Ran(clock, cpu, done.stdout.strip())
