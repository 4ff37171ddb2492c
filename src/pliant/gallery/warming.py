"""Every loop a first show needs, compiled ahead by several processes: a compiler uses one core of each.

Machine code is cached beside the package, so what one process has compiled the others find. Lanes are chosen so that
two processes seldom compile the same loops at once.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

from pliant.errors import PliantError

LANES = (("show",), ("balloon", "tshirt"))  # a process each; with more cores the second is split


def warm(cores: int | None = None) -> Iterator[str]:
    """Run a moment of some scenes, as many at once as there are cores; gives the name of each that is through."""
    count = cores or os.cpu_count() or 1
    lanes = LANES if count == 2 else (LANES[1] + LANES[0],) if count < 2 else ((n,) for lane in LANES for n in lane)
    with ThreadPoolExecutor(max(count, 1)) as pool:
        running = [pool.submit(_run, lane) for lane in lanes]
        for done in as_completed(running):
            yield from done.result()


def _run(lane: tuple[str, ...]) -> tuple[str, ...]:
    for name in lane:
        command = [sys.executable, "-m", "pliant", "run", name, "--frames", "3", "--json"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise PliantError(f"warm: the scene {name!r} ended with {ended.returncode} ({ended.stderr.strip()[-200:]})")
    return lane
