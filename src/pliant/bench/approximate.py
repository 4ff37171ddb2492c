"""`approximate` against C: one step of 16,384 particles with 12 neighbours, interleaved, medians of one run."""

from collections.abc import Callable
from time import perf_counter

import numpy as np

from pliant.bench.report import Report
from pliant.bench.yardstick import CStep, sheet
from pliant.kernels import maximum_thread_count, set_thread_count

SIDE = 128
ROUNDS = 400


def approximate() -> Report:
    """Time per step of ours and of C, with one thread and with two; float64 both."""
    ours = sheet(SIDE)
    rows: list[tuple[str, ...]] = []
    yardstick, force = CStep(ours), np.zeros_like(ours.weight)
    values: dict[str, float] = {}
    for threads in (1, 2):
        set_thread_count(threads)
        yardstick.set_threads(threads)
        mine, other = interleaved(lambda: ours.step(force), yardstick.step, ROUNDS)
        ratio, best = float(np.median(mine) / np.median(other)), float(mine.min() / other.min())
        rows.append(
            (
                str(threads),
                f"{1e3 * np.median(mine):.3f}",
                f"{1e3 * np.median(other):.3f}",
                f"{ratio:.2f}",
                f"{best:.2f}",
            )
        )
        values |= {f"ratio_{threads}_threads": ratio, f"ratio_of_minima_{threads}_threads": best}
        values |= {f"ms_{threads}_threads": 1e3 * float(np.median(mine))}
    set_thread_count(maximum_thread_count())
    agree = float(np.abs(ours.rows.position - yardstick.position).max())
    values["largest_difference_m"] = agree
    title = f"approximate, {SIDE * SIDE} particles, 12 neighbours; positions agree to {agree:.1e} m"
    return Report(title, ("threads", "ours [ms]", "C [ms]", "ratio of medians", "ratio of minima"), rows, values)


def interleaved(first: Callable[[], None], second: Callable[[], None], rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Seconds of each call, by turns, so that whatever slows the machine slows both."""
    for _ in range(10):
        first()
        second()
    seconds = np.zeros((2, rounds))
    for turn in range(rounds):
        began = perf_counter()
        first()
        middle = perf_counter()
        second()
        seconds[:, turn] = middle - began, perf_counter() - middle
    return seconds[0], seconds[1]
