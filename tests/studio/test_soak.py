"""Somebody plays for a while: memory stays flat, the stage goes on, the browser's console stays silent.

`PLIANT_SOAK_SECONDS=600 pytest tests/studio/test_soak.py` plays for ten minutes; without it, for a quarter of one.
"""

import gc
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from studio.stage import Visitor, chromium, real_complaints, small_scene, soak_seconds, studio, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROUND = 3.0  # [s] at least, of one round of play
PAST = 4 * 2**20  # [byte] of states that the stage remembers here, so that its ring is full before the first reading
GROWTH_PYTHON = 24.0  # [MB] from the first third to the end
GROWTH_PAGE = 24.0
HEAP = "() => performance.memory.usedJSHeapSize / 2 ** 20"


def play(stage: Any, visitor: Visitor, k: int) -> None:
    """One round: drag, brush, look at something, change something, go back."""
    points = stage.runner.latest.frame["sheet"].points
    x, y = visitor.place(points[13 * 3 + 6])
    stage.act.hands.tool = ("grab", "push", "pinch")[k % 3]
    mouse = visitor.page.mouse
    mouse.move(x, y)
    mouse.down()
    for step in range(8):
        mouse.move(x + 6 * step, y + 3 * step)
        visitor.page.wait_for_timeout(40)
    mouse.up()
    stage.act.shades.choice = ("strain", "speed", "force", "fabric")[k % 4]
    for name, switch in stage.act.overlays.switches.items():
        switch.value = (k + len(name)) % 2 == 0
    stage.runner.put(lambda runner: runner.change("sheet.fabric.density", (0.15, 0.3)[k % 2]))
    if k % 4 == 3:
        stage.runner.put(lambda runner: stage.act.deck._go_back(runner, -0.2))
        stage.runner.put(lambda runner: setattr(runner, "playing", True))


def memory(visitor: Visitor) -> tuple[float, float]:
    """[MB] of this process and of the page's own heap."""
    gc.collect()
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("HeapProfiler.collectGarbage")
    session.detach()
    return psutil.Process().memory_info().rss / 2**20, float(visitor.page.evaluate(HEAP))


def test_hours_of_play_cost_no_memory(tmp_path: Path) -> None:
    whole = soak_seconds()
    with studio(small_scene(), tmp_path) as stage, chromium() as browser:
        stage.runner.session._history_bytes = PAST
        visitor = Visitor(browser, stage.url)
        until(lambda: stage.runner.latest.serial > 5, "frames")
        for k in range(4):  # every kind of thing once, before the clock runs
            play(stage, visitor, k)
        began, k, readings = time.monotonic(), 0, []
        while (passed := time.monotonic() - began) < whole or len(readings) < 3:
            play(stage, visitor, k)
            k += 1
            visitor.page.wait_for_timeout(max(0.0, 1e3 * (ROUND - (time.monotonic() - began - passed))))
            readings.append(memory(visitor))
        serial = stage.runner.latest.serial
        until(lambda: stage.runner.latest.serial > serial + 5, "the stage goes on")
        third = max(1, len(readings) // 3)
        early, late = np.min(readings[:third], axis=0), np.min(readings[-third:], axis=0)
        assert late[0] - early[0] < GROWTH_PYTHON, readings
        assert late[1] - early[1] < GROWTH_PAGE, readings
        assert not stage.runner.notices
        visitor.shot("soak")
        assert real_complaints(visitor) == []
        visitor.close()
