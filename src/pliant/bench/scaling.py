"""Cost against size: `approximate` from 1,000 to 1,000,000 particles, and how near it comes to the memory's speed."""

from time import perf_counter

import numpy as np

from pliant.bench.report import Report
from pliant.bench.yardstick import Sheet, copy_bandwidth, sheet
from pliant.integrators.slots import Slots, slots_of
from pliant.kernels import maximum_thread_count, set_thread_count
from pliant.world import Springs

SIDES = (32, 56, 100, 178, 316, 562, 1000)
PER_SLOT = 28 + 12  # [bytes] index, weight, k and rest length in the first pass; index and weight in the second
PER_POINT = 136 + 152  # [bytes] x, v, f, w, stiffer in, b, y, 1/D out; b, y, 1/D in, v and x in and out


def scaling() -> Report:
    """Time per step, the power of n it grows with, memory and traffic per particle."""
    rows: list[tuple[str, ...]] = []
    counts: list[int] = []
    seconds: dict[int, list[float]] = {1: [], 2: []}
    last: Sheet | None = None
    for side in SIDES:
        last = sheet(side)
        count = side * side
        counts.append(count)
        for threads, found in seconds.items():
            set_thread_count(threads)
            found.append(_seconds(last, rounds=max(7, min(300, 3_000_000 // count))))
        cost = [f"{1e9 * found[-1] / count:.1f}" for found in seconds.values()]
        rows.append((f"{count:,}", f"{1e3 * seconds[2][-1]:.3f}", *cost, f"{_memory(last) / count:.0f}"))
    set_thread_count(maximum_thread_count())
    assert last is not None
    powers = {threads: float(np.polyfit(np.log(counts), np.log(found), 1)[0]) for threads, found in seconds.items()}
    slots: Slots = slots_of(last.part.table(Springs))
    traffic = PER_POINT + PER_SLOT * len(slots.other) / counts[-1]
    speed, limit = traffic * counts[-1] / seconds[2][-1], copy_bandwidth()
    values = {f"power_{threads}_threads": power for threads, power in powers.items()}
    values |= {"bytes_per_particle": _memory(last) / counts[-1], "bytes_moved_per_particle": traffic}
    values |= {"bytes_per_second": speed, "copy_bytes_per_second": limit, "fraction_of_copy": speed / limit}
    title = (
        f"approximate: cost ~ n^{powers[1]:.3f} with one thread, n^{powers[2]:.3f} with two; at {counts[-1]:,} "
        f"particles {traffic:.0f} bytes each, {1e-9 * speed:.1f} of the {1e-9 * limit:.1f} GB/s of a copy"
    )
    columns = ("particles", "ms, two threads", "ns each, one thread", "ns each, two", "bytes each")
    return Report(title, columns, rows, values)


def _seconds(of: Sheet, rounds: int) -> float:
    """Best time of one step; the minimum, since whatever else runs can only add."""
    force, found = np.zeros_like(of.weight), []
    for _ in range(3):
        of.step(force)
    for _ in range(rounds):
        began = perf_counter()
        of.step(force)
        found.append(perf_counter() - began)
    return min(found)


def _memory(of: Sheet) -> int:
    """Bytes of everything a part of springs keeps: rows, tables, slots, scratch."""
    springs = of.part.table(Springs)
    slots = slots_of(springs)
    n = len(of.part.mass)
    own = sum(array.nbytes for array in (*springs[:5], *springs.adjacency, *slots[3:]))
    constant = of.part.rest_position.nbytes + of.part.mass.nbytes + of.part.triangles.nbytes
    scratch = slots.stiffness.nbytes + n * 8 * (3 * 3 + 2)  # weights; b, y and one more; D and stiffer
    return own + constant + sum(array.nbytes for array in of.rows[:3]) + scratch + 3 * 24 * n
