"""Cost against size: `approximate` from 1,000 to 1,000,000 particles, and how near it comes to the memory's speed.

With one thread the CPU time of the thread counts, which other programs on the machine cannot lengthen by taking turns;
with two threads only the clock can tell, so that figure needs a quiet machine.
"""

from collections.abc import Callable
from time import perf_counter, thread_time

import numpy as np

from pliant.bench.report import Report
from pliant.bench.yardstick import CStep, Sheet, copy_bandwidth, sheet
from pliant.integrators.slots import Slots, slots_of
from pliant.kernels import maximum_thread_count, set_thread_count
from pliant.world import Springs

SIDES = (32, 56, 100, 178, 316, 562, 1000)
PER_SLOT = 20  # [bytes] index, k and rest length, once: the second pass finds them in the cache
PER_POINT = 172  # [bytes] x and v in and out; f, w, stiffer and the start of the slots in; y and 1/D out
CLOCKS: dict[int, Callable[[], float]] = {1: thread_time, 2: perf_counter}


def scaling() -> Report:
    """Time per step, the power of n it grows with, memory and traffic per particle."""
    rows: list[tuple[str, ...]] = []
    counts: list[int] = []
    seconds: dict[int, list[float]] = {1: [], 2: []}
    others: list[float] = []  # of C, one thread
    last: Sheet | None = None
    for side in SIDES:
        last = sheet(side)
        count = side * side
        counts.append(count)
        rounds = max(9, min(300, 3_000_000 // count))
        force = np.zeros_like(last.weight)
        for threads, found in seconds.items():
            set_thread_count(threads)
            found.append(_best(lambda of=last, f=force: of.step(f), rounds, CLOCKS[threads]))  # type: ignore[misc]
        rival = CStep(last)
        rival.set_threads(1)
        others.append(_best(rival.step, rounds, thread_time))
        cost = [f"{1e9 * found[-1] / count:.1f}" for found in (*seconds.values(), others)]
        rows.append((f"{count:,}", *cost, f"{_memory(last) / count:.0f}"))
    set_thread_count(maximum_thread_count())
    assert last is not None
    powers = {threads: float(np.polyfit(np.log(counts), np.log(found), 1)[0]) for threads, found in seconds.items()}
    slots: Slots = slots_of(last.part.table(Springs))
    traffic = PER_POINT + PER_SLOT * len(slots.other) / counts[-1]
    speeds = {threads: traffic * counts[-1] / found[-1] for threads, found in seconds.items()}
    limits = {threads: copy_bandwidth(threads=threads, clock=clock) for threads, clock in CLOCKS.items()}
    values = {f"power_{threads}_threads": power for threads, power in powers.items()}
    values |= {"bytes_per_particle": _memory(last) / counts[-1], "bytes_moved_per_particle": traffic}
    for threads in CLOCKS:
        values |= {f"bytes_per_second_{threads}": speeds[threads], f"copy_bytes_per_second_{threads}": limits[threads]}
        values[f"fraction_of_copy_{threads}"] = speeds[threads] / limits[threads]
    reached = " and ".join(f"{1e-9 * speeds[n]:.1f} of {1e-9 * limits[n]:.1f} GB/s of a copy" for n in CLOCKS)
    title = (
        f"approximate: cost ~ n^{powers[1]:.3f} with one thread, n^{powers[2]:.3f} with two; at {counts[-1]:,} "
        f"particles {traffic:.0f} bytes each are moved, {reached} with one thread and two"
    )
    columns = ("particles", "ns each, one thread (CPU)", "two (clock)", "C, one thread (CPU)", "bytes kept each")
    return Report(title, columns, rows, values)


def _best(step: Callable[[], None], rounds: int, clock: Callable[[], float]) -> float:
    """Best time of one step; the minimum, since whatever else runs can only add."""
    for _ in range(3):
        step()
    found = []
    for _ in range(rounds):
        began = clock()
        step()
        found.append(clock() - began)
    return min(found)


def _memory(of: Sheet) -> int:
    """Bytes of everything a part of springs keeps: rows, tables, slots, scratch."""
    springs = of.part.table(Springs)
    slots = slots_of(springs)
    n = len(of.part.mass)
    own = sum(array.nbytes for array in (*springs[:5], *springs.adjacency, *slots[3:]))
    constant = of.part.rest_position.nbytes + of.part.mass.nbytes + of.part.triangles.nbytes
    scratch = n * 8 * (3 + 2)  # y; 1 / D and stiffer
    return own + constant + sum(array.nbytes for array in of.rows[:3]) + scratch + 3 * 24 * n
